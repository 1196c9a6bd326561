/*
 * Writing a core file of a stopped process, as the kernel and gcore lay it out:
 * program headers, notes, memory (System V gABI; elfcore.h of the kernel).
 *
 * What the memory is like is known before anything is written: a segment for
 * each mapping, or for each stretch of it whose pages are alike. Pages that
 * hold zeros are holes of the file. Memory is read with our traps masked, so
 * the core is of the program alone.
 */
#include "target/core.h"
#include "target/corepack.h"
#include "target/proc.h"
#include "target/target_priv.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- A process as a core shows it ---------------------------------------- */

/*
 * A stopped process as a core would show it, which notes what is read: what a
 * small core has to have, for the same to be seen in it.
 */

struct recording {
	struct target target;
	struct target *of; /* borrowed */
	struct target_spans *spans;
};

static struct recording *recording_of(const struct target *t)
{
	return (struct recording *)(uintptr_t)t;
}

static struct target *under(const struct target *t)
{
	return recording_of(t)->of;
}

void target_spans_add(struct target_spans *s, uint64_t addr, uint64_t n)
{
	if (!n || n > UINT64_MAX - addr)
		return;
	mem_grow(&s->v, &s->cap, s->n, sizeof(*s->v));
	s->v[s->n++] = (struct target_span){addr, addr + n};
}

static int by_start(const void *a, const void *b)
{
	uint64_t x = ((const struct target_span *)a)->start;
	uint64_t y = ((const struct target_span *)b)->start;

	return (x > y) - (x < y);
}

void target_spans_join(struct target_spans *s)
{
	size_t n = 0;

	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), by_start);
	for (size_t i = 0; i < s->n; i++) {
		uint64_t start = s->v[i].start & ~(uint64_t)(PAGE_BYTES - 1);
		uint64_t end = (s->v[i].end - 1) | (PAGE_BYTES - 1);

		if (n && start <= s->v[n - 1].end) {
			if (end + 1 > s->v[n - 1].end)
				s->v[n - 1].end = end + 1;
			continue;
		}
		s->v[n++] = (struct target_span){start, end + 1};
	}
	s->n = n;
}

void target_spans_deinit(struct target_spans *s)
{
	free(s->v);
}

/* ---- The target ------------------------------------------------------ */

static void recording_destroy(struct target *t)
{
	target_deinit(t);
	free(recording_of(t));
}

static size_t recording_read(struct target *t, uint64_t addr, void *buf,
			     size_t n)
{
	size_t got = target_read_some(under(t), addr, buf, n);

	target_spans_add(recording_of(t)->spans, addr, got);
	return got;
}

static bool recording_frozen(const struct target *t)
{
	(void)t;
	return true;
}

static struct dbg_error *recording_maps(struct target *t, struct proc_maps *ret)
{
	return under(t)->ops->maps(under(t), ret);
}

static struct dbg_error *recording_auxv(struct target *t, uint64_t type,
					uint64_t *ret)
{
	return under(t)->ops->auxv(under(t), type, ret);
}

static const char *recording_root(const struct target *t)
{
	return under(t)->ops->root(under(t));
}

static struct dbg_error *recording_threads(struct target *t,
					   struct arena *arena,
					   struct target_thread **ret,
					   size_t *ret_n)
{
	return target_threads(under(t), arena, ret, ret_n);
}

static void recording_thread_name(struct target *t, pid_t tid, char ret[16])
{
	target_thread_name(under(t), tid, ret);
}

static pid_t recording_tid_inside(struct target *t, pid_t tid)
{
	return target_tid_inside(under(t), tid);
}

static pid_t recording_tid_outside(struct target *t, pid_t inside)
{
	return target_tid_outside(under(t), inside);
}

static pid_t recording_memory_of(struct target *t)
{
	return target_memory_of(under(t));
}

static struct dbg_error *recording_regs(struct target *t, pid_t tid,
					struct regs *ret)
{
	return target_regs(under(t), tid, ret);
}

