/*
 * Memory: allocation that cannot fail, arenas, scope guards, growing arrays.
 *
 * Sizes passed in here are our own; a size read from a file or from the target
 * is capped by its reader. Out of memory ends dndbg; a program that it was
 * attached to survives that as it survives any other end of dndbg
 * (target/guard/orphan.c).
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>

void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
/* As xcalloc, from where a line of the cache begins. */
void *xcalloc_lines(size_t n, size_t size);
void *xrealloc(void *p, size_t size);
/*
 * Zeroed pages for munmap(): of them only those count that are used, and one
 * of which MADV_DONTNEED was said counts no more.
 */
void *xmap(size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list ap)
    __attribute__((format(printf, 1, 0)));

/*
 * Make room for @n + 1 elements of @size bytes in the array *(@array), whose
 * capacity is *@cap. @array is the address of a pointer.
 */
void mem_grow(void *array, size_t *cap, size_t n, size_t size);

/* Free what the pointer at @p points to; the pointer is NULL then. */
void mem_free_ptr(void *p);
/* Scope guards: `_cleanup_free_ char *p = ...`. */
void mem_close_fd(int *fd);
#define _cleanup_free_ __attribute__((cleanup(mem_free_ptr)))
#define _cleanup_close_ __attribute__((cleanup(mem_close_fd)))

/*
 * An arena hands out zeroed memory that is freed all at once. Growth is by
 * chunks; arena_reset keeps the first chunk.
 */
struct arena;

struct arena *arena_create(void);
void arena_destroy(struct arena *a);
void mem_destroy_arena(struct arena **a);
#define _cleanup_arena_ __attribute__((cleanup(mem_destroy_arena)))
void arena_reset(struct arena *a);
void *arena_alloc(struct arena *a, size_t size);
void *arena_calloc(struct arena *a, size_t n, size_t size);
char *arena_strdup(struct arena *a, const char *s);
/* "" of no bytes, which @s may then be NULL for. */
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Copy @n elements; NULL for none. */
void *arena_copy(struct arena *a, const void *p, size_t n, size_t size);

#endif
