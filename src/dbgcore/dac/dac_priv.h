/* Shared inside the room: the DAC's state, calls, errors, strings, caches. */
#ifndef DAC_PRIV_H
#define DAC_PRIV_H

#include "base/mem.h"
#include "base/reader.h"
#include "base/err.h"
#include "dac/assumption_priv.h"
#include "dac/com.h"
#include "dac/dac.h"
#include "dac/daccall.h"
#include "dac/datatarget.h"
#include "dac/heap/latefield.h"
#include "dac/slots.h"
#include "dac/typetable.h"
#include "dac/x86/context.h"
#include "target/target.h"

/* A compiled code version and its IL map once asked for. */
struct dac_code_entry {
	struct dac_code code;
	bool mapped, vars_read;
	struct dac_il_map *map;
	size_t n_map;
	const struct debug_info *info; /* of one that is suspended, else NULL */
	const struct debug_var *vars;  /* as the JIT has told of them */
	size_t n_vars;
};

/* Code versions by address: hot and cold parts, sorted, never overlapping. */
struct dac_code_range {
	uint64_t start, end;
	struct dac_code_entry *entry;
};

struct dac_code_cache {
	struct arena *arena;
	struct dac_code_range *ranges;
	size_t n, cap;
};

/* The runtime's threads, read as far as somebody asked. */
struct dac_threads {
	struct arena *arena;
	struct map by_tid;  /* -> struct dac_thread */
	uint64_t next;      /* Thread* to read, 0: the end */
	uint64_t finalizer; /* Thread* */
	int32_t left;
	bool begun;
};

enum {
	DAC_SCRATCH_UNITS = 16384,
	DAC_THREAD_WORDS = 128, /* of struct Thread to look at */
};

/* Facts about the program's runtime, each learned when first asked for. */
struct dac_learned {
	struct sos_globals globals;
	/* types of the core library; 0: it is not loaded */
	uint64_t int_type, char_type, value_type, enum_type;
	uint64_t gc_vars, gc_count; /* see dachandles.c */
	bool patch_table_sought, globals_known;
	bool has_method_table; /* see make_method_table */
	bool short_rid;        /* see typetable.c */
	size_t instance_word;  /* the type in the DAC's type instances */
	size_t exposed_word;   /* of the handle in Thread; 0: unknown */
	bool not_exposed[DAC_THREAD_WORDS]; /* words that are not it */
	uint64_t barrier;       /* see dacheap.c; 0: not looked for */
	bool debug_info_agrees; /* see map_flag */
};

struct dac {
	uint32_t notify_flags; // events asked for beyond methods
	struct target *target;
	struct data_target data_target;
	struct {
		char *path;
		bool trust; /* whoever may write it */
	} file;             /* the DAC's */
	struct {
		char *path;
		uint64_t base, end; /* its image; end 0: not asked for yet */
	} runtime;
	void *process; /* IXCLRDataProcess */
	void *sos, *sos5, *sos6, *sos8, *sos12, *sos14;
	void *type_instance;            /* see dac_instance_get */
	uint64_t n_calls, n_drops;      /* see dac_drop */
	uint16_t *scratch;              /* DAC_SCRATCH_UNITS for strings */
	struct arena *facts;            /* what the caches below point to */
	struct map types;               /* MethodTable* -> struct type_entry */
	struct map methods;             /* MethodDesc* -> struct dac_method */
	struct dac_instances instances; /* see typetable.c */
	struct map frame_kinds;         /* first word of a Frame -> char */
	struct map static_places;       /* FieldDesc* -> address */
	struct dac_threads threads;     /* until flush */
	struct dac_late late;           /* likewise */
	struct dac_code_cache code;     /* until dac_forget */
	struct dac_code_cache dynamic;  /* until dac_flush */
	struct dac_learned learned;
	struct dac_assumptions assumptions;
	struct dac_limits limits;
	struct remote *remote; /* has the DAC; NULL: it is in this process */
};

/* ---- load.c ---------------------------------------------------------- */