static struct dbg_error *recording_fpregs(struct target *t, pid_t tid,
					  struct fpregs *ret)
{
	return target_fpregs(under(t), tid, ret);
}

static const struct target_ops recording_ops = {
    .destroy = recording_destroy,
    .read = recording_read,
    .frozen = recording_frozen,
    .maps = recording_maps,
    .auxv = recording_auxv,
    .root = recording_root,
    .threads = recording_threads,
    .thread_name = recording_thread_name,
    .tid_inside = recording_tid_inside,
    .tid_outside = recording_tid_outside,
    .memory_of = recording_memory_of,
    .regs = recording_regs,
    .fpregs = recording_fpregs,
};

struct target *target_recording(struct target *of, struct target_spans *to)
{
	struct recording *r = xcalloc(1, sizeof(*r));

	target_init(&r->target, &recording_ops, of->pid);
	r->of = of;
	r->spans = to;
	return &r->target;
}

/* ---- Writing a core ------------------------------------------------------ */

enum {
	CHUNK = 1 << 20, /* bytes read at once */
	CHUNK_PAGES = CHUNK / PAGE_BYTES,
	RED_ZONE = 512,       /* ample: it is 128 */
	STACK_MAX = 16 << 20, /* of one thread */
};

/* Bits of /proc/PID/pagemap (the kernel's pagemap.rst). */
#define PM_FILE_OR_SHARED (UINT64_C(1) << 61)
#define PM_SWAPPED (UINT64_C(1) << 62)
#define PM_PRESENT (UINT64_C(1) << 63)

/* Addresses of one mapping, all in the file or none. */
struct segment {
	uint64_t start, end;
	uint64_t offset; /* in the file */
	uint32_t flags;
	bool stored;
	bool own; /* of no file: pages that were never touched are zeros */
};

struct writer {
	struct target *t;
	const struct target_core_req *req;
	struct arena *arena;
	struct proc_maps maps;
	struct segment *segments;
	size_t n, cap;
	struct str notes;
	uint8_t *chunk;
	struct corepack *pack; /* NULL: as it is */
	size_t n_only;         /* of req->only, that lie below what is added */
	pid_t tid;             /* what /proc has the memory of */
	int pagemap;           /* -1: it can't be read */
};

/* ---- Pages ------------------------------------------------------------- */

/*
 * Read pagemap's entries for @n pages from @addr on; pages that cannot be read
 * count as present.
 */
static void page_states(const struct writer *w, uint64_t addr, uint64_t *ret,
			size_t n)
{
	off_t at = (off_t)(addr / PAGE_BYTES * sizeof(*ret));
	ssize_t got = pread(w->pagemap, ret, n * sizeof(*ret), at);
	size_t have = got > 0 ? (size_t)got / sizeof(*ret) : 0;

	for (size_t i = have; i < n; i++)
		ret[i] = PM_PRESENT;
}

/* Is a page of a private mapping the process's own copy? */
static bool is_own(uint64_t state)
{
	return state & PM_SWAPPED ||
	       (state & PM_PRESENT && !(state & PM_FILE_OR_SHARED));
}

/* ---- Which memory ------------------------------------------------------ */

static void add_segment(struct writer *w, const struct segment *s)
{
	struct segment *last = w->n ? &w->segments[w->n - 1] : NULL;

	if (last && last->end == s->start && last->stored == s->stored &&
	    last->flags == s->flags && last->own == s->own) {
		last->end = s->end;
		return;
	}
	mem_grow(&w->segments, &w->cap, w->n, sizeof(*w->segments));
	w->segments[w->n++] = *s;
}

/* Is it a mapping of a file that will still exist with the same contents? */
static bool is_file(const struct proc_map *m)
{
	return m->inode && *m->path == '/' && !str_starts(m->path, "/memfd:") &&
	       !str_starts(m->path, "/SYSV") &&
	       !str_starts(m->path, "/dev/shm/") && !m->deleted;
}

