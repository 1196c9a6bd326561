/*
 * Images: ELF files that the process has mapped, found in its mappings; their
 * symbols from the files, which are read as the process sees them.
 */
#include "target/elf.h"
#include "target/target_priv.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- Functions by address, without symbols ------------------------------- */

/*
 * Tables of names and functions in an ELF file, as its relocations fill them:
 * a runtime without symbols names by them what its libraries call.
 */

// A relocation without symbol: where the linker puts which address.
struct placed {
	uint64_t place; // 0: it does not
	uint64_t addr;
	bool code; // the address is one of code
};

static bool is_code(const struct elf *elf, uint64_t addr)
{
	for (size_t i = 0; i < elf->n_segments; i++) {
		const struct elf_segment *s = &elf->segments[i];

		if (s->type == PT_LOAD && s->flags & PF_X && addr >= s->addr &&
		    addr - s->addr < s->size)
			return true;
	}
	return false;
}

// The file offset of a string that is linked for @addr and begins as a name
// does, in a segment that is not written; 0: there is none.
static uint64_t name_at(const struct elf *elf, uint64_t addr)
{
	for (size_t i = 0; i < elf->n_segments; i++) {
		const struct elf_segment *s = &elf->segments[i];

		if (s->type != PT_LOAD || s->flags & (PF_W | PF_X) ||
		    addr <= s->addr || addr - s->addr >= s->file_size)
			continue;
		uint64_t offset = s->offset + (addr - s->addr);
		struct bytes b = bytes_slice(elf->file, offset - 1, 2);

		return b.n && !b.p[0] && (isalpha(b.p[1]) || b.p[1] == '_')
			   ? offset
			   : 0;
	}
	return 0;
}

// Decode the relocation @i; zeros behind the last one.
static struct placed placed_at(const struct elf *elf, size_t i)
{
	const struct bytes *all = &elf->relocations;
	Elf64_Rela r;

	if (i >= all->n / sizeof(r))
		return (struct placed){0};
	memcpy(&r, all->p + i * sizeof(r), sizeof(r));
	if (ELF64_R_SYM(r.r_info))
		return (struct placed){0};
	return (struct placed){r.r_offset, (uint64_t)r.r_addend,
			       is_code(elf, (uint64_t)r.r_addend)};
}

void elf_table_read(const struct elf *elf, struct elf_table *ret)
{
	size_t n = elf->relocations.n / sizeof(Elf64_Rela), cap = 0;
	uint64_t taken = 0;
	struct placed before = {0}, at = placed_at(elf, 0), behind;

	*ret = (struct elf_table){0};
	for (size_t i = 0; i < n; i++, before = at, at = behind) {
		struct elf_named named = {0};

		behind = placed_at(elf, i + 1);
		if (!at.place || at.code)
			continue;
		bool next = behind.code && behind.place - at.place == 8;
		// On the other side there may be something else, such as the
		// function of another name.
		if (next)
			named.code = behind.addr;
		else if (before.code && at.place - before.place == 8 &&
			 before.place != taken)
			named.code = before.addr;
		else
			continue;
		named.name = name_at(elf, at.addr);
		if (!named.name)
			continue;
		taken = next ? behind.place : before.place;
		mem_grow(&ret->v, &cap, ret->n, sizeof(*ret->v));
		ret->v[ret->n++] = named;
	}
}

void elf_table_deinit(struct elf_table *table)
{
	free(table->v);
	*table = (struct elf_table){0};
}

// Does another name in the table have the same code?
static bool is_folded(const struct elf_table *table, const struct elf_named *of)
{
	for (size_t i = 0; i < table->n; i++)
		if (table->v[i].code == of->code &&
		    table->v[i].name != of->name)
			return true;
	return false;
}

void elf_table_find(const struct elf *elf, const struct elf_table *table,
		    const char *name, uint64_t ret[TARGET_OVERLOADS])
{
	size_t size = strlen(name) + 1, n = 0;

	memset(ret, 0, TARGET_OVERLOADS * sizeof(*ret));
	for (size_t i = 0; i < table->n && n < TARGET_OVERLOADS; i++) {
		const struct elf_named *named = &table->v[i];
		struct bytes b = bytes_slice(elf->file, named->name, size);

		if (b.n && !memcmp(b.p, name, size) && !is_folded(table, named))
			ret[n++] = named->code;
	}
}

/* ---- Images -------------------------------------------------------------- */

