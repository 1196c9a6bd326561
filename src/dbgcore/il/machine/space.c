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
#include "dac/dac.h"
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

/* Free the pages that were set aside. */
static void drop_aside(struct vm *vm)
{
	for (size_t i = 0; i < vm->aside.n; i++)
		free(vm->aside.pages[i]);
	vm->aside.n = 0;
}

void space_destroy(struct vm *vm)
{
	if (vm->base)
		munmap(vm->base, REGION_SIZE);
	map_clear_free(&vm->pages);
	map_deinit(&vm->pages);
	free(vm->written.pages);
	drop_aside(vm);
	free(vm->aside.pages);
}

static void tlb_clear(struct vm *vm)
{
	memset(vm->tlb, 0, sizeof(vm->tlb));
}

void space_clean(struct vm *vm)
{
	for (size_t i = 0; i < vm->written.n; i++) {
		free(map_take(&vm->pages,
			      vm->written.pages[i]->addr / PAGE_SIZE_VM));
		vm->n_pages--;
	}
	vm->written.n = 0;
	tlb_clear(vm);
}

static void swap_aside(struct vm *vm)
{
	struct written other = vm->written;
	vm->written = vm->aside;
	vm->aside = other;
	tlb_clear(vm);
}

void space_put_aside(struct vm *vm)
{
	drop_aside(vm);
	for (size_t i = 0; i < vm->written.n; i++) {
		uint64_t addr = vm->written.pages[i]->addr;
		map_take(&vm->pages, addr / PAGE_SIZE_VM);
		vm->n_pages--;
	}
	swap_aside(vm);
}

void space_take_back(struct vm *vm)
{
	space_clean(vm);
	for (size_t i = 0; i < vm->aside.n; i++) {
		struct page *page = vm->aside.pages[i];
		struct page *read =
		    map_take(&vm->pages, page->addr / PAGE_SIZE_VM);
		map_put(&vm->pages, page->addr / PAGE_SIZE_VM, page);
		vm->n_pages += !read;
		free(read);
	}
	swap_aside(vm);
}

void space_forget(struct vm *vm, bool all)
{
	drop_aside(vm);
	if (all) {
		map_clear_free(&vm->pages);
		vm->n_pages = vm->written.n = 0;
		tlb_clear(vm);
		return;
	}
	struct map old = vm->pages;
	memset(&vm->pages, 0, sizeof(vm->pages));
	vm->n_pages = vm->written.n;
	for (size_t i = 0; i < vm->written.n; i++) {
		uint64_t number = vm->written.pages[i]->addr / PAGE_SIZE_VM;
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
	if (dbg_err_drop(target_read(values_target(vm->values), addr,
				     page->data, sizeof(page->data)))) {
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
	if (n > PAGE_SIZE_VM - in_page)
		return NULL;
	struct page *page = page_get(vm, addr);
	if (!page)
		return NULL;
	if (write && !page->dirty) {
		struct written *to = &vm->written;
		mem_grow(&to->pages, &to->cap, to->n, sizeof(struct page *));
		to->pages[to->n++] = page;
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

void vm_overwrite(struct vm *vm, uint64_t addr, const void *buf, size_t n)
{
	for (size_t done = 0; done < n;) {
		uint64_t at = addr + done;
		size_t part = stretch(vm, at, n - done);
		const struct page *page =
		    map_find(&vm->pages, at / PAGE_SIZE_VM);
		bool own = vm_owns(vm, at) || (page && page->dirty);
		uint8_t *p = own ? space_for(vm, at, part) : NULL;
		if (p)
			memcpy(p, (const uint8_t *)buf + done, part);
		done += part;
	}
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

/* ---- Writes that are to last ------------------------------------------- */

enum {
	WORD = 8,
	PAGE_WORDS = PAGE_SIZE_VM / WORD,
};

/* Read the program's words of @page into @now; @ret: those that differ. */
static struct dbg_error *page_changes(struct vm *vm, const struct page *page,
				      uint64_t now[PAGE_WORDS],
				      bool ret[PAGE_WORDS])
{
	struct dbg_error *err = target_read(values_target(vm->values),
					    page->addr, now, PAGE_SIZE_VM);
	for (size_t i = 0; !err && i < PAGE_WORDS; i++) {
		uint64_t was = now[i];
		memcpy(&now[i], page->data + i * WORD, WORD);
		ret[i] = now[i] != was;
		if (ret[i] && vm_is_imaginary(vm->ts, now[i]))
			err = dbg_err(DBG_E_UNSUPPORTED,
				      "nothing is changed: the program would "
				      "be left with what only dndbg has");
	}
	return err;
}

/* Write a word; the GC is told of what may be a reference. */
static struct dbg_error *word_commit(struct vm *vm, pid_t tid, uint64_t addr,
				     uint64_t word)
{
	struct dac *d = types_dac(vm->ts);
	bool holds = word >= NULL_PAGE && word % WORD == 0 && word >> 47 == 0;
	struct dbg_error *err = NULL;
	if (holds)
		err = dac_heap_holds(d, tid, word, &holds);
	if (!err && holds)
		err = dac_heap_holds(d, tid, addr, &holds);
	if (!err)
		err = target_write(values_target(vm->values), addr, &word,
				   sizeof(word));
	return !err && holds ? dac_heap_store(d, tid, addr, word) : err;
}

struct dbg_error *vm_commit(struct vm *vm)
{
	uint64_t now[PAGE_WORDS];
	bool differs[PAGE_WORDS];
	pid_t tid = vm->thread ? vm->thread->tid : 0;
	struct dbg_error *err = NULL;

	if (!target_can(values_target(vm->values), TARGET_WRITE))
		return dbg_err(DBG_E_STATE,
			       "this program cannot be written to");
	for (size_t i = 0; !err && i < vm->written.n; i++)
		err = page_changes(vm, vm->written.pages[i], now, differs);
	for (size_t i = 0; !err && i < vm->written.n; i++) {
		const struct page *page = vm->written.pages[i];
		err = page_changes(vm, page, now, differs);
		for (size_t k = 0; !err && k < PAGE_WORDS; k++)
			if (differs[k])
				err = word_commit(
				    vm, tid, page->addr + k * WORD, now[k]);
	}
	return err;
}

bool vm_has_written(const struct vm *vm)
{
	return vm->written.n != 0;
}

bool vm_owns(const struct vm *vm, uint64_t addr)
{
	(void)vm;
	return addr - VM_FIRST < REGION_SIZE;
}