/*
 * Add the pages of a file's mapping that the program has changed, and the first
 * page, which identifies the file.
 */
static void add_modified(struct writer *w, const struct proc_map *m,
			 struct segment s)
{
	uint64_t states[CHUNK_PAGES];

	for (uint64_t at = m->start; at < m->end; at += PAGE_BYTES) {
		size_t i = (at - m->start) / PAGE_BYTES % CHUNK_PAGES;
		uint64_t left = (m->end - at) / PAGE_BYTES;

		if (!i)
			page_states(w, at, states,
				    left < CHUNK_PAGES ? left : CHUNK_PAGES);
		s.start = at;
		s.end = at + PAGE_BYTES;
		s.stored = is_own(states[i]) || (!m->offset && at == m->start);
		add_segment(w, &s);
	}
}

/*
 * Add the requested parts of a mapping. The rest is unknown to a reader and
 * gets no segment.
 */
static void add_only(struct writer *w, const struct proc_map *m,
		     struct segment s)
{
	const struct target_spans *only = w->req->only;

	while (w->n_only < only->n && only->v[w->n_only].end <= m->start)
		w->n_only++;
	for (size_t i = w->n_only; i < only->n && only->v[i].start < m->end;
	     i++) {
		const struct target_span *span = &only->v[i];

		s.start = span->start > m->start ? span->start : m->start;
		s.end = span->end < m->end ? span->end : m->end;
		add_segment(w, &s);
	}
}

/*
 * Note the parts of a mini dump: stacks, from the red zone below sp on, and the
 * first page of each image.
 */
static struct dbg_error *note_stacks(struct writer *w)
{
	struct dbg_error *err;
	struct target_thread *list;
	struct regs regs;
	size_t n;

	err = target_threads(w->t, w->arena, &list, &n);
	for (size_t i = 0; !err && i < n; i++) {
		err = target_regs(w->t, list[i].tid, &regs);
		if (err)
			break;
		uint64_t sp = regs_sp(&regs) - RED_ZONE;
		const struct proc_map *m = proc_maps_find(&w->maps, sp);
		uint64_t size = m ? m->end - sp : 0;

		target_spans_add(w->req->only, sp,
				 size < STACK_MAX ? size : STACK_MAX);
	}
	for (size_t i = 0; !err && i < w->maps.n; i++)
		if (w->maps.v[i].inode && !w->maps.v[i].offset)
			target_spans_add(w->req->only, w->maps.v[i].start, 1);
	target_spans_join(w->req->only);
	return err;
}

static void add_mapping(struct writer *w, const struct proc_map *m)
{
	struct segment s = {
	    .start = m->start,
	    .end = m->end,
	    .flags = (m->read ? PF_R : 0) | (m->write ? PF_W : 0) |
		     (m->exec ? PF_X : 0),
	    .stored = m->read,
	    .own = !m->inode && !m->shared,
	};

	// The kernel's: the clock's pages can't be read, one is not ours.
	if (str_starts(m->path, "[vvar") || !strcmp(m->path, "[vsyscall]"))
		return;
	if (w->req->only) {
		if (s.stored && !(m->inode && str_starts(m->path, "/dev/")))
			add_only(w, m, s);
		return;
	}
	// To read a device may have effects.
	if (m->inode && str_starts(m->path, "/dev/") && is_file(m))
		s.stored = false;
	if (!s.stored || w->req->files || !is_file(m))
		add_segment(w, &s);
	else if (!m->shared)
		add_modified(w, m, s);
}

/* ---- Notes ------------------------------------------------------------- */

static void add_note_of(struct writer *w, const char *owner, uint32_t type,
			const void *desc, size_t n)
{
	static const char pad[4];
	size_t name = strlen(owner) + 1;
	Elf64_Nhdr h = {.n_namesz = (Elf64_Word)name,
			.n_descsz = (Elf64_Word)n,
			.n_type = type};

	str_addn(&w->notes, (const char *)&h, sizeof(h));
	str_addn(&w->notes, owner, name);
	str_addn(&w->notes, pad, -name & 3);
	str_addn(&w->notes, desc, n);
	str_addn(&w->notes, pad, -n & 3);
}

