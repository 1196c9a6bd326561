/* Memory of the front ends: allocation that cannot fail, scope guards. */
#ifndef FRONT_ALLOC_H
#define FRONT_ALLOC_H

#include <stdarg.h>
#include <stddef.h>

/* Zeroed memory for @n elements; out of memory ends the program. */
void *alloc_zero(size_t n, size_t size);
char *alloc_str(const char *s);
char *alloc_strn(const char *s, size_t n);
char *alloc_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *alloc_vprintf(const char *fmt, va_list ap)
    __attribute__((format(printf, 1, 0)));

/*
 * Make room for @n elements of @size bytes in the array *(@array), whose
 * capacity is *@cap. @array is the address of a pointer.
 */
void alloc_grow(void *array, size_t *cap, size_t n, size_t size);

/* Scope guard: `_cleanup_free_ char *p = ...`. */
void alloc_free_ptr(void *p);
#define _cleanup_free_ __attribute__((cleanup(alloc_free_ptr)))

/* Replace the string *@p by a copy of @s (which may be NULL). */
void alloc_replace(char **p, const char *s);

#endif
