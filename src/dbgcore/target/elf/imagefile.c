/*
 * The files behind a program's mappings, each opened once: for the symbols of
 * an image, and, of a core, for memory that is not in it.
 */
#include "target/elf/imagefile.h"
#include "target/symtab.h"
#include "target/target_priv.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- Separate debug files of native libraries ---------------------------- */

/* By build id below /usr/lib/debug, else by .gnu_debuglink and its checksum. */

#define DEBUGFILE_FILE_MAX (UINT64_C(4) << 30)

enum {
	ID_MIN = 2,
	ID_MAX = 64,
};

static const char debug_dir[] = "/usr/lib/debug";

// Does the debug file belong to the image? Files of one build have one id;
// without ids, the link's checksum decides.
static bool fits(const struct elf *elf, const struct elf *debug)
{
	struct bytes a = elf_build_id(elf), b = elf_build_id(debug);

	if (a.n && b.n)
		return a.n == b.n && !memcmp(a.p, b.p, a.n);
	return elf->debug_link &&
	       elf->debug_crc == crc32_z(0, debug->file.p, debug->file.n);
}

static bool try_file(const struct elf *elf, const char *path,
		     struct file *ret_file, struct elf *ret)
{
	struct dbg_error *err;
	struct file file;

	err = file_load(path, DEBUGFILE_FILE_MAX, &file);
	if (dbg_err_drop(err))
		return false;
	err = elf_parse(file.bytes, ret);
	if (err || !fits(elf, ret)) {
		dbg_error_destroy(err);
		file_unload(&file);
		return false;
	}
	*ret_file = file;
	return true;
}

/* The same in a directory of debug files named by build id. */
static bool debugfile_in(const struct elf *elf, const char *dir,
			 struct file *ret_file, struct elf *ret)
{
	struct bytes id = elf_build_id(elf);
	_cleanup_str_ struct str path = {0};

	if (id.n < ID_MIN || id.n > ID_MAX)
		return false;
	str_addf(&path, "%s/.build-id/%02x/", dir, id.p[0]);
	for (size_t i = 1; i < id.n; i++)
		str_addf(&path, "%02x", id.p[i]);
	str_add(&path, ".debug");
	return try_file(elf, str_get(&path), ret_file, ret);
}

bool debugfile_find(const struct elf *elf, const char *root, const char *path,
		    struct file *ret_file, struct elf *ret)
{
	static const struct {
		const char *before, *behind;
	} places[] = {{"", ""}, {"", ".debug/"}, {debug_dir, ""}};
	_cleanup_free_ char *below = xasprintf("%s%s", root, debug_dir);
	bool found = debugfile_in(elf, below, ret_file, ret);
	int dir = (int)(str_basename(path) - path);

	// The link is a name, not a way out of the directory.
	if (!elf->debug_link || strchr(elf->debug_link, '/'))
		return found;
	for (size_t i = 0; !found && i < sizeof(places) / sizeof(*places);
	     i++) {
		_cleanup_free_ char *file =
		    xasprintf("%s%s%.*s%s%s", root, places[i].before, dir, path,
			      places[i].behind, elf->debug_link);
		found = try_file(elf, file, ret_file, ret);
	}
	return found;
}

/* ---- Symbol tables --------------------------------------------------- */

/*
 * Function symbols sorted by address, for naming native code. Of several at one
 * address the one with fewest underscores is shown.
 */

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

// Sort symbols by address; of several at one address, the one to show comes
// last.
static int elf_symbol_compare(const void *a, const void *b)
{
	const struct elf_symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	size_t n = underscores(x->name), m = underscores(y->name);
	if (n != m)
		return n > m ? -1 : 1;
	return -strcmp(x->name, y->name);
}

static void symtab_take(void *arg, const struct elf_symbol *symbol)
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

// Distribute into @to by one digit of the address (radix sort); equal digits
// stay in order.
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
	elf_each_function(elf, symtab_take, s);
	sort_by_address(s);
	for (size_t i = 0, n; i < s->n; i += n) {
		n = 1;
		while (i + n < s->n && s->v[i + n].addr == s->v[i].addr)
			n++;
		if (n > 1)
			qsort(&s->v[i], n, sizeof(*s->v), elf_symbol_compare);
	}
}

