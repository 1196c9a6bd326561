/*
 * The DAC's view of the program: our ICLRDataTarget2, and the registers of a
 * thread as it wants them.
 */
#ifndef DAC_DATATARGET_H
#define DAC_DATATARGET_H

#include <sys/types.h>

#include "dbg/error.h"

struct context;
struct target;

/* Where the DAC is given other data than the target has. */
struct data_settings {
	uint64_t patch_flag;  /* see datatarget.c; 0: not known */
	uint64_t patch_table; /* where its address is */
	uint64_t patch_count; /* offset of the number of its buckets */
	uint64_t patch_buckets;
	uint64_t heaps_at; /* see dachandles.c; 0: no other number is told */
	uint32_t heaps;
	uint64_t dynamic; /* the runtime's dynamic section; see musl.c */
	uint64_t dynamic_size;
};

/*
 * Our ICLRDataTarget2, ICLRRuntimeLocator and ICLRContractLocator: each is its
 * vtable's word. The last is asked by libmscordaccore_universal.so, which is to
 * follow the DAC and reads a runtime by its contract descriptor.
 */
struct data_target {
	void (*const *target_vtable)(void);
	void (*const *locator_vtable)(void);
	void (*const *contract_vtable)(void);
	struct target *target;
	const char *runtime_path; /* borrowed */
	uint64_t runtime_base;
	struct read_log *log; /* NULL: nobody asks */
	struct data_settings set;
	struct dbg_error *unwritten; /* why the last write failed, or NULL */
};

/* A log of the addresses that the DAC reads to answer a question. */
enum {
	READ_LOG_MAX = 512
};

struct read_log {
	struct {
		uint64_t addr;
		uint32_t size;
	} reads[READ_LOG_MAX];
	size_t n; /* more are not kept */
};

/* @runtime_path is borrowed. */
void data_target_init(struct data_target *dt, struct target *t,
		      const char *runtime_path, uint64_t runtime_base);
/* Find the runtime's dynamic section in memory (musl.c), ... */
void dac_tables_find(struct data_target *dt);
/* ... of which an entry, @n bytes at @addr, is changed into glibc's form. */
void dac_tables_present(const struct data_target *dt, uint64_t addr, void *buf,
			size_t n);
/* Registers of a stopped thread as the DAC wants them. */
DBG_MUST struct dbg_error *context_of_thread(struct target *t, pid_t tid,
					     uint32_t flags,
					     struct context *ret);

#endif