static void add_note(struct writer *w, uint32_t type, const void *desc,
		     size_t n)
{
	add_note_of(w, "CORE", type, desc, n);
}

/*
 * A thread's number as the program, and its memory, know it; the kernel's cores
 * have these.
 */
static pid_t id_inside(const struct writer *w, pid_t tid)
{
	pid_t inside = target_tid_inside(w->t, tid);

	return inside ? inside : tid;
}

static struct dbg_error *add_thread(struct writer *w, pid_t tid,
				    struct str *names)
{
	struct elf_prstatus status = {.pr_pid = id_inside(w, tid),
				      .pr_fpvalid = 1};
	struct dbg_error *err;
	struct regs regs;
	struct fpregs fpregs;

	err = target_regs(w->t, tid, &regs);
	if (!err)
		err = target_fpregs(w->t, tid, &fpregs);
	if (err)
		return err;
	if (tid == w->req->first) {
		status.pr_cursig = (short)w->req->signal;
		status.pr_info.si_signo = w->req->signal;
	}
	uint64_t time = target_thread_time(w->t, tid);

	status.pr_utime = (struct timeval){
	    .tv_sec = (time_t)(time / 1000000000),
	    .tv_usec = (suseconds_t)(time % 1000000000 / 1000)};
	_Static_assert(sizeof(status.pr_reg) == sizeof(regs), "");
	memcpy(&status.pr_reg, &regs, sizeof(regs));
	add_note(w, NT_PRSTATUS, &status, sizeof(status));
	add_note(w, NT_FPREGSET, &fpregs, sizeof(fpregs));
	if (tid == w->req->first && w->req->fault.signal) {
		siginfo_t info = {.si_signo = w->req->fault.signal,
				  .si_code = w->req->fault.code};

		info.si_addr = (void *)(uintptr_t)w->req->fault.addr;
		add_note(w, NT_SIGINFO, &info, sizeof(info));
	}

	char name[CORE_NAME_BYTES] = {0};

	memcpy(name, &status.pr_pid, 4);
	target_thread_name(w->t, tid, name + 4);
	str_addn(names, name, sizeof(name));
	return NULL;
}

/*
 * Add the threads. The one that users will look at comes first, as in the
 * kernel's cores.
 */
static struct dbg_error *add_threads(struct writer *w)
{
	struct dbg_error *err;
	struct target_thread *list;
	_cleanup_str_ struct str names = {0};
	size_t n;

	err = target_threads(w->t, w->arena, &list, &n);
	for (int others = 0; !err && others < 2; others++)
		for (size_t i = 0; !err && i < n; i++)
			if ((list[i].tid != w->req->first) == others)
				err = add_thread(w, list[i].tid, &names);
	if (!err)
		add_note_of(w, CORE_NOTE_OWNER, CORE_NOTE_NAMES, names.s,
			    names.len);
	return err;
}

static void add_process(struct writer *w)
{
	struct elf_prpsinfo info = {.pr_sname = 'R',
				    .pr_pid = id_inside(w, w->t->pid)};
	_cleanup_str_ struct str command = {0};
	_cleanup_free_ char *path = xasprintf("/proc/%d/auxv", w->tid);
	size_t n = 0;
	_cleanup_free_ char *auxv = proc_read(path, &n);

	_Static_assert(sizeof(info.pr_fname) == 16, "as a thread's name");
	target_thread_name(w->t, w->t->pid, info.pr_fname);
	proc_command(w->tid, sizeof(info.pr_psargs) - 1, &command);
	memcpy(info.pr_psargs, str_get(&command), command.len);
	add_note(w, NT_PRPSINFO, &info, sizeof(info));
	if (n)
		add_note(w, NT_AUXV, auxv, n);
}