enum {
	PHDRS_MAX = 64,
	IMAGE_MAX = 1 << 30, /* bytes in memory */
	DYNAMIC_MAX = 1024,  /* entries */
	LINKED_MAX = 10000,
};

/* ---- Mappings, kept while nothing runs -------------------------------- */

struct dbg_error *images_maps(struct target *t, const struct proc_maps **ret)
{
	struct dbg_error *err;
	struct images *images = &t->images;

	*ret = &images->maps;
	if (images->maps.n && images->runs == t->runs && t->ops->frozen(t))
		return NULL;
	proc_maps_deinit(&images->maps);
	images->n_ranges = 0;
	err = t->ops->maps(t, &images->maps);
	if (err)
		return err;
	// What was read while something ran may be old at once.
	images->runs = t->ops->frozen(t) ? t->runs : 0;
	return NULL;
}

struct dbg_error *target_maps(struct target *t, const struct proc_maps **ret)
{
	return images_maps(t, ret);
}

/* ---- Images in the mappings ------------------------------------------ */

// Find the end of the image whose first mapping is at @i; returns whether it
// has code.
static bool image_extent(const struct proc_maps *maps, size_t i,
			 uint64_t *ret_end)
{
	const char *path = maps->v[i].path;
	bool exec = maps->v[i].exec;

	*ret_end = maps->v[i].end;
	for (size_t j = i + 1; j < maps->n; j++) {
		const struct proc_map *map = &maps->v[j];

		// The gap behind a segment and its .bss have no path.
		if (!*map->path || *map->path == '[')
			continue;
		if (strcmp(map->path, path) || !map->offset)
			break;
		exec = exec || map->exec;
		*ret_end = map->end;
	}
	return exec;
}

// Read the program headers of the image loaded at @base, at most PHDRS_MAX;
// returns how many, 0: it is no image. Addresses in them are @ret_slide less
// than in memory: images are linked at 0, except an old-fashioned executable.
static size_t program_headers(struct target *t, uint64_t base,
			      Elf64_Phdr *ret_phdrs, uint64_t *ret_slide)
{
	Elf64_Ehdr ehdr;

	if (target_read_some(t, base, &ehdr, sizeof(ehdr)) != sizeof(ehdr) ||
	    memcmp(ehdr.e_ident, ELFMAG, SELFMAG) ||
	    ehdr.e_phentsize != sizeof(*ret_phdrs) || ehdr.e_phnum > PHDRS_MAX)
		return 0;
	const size_t size = ehdr.e_phnum * sizeof(*ret_phdrs);
	if (target_read_some(t, base + ehdr.e_phoff, ret_phdrs, size) != size)
		return 0;
	*ret_slide = ehdr.e_type == ET_EXEC ? 0 : base;
	return ehdr.e_phnum;
}

// The end of what is loaded at @base, .bss included. A program with its
// libraries inside has more of its file mapped elsewhere. @mapped: returned if
// the image does not tell.
static uint64_t loaded_end(struct target *t, uint64_t base, uint64_t mapped)
{
	Elf64_Phdr phdrs[PHDRS_MAX];
	uint64_t end = 0, slide;
	const size_t n = program_headers(t, base, phdrs, &slide);

	for (size_t i = 0; i < n; i++) {
		const uint64_t start = phdrs[i].p_vaddr + slide - base;

		if (phdrs[i].p_type == PT_LOAD && start < IMAGE_MAX &&
		    phdrs[i].p_memsz < IMAGE_MAX &&
		    base + start + phdrs[i].p_memsz > end)
			end = base + start + phdrs[i].p_memsz;
	}
	return end ? end : mapped;
}

static bool is_elf(struct target *t, uint64_t base)
{
	char magic[SELFMAG];

	return target_read_some(t, base, magic, SELFMAG) == SELFMAG &&
	       !memcmp(magic, ELFMAG, SELFMAG);
}

static bool image_from(struct target *t, const struct proc_maps *maps, size_t i,
		       struct arena *arena, struct target_image *ret)
{
	const struct proc_map *map = &maps->v[i];
	uint64_t end;

	if (map->offset || *map->path != '/' || !image_extent(maps, i, &end) ||
	    !is_elf(t, map->start))
		return false;
	ret->path = arena_strdup(arena, map->path);
	ret->base = map->start;
	ret->end = loaded_end(t, map->start, end);
	return true;
}

