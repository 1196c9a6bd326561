/*
 * ELF core files as bytes: memory, threads, mapped files, as the kernel,
 * gcore and createdump write them (System V gABI; elfcore.h of the kernel).
 *
 * Every offset, count and size comes from the file. What lies outside of it is
 * dropped: a core that was cut off still gives what is there.
 */
#ifndef TARGET_COREFILE_H
#define TARGET_COREFILE_H

#include "base/file.h"
#include "target/arch.h"

/* A range of memory, [addr, addr + size), of which the core has @data. */
struct core_segment {
	uint64_t addr, size;
	struct bytes data; /* from addr on; n 0: none of it */
	uint32_t flags;    /* PF_R, PF_W, PF_X */
};

/* A file that was mapped, by NT_FILE. */
struct core_mapping {
	uint64_t start, end, offset;
	const char *path; /* in the core, terminated */
};

/*
 * A note of dndbg's own: for each NT_PRSTATUS, in order, its pr_pid (32 bits)
 * and 16 bytes of the thread's name, which no other note tells.
 */
#define CORE_NOTE_OWNER "DNDBG"
enum {
	CORE_NOTE_NAMES = 0x444e544e,
	CORE_NAME_BYTES = 20,
};

struct core_thread {
	pid_t tid;
	char name[16]; /* "" if it is not told */
	int signal;    /* pr_cursig, 0: none */
	uint64_t time; /* pr_utime and pr_stime, ns; 0: not told */
	struct regs regs;
	struct fpregs fpregs;
};

struct corefile {
	struct file file;
	struct core_segment *segments; /* by address, none overlap */
	size_t n_segments, cap_segments;
	struct core_mapping *mappings; /* by address, none overlap */
	size_t n_mappings, cap_mappings;
	struct core_thread *threads; /* as in the file */
	size_t n_threads, cap_threads;
	struct bytes auxv;
	char command[81]; /* pr_psargs; "" if it is not told */
	char name[17];    /* pr_fname */
	pid_t pid;
	/* The crashed thread's siginfo, if it is of a fault; signal 0: none. */
	struct core_fault {
		int signal, code;
		uint64_t addr;
	} fault;
	uint64_t missing; /* bytes behind the end of the file: it was cut */
};

/*
 * Load a core file; it must be of this processor and have a thread.
 * DBG_E_FORMAT says what else it is.
 */
DBG_MUST struct dbg_error *corefile_load(const char *path,
					 struct corefile *ret);
/* As corefile_load, for bytes in memory, which must live as long as @ret. */
DBG_MUST struct dbg_error *corefile_parse(struct bytes file,
					  struct corefile *ret);
void corefile_unload(struct corefile *c);
/* Find the segment or mapping that contains @addr; NULL: none. */
const struct core_segment *corefile_segment(const struct corefile *c,
					    uint64_t addr);
const struct core_mapping *corefile_mapping(const struct corefile *c,
					    uint64_t addr);

#endif