/*
 * Add NT_FILE: count, page size; start, end, offset in pages of each; the
 * paths.
 */
static void add_files(struct writer *w)
{
	uint64_t head[2] = {0, PAGE_BYTES};
	_cleanup_str_ struct str table = {0};
	_cleanup_str_ struct str names = {0};

	for (size_t i = 0; i < w->maps.n; i++) {
		const struct proc_map *m = &w->maps.v[i];
		uint64_t one[3] = {m->start, m->end, m->offset / PAGE_BYTES};

		if (!m->inode || *m->path != '/')
			continue;
		str_addn(&table, (const char *)one, sizeof(one));
		str_addn(&names, m->path, strlen(m->path) + 1);
		head[0]++;
	}
	_cleanup_str_ struct str note = {0};
	str_addn(&note, (const char *)head, sizeof(head));
	str_addn(&note, str_get(&table), table.len);
	str_addn(&note, str_get(&names), names.len);
	add_note(w, NT_FILE, note.s, note.len);
}

/* ---- The file ---------------------------------------------------------- */

static struct dbg_error *write_at(const struct writer *w, const void *data,
				  size_t n, uint64_t at)
{
	if (w->pack)
		return corepack_write(w->pack, data, n, at);
	for (size_t done = 0; done < n;) {
		ssize_t put = pwrite(w->req->fd, (const char *)data + done,
				     n - done, (off_t)(at + done));

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return dbg_err_errno(DBG_E_FILE, put ? errno : ENOSPC,
					     "cannot write it");
		done += (size_t)put;
	}
	return NULL;
}

static uint64_t up_to_page(uint64_t n)
{
	return (n + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
}

/*
 * Write the headers, followed by the notes and then the segments. More segments
 * than e_phnum can say are counted in a section header.
 */
static struct dbg_error *write_headers(struct writer *w, uint64_t *ret_end)
{
	bool many = w->n + 1 >= PN_XNUM;
	Elf64_Ehdr h = {
	    .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
			ELFDATA2LSB, EV_CURRENT},
	    .e_type = ET_CORE,
	    .e_machine = ARCH_ELF_MACHINE,
	    .e_version = EV_CURRENT,
	    .e_phoff = sizeof(h),
	    .e_ehsize = sizeof(h),
	    .e_phentsize = sizeof(Elf64_Phdr),
	    .e_phnum = many ? PN_XNUM : (Elf64_Half)(w->n + 1),
	};
	Elf64_Shdr count = {.sh_info = (Elf64_Word)(w->n + 1), .sh_size = 1};
	uint64_t at = sizeof(h) + (w->n + 1) * sizeof(Elf64_Phdr);
	_cleanup_str_ struct str out = {0};

	if (many) {
		h.e_shoff = at;
		h.e_shentsize = sizeof(count);
		h.e_shnum = 1;
		at += sizeof(count);
	}
	Elf64_Phdr p = {.p_type = PT_NOTE,
			.p_offset = at,
			.p_filesz = w->notes.len,
			.p_align = 4};
	str_addn(&out, (const char *)&h, sizeof(h));
	str_addn(&out, (const char *)&p, sizeof(p));
	at = up_to_page(at + w->notes.len);
	for (size_t i = 0; i < w->n; i++) {
		struct segment *s = &w->segments[i];

		s->offset = at;
		p = (Elf64_Phdr){.p_type = PT_LOAD,
				 .p_offset = at,
				 .p_vaddr = s->start,
				 .p_filesz = s->stored ? s->end - s->start : 0,
				 .p_memsz = s->end - s->start,
				 .p_flags = s->flags,
				 .p_align = PAGE_BYTES};
		at += p.p_filesz;
		str_addn(&out, (const char *)&p, sizeof(p));
	}
	if (many)
		str_addn(&out, (const char *)&count, sizeof(count));
	str_addn(&out, str_get(&w->notes), w->notes.len);
	*ret_end = at;
	return write_at(w, out.s, out.len, 0);
}