/* "SUBJECT: the runtime's DAC says 0x80004005". */
DBG_MUST struct dbg_error *dac_err(int32_t hr, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for a write: if it was refused, "SUBJECT: " and why. */
DBG_MUST struct dbg_error *dac_write_err(struct dac *d, int32_t hr,
					 const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Copy the scratch buffer's @n units (the terminator counted or not) into
 * @arena as UTF-8.
 */
const char *dac_scratch_text(struct dac *d, uint32_t n, struct arena *arena);

/* May we load code from @path? DBG_E_RUNTIME says why not and what helps. */
DBG_MUST struct dbg_error *dac_check_owner(const char *path, int fd);

/*
 * Make the DAC forget what it has read. Its stack walks are invalid then; ours
 * are opened again where they were. Facts that are cached here stay.
 */
void dac_drop(struct dac *d);

/* The word at @addr of the target; 0 also if it cannot be read. */
uint64_t dac_word(struct dac *d, uint64_t addr);

/*
 * DBG_E_RUNTIME if the DAC does not tell its build, or the runtime tells of
 * another.
 */
DBG_MUST struct dbg_error *dac_check_build(struct bytes runtime,
					   const char *dac);
enum {
	DAC_PATCH_FACTOR = 100, /* 10.0.1226: the 26th build of 10.0.12 */
};
/* The release of a runtime, "10.0.12"; the caller frees it. NULL: not told. */
char *dac_release_of(struct bytes runtime);
/* Do both tell their build, and is it the same? */
bool dac_same_build(struct bytes runtime, const char *dac);
/* The version of the DAC library, in @arena; "?" if it does not tell. */
const char *dac_build_version(const char *dac, struct arena *arena);

/* ---- mapcache.c ------------------------------------------------------ */

/*
 * Let the DAC that was just loaded keep its largest table from one stop to the
 * next, which it would make anew each time. Speed only: no error if it cannot
 * be done.
 */
void dac_keep_table(void *handle);

/* ---- context.c of the processor -------------------------------------- */

/* Fill @ret with the integer registers; flags say what is valid. */
void context_from_regs(const struct regs *regs, struct context *ret);
void context_set_fpregs(struct context *c, const struct fpregs *fpregs);
/* The integer registers alone. */
void context_set_regs(struct context *c, const struct regs *regs);
void context_get_regs(const struct context *c, struct regs *ret);

/* ---- runtimecode.c of the processor ---------------------------------- */

enum {
	CODE_CONSTANT = 10, /* bytes of an instruction that loads one */
};

/*
 * The call that raises notifications, up to the opcode of the call; the first
 * instruction of a write barrier; one that loads a constant.
 */
struct bytes code_raise(void);
struct bytes code_store(void);
void code_constant(uint64_t value, uint8_t ret[CODE_CONSTANT]);

/* Is the instruction an unconditional jump? */
bool code_jumps(struct target *t, uint64_t addr);

/*
 * Addresses of statics that a function does nothing with but to return them, as
 * managed code asks for them; 0: the function has other code.
 */
uint64_t code_exception_count(struct target *t, uint64_t function);
uint64_t code_pause_time(struct target *t, uint64_t function);
/*
 * The virtual function that @function calls of the object that a static leads
 * to; 0: it has other code, or there is no object yet.
 */
uint64_t code_virtual_call(struct target *t, uint64_t function);

/* ---- totals.c -------------------------------------------------------- */

/* Addresses of the runtime's own counts, for assumption.c. */
bool exception_count_find(struct dac *d, uint64_t *ret);
bool pause_time_find(struct dac *d, uint64_t *ret);

/* ---- dacmethod.c ----------------------------------------------------- */

void code_cache_init(struct dac_code_cache *c);
void code_cache_deinit(struct dac_code_cache *c);
void code_cache_clear(struct dac_code_cache *c);

/* ---- dacmodule.c ----------------------------------------------------- */

/* IXCLRDataModule of a Module*, NULL if it is none; caller releases. */
void *dac_module_object(struct dac *d, uint64_t module);

/* ---- dacthread.c ----------------------------------------------------- */

/*
 * Is the thread in cooperative mode: does it run managed code, or code of the
 * runtime that counts as such?
 */
bool dac_is_cooperative(struct dac *d, pid_t tid);
/* The object that a handle (its address) refers to; 0: none. */
uint64_t dac_handle_target(struct dac *d, uint64_t handle);
/* Forget what was read. */
void dac_threads_reset(struct dac_threads *l);

/* ---- datatarget.c ---------------------------------------------------- */

/*
 * Find out from the stack of a thread, if it has managed frames, where the
 * runtime keeps the breakpoints of debuggers inside of it. Once a run.
 */
void patch_table_find(struct dac *d, pid_t tid);

/* ---- walk.c ---------------------------------------------------------- */

enum {
	DAC_FRAME_TYPE_MANAGED = 2,
};

/* IXCLRDataStackWalk of a thread, NULL if it has no managed state. */
void *dac_walk_open(struct dac *d, pid_t tid);
/* Put a frame's registers into a context of its thread. */
void context_set_frame(struct context *c, const struct dac_frame *frame);

/* ---- dacstatic.c ---------------------------------------------------- */

struct object_words;

/* The MethodTable* in an IXCLRDataTypeInstance of these words; 0: not found. */
uint64_t dac_type_of_words(struct dac *d, void *instance,
			   const struct object_words *words);

/* Is @mt an instantiated type, not a definition? Asks the DAC nothing. */
bool dac_is_instance(struct dac *d, uint64_t mt);
/* Is the type generic: an instance or a definition? */
bool dac_is_generic(struct dac *d, uint64_t mt);
enum {
	DAC_ARGS_MAX = 256
};

/* Read a type's generic arguments, without the DAC; 0: none to read. */
size_t dac_args_read(struct dac *d, uint64_t mt, uint64_t ret[DAC_ARGS_MAX]);

/* ---- dactype.c ------------------------------------------------------- */

/* The runtime's well-known types; zeroes if it does not know them yet. */
const struct sos_globals *dac_globals(struct dac *d);
/*
 * Is @mt a type of the core library two steps below object? Types are not
 * told by name here: the DAC copies all metadata of a module to name one.
 */
bool dac_is_core_grandchild(struct dac *d, uint64_t mt);

#endif
