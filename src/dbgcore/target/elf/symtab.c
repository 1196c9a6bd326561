/*
 * Function symbols sorted by address, for naming native code. Of several at one
 * address the one with fewest underscores is shown.
 */
#include "target/symtab.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
	SYMBOLS_MAX = 1 << 22,
	UNSIZED_MAX = 512, /* bytes of a function without a size */
	OVERLAPS_MAX = 64, /* symbols looked at in front of an address */
	DIGIT_BITS = 8,
	DIGITS = 1 << DIGIT_BITS,
};

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

// By address; of one address the name to show comes last.
static int compare(const void *a, const void *b)
{
	const struct elf_symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	size_t n = underscores(x->name), m = underscores(y->name);
	if (n != m)
		return n > m ? -1 : 1;
	return -strcmp(x->name, y->name);
}

static void take(void *arg, const struct elf_symbol *symbol)
{
	struct symtab *s = arg;

	if (s->n == SYMBOLS_MAX)
		return;
	mem_grow(&s->v, &s->cap, s->n, sizeof(*s->v));
	s->v[s->n++] = *symbol;
}

static size_t digit(uint64_t addr, unsigned int shift)
{
	return addr >> shift & (DIGITS - 1);
}

// Into @to, by one digit of the address; what has the same stays in order.
static void distribute(const struct elf_symbol *from, size_t n,
		       unsigned int shift, struct elf_symbol *to)
{
	size_t starts[DIGITS + 1] = {0};

	for (size_t i = 0; i < n; i++)
		starts[digit(from[i].addr, shift) + 1]++;
	for (size_t d = 0; d < DIGITS; d++)
		starts[d + 1] += starts[d];
	for (size_t i = 0; i < n; i++)
		to[starts[digit(from[i].addr, shift)]++] = from[i];
}

// The addresses of a library differ in three digits or four: that is much less
// work than to compare its thousands of symbols.
static void sort_by_address(struct symtab *s)
{
	struct elf_symbol *other = xcalloc(s->n + 1, sizeof(*other));
	uint64_t differ = 0;

	for (size_t i = 1; i < s->n; i++)
		differ |= s->v[i].addr ^ s->v[0].addr;
	for (unsigned int shift = 0; shift < 64; shift += DIGIT_BITS) {
		if (!digit(differ, shift))
			continue;
		distribute(s->v, s->n, shift, other);
		struct elf_symbol *sorted = other;
		other = s->v;
		s->v = sorted;
		s->cap = s->n;
	}
	free(other);
}

void symtab_add(struct symtab *s, const struct elf *elf)
{
	elf_each_function(elf, take, s);
	sort_by_address(s);
	for (size_t i = 0, n; i < s->n; i += n) {
		n = 1;
		while (i + n < s->n && s->v[i + n].addr == s->v[i].addr)
			n++;
		if (n > 1)
			qsort(&s->v[i], n, sizeof(*s->v), compare);
	}
}

void symtab_deinit(struct symtab *s)
{
	free(s->v);
	memset(s, 0, sizeof(*s));
}

// A function written in assembly may not tell its size: it goes on to the
// next one, if that is near. A library that hides its own functions (musl) has
// gaps between those that it exports, and behind the last of them.
static bool holds(const struct symtab *s, size_t i, uint64_t addr)
{
	const struct elf_symbol *symbol = &s->v[i];

	if (symbol->size)
		return addr - symbol->addr < symbol->size;
	while (i < s->n && s->v[i].addr == symbol->addr)
		i++;
	return i < s->n && addr < s->v[i].addr &&
	       addr - symbol->addr < UNSIZED_MAX;
}

const struct elf_symbol *symtab_at(const struct symtab *s, uint64_t addr)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (s->v[mid].addr <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	for (size_t i = low, n = 0; i-- > 0 && n < OVERLAPS_MAX; n++)
		if (holds(s, i, addr))
			return &s->v[i];
	return NULL;
}
