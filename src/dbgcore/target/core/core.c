/*
 * A core file as a target: memory, registers, mappings; it cannot run and
 * cannot be written.
 *
 * What of the memory is not in the core comes from the file that was mapped
 * there: a kernel leaves out pages that nobody wrote. Before a file is taken
 * for it, it must be the one that was mapped: of an ELF file the build id in
 * the core's memory must agree with the file's, any other must be older than
 * the core. What may have been written is never taken from a file.
 */
#include "target/core.h"

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "target/corefile.h"
#include "target/corepack.h"
#include "target/target_priv.h"
#include "target/unpacker.h"

/* ---- The file -------------------------------------------------------- */

/*
 * A core file as tables: threads with their registers, memory segments, mapped
 * files, from the ELF program headers and the notes. Cut and overlapping
 * segments are put right here, so that a look-up is one binary search.
 */

#define CORE_MAX (UINT64_C(1) << 42)

enum {
	SEGMENTS_MAX = 1 << 20,
	MAPPINGS_MAX = 1 << 20,
	THREADS_MAX = 1 << 16,
	NOTE_ALIGN = 4,
	WORD = 8,              /* of the program */
	TIME_MAX = 1000000000, /* seconds of processor time that are believed */
	SIGINFO_CODE = 8,      /* si_code in siginfo_t */
	SIGINFO_ADDR = 16,     /* si_addr */
};

/* ---- Notes ----------------------------------------------------------- */

struct note {
	uint32_t type;
	struct bytes desc;
};

// Take the note at *@b; false at the end, or where they are malformed.
static bool note_next(struct bytes *b, struct note *ret)
{
	struct reader r;

	reader_init(&r, b->p, b->n);
	uint64_t name = reader_u32(&r), size = reader_u32(&r);
	ret->type = reader_u32(&r);
	name = (name + NOTE_ALIGN - 1) & ~(uint64_t)(NOTE_ALIGN - 1);
	if (r.bad)
		return false;
	ret->desc = bytes_slice(*b, 12 + name, size);
	if (!ret->desc.p && size)
		return false;
	uint64_t used = 12 + name + size;
	used = (used + NOTE_ALIGN - 1) & ~(uint64_t)(NOTE_ALIGN - 1);
	*b = used < b->n ? bytes_slice(*b, used, b->n - used)
			 : (struct bytes){NULL, 0};
	return true;
}

static struct core_thread *last_thread(struct corefile *c)
{
	return c->n_threads ? &c->threads[c->n_threads - 1] : NULL;
}

static uint64_t time_ns(const struct timeval *t)
{
	return t->tv_sec < 0 || t->tv_usec < 0 || t->tv_sec > TIME_MAX
		   ? 0
		   : (uint64_t)t->tv_sec * 1000000000 +
			 (uint64_t)t->tv_usec * 1000;
}

static void read_status(struct corefile *c, struct bytes b)
{
	struct elf_prstatus status;

	if (b.n < sizeof(status) || c->n_threads == THREADS_MAX)
		return;
	memcpy(&status, b.p, sizeof(status));
	mem_grow(&c->threads, &c->cap_threads, c->n_threads,
		 sizeof(*c->threads));
	struct core_thread *th = &c->threads[c->n_threads++];

	memset(th, 0, sizeof(*th));
	th->tid = status.pr_pid;
	if (status.pr_cursig > 0 && status.pr_cursig <= SIGRTMAX)
		th->signal = status.pr_cursig;
	th->time = time_ns(&status.pr_utime) + time_ns(&status.pr_stime);
	_Static_assert(sizeof(status.pr_reg) == sizeof(th->regs), "");
	memcpy(&th->regs, &status.pr_reg, sizeof(th->regs));
}

static void read_info(struct corefile *c, struct bytes b)
{
	struct elf_prpsinfo info;

	if (b.n < sizeof(info))
		return;
	memcpy(&info, b.p, sizeof(info));
	c->pid = info.pr_pid;
	memcpy(c->name, info.pr_fname, sizeof(info.pr_fname));
	memcpy(c->command, info.pr_psargs, sizeof(info.pr_psargs));
}

