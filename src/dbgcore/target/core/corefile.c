/*
 * A core file as tables: threads with their registers, memory segments, mapped
 * files, from the ELF program headers and the notes. Cut and overlapping
 * segments are put right here, so that a look-up is one binary search.
 */
#include "target/corefile.h"

#include <elf.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>

#include "base/err.h"
#include "base/mem.h"
#include "target/corepack.h"
#include "target/target_priv.h"
#include "target/unpacker.h"

#define CORE_MAX (UINT64_C(1) << 42)

enum {
	SEGMENTS_MAX = 1 << 20,
	MAPPINGS_MAX = 1 << 20,
	THREADS_MAX = 1 << 16,
	NOTE_ALIGN = 4,
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

static void take_status(struct corefile *c, struct bytes b)
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

static void take_info(struct corefile *c, struct bytes b)
{
	struct elf_prpsinfo info;

	if (b.n < sizeof(info))
		return;
	memcpy(&info, b.p, sizeof(info));
	c->pid = info.pr_pid;
	memcpy(c->name, info.pr_fname, sizeof(info.pr_fname));
	memcpy(c->command, info.pr_psargs, sizeof(info.pr_psargs));
}

// One of the first thread, or of the one that had the signal; gcore's, of a
// program that it stopped, tell nothing.
static void take_siginfo(struct corefile *c, struct bytes b)
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
static void take_files(struct corefile *c, struct bytes b)
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

// Behind the threads' notes, in their order.
static void take_names(struct corefile *c, struct bytes b)
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

static void take_notes(struct corefile *c, struct bytes b)
{
	struct note note;
	struct core_thread *th;

	while (b.n && note_next(&b, &note)) {
		switch (note.type) {
		case NT_PRSTATUS:
			take_status(c, note.desc);
			break;
		case NT_FPREGSET:
			th = last_thread(c);
			if (th && note.desc.n >= sizeof(th->fpregs))
				memcpy(&th->fpregs, note.desc.p,
				       sizeof(th->fpregs));
			break;
		case NT_PRPSINFO:
			take_info(c, note.desc);
			break;
		case NT_AUXV:
			c->auxv = note.desc;
			break;
		case NT_SIGINFO:
			take_siginfo(c, note.desc);
			break;
		case NT_FILE:
			take_files(c, note.desc);
			break;
		case CORE_NOTE_NAMES:
			take_names(c, note.desc);
			break;
		default:
			break;
		}
	}
}

/* ---- Segments -------------------------------------------------------- */

static void take_segment(struct corefile *c, const Elf64_Phdr *p)
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

// Both kinds of element begin with their address.
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

// More segments than e_phnum can say are counted in the first section.
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
			take_segment(ret, &p);
		else if (p.p_type == PT_NOTE)
			take_notes(ret,
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

// How many of @n sorted elements of @size bytes begin at @addr or before; an
// element begins with its address.
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