/* Runs of pages that hold something. */
static struct dbg_error *write_pages(const struct writer *w, size_t n,
				     uint64_t offset)
{
	static const uint8_t zeros[PAGE_BYTES];
	struct dbg_error *err = NULL;
	size_t run = 0;

	for (size_t i = 0; !err && i <= n; i += PAGE_BYTES) {
		if (i < n && memcmp(w->chunk + i, zeros, PAGE_BYTES))
			continue;
		if (i > run)
			err =
			    write_at(w, w->chunk + run, i - run, offset + run);
		run = i + PAGE_BYTES;
	}
	return err;
}

/* Was anything of these pages, which are of no file, ever touched? */
static bool is_touched(const struct writer *w, uint64_t addr, size_t n)
{
	uint64_t states[CHUNK_PAGES];

	page_states(w, addr, states, n / PAGE_BYTES);
	for (size_t i = 0; i < n / PAGE_BYTES; i++)
		if (states[i] & (PM_PRESENT | PM_SWAPPED))
			return true;
	return false;
}

/*
 * Write a segment. Pages that cannot be read, as behind the end of a file,
 * become zeros.
 */
static struct dbg_error *write_segment(const struct writer *w,
				       const struct segment *s)
{
	struct dbg_error *err = NULL;

	for (uint64_t at = s->start; !err && at < s->end; at += CHUNK) {
		uint64_t left = s->end - at;
		size_t n = left < CHUNK ? (size_t)left : CHUNK;

		if (*w->req->interrupted)
			return dbg_err(DBG_E_INTERRUPTED, "interrupted");
		if (s->own && !is_touched(w, at, n))
			continue;
		memset(w->chunk, 0, n);
		for (size_t got = 0; got < n;) {
			got += target_read_some(w->t, at + got, w->chunk + got,
						n - got);
			got = (size_t)up_to_page(got + (got < n));
		}
		err = write_pages(w, n, s->offset + (at - s->start));
	}
	return err;
}

static void open_pagemap(struct writer *w)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/pagemap", w->tid);

	w->pagemap = open(path, O_RDONLY | O_CLOEXEC);
}

static struct dbg_error *write_all(struct writer *w, uint64_t *ret_size)
{
	struct dbg_error *err;
	uint64_t end;

	err = w->t->ops->maps(w->t, &w->maps);
	if (!err)
		err = add_threads(w);
	if (err)
		return err;
	open_pagemap(w);
	add_process(w);
	add_files(w);
	if (w->req->only)
		err = note_stacks(w);
	if (err)
		return err;
	for (size_t i = 0; i < w->maps.n; i++)
		add_mapping(w, &w->maps.v[i]);
	err = write_headers(w, &end);
	for (size_t i = 0; !err && i < w->n; i++)
		if (w->segments[i].stored)
			err = write_segment(w, &w->segments[i]);
	if (!err && w->pack)
		err = corepack_write(w->pack, NULL, 0, end);
	else if (!err && ftruncate(w->req->fd, (off_t)end))
		err = dbg_err_errno(DBG_E_FILE, errno, "cannot write it");
	*ret_size = end;
	return err;
}

struct dbg_error *target_core_write(struct target *t,
				    const struct target_core_req *req,
				    uint64_t *ret_size)
{
	struct writer w = {.t = t,
			   .req = req,
			   .arena = arena_create(),
			   .tid = target_memory_of(t),
			   .chunk = xmalloc(CHUNK),
			   .pagemap = -1};
	struct dbg_error *err = NULL;

	if (req->pack)
		err = corepack_create(req->fd, &w.pack);
	if (!err)
		err = write_all(&w, ret_size);
	if (w.pack)
		err = dbg_err_first(err, corepack_end(w.pack));
	if (w.pagemap >= 0)
		close(w.pagemap);
	free(w.chunk);
	free(w.segments);
	str_deinit(&w.notes);
	proc_maps_deinit(&w.maps);
	arena_destroy(w.arena);
	return err;
}