// Take the signal information of the first thread, or of the thread that had
// the signal. In gcore's cores, of a program that gcore has stopped, it means
// nothing.
static void read_siginfo(struct corefile *c, struct bytes b)
{
	struct reader r;

	if (!c->n_threads ||
	    (c->n_threads > 1 && !c->threads[c->n_threads - 1].signal))
		return;
	reader_init(&r, b.p, b.n);
	int signal = (int)reader_u32(&r);
	reader_skip(&r, SIGINFO_CODE - 4);
	int code = (int)reader_u32(&r);
	reader_skip(&r, SIGINFO_ADDR - SIGINFO_CODE - 4);
	uint64_t addr = reader_u64(&r);
	if (r.bad || !signal_is_fault(signal))
		return;
	c->fault = (struct core_fault){signal, code, addr};
}

// Count, page size; then start, end and offset in pages; then the names.
static void read_files(struct corefile *c, struct bytes b)
{
	struct reader r;

	reader_init(&r, b.p, b.n);
	uint64_t n = reader_u64(&r), page = reader_u64(&r);
	if (r.bad || n > MAPPINGS_MAX || n > reader_left(&r) / 24 || !page)
		return;
	const char *names = (const char *)r.p + n * 24;
	const char *end = (const char *)r.end;
	for (uint64_t i = 0; i < n; i++) {
		struct core_mapping m = {.start = reader_u64(&r),
					 .end = reader_u64(&r)};
		uint64_t pages = reader_u64(&r);
		const char *stop =
		    names < end ? memchr(names, '\0', (size_t)(end - names))
				: NULL;

		if (!stop)
			return;
		m.path = names;
		names = stop + 1;
		if (m.end <= m.start || pages > UINT64_MAX / page)
			continue;
		m.offset = pages * page;
		mem_grow(&c->mappings, &c->cap_mappings, c->n_mappings,
			 sizeof(*c->mappings));
		c->mappings[c->n_mappings++] = m;
	}
}

// Take the threads' names; this note comes after those of the threads and lists
// them in the same order.
static void read_names(struct corefile *c, struct bytes b)
{
	for (size_t i = 0; i < c->n_threads; i++) {
		struct bytes one =
		    bytes_slice(b, i * CORE_NAME_BYTES, CORE_NAME_BYTES);
		struct core_thread *th = &c->threads[i];
		uint32_t tid;

		if (!one.p)
			return;
		memcpy(&tid, one.p, sizeof(tid));
		if ((pid_t)tid == th->tid)
			memcpy(th->name, one.p + sizeof(tid),
			       sizeof(th->name) - 1);
	}
}

static void read_notes(struct corefile *c, struct bytes b)
{
	struct note note;
	struct core_thread *th;

	while (b.n && note_next(&b, &note)) {
		switch (note.type) {
		case NT_PRSTATUS:
			read_status(c, note.desc);
			break;
		case NT_FPREGSET:
			th = last_thread(c);
			if (th && note.desc.n >= sizeof(th->fpregs))
				memcpy(&th->fpregs, note.desc.p,
				       sizeof(th->fpregs));
			break;
		case NT_PRPSINFO:
			read_info(c, note.desc);
			break;
		case NT_AUXV:
			c->auxv = note.desc;
			break;
		case NT_SIGINFO:
			read_siginfo(c, note.desc);
			break;
		case NT_FILE:
			read_files(c, note.desc);
			break;
		case CORE_NOTE_NAMES:
			read_names(c, note.desc);
			break;
		default:
			break;
		}
	}
}

/* ---- Segments -------------------------------------------------------- */

