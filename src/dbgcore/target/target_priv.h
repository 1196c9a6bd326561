/*
 * Inside the target room: what every kind of target has (struct target), and
 * the operations that a kind supplies. Live processes are in live.h.
 */
#ifndef TARGET_TARGET_PRIV_H
#define TARGET_TARGET_PRIV_H

#include "base/file.h"
#include "target/elf.h"
#include "target/emulate.h"
#include "target/hostfile.h"
#include "target/proc.h"
#include "target/symtab.h"
#include "target/target.h"

struct trap {
	uint64_t addr;
	struct emu_insn insn; /* of what lies beneath, once decoded */
	uint32_t slot;        /* in the orphan trap handler's table; 0: none */
	uint8_t byte;         /* beneath ARCH_TRAP */
	bool decoded;
	bool yields; /* see target_trap_yield */
	bool lifted; /* ... and is not in memory meanwhile */
};

/* Sorted by address. */
struct traps {
	struct trap *v;
	size_t n, cap;
};

enum {
	PAGE_BYTES = 4096,
	PAGE_SETS = 128,
	PAGE_WAYS = 4,
	AHEAD_MAX = 32, /* pages that are read at once */
};

/* Pages as the program sees them (traps masked). */
struct page {
	uint64_t addr;
	uint64_t stamp; /* valid if it is the cache's */
	uint64_t asked; /* the cache's stamp when it was asked for last */
	uint64_t next;  /* the page that was asked for behind it; 0: none */
	uint8_t *data;
};

struct page_cache {
	struct page pages[PAGE_SETS][PAGE_WAYS];
	uint8_t *store; /* of their bytes, mapped; NULL: none yet */
	uint64_t stamp;
	struct page *last; /* asked for since the drop; NULL: none was */
	uint8_t victim;
};

/* A file that the program has mapped, on this machine. */
struct image_file {
	char *path;  /* the program's */
	char *place; /* ours; NULL: it was not found */
	char *why;   /* ... for this reason */
	struct file file;
	struct elf elf;          /* n_segments 0: it is none */
	bool named;              /* what follows was looked for */
	struct symtab functions; /* of both files */
	bool tabled;             /* what follows was read */
	struct elf_table table;
	struct file debug; /* n 0: none */
};

/* Unwind information for a range of addresses. */
struct unwind_range {
	uint64_t start, end;
	uint64_t header; /* .eh_frame_hdr, 0: none */
};

/* Mappings as of a count of the target's runs, and files of images. */
struct images {
	struct proc_maps maps;
	uint64_t runs;
	struct image_file **files;
	size_t n_files, cap_files, victim;
	struct unwind_range *ranges; /* as of the same count */
	size_t n_ranges, cap_ranges;
};

/*
 * Operations that a kind of target supplies. Those that run the process are
 * NULL if TARGET_RUN is not among @caps. Large: each of the operations that
 * target.h offers is one.
 */
