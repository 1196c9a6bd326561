/*
 * Memory that does not fail (running out of it ends us), growing arrays,
 * arenas. An arena is a list of chunks; a reset gives back all but the first.
 */
#include "base/mem.h"

#include <errno.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	CHUNK_MIN = 512,
	CHUNK_MAX = 65536,
	LINE = 64, /* bytes */
};

static _Noreturn void oom(void)
{
	static const char text[] = "dndbg: out of memory\n";

	ssize_t n = write(STDERR_FILENO, text, sizeof(text) - 1);
	(void)n;
	_exit(70);
}

static size_t product(size_t n, size_t size)
{
	size_t total;

	if (__builtin_mul_overflow(n, size, &total))
		oom();
	return total;
}

void *xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		oom();
	return p;
}

void *xmap(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		oom();
	// a huge page would count as a whole
	madvise(p, size, MADV_NOHUGEPAGE);
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	size_t total = product(n, size);
	void *p = calloc(1, total ? total : 1);

	if (!p)
		oom();
	return p;
}

void *xcalloc_lines(size_t n, size_t size)
{
	size_t total = product(n, size), over = total % LINE;

	if (over && __builtin_add_overflow(total, LINE - over, &total))
		oom();
	void *p = aligned_alloc(LINE, total ? total : LINE);

	if (!p)
		oom();
	return memset(p, 0, total);
}

void *xrealloc(void *p, size_t size)
{
	p = realloc(p, size ? size : 1);
	if (!p)
		oom();
	return p;
}

char *xstrdup(const char *s)
{
	return xstrndup(s, strlen(s));
}

char *xstrndup(const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *copy = xmalloc(len + 1);

	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *s = xvasprintf(fmt, ap);
	va_end(ap);
	return s;
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *s;

	if (vasprintf(&s, fmt, ap) < 0)
		oom();
	return s;
}

void mem_grow(void *array, size_t *cap, size_t n, size_t size)
{
	if (n < *cap)
		return;
	if (n > SIZE_MAX / 2 - 8)
		oom();
	size_t more = n < 4 ? 8 : n + n / 2 + 1;
	// The caller's pointer has a type of its own: copy, do not alias.
	void *p;
	memcpy(&p, array, sizeof(p));
	p = xrealloc(p, product(more, size));
	memcpy(array, &p, sizeof(p));
	*cap = more;
}

void mem_free_ptr(void *p)
{
	void *block;

	memcpy(&block, p, sizeof(block));
	memset(p, 0, sizeof(block));
	free(block);
}

void mem_destroy_arena(struct arena **a)
{
	arena_destroy(*a);
}

void mem_close_fd(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	errno = saved;
}

struct chunk {
	struct chunk *next; /* older */
	size_t used, size;  /* of data */
	alignas(16) unsigned char data[];
};

struct arena {
	struct chunk *chunk; /* newest, where there is room */
};

struct arena *arena_create(void)
{
	return xcalloc(1, sizeof(struct arena));
}

static void free_chunks(struct chunk *c, const struct chunk *stop)
{
	while (c != stop) {
		struct chunk *next = c->next;

		free(c);
		c = next;
	}
}

void arena_destroy(struct arena *a)
{
	if (!a)
		return;
	free_chunks(a->chunk, NULL);
	free(a);
}

void arena_reset(struct arena *a)
{
	struct chunk *first = a->chunk;

	if (!first)
		return;
	while (first->next)
		first = first->next;
	free_chunks(a->chunk, first);
	a->chunk = first;
	first->used = 0;
	// A huge first request must not stay for ever.
	if (first->size > CHUNK_MAX) {
		free(first);
		a->chunk = NULL;
	}
}

static struct chunk *chunk_create(size_t size)
{
	struct chunk *c = xmalloc(sizeof(*c) + size);

	c->next = NULL;
	c->used = 0;
	c->size = size;
	return c;
}

// Put a chunk with room for @size bytes in front; a large one goes behind the
// front, so that what is left there serves the next small requests.
static struct chunk *add_chunk(struct arena *a, size_t size)
{
	struct chunk *front = a->chunk;
	size_t want = front ? front->size * 2 : CHUNK_MIN;

	if (want > CHUNK_MAX)
		want = CHUNK_MAX;
	bool large = size > want / 2;
	struct chunk *c = chunk_create(large ? size : want);
	if (front && large) {
		c->next = front->next;
		front->next = c;
	} else {
		c->next = front;
		a->chunk = c;
	}
	return c;
}

void *arena_alloc(struct arena *a, size_t size)
{
	struct chunk *c = a->chunk;

	if (size > SIZE_MAX / 2)
		oom();
	size = size ? (size + 15) & ~(size_t)15 : 16;
	if (!c || c->size - c->used < size)
		c = add_chunk(a, size);
	void *p = c->data + c->used;
	c->used += size;
	return memset(p, 0, size);
}

void *arena_calloc(struct arena *a, size_t n, size_t size)
{
	return arena_alloc(a, product(n, size));
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	size_t len = n ? strnlen(s, n) : 0;
	char *copy = arena_alloc(a, len + 1);

	return len ? memcpy(copy, s, len) : copy;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char buf[256];

	va_start(ap, fmt);
	int n = vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	if (n < 0)
		oom();
	if ((size_t)n < sizeof(buf))
		return arena_strndup(a, buf, (size_t)n);
	char *s = arena_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(s, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return s;
}

void *arena_copy(struct arena *a, const void *p, size_t n, size_t size)
{
	if (!n)
		return NULL;
	return memcpy(arena_calloc(a, n, size), p, product(n, size));
}
