/* Access to the machine's memory, for what executes. */
#ifndef IL_SPACE_H
#define IL_SPACE_H

#include "il/machine/vm_priv.h"

bool space_create(struct vm *vm);
void space_destroy(struct vm *vm);
/*
 * Drop cached pages of the program's memory; with @all also pages written to.
 */
void space_forget(struct vm *vm, bool all);
/* Drop the writes to the program's memory. */
void space_clean(struct vm *vm);
/* Set the writes so far aside; what was aside before is dropped. */
void space_put_aside(struct vm *vm);
/*
 * Restore the writes that space_put_aside has set aside, in place of the
 * current ones, which are dropped.
 */
void space_take_back(struct vm *vm);
/*
 * Get a host pointer to @n bytes outside of the interpreter's heap; NULL: they
 * are not there, or cross a page. With @write the page is made a private copy.
 */
uint8_t *space_page(struct vm *vm, uint64_t addr, size_t n, bool write);
bool space_move(struct vm *vm, uint64_t to, uint64_t from, uint64_t n);
bool space_fill(struct vm *vm, uint64_t to, uint8_t byte, uint64_t n);

static inline uint64_t vm_addr(const struct vm *vm, const uint8_t *p)
{
	return VM_FIRST + (uint64_t)(p - vm->base);
}

/* A host pointer to @n bytes at @addr, NULL: not at once; see vm_read. */
static inline uint8_t *space_at(struct vm *vm, uint64_t addr, size_t n)
{
	uint64_t off = addr - VM_FIRST;
	if (off < vm->heap_top && n <= vm->heap_top - off)
		return vm->base + off;
	return space_page(vm, addr, n, false);
}

static inline uint8_t *space_for(struct vm *vm, uint64_t addr, size_t n)
{
	uint64_t off = addr - VM_FIRST;
	if (off < vm->heap_top && n <= vm->heap_top - off)
		return vm->base + off;
	return space_page(vm, addr, n, true);
}

#endif