/* Is the file of @path called @name, or @name and a version? */
static bool is_named(const char *path, const char *name)
{
	const char *file = str_basename(path);
	size_t n = strlen(name);

	return !strncmp(file, name, n) && (!file[n] || file[n] == '.');
}

struct dbg_error *target_image_find(struct target *t, const char *name,
				    struct arena *arena,
				    struct target_image *ret, bool *ret_found)
{
	struct dbg_error *err;
	const struct proc_maps *maps;
	struct image_file *file;

	err = images_maps(t, &maps);
	if (err)
		return err;
	const char *path = NULL;

	*ret_found = false;
	for (size_t i = 0; i < maps->n && !*ret_found; i++) {
		if (maps->v[i].offset || !is_named(maps->v[i].path, name))
			continue;
		path = maps->v[i].path;
		*ret_found = image_from(t, maps, i, arena, ret);
	}
	// Of a core it may be nothing else that is missing.
	if (path && !*ret_found && !target_can(t, TARGET_RUN))
		err = image_file_elf(t, path, &file);
	return err;
}

static struct dbg_error *image_holding(struct target *t, uint64_t addr,
				       struct arena *arena,
				       struct target_image *ret,
				       bool *ret_found)
{
	struct dbg_error *err;
	const struct proc_maps *maps;

	err = images_maps(t, &maps);
	if (err)
		return err;
	*ret_found = false;
	const struct proc_map *map = proc_maps_find(maps, addr);
	if (!map || *map->path != '/')
		return NULL;
	size_t i = (size_t)(map - maps->v);
	const char *path = map->path;
	while (i && maps->v[i].offset)
		i--;
	if (strcmp(maps->v[i].path, path))
		return NULL;
	*ret_found = image_from(t, maps, i, arena, ret);
	return NULL;
}

struct dbg_error *target_image_at(struct target *t, uint64_t addr,
				  struct arena *arena, struct target_image *ret,
				  const char **ret_symbol, uint64_t *ret_offset,
				  bool *ret_found)
{
	struct dbg_error *err;
	const struct elf_symbol *symbol;
	struct image_file *f;
	bool found;

	err = image_holding(t, addr, arena, ret, &found);
	if (err)
		return err;
	*ret_found = found;
	if (!ret_symbol)
		return NULL;
	*ret_symbol = NULL;
	*ret_offset = 0;
	if (!found)
		return NULL;
	*ret_offset = addr - ret->base;
	// An image without its file has no names; it is there all the same.
	err = image_file_elf(t, ret->path, &f);
	if (dbg_err_drop(err))
		return NULL;
	uint64_t linked = addr - ret->base + elf_base(&f->elf);
	symbol = image_file_function(t, f, linked);
	if (symbol) {
		*ret_symbol = arena_strdup(arena, symbol->name);
		*ret_offset = linked - symbol->addr;
	}
	return NULL;
}

bool target_in_image(struct target *t, uint64_t addr)
{
	struct arena *arena = arena_create();
	struct target_image image;
	bool found = false;
	struct dbg_error *err = image_holding(t, addr, arena, &image, &found);

	arena_destroy(arena);
	return !dbg_err_drop(err) && found;
}

struct dbg_error *target_symbol(struct target *t,
				const struct target_image *image,
				const char *name, uint64_t *ret)
{
	uint64_t size;

	return target_object(t, image, name, ret, &size);
}

struct dbg_error *target_object(struct target *t,
				const struct target_image *image,
				const char *name, uint64_t *ret,
				uint64_t *ret_size)
{
	struct dbg_error *err;
	struct image_file *f;
	struct elf_symbol symbol;

	err = image_file_elf(t, image->path, &f);
	if (err)
		return err;
	*ret = *ret_size = 0;
	if (elf_symbol_find(&f->elf, name, &symbol)) {
		*ret = image->base + (symbol.addr - elf_base(&f->elf));
		*ret_size = symbol.size;
	}
	// It has gone through all symbols.
	file_rest(&f->file);
	return NULL;
}

size_t target_image_data(struct target *t, const struct target_image *image,
			 uint64_t addr, void *buf, size_t n)
{
	size_t got = target_read_some(t, addr, buf, n);
	struct image_file *f;

	if (got == n || dbg_err_drop(image_file_elf(t, image->path, &f)))
		return got;
	uint64_t bias = image->base - elf_base(&f->elf);

	got = elf_data_read(&f->elf, addr - bias, bias, buf, n);
	file_rest(&f->file);
	return got;
}