struct target_ops {
	unsigned int caps;
	void (*destroy)(struct target *t);
	/* Bytes as they lie in memory, traps included; how many there are. */
	size_t (*read)(struct target *t, uint64_t addr, void *buf, size_t n);
	/*
	 * The same for @n (AHEAD_MAX at most) whole pages at once; how many,
	 * from the first on. NULL: that is no cheaper than one by one.
	 */
	size_t (*read_pages)(struct target *t, struct page *const *v, size_t n);
	/* NULL: nothing lies in our address space; see target_span. */
	struct bytes (*span)(struct target *t, uint64_t addr);
	/* May the page cache be used: does nothing run? */
	bool (*frozen)(const struct target *t);
	struct dbg_error *(*maps)(struct target *t, struct proc_maps *ret);
	/* AT_ value; 0: absent */
	struct dbg_error *(*auxv)(struct target *t, uint64_t type,
				  uint64_t *ret);
	/* prefix of the program's paths; "": they are ours */
	const char *(*root)(const struct target *t);
	/* how to recognise the file mapped as @path; NULL: by its path */
	void (*identify)(struct target *t, const char *path,
			 struct hostfile_id *ret);
	struct dbg_error *(*threads)(struct target *t, struct arena *arena,
				     struct target_thread **ret, size_t *ret_n);
	void (*thread_name)(struct target *t, pid_t tid, char ret[16]);
	/* Processor time, ns; NULL: it is not known. */
	uint64_t (*thread_time)(struct target *t, pid_t tid);
	/* NULL: what a thread calls itself is what we call it. */
	pid_t (*tid_inside)(struct target *t, pid_t tid);
	pid_t (*tid_outside)(struct target *t, pid_t inside);
	/* See target_memory_of(); NULL: there is no process. */
	pid_t (*memory_of)(struct target *t);
	struct dbg_error *(*regs)(struct target *t, pid_t tid,
				  struct regs *ret);
	struct dbg_error *(*fpregs)(struct target *t, pid_t tid,
				    struct fpregs *ret);

	/* TARGET_WRITE */
	struct dbg_error *(*write)(struct target *t, uint64_t addr,
				   const void *buf, size_t n);
	/* As write, for code: through any protection. */
	struct dbg_error *(*write_code)(struct target *t, uint64_t addr,
					const void *buf, size_t n);
	struct dbg_error *(*regs_set)(struct target *t, pid_t tid,
				      const struct regs *regs);
	struct dbg_error *(*fpregs_set)(struct target *t, pid_t tid,
					const struct fpregs *fpregs);

	/* TARGET_RUN */
	int (*fd)(const struct target *t);
	struct dbg_error *(*event_next)(struct target *t,
					struct target_event *ret,
					bool *ret_any);
	struct dbg_error *(*hit_take)(struct target *t, pid_t tid,
				      struct target_hit *ret);
	void (*hit_give)(struct target *t, pid_t tid,
			 const struct target_hit *hit);
	void (*hit_keep)(struct target *t, const struct target_event *event);
	void (*hit_again)(struct target *t, const struct target_event *event);
	void (*hits_release)(struct target *t);
	void (*watch_signals)(struct target *t, const sigset_t *set);
	struct dbg_error *(*stop_all)(struct target *t);
	bool (*all_stopped)(const struct target *t);
	struct dbg_error *(*resume_all)(struct target *t);
	struct dbg_error *(*thread_resume)(struct target *t, pid_t tid,
					   int signal);
	struct dbg_error *(*thread_step)(struct target *t, pid_t tid, bool wait,
					 bool *ret_stepped);
	struct dbg_error *(*thread_alone)(struct target *t, pid_t tid,
					  const uint64_t *addrs, size_t n,
					  enum target_alone *ret);
	struct dbg_error *(*interrupt)(struct target *t);
	void (*rouse)(struct target *t);
	void (*thread_signal)(struct target *t, pid_t tid, int signal);
	bool (*signal_is_fatal)(struct target *t, int signal);
	struct dbg_error *(*kill)(struct target *t);
	struct dbg_error *(*detach)(struct target *t, bool stopped);
	bool (*survives)(const struct target *t);
	struct dbg_error *(*guard_renew)(struct target *t, pid_t tid);
	void (*clear_behind)(struct target *t, uint64_t addr);
	struct dbg_error *(*write_undone)(struct target *t, uint64_t addr,
					  const void *buf, size_t n);
	void (*undone_begin)(struct target *t);
	void (*undone_keep)(struct target *t);
	bool (*ended)(struct target *t);
	struct dbg_error *(*mmap)(struct target *t, size_t size, uint64_t *ret);
	struct dbg_error *(*call_leaf)(struct target *t, uint64_t addr,
				       uint64_t a, uint64_t b);
	struct dbg_error *(*find_code)(struct target *t, const void *bytes,
				       size_t n, uint64_t *ret, size_t cap,
				       size_t *ret_n);
	struct dbg_error *(*watches_set)(struct target *t,
					 const struct target_watch *v);
	/* Traps are going to be armed, or have other bytes beneath now. */
	struct dbg_error *(*traps_arming)(struct target *t, struct trap *v,
					  size_t n);
	/* ... or were lifted, or not armed after all. */
	void (*traps_lifted)(struct target *t, const struct trap *v, size_t n);
	void (*trap_yield)(struct target *t, uint64_t addr, bool on);
	void (*thread_spawns)(struct target *t, pid_t tid, bool on);
	void (*follow)(struct target *t, bool on);
	bool (*has_process)(struct target *t, pid_t pid);
	struct dbg_error *(*child_pass)(struct target *t, pid_t pid, bool ends);
	struct dbg_error *(*child_leave)(struct target *t, pid_t pid,
					 bool stopped);
	struct dbg_error *(*child_adopt)(struct target *t, pid_t pid,
					 struct target **ret);
	struct dbg_error *(*lend)(struct target *t, pid_t pid);
	struct dbg_error *(*reclaim)(struct target *t);
	void (*recall)(struct target *t);
	void (*lent_look)(struct target *t);
	struct dbg_error *(*snapshot)(struct target *t, struct target **ret);
};