static void read_segment(struct corefile *c, const Elf64_Phdr *p)
{
	struct core_segment s = {
	    .addr = p->p_vaddr, .size = p->p_memsz, .flags = p->p_flags};
	uint64_t have = c->file.bytes.n;
	uint64_t n = p->p_filesz < p->p_memsz ? p->p_filesz : p->p_memsz;

	if (!s.size || s.size > UINT64_MAX - s.addr)
		return;
	have = p->p_offset < have ? have - p->p_offset : 0;
	if (n > have) {
		c->missing += n - have;
		n = have;
	}
	if (n)
		s.data = bytes_slice(c->file.bytes, p->p_offset, n);
	mem_grow(&c->segments, &c->cap_segments, c->n_segments,
		 sizeof(*c->segments));
	c->segments[c->n_segments++] = s;
}

// Compare elements of either kind, which begin with their address.
static int by_start(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

// Sorted, the later of two that overlap dropped.
static void sort_all(struct corefile *c)
{
	size_t n = 0;

	if (c->n_segments)
		qsort(c->segments, c->n_segments, sizeof(*c->segments),
		      by_start);
	for (size_t i = 0; i < c->n_segments; i++)
		if (!n || c->segments[i].addr - c->segments[n - 1].addr >=
			      c->segments[n - 1].size)
			c->segments[n++] = c->segments[i];
	c->n_segments = n;
	n = 0;
	if (c->n_mappings)
		qsort(c->mappings, c->n_mappings, sizeof(*c->mappings),
		      by_start);
	for (size_t i = 0; i < c->n_mappings; i++)
		if (!n || c->mappings[i].start >= c->mappings[n - 1].end)
			c->mappings[n++] = c->mappings[i];
	c->n_mappings = n;
}

/* ---- The file -------------------------------------------------------- */

static struct dbg_error *check_header(const Elf64_Ehdr *h)
{
	const char *what = NULL;

	if (memcmp(h->e_ident, ELFMAG, SELFMAG))
		what = memcmp(h->e_ident, "BZh", 3)
			   ? "it is no ELF file"
			   : "it is packed by bzip2: unpack it (bzip2 -d)";
	else if (h->e_type != ET_CORE)
		what = "it is an ELF file, but no core";
	else if (h->e_ident[EI_CLASS] != ELFCLASS64 ||
		 h->e_machine != ARCH_ELF_MACHINE)
		what = "it is of another processor than " ARCH_NAME;
	else if (h->e_phentsize != sizeof(Elf64_Phdr))
		what = "its program headers are malformed";
	return what ? dbg_err(DBG_E_FORMAT, "%s", what) : NULL;
}

// Count the segments; more than e_phnum can say are counted in the first
// section.
static uint64_t count_segments(struct bytes file, const Elf64_Ehdr *h)
{
	struct bytes b = bytes_slice(file, h->e_shoff, sizeof(Elf64_Shdr));
	Elf64_Shdr first;

	if (h->e_phnum != PN_XNUM || !b.p)
		return h->e_phnum;
	memcpy(&first, b.p, sizeof(first));
	return first.sh_info;
}

struct dbg_error *corefile_parse(struct bytes file, struct corefile *ret)
{
	struct dbg_error *err;
	Elf64_Ehdr h;

	memset(ret, 0, sizeof(*ret));
	ret->file.bytes = file;
	if (file.n < sizeof(h))
		return dbg_err(DBG_E_FORMAT, "it is too short for a core");
	memcpy(&h, file.p, sizeof(h));
	err = check_header(&h);
	if (err)
		return err;
	uint64_t n = count_segments(file, &h);
	if (n > SEGMENTS_MAX)
		return dbg_err(DBG_E_FORMAT, "it names %" PRIu64 " segments",
			       n);
	for (uint64_t i = 0; i < n; i++) {
		struct bytes b =
		    bytes_slice(file, h.e_phoff + i * sizeof(Elf64_Phdr),
				sizeof(Elf64_Phdr));
		Elf64_Phdr p;

		if (!b.p)
			break;
		memcpy(&p, b.p, sizeof(p));
		if (p.p_type == PT_LOAD)
			read_segment(ret, &p);
		else if (p.p_type == PT_NOTE)
			read_notes(ret,
				   bytes_slice(file, p.p_offset, p.p_filesz));
	}
	sort_all(ret);
	if (!ret->n_threads)
		return dbg_err(DBG_E_FORMAT,
			       "there is no thread in it: it was cut short "
			       "before its notes");
	if (!ret->pid)
		ret->pid = ret->threads[0].tid;
	return NULL;
}

struct dbg_error *corefile_load(const char *path, struct corefile *ret)
{
	struct dbg_error *err;
	struct file file;

	err = file_load(path, CORE_MAX, &file);
	if (err)
		return err;
	memset(ret, 0, sizeof(*ret));
	if (unpacker_format(file.bytes))
		err = corepack_unpack(path, &file);
	if (!err)
		err = corefile_parse(file.bytes, ret);
	ret->file = file;
	if (err)
		corefile_unload(ret);
	return err ? dbg_err_prefix(err, "cannot use '%s' as a core", path)
		   : NULL;
}

void corefile_unload(struct corefile *c)
{
	free(c->segments);
	free(c->mappings);
	free(c->threads);
	file_unload(&c->file);
	memset(c, 0, sizeof(*c));
}

/* ---- Looking up ------------------------------------------------------ */

// How many of @n sorted elements, each of @size bytes with its address first,
// begin at @addr or before.
static size_t begun(const void *list, size_t n, size_t size, uint64_t addr)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		uint64_t start;

		memcpy(&start, (const char *)list + mid * size, sizeof(start));
		if (start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct core_segment *corefile_segment(const struct corefile *c,
					    uint64_t addr)
{
	size_t n =
	    begun(c->segments, c->n_segments, sizeof(*c->segments), addr);
	const struct core_segment *s = n ? &c->segments[n - 1] : NULL;

	return s && addr - s->addr < s->size ? s : NULL;
}

const struct core_mapping *corefile_mapping(const struct corefile *c,
					    uint64_t addr)
{
	size_t n =
	    begun(c->mappings, c->n_mappings, sizeof(*c->mappings), addr);
	const struct core_mapping *m = n ? &c->mappings[n - 1] : NULL;

	return m && addr < m->end ? m : NULL;
}

/* ---- The target ------------------------------------------------------ */

enum {
	HEAD_MAX = 1 << 16, /* of an image, where its build id is looked for */
};

struct core {
	struct target target;
	struct corefile file;
	time_t written;      /* when */
	struct bytes wanted; /* build id of the file that is looked for */
};

static struct core *core_of(const struct target *t)
{
	return (struct core *)(uintptr_t)t;
}

static void core_destroy(struct target *t)
{
	struct core *c = core_of(t);

	corefile_unload(&c->file);
	target_deinit(t);
	free(c);
}

/* ---- Memory of the core itself --------------------------------------- */

// Get as much as the core has from @addr on, in one segment.
static struct bytes present(const struct core *c, uint64_t addr)
{
	const struct core_segment *s = corefile_segment(&c->file, addr);

	if (!s || addr - s->addr >= s->data.n)
		return (struct bytes){NULL, 0};
	return bytes_slice(s->data, addr - s->addr,
			   s->data.n - (addr - s->addr));
}

// Segments that follow each other in memory do so in the file as well, as a
// rule.
static struct bytes core_span(struct target *t, uint64_t addr)
{
	const struct core *c = core_of(t);
	struct bytes all = {NULL, 0}, next;

	if (c->file.file.mapped)
		all = present(c, addr);
	while (all.n && (next = present(c, addr + all.n)).n &&
	       next.p == all.p + all.n)
		all.n += next.n;
	return all;
}

/* ---- Files behind it ------------------------------------------------- */

/* The build id of the image whose first bytes are in the core at @base. */
static struct bytes build_id_at(const struct core *c, uint64_t base)
{
	struct bytes head = present(c, base);
	struct elf elf;
	struct dbg_error *err;

	if (head.n > HEAD_MAX)
		head.n = HEAD_MAX;
	err = elf_parse(head, &elf);
	return dbg_err_drop(err) ? (struct bytes){NULL, 0} : elf_build_id(&elf);
}

// The address at which the beginning of the file @path is mapped; 0: it is not.
static uint64_t base_of(const struct core *c, const char *path)
{
	const struct corefile *f = &c->file;

	for (size_t i = 0; i < f->n_mappings; i++)
		if (!f->mappings[i].offset &&
		    !strcmp(f->mappings[i].path, path))
			return f->mappings[i].start;
	return 0;
}

// Is @file, found at @place, the one that was mapped?
static struct dbg_error *check_file(void *arg, const char *place,
				    const struct file *file)
{
	const struct core *c = arg;
	struct bytes id = c->wanted, own;
	struct elf elf;
	struct stat st;

	if (id.n && !dbg_err_drop(elf_parse(file->bytes, &elf))) {
		own = elf_build_id(&elf);
		return own.n == id.n && !memcmp(own.p, id.p, id.n)
			   ? NULL
			   : dbg_err(DBG_E_FILE,
				     "'%s' has not the build id that the core "
				     "has",
				     place);
	}
	return !stat(place, &st) && st.st_mtime <= c->written
		   ? NULL
		   : dbg_err(DBG_E_FILE, "'%s' is newer than the core", place);
}

static void core_identify(struct target *t, const char *path,
			  struct hostfile_id *ret)
{
	struct core *c = core_of(t);
	uint64_t base = base_of(c, path);

	c->wanted = base ? build_id_at(c, base) : (struct bytes){NULL, 0};
	*ret = (struct hostfile_id){
	    .build_id = c->wanted, .check = check_file, .arg = c};
}

// NULL: it is not here.
static struct image_file *backing(struct core *c, const struct core_mapping *m)
{
	struct image_file *f;

	// memfd and SysV segments have names that lead nowhere, or elsewhere.
	if (*m->path != '/' || str_starts(m->path, "/memfd:") ||
	    str_starts(m->path, "/SYSV") || str_starts(m->path, "/dev/"))
		return NULL;
	return dbg_err_drop(image_file_find(&c->target, m->path, &f)) ? NULL
								      : f;
}

/*
 * May the program have written to what was mapped of @offset of the file? @s
 * is the segment it is in, NULL: none.
 */
static bool written_to(const struct core_segment *s, const struct image_file *b,
		       uint64_t offset)
{
	if (s)
		// A page that the kernel left out was not written.
		return s->flags & PF_W && s->data.n;
	for (size_t i = 0; i < b->elf.n_segments; i++) {
		const struct elf_segment *e = &b->elf.segments[i];

		if (e->type == PT_LOAD && e->flags & PF_W &&
		    offset >= e->offset && offset - e->offset < e->file_size)
			return true;
	}
	return false;
}

static struct bytes from_file(struct core *c, uint64_t addr)
{
	const struct core_mapping *m = corefile_mapping(&c->file, addr);
	const struct core_segment *s = corefile_segment(&c->file, addr);
	const struct image_file *b = m ? backing(c, m) : NULL;
	uint64_t offset;

	if (!b)
		return (struct bytes){NULL, 0};
	offset = m->offset + (addr - m->start);
	if (offset >= b->file.bytes.n || written_to(s, b, offset))
		return (struct bytes){NULL, 0};
	uint64_t end = m->end;

	// Of the next segment the core may have what was written.
	if (s && s->addr + s->size < end)
		end = s->addr + s->size;
	uint64_t n = end - addr;

	if (n > b->file.bytes.n - offset)
		n = b->file.bytes.n - offset;
	return bytes_slice(b->file.bytes, offset, n);
}

static size_t core_read(struct target *t, uint64_t addr, void *buf, size_t n)
{
	struct core *c = core_of(t);
	size_t done = 0;

	while (done < n) {
		struct bytes b = present(c, addr + done);
		size_t part = n - done;

		if (!b.n)
			b = from_file(c, addr + done);
		if (!b.n)
			break;
		// The next segment may cover what the file has further on.
		if (part > b.n)
			part = b.n;
		memcpy((char *)buf + done, b.p, part);
		done += part;
	}
	return done;
}

/* ---- Mappings -------------------------------------------------------- */

static void add_map(struct proc_maps *maps, uint64_t start, uint64_t end,
		    const struct core_mapping *m, uint32_t flags)
{
	mem_grow(&maps->v, &maps->cap, maps->n, sizeof(*maps->v));
	maps->v[maps->n++] = (struct proc_map){
	    .start = start,
	    .end = end,
	    .offset = m ? m->offset + (start - m->start) : 0,
	    .read = flags & PF_R,
	    .write = flags & PF_W,
	    .exec = flags & PF_X,
	    .path = m ? m->path : "",
	};
}

// The file's own program header tells what the core does not: createdump
// gives merged segments the flags of the first.
static uint32_t flags_of(struct core *c, const struct core_mapping *m)
{
	const struct core_segment *s = corefile_segment(&c->file, m->start);
	const struct image_file *b = backing(c, m);

	for (size_t i = 0; b && i < b->elf.n_segments; i++) {
		const struct elf_segment *e = &b->elf.segments[i];

		if (e->type == PT_LOAD &&
		    e->offset / PAGE_BYTES * PAGE_BYTES == m->offset)
			return e->flags;
	}
	return s ? s->flags : PF_R;
}

// Make the mappings: every segment, cut where files begin and end; and files
// that no segment has.
static struct dbg_error *core_maps(struct target *t, struct proc_maps *ret)
{
	struct core *c = core_of(t);
	const struct corefile *f = &c->file;
	size_t k = 0;

	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < f->n_segments || k < f->n_mappings;) {
		const struct core_segment *s =
		    i < f->n_segments ? &f->segments[i] : NULL;
		uint64_t at = s ? s->addr : UINT64_MAX;
		uint64_t end = s ? s->addr + s->size : UINT64_MAX;

		if (ret->n && at < ret->v[ret->n - 1].end)
			at = ret->v[ret->n - 1].end;
		if (k < f->n_mappings && f->mappings[k].start <= at) {
			const struct core_mapping *m = &f->mappings[k++];

			add_map(ret, m->start, m->end, m, flags_of(c, m));
			continue;
		}
		if (k < f->n_mappings && f->mappings[k].start < end)
			end = f->mappings[k].start;
		else
			i++;
		if (at < end)
			add_map(ret, at, end, NULL, s->flags);
	}
	return NULL;
}

static struct dbg_error *core_auxv(struct target *t, uint64_t type,
				   uint64_t *ret)
{
	struct reader r;
	struct bytes b = core_of(t)->file.auxv;

	reader_init(&r, b.p, b.n);
	*ret = 0;
	while (reader_left(&r) >= 16) {
		uint64_t key = reader_u64(&r), value = reader_u64(&r);

		if (key == type)
			*ret = value;
		if (key == type || !key)
			break;
	}
	return NULL;
}

/* ---- The command line ------------------------------------------------ */

/*
 * Find the first argument of the process: where the kernel puts them on its
 * stack (System V ABI for AMD64, 3.4.1), the number of arguments, pointers to
 * them, 0, pointers to the environment, 0 are in front of the auxiliary vector.
 */
static uint64_t first_argument(const struct core *c, struct bytes stack)
{
	const struct bytes auxv = c->file.auxv;
	const uint8_t *at =
	    auxv.n && stack.n ? memmem(stack.p, stack.n, auxv.p, auxv.n) : NULL;
	size_t n = at ? (size_t)(at - stack.p) / WORD : 0, n_args = 0;
	uint64_t word, first = 0;

	for (int zeros = 0; n; n--) {
		at -= WORD;
		memcpy(&word, at, WORD);
		if (zeros == 2 && word == n_args)
			return first;
		if (zeros == 2)
			n_args++;
		zeros += !word;
		first = word;
	}
	return 0;
}

/*
 * Find the whole command line and the environment behind it on the stack, in
 * front of the name of the executable, whose address the auxiliary vector has.
 * (The note has only the first 79 bytes, createdump's cores have none.)
 */
static struct bytes find_words(struct core *c)
{
	const struct core_segment *s;
	uint64_t end = 0, from;

	if (dbg_err_drop(core_auxv(&c->target, AT_EXECFN, &end)) || !end)
		return (struct bytes){0};
	s = corefile_segment(&c->file, end - 1);
	if (!s)
		return (struct bytes){0};
	from = first_argument(c, s->data);
	if (from < s->addr || from >= end)
		return (struct bytes){0};
	struct bytes b = present(c, from);
	if (b.n > end - from)
		b.n = (size_t)(end - from);
	return b;
}

/* ---- Threads --------------------------------------------------------- */

// Compare threads by age, whatever the order of the notes. Numbers below the
// process's own have wrapped around, so they are younger.
static int by_age(const void *a, const void *b, void *arg)
{
	const struct target_thread *x = a, *y = b;
	pid_t pid = *(const pid_t *)arg;

	if ((x->tid < pid) != (y->tid < pid))
		return x->tid < pid ? 1 : -1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

static struct dbg_error *core_threads(struct target *t, struct arena *arena,
				      struct target_thread **ret, size_t *ret_n)
{
	const struct corefile *f = &core_of(t)->file;

	*ret = arena_calloc(arena, f->n_threads + 1, sizeof(**ret));
	*ret_n = f->n_threads;
	for (size_t i = 0; i < f->n_threads; i++)
		(*ret)[i] = (struct target_thread){f->threads[i].tid, true};
	qsort_r(*ret, f->n_threads, sizeof(**ret), by_age, &t->pid);
	return NULL;
}

static struct dbg_error *thread_of(struct target *t, pid_t tid,
				   const struct core_thread **ret)
{
	const struct corefile *f = &core_of(t)->file;

	for (size_t i = 0; i < f->n_threads; i++) {
		if (f->threads[i].tid != tid)
			continue;
		*ret = &f->threads[i];
		return NULL;
	}
	return dbg_err(DBG_E_NOT_FOUND, "the core has no thread %d", tid);
}

static void core_thread_name(struct target *t, pid_t tid, char ret[16])
{
	const struct core_thread *th = NULL;

	memset(ret, 0, 16);
	if (!dbg_err_drop(thread_of(t, tid, &th)) && *th->name)
		memcpy(ret, th->name, 15);
	else if (tid == t->pid)
		memcpy(ret, core_of(t)->file.name, 15);
}

static uint64_t core_thread_time(struct target *t, pid_t tid)
{
	const struct core_thread *th = NULL;

	return dbg_err_drop(thread_of(t, tid, &th)) ? 0 : th->time;
}

static struct dbg_error *core_regs(struct target *t, pid_t tid,
				   struct regs *ret)
{
	const struct core_thread *th = NULL;
	struct dbg_error *err = thread_of(t, tid, &th);

	if (!err)
		*ret = th->regs;
	return err;
}

static struct dbg_error *core_fpregs(struct target *t, pid_t tid,
				     struct fpregs *ret)
{
	const struct core_thread *th = NULL;
	struct dbg_error *err = thread_of(t, tid, &th);

	if (!err)
		*ret = th->fpregs;
	return err;
}

static bool core_frozen(const struct target *t)
{
	(void)t;
	return true;
}

static const char *core_root(const struct target *t)
{
	return t->search->sysroot ? t->search->sysroot : "";
}

static const struct target_ops core_ops = {
    .destroy = core_destroy,
    .read = core_read,
    .span = core_span,
    .frozen = core_frozen,
    .maps = core_maps,
    .auxv = core_auxv,
    .root = core_root,
    .identify = core_identify,
    .threads = core_threads,
    .thread_name = core_thread_name,
    .thread_time = core_thread_time,
    .regs = core_regs,
    .fpregs = core_fpregs,
};

/* ---- Cores that systemd keeps ---------------------------------------- */

/*
 * systemd-coredump calls a core core.COMM.UID.BOOT.PID.TIME, and .zst or the
 * like behind it. As for coredumpctl, COMM or PID are enough to name it; of
 * several it is the newest.
 */
#define SYSTEMD_CORES "/var/lib/systemd/coredump"

enum {
	SYSTEMD_FIELDS = 4 /* behind COMM */
};

// Append what systemd makes of a name: dots, and all that is not printed, are
// "\x2e".
static void add_escaped(struct str *out, const char *name)
{
	for (const char *p = name; *p; p++) {
		if (isalnum((unsigned char)*p) || strchr("_-:", *p))
			str_addc(out, *p);
		else
			str_addf(out, "\\x%02x", (unsigned char)*p);
	}
}

// Is the file one of the program @comm, or of the process @pid (NULL: any)?
// Then get when it was written.
static bool is_systemd_core(char *file, const char *comm, const char *pid,
			    uint64_t *ret_time)
{
	char *fields[SYSTEMD_FIELDS], *packed = strrchr(file, '.');

	if (strncmp(file, "core.", 5))
		return false;
	if (packed && !isdigit((unsigned char)packed[1]))
		*packed = '\0';
	for (size_t i = SYSTEMD_FIELDS; i-- > 0;) {
		char *dot = strrchr(file, '.');

		if (!dot || dot == file)
			return false;
		*dot = '\0';
		fields[i] = dot + 1;
	}
	return str_to_u64(fields[3], ret_time) &&
	       (pid ? !strcmp(fields[2], pid)
		    : !strncmp(file, "core.", 5) && !strcmp(file + 5, comm));
}

// The path of the newest core of that program or process; NULL: there is none.
static char *find_systemd_core(const char *name)
{
	const char *where = getenv("DNDBG_COREDUMPS");
	_cleanup_free_ char *newest = NULL;
	_cleanup_str_ struct str comm = {0};
	const struct dirent *e;
	uint64_t number, at, last = 0;
	const char *pid = str_to_u64(name, &number) ? name : NULL;

	if (!where || !*where)
		where = SYSTEMD_CORES;
	DIR *dir = strchr(name, '/') ? NULL : opendir(where);

	if (!dir)
		return NULL;
	add_escaped(&comm, name);
	while ((e = readdir(dir))) {
		_cleanup_free_ char *file = xstrdup(e->d_name);

		if (!is_systemd_core(file, str_get(&comm), pid, &at) ||
		    at < last)
			continue;
		last = at;
		free(newest);
		newest = xstrdup(e->d_name);
	}
	closedir(dir);
	return newest ? xasprintf("%s/%s", where, newest) : NULL;
}

struct dbg_error *target_core_open(const char *path,
				   const struct hostfile_search *search,
				   struct target **ret,
				   struct target_core *ret_core)
{
	_cleanup_free_ char *kept =
	    access(path, F_OK) ? find_systemd_core(path) : NULL;
	struct dbg_error *err;
	struct corefile file;
	struct stat st;

	path = kept ? kept : path;
	err = corefile_load(path, &file);
	if (err)
		return err;
	struct core *c = xcalloc(1, sizeof(*c));

	const struct core_thread *ended = file.threads;

	// createdump tells the signal of the thread that had it only.
	for (size_t i = 0; i < file.n_threads && !ended->signal; i++)
		if (file.threads[i].signal)
			ended = &file.threads[i];
	target_init(&c->target, &core_ops, file.pid);
	c->target.search = search;
	c->file = file;
	c->written = stat(path, &st) ? 0 : st.st_mtime;
	*ret = &c->target;
	*ret_core = (struct target_core){
	    .tid = ended->tid,
	    .signal = ended->signal,
	    .fault = file.fault,
	    .missing = file.missing,
	    .command = c->file.command,
	    .words = find_words(c),
	};
	return NULL;
}