struct dbg_error *target_table_find(struct target *t,
				    const struct target_image *image,
				    const char *name,
				    uint64_t ret[TARGET_OVERLOADS])
{
	struct dbg_error *err;
	struct image_file *f;

	err = image_file_elf(t, image->path, &f);
	if (err)
		return err;
	if (!f->tabled) {
		elf_table_read(&f->elf, &f->table);
		// It has gone through all relocations.
		file_rest(&f->file);
	}
	f->tabled = true;
	elf_table_find(&f->elf, &f->table, name, ret);
	for (size_t i = 0; i < TARGET_OVERLOADS && ret[i]; i++)
		ret[i] += image->base - elf_base(&f->elf);
	return NULL;
}

struct dbg_error *target_image_text(struct target *t,
				    const struct target_image *image,
				    uint64_t *ret_start, uint64_t *ret_end)
{
	struct dbg_error *err;
	struct image_file *f;
	uint64_t start, end;

	err = image_file_elf(t, image->path, &f);
	if (err)
		return err;
	if (!elf_text(&f->elf, &start, &end))
		return dbg_err(DBG_E_FORMAT, "'%s' has no code", image->path);
	*ret_start = image->base + (start - elf_base(&f->elf));
	*ret_end = image->base + (end - elf_base(&f->elf));
	return NULL;
}

/* ---- Unwind information ---------------------------------------------- */

uint64_t target_segment(struct target *t, uint64_t base, uint32_t type,
			uint64_t *ret_size)
{
	Elf64_Phdr phdrs[PHDRS_MAX];
	uint64_t slide;
	const size_t n = program_headers(t, base, phdrs, &slide);

	for (size_t i = 0; i < n; i++) {
		if (phdrs[i].p_type != type)
			continue;
		*ret_size = phdrs[i].p_memsz;
		return slide + phdrs[i].p_vaddr;
	}
	return 0;
}

// Address of .eh_frame_hdr of the image loaded at @base; 0 if it has none.
static uint64_t unwind_header(struct target *t, uint64_t base)
{
	uint64_t size;

	return target_segment(t, base, PT_GNU_EH_FRAME, &size);
}

// Find the unwind information for an address. The kernel's own code (vdso) has
// no file, but is an image all the same.
static void unwind_range_find(struct target *t, uint64_t addr,
			      struct unwind_range *ret)
{
	struct dbg_error *err;
	const struct proc_maps *maps;
	struct target_image image;
	bool found = false;

	*ret = (struct unwind_range){0};
	struct arena *arena = arena_create();
	err = image_holding(t, addr, arena, &image, &found);
	if (!err && found) {
		*ret = (struct unwind_range){
		    .start = image.base,
		    .end = image.end,
		    .header = unwind_header(t, image.base),
		};
	} else if (!err && !(err = images_maps(t, &maps))) {
		const struct proc_map *map = proc_maps_find(maps, addr);
		if (map && !strcmp(map->path, "[vdso]"))
			*ret = (struct unwind_range){
			    .start = map->start,
			    .end = map->end,
			    .header = unwind_header(t, map->start),
			};
	}
	dbg_error_destroy(err);
	arena_destroy(arena);
}

uint64_t images_unwind_header(struct target *t, uint64_t addr)
{
	struct images *images = &t->images;
	const struct proc_maps *maps;
	struct unwind_range range;

	// What is known is of the present mappings.
	struct dbg_error *err = images_maps(t, &maps);
	if (dbg_err_drop(err))
		return 0;
	for (size_t i = 0; i < images->n_ranges; i++) {
		const struct unwind_range *r = &images->ranges[i];
		if (addr - r->start < r->end - r->start)
			return r->header;
	}
	unwind_range_find(t, addr, &range);
	if (range.end) {
		mem_grow(&images->ranges, &images->cap_ranges, images->n_ranges,
			 sizeof(*images->ranges));
		images->ranges[images->n_ranges++] = range;
	}
	return range.header;
}

/* ---- The executable and its linker ----------------------------------- */

static struct dbg_error *auxv(struct target *t, uint64_t type, uint64_t *ret)
{
	return t->ops->auxv(t, type, ret);
}

struct dbg_error *target_entry(struct target *t, uint64_t *ret)
{
	return auxv(t, AT_ENTRY, ret);
}