struct target {
	const struct target_ops *ops;
	pid_t pid;
	struct traps traps;
	struct page_cache cache;
	uint64_t runs; /* grows whenever the program itself goes on */
	struct images images;
	const struct hostfile_search *search; /* NULL: where they are named */
	struct dbg_counters counters;
	pid_t only; /* the thread that target_resume_all resumes, 0: all */
	pid_t but;  /* ... does not resume, 0: none */
	const struct log *log; /* NULL: none */
	/* processor times of threads at two earlier moments; see target.h */
	struct proc_times times[2];
};

void target_init(struct target *t, const struct target_ops *ops, pid_t pid);
void target_deinit(struct target *t);

/* Is it a signal that reports a failed instruction? */
bool signal_is_fault(int signal);

/* Forget all image files and mappings, as when the process runs another
 * program.
 */
void images_clear(struct images *images);
void images_deinit(struct images *images);
/*
 * The file mapped as @path, opened once; @ret is borrowed until the next call.
 * Of a target that cannot run what is not found is remembered.
 */
DBG_MUST struct dbg_error *image_file_find(struct target *t, const char *path,
					   struct image_file **ret);
/* The same, for a file that must be ELF. */
DBG_MUST struct dbg_error *image_file_elf(struct target *t, const char *path,
					  struct image_file **ret);
/*
 * The function of the image that contains the link-time address @linked; NULL:
 * none.
 */
const struct elf_symbol *
image_file_function(struct target *t, struct image_file *f, uint64_t linked);
/*
 * Get the mappings, which are kept while the program stands; @ret is borrowed
 * until the next call. What we have mapped since is missing.
 */
DBG_MUST struct dbg_error *images_maps(struct target *t,
				       const struct proc_maps **ret);
/* The .eh_frame_hdr of the image that contains @addr; 0: none. Kept. */
uint64_t images_unwind_header(struct target *t, uint64_t addr);

/* Replace the int3s of armed traps in @buf, which was read from @addr. */
void traps_mask(const struct traps *traps, uint64_t addr, void *buf, size_t n);
struct trap *traps_find(const struct traps *traps, uint64_t addr);
/* Index of the first trap at @addr or above. */
size_t traps_lower(const struct traps *traps, uint64_t addr);
/* Forget all, as when their memory is gone. */
void traps_clear(struct traps *traps);

/*
 * Write @n bytes of code at @addr beneath the traps there: @buf as given has
 * its int3s put in, the traps take the bytes.
 */
DBG_MUST struct dbg_error *traps_write(struct target *t, uint64_t addr,
				       const void *buf, size_t n);

#endif