void symtab_deinit(struct symtab *s)
{
	free(s->v);
	memset(s, 0, sizeof(*s));
}

// Does the function contain the address? One written in assembly may not tell
// its size: it extends to the next one, if that is near. A library that hides
// its own functions (musl) has gaps between those that it exports, and behind
// the last of them.
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

#define FILE_MAX (UINT64_C(4) << 30)

enum {
	FILES_MAX = 4096,
	COPY_MAX = 1 << 30, /* of a file that is put together from memory */
};

static void image_file_destroy(struct image_file *f)
{
	symtab_deinit(&f->functions);
	elf_table_deinit(&f->table);
	file_unload(&f->debug);
	file_unload(&f->file);
	free(f->path);
	free(f->place);
	free(f->why);
	free(f);
}

void images_clear(struct images *images)
{
	for (size_t i = 0; i < images->n_files; i++)
		image_file_destroy(images->files[i]);
	images->n_files = 0;
	proc_maps_deinit(&images->maps);
}

void images_deinit(struct images *images)
{
	images_clear(images);
	free(images->files);
	free(images->ranges);
}

static struct image_file *image_file_by_path(const struct images *images,
					     const char *path)
{
	for (size_t i = 0; i < images->n_files; i++)
		if (!strcmp(images->files[i]->path, path))
			return images->files[i];
	return NULL;
}

static void keep(struct images *images, struct image_file *f)
{
	if (images->n_files < FILES_MAX) {
		mem_grow(&images->files, &images->cap_files, images->n_files,
			 sizeof(*images->files));
		images->files[images->n_files++] = f;
		return;
	}
	images->victim = (images->victim + 1) % FILES_MAX;
	image_file_destroy(images->files[images->victim]);
	images->files[images->victim] = f;
}

/* ---- Files that are no longer where they were mapped from ------------ */

// Turn the linker's addresses of the file's tables in the dynamic section back
// into offsets (glibc relocates them, musl does not).
static void unlink_tables(const struct proc_map *first, uint8_t *bytes,
			  uint64_t size)
{
	struct elf elf;

	if (first->offset ||
	    dbg_err_drop(elf_parse((struct bytes){bytes, size}, &elf)))
		return;
	uint64_t bias = first->start - elf_base(&elf);

	for (size_t i = 0; i < elf.n_segments; i++) {
		const struct elf_segment *s = &elf.segments[i];
		Elf64_Dyn d;

		if (s->type != PT_DYNAMIC || s->offset > size ||
		    s->file_size > size - s->offset)
			continue;
		for (uint64_t at = 0; s->file_size - at >= sizeof(d);
		     at += sizeof(d)) {
			memcpy(&d, bytes + s->offset + at, sizeof(d));
			bool table = d.d_tag == DT_SYMTAB ||
				     d.d_tag == DT_STRTAB ||
				     d.d_tag == DT_RELA || d.d_tag == DT_HASH ||
				     d.d_tag == DT_GNU_HASH;

			if (!table || d.d_un.d_ptr - first->start >= size)
				continue;
			d.d_un.d_ptr -= bias;
			memcpy(bytes + s->offset + at, &d, sizeof(d));
		}
	}
}

// Rebuild a removed file from its mappings, each part at its file offset.
// Written pages are used only where there are no others: data, as relocated.
// Parts that are not mapped, such as sections, are missing.
static struct dbg_error *copy_mapped(struct target *t,
				     const struct proc_maps *maps,
				     const struct proc_map *first,
				     struct file *ret)
{
	uint64_t size = 0;