struct dbg_error *target_image_main(struct target *t, struct arena *arena,
				    struct target_image *ret)
{
	struct dbg_error *err;
	uint64_t phdr = 0;
	bool found;

	err = auxv(t, AT_PHDR, &phdr);
	if (!err)
		err = image_holding(t, phdr, arena, ret, &found);
	if (err)
		return err;
	if (!found)
		return dbg_err(DBG_E_NOT_FOUND,
			       "cannot find the executable of process %d",
			       t->pid);
	return NULL;
}

// The address of the program's PT_DYNAMIC; 0: it is static.
static struct dbg_error *dynamic_addr(struct target *t, uint64_t *ret)
{
	struct dbg_error *err;
	Elf64_Phdr phdrs[PHDRS_MAX];
	uint64_t addr = 0, n = 0, bias = 0, dynamic = 0;
	bool have_bias = false;

	err = auxv(t, AT_PHDR, &addr);
	if (!err)
		err = auxv(t, AT_PHNUM, &n);
	if (n > PHDRS_MAX)
		n = PHDRS_MAX;
	if (!err)
		err = target_read(t, addr, phdrs, n * sizeof(phdrs[0]));
	if (err)
		return err;
	for (size_t i = 0; i < n; i++) {
		if (phdrs[i].p_type == PT_PHDR) {
			bias = addr - phdrs[i].p_vaddr;
			have_bias = true;
		}
		if (phdrs[i].p_type == PT_DYNAMIC)
			dynamic = phdrs[i].p_vaddr;
	}
	*ret = dynamic && have_bias ? dynamic + bias : 0;
	return NULL;
}

// The address of the linker's r_debug; 0: it has not begun, or there is none.
static struct dbg_error *linker_addr(struct target *t, uint64_t *ret)
{
	struct dbg_error *err;
	uint64_t addr;

	*ret = 0;
	err = dynamic_addr(t, &addr);
	for (size_t i = 0; !err && addr && i < DYNAMIC_MAX; i++) {
		Elf64_Dyn dyn;

		err = target_read(t, addr + i * sizeof(dyn), &dyn, sizeof(dyn));
		if (err || dyn.d_tag == DT_NULL)
			return err;
		if (dyn.d_tag != DT_DEBUG)
			continue;
		*ret = dyn.d_un.d_ptr;
		return NULL;
	}
	return err;
}

struct dbg_error *target_r_brk(struct target *t, uint64_t *ret)
{
	uint64_t addr;
	struct dbg_error *err = linker_addr(t, &addr);

	*ret = 0;
	if (err || !addr)
		return err;
	return target_read_u64(t, addr + offsetof(struct r_debug, r_brk), ret);
}

bool target_image_loading(struct target *t, uint64_t base)
{
	struct dbg_error *err;
	struct link_map map;
	uint64_t addr;

	err = linker_addr(t, &addr);
	if (!err && addr)
		err = target_read_u64(t, addr + offsetof(struct r_debug, r_map),
				      &addr);
	bool loading = !err && addr;
	// It enters the list when all of it is mapped; r_state tells nothing,
	// being RT_CONSISTENT until then (glibc 2.36).
	for (size_t i = 0; !err && addr && loading && i < LINKED_MAX; i++) {
		err = target_read(t, addr, &map, sizeof(map));
		loading = !err && map.l_addr != base;
		addr = (uintptr_t)map.l_next;
	}
	dbg_error_destroy(err);
	return loading;
}

struct dbg_error *target_image_place(struct target *t, const char *path,
				     const char **ret, struct bytes *ret_bytes)
{
	struct image_file *f;
	struct dbg_error *err = image_file_find(t, path, &f);

	if (err)
		return err;
	*ret = f->place;
	*ret_bytes = f->file.bytes;
	return NULL;
}

struct dbg_error *target_file_machine(const char *path, uint16_t *ret)
{
	struct dbg_error *err;
	uint8_t head[64];

	_cleanup_close_ int fd = -1;
	err = dbg_open_file(path, O_RDONLY, false, &fd);
	if (err)
		return err;
	ssize_t n = read(fd, head, sizeof(head));
	if (n < 0)
		return dbg_err_errno(DBG_E_FILE, errno, "cannot read '%s'",
				     path);
	err = elf_machine((struct bytes){head, (size_t)n}, ret);
	return err ? dbg_err_prefix(err, "'%s'", path) : NULL;
}
