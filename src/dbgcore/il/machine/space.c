/*
 * The machine's memory: its own region, one mapping of which only what is
 * touched costs anything, and copies of the program's pages, which are read
 * when they are first wanted and are what writes go to.
 */
#include "il/machine/space.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"
#include "target/target.h"

enum {
	PAGES_MAX = 32768, // 128 MiB of the program
};

bool space_create(struct vm *vm)
{
	void *p = mmap(NULL, REGION_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return false;
	vm->base = p;
	vm->local_top = REGION_STACK;
	vm->heap_top = REGION_HEAP_BASE;
	return true;
}

void space_destroy(struct vm *vm)
{
	if (vm->base)
		munmap(vm->base, REGION_SIZE);
	map_clear_free(&vm->pages);
	map_deinit(&vm->pages);
	free(vm->dirty);
}

static void tlb_clear(struct vm *vm)
{
	memset(vm->tlb, 0, sizeof(vm->tlb));
}

void space_clean(struct vm *vm)
{
	for (size_t i = 0; i < vm->n_dirty; i++) {
		free(map_take(&vm->pages, vm->dirty[i]->addr / PAGE_SIZE_VM));
		vm->n_pages--;
	}
	vm->n_dirty = 0;
	tlb_clear(vm);
}

void space_forget(struct vm *vm, bool all)
{
	if (all) {
		map_clear_free(&vm->pages);
		vm->n_pages = vm->n_dirty = 0;
		tlb_clear(vm);
		return;
	}
	struct map old = vm->pages;
	memset(&vm->pages, 0, sizeof(vm->pages));
	vm->n_pages = vm->n_dirty;
	for (size_t i = 0; i < vm->n_dirty; i++) {
		uint64_t number = vm->dirty[i]->addr / PAGE_SIZE_VM;
		map_put(&vm->pages, number, map_take(&old, number));
	}
	map_clear_free(&old);
	map_deinit(&old);
	tlb_clear(vm);
}

static struct page *page_read(struct vm *vm, uint64_t addr)
{
	if (addr >= UINT64_C(1) << 47 || addr < NULL_PAGE ||
	    vm->n_pages >= PAGES_MAX)
		return NULL;
	struct page *page = xmalloc(sizeof(*page));
	if (dbg_err_drop(target_read(vm->target, addr, page->data,
				     sizeof(page->data)))) {
		free(page);
		return NULL;
	}
	page->addr = addr;
	page->dirty = false;
	vm->allocated += sizeof(*page);
	map_put(&vm->pages, addr / PAGE_SIZE_VM, page);
	vm->n_pages++;
	return page;
}

static struct page *page_get(struct vm *vm, uint64_t addr)
{
	uint64_t number = addr / PAGE_SIZE_VM;
	struct page **cached = &vm->tlb[number % TLB_SIZE];
	if (*cached && (*cached)->addr == number * PAGE_SIZE_VM)
		return *cached;
	struct page *page = map_find(&vm->pages, number);
	if (!page)
		page = page_read(vm, number * PAGE_SIZE_VM);
	if (page)
		*cached = page;
	return page;
}

uint8_t *space_page(struct vm *vm, uint64_t addr, size_t n, bool write)
{
	uint64_t in_page = addr % PAGE_SIZE_VM;
	if (n > PAGE_SIZE_VM - in_page || !vm->target)
		return NULL;
	struct page *page = page_get(vm, addr);
	if (!page)
		return NULL;
	if (write && !page->dirty) {
		mem_grow(&vm->dirty, &vm->cap_dirty, vm->n_dirty,
			 sizeof(struct page *));
		vm->dirty[vm->n_dirty++] = page;
		page->dirty = true;
	}
	return page->data + in_page;
}

/* The most of [addr, addr + n) that one host pointer serves. */
static size_t stretch(struct vm *vm, uint64_t addr, uint64_t n)
{
	if (vm_owns(vm, addr))
		return n;
	uint64_t left = PAGE_SIZE_VM - addr % PAGE_SIZE_VM;
	return n < left ? n : left;
}

bool vm_read(struct vm *vm, uint64_t addr, void *buf, size_t n)
{
	for (size_t done = 0; done < n;) {
		size_t part = stretch(vm, addr + done, n - done);
		const uint8_t *p = space_at(vm, addr + done, part);
		if (!p)
			return false;
		memcpy((uint8_t *)buf + done, p, part);
		done += part;
	}
	return true;
}

bool vm_write(struct vm *vm, uint64_t addr, const void *buf, size_t n)
{
	for (size_t done = 0; done < n;) {
		size_t part = stretch(vm, addr + done, n - done);
		uint8_t *p = space_for(vm, addr + done, part);
		if (!p)
			return false;
		memcpy(p, (const uint8_t *)buf + done, part);
		done += part;
	}
	return true;
}

bool space_fill(struct vm *vm, uint64_t to, uint8_t byte, uint64_t n)
{
	for (uint64_t done = 0; done < n;) {
		size_t part = stretch(vm, to + done, n - done);
		uint8_t *p = space_for(vm, to + done, part);
		if (!p)
			return false;
		memset(p, byte, part);
		done += part;
	}
	return true;
}

/* Overlapping moves keep the source's bytes, as Buffer.Memmove does. */
bool space_move(struct vm *vm, uint64_t to, uint64_t from, uint64_t n)
{
	if (vm_owns(vm, to) && vm_owns(vm, from)) {
		uint8_t *d = space_for(vm, to, n);
		const uint8_t *s = space_at(vm, from, n);
		if (!d || !s)
			return false;
		memmove(d, s, n);
		return true;
	}
	uint8_t buf[PAGE_SIZE_VM];
	bool down = to > from && to - from < n;
	for (uint64_t done = 0; done < n;) {
		size_t part = n - done < sizeof(buf) ? n - done : sizeof(buf);
		uint64_t at = down ? n - done - part : done;
		if (!vm_read(vm, from + at, buf, part) ||
		    !vm_write(vm, to + at, buf, part))
			return false;
		done += part;
	}
	return true;
}

bool vm_has_written(const struct vm *vm)
{
	return vm->n_dirty != 0;
}

bool vm_owns(const struct vm *vm, uint64_t addr)
{
	(void)vm;
	return addr - VM_FIRST < REGION_SIZE;
}