	for (size_t i = 0; i < maps->n; i++) {
		const struct proc_map *m = &maps->v[i];
		uint64_t end = m->offset + (m->end - m->start);

		if (m->inode == first->inode && m->dev == first->dev &&
		    m->offset < end && end <= COPY_MAX && end > size)
			size = end;
	}
	if (!size)
		return dbg_err(DBG_E_FILE, "'%s' was removed", first->path);
	uint8_t *bytes = xcalloc(1, size);
	for (int write = 1; write >= 0; write--)
		for (size_t i = 0; i < maps->n; i++) {
			const struct proc_map *m = &maps->v[i];
			uint64_t n = m->end - m->start;

			if (m->inode == first->inode && m->dev == first->dev &&
			    m->write == write && m->offset < size &&
			    n <= size - m->offset)
				target_read_some(t, m->start, bytes + m->offset,
						 n);
		}
	unlink_tables(first, bytes, size);
	ret->bytes = (struct bytes){bytes, size};
	ret->mapped = false;
	return NULL;
}

/*
 * Open @path if it was mapped and then removed or replaced: the kernel still
 * has it, by the mapping, for those who may see it (CAP_CHECKPOINT_RESTORE);
 * for others it is put together from memory. False: it is still there.
 */
static bool open_deleted(struct target *t, const char *path,
			 struct image_file *f, struct dbg_error **ret)
{
	const struct proc_maps *maps;
	const struct proc_map *m = NULL;

	if (!target_memory_of(t) || dbg_err_drop(images_maps(t, &maps)))
		return false;
	for (size_t i = 0; i < maps->n && !m; i++)
		if (maps->v[i].deleted && !strcmp(maps->v[i].path, path))
			m = &maps->v[i];
	if (!m)
		return false;
	_cleanup_free_ char *kept =
	    xasprintf("/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		      target_memory_of(t), m->start, m->end);
	*ret = file_load(kept, FILE_MAX, &f->file);
	if (dbg_err_drop(*ret))
		*ret = copy_mapped(t, maps, m, &f->file);
	f->place = hostfile_path(t, path);
	return true;
}

struct dbg_error *image_file_find(struct target *t, const char *path,
				  struct image_file **ret)
{
	struct hostfile_id id = {.mapped = true};
	struct dbg_error *err = NULL;
	struct image_file *f = image_file_by_path(&t->images, path);

	if (!f) {
		f = xcalloc(1, sizeof(*f));
		f->path = xstrdup(path);
		if (t->ops->identify)
			t->ops->identify(t, path, &id);
		if (!open_deleted(t, path, f, &err))
			err = hostfile_open(t, path, &id, &f->file, &f->place);
		if (err && target_can(t, TARGET_RUN)) {
			image_file_destroy(f);
			return err;
		}
		if (err)
			f->why = xstrdup(err->message);
		else
			dbg_error_destroy(elf_parse(f->file.bytes, &f->elf));
		dbg_error_destroy(err);
		keep(&t->images, f);
	}
	if (f->why)
		return dbg_err(DBG_E_FILE, "%s", f->why);
	*ret = f;
	return NULL;
}

struct dbg_error *image_file_elf(struct target *t, const char *path,
				 struct image_file **ret)
{
	struct dbg_error *err = image_file_find(t, path, ret);

	if (err || (*ret)->elf.n_segments)
		return err;
	err = elf_parse((*ret)->file.bytes, &(*ret)->elf);
	return err ? dbg_err_prefix(err, "'%s'", path) : NULL;
}

// Search the user's directories for a debug file with the image's build id.
static bool debugfile_searched(struct target *t, struct image_file *f,
			       struct elf *ret)
{
	struct arena *arena = arena_create();
	size_t n;
	const char *const *list = str_split(hostfile_dirs(t), ':', arena, &n);
	bool found = false;

	for (size_t i = 0; i < n && !found; i++)
		found = debugfile_in(&f->elf, list[i], &f->debug, ret);
	arena_destroy(arena);
	return found;
}

const struct elf_symbol *
image_file_function(struct target *t, struct image_file *f, uint64_t linked)
{
	const char *root = t->ops->root(t);
	struct elf debug;

	if (!f->named) {
		f->named = true;
		symtab_add(&f->functions, &f->elf);
		if (!str_starts(f->place, root))
			root = "";
		if (!f->elf.all_symbols.n &&
		    (debugfile_find(&f->elf, root, f->place + strlen(root),
				    &f->debug, &debug) ||
		     debugfile_searched(t, f, &debug)))
			symtab_add(&f->functions, &debug);
	}
	return symtab_at(&f->functions, linked);
}
