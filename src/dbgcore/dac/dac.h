/*
 * The runtime as C functions, over the DAC (libmscordaccore.so).
 *
 * COM and HRESULT end here. The DAC is loaded once, never unloaded, used
 * from one thread; it reads through target_read. What it caches is valid for
 * one stop: dac_flush after each resume. Facts that cannot change while the
 * runtime lives (a MethodTable's layout, a code version's IL map) are cached
 * here by address for the session; collectible code is the exception and is
 * dropped by dac_forget.
 *
 * Addresses are target addresses; 0 is none. Strings and arrays are in the
 * arena given.
 */
#ifndef DAC_DAC_H
#define DAC_DAC_H

#include "dbg.h"
#include "target/arch.h"

struct arena;
struct dac;
struct target;
struct target_image;

struct dac_runtime {
	const char *path; /* as the target names it */
	uint64_t base;
	const char *dac;  /* path of a DAC on our side; NULL: the one beside the
			     runtime */
	const char *hint; /* file or directory to look for it first; or NULL */
	bool trust;       /* load it whoever owns it */
};

/*
 * Load the DAC of a runtime. Refuses a file that is not owned by root or the
 * user, or is writable by others, unless it is to be trusted. For a program
 * with another root directory (a container), whose files may belong to anybody,
 * takes the DAC of an installed runtime of the same build instead.
 * DBG_E_RUNTIME with the reason and remedy otherwise. *ret_ready is false if
 * the runtime is not initialised far enough yet (no error).
 */
DBG_MUST struct dbg_error *dac_open(struct target *t,
				    const struct dac_runtime *runtime,
				    struct dac **ret, bool *ret_ready);
/*
 * Address of the first word that the runtime of @image has yet to fill in its
 * table for the DAC; 0 if the table is whole, or there is none.
 */
DBG_MUST struct dbg_error *dac_table_hole(struct target *t,
					  const struct target_image *image,
					  uint64_t *ret);
/*
 * Load the library that dac_open will use, which makes that one quicker; what
 * is wrong with it, dac_open says.
 */
void dac_prepare(struct target *t, const struct dac_runtime *runtime);
/*
 * The DAC's file for a program with the runtime inside: at its hint, beside it
 * (of a container's only if it is to be trusted), or in an installed runtime;
 * DBG_E_RUNTIME with the remedy if there is none. Found by its build id.
 */
DBG_MUST struct dbg_error *dac_find_bundled(struct target *t,
					    const struct dac_runtime *runtime,
					    struct arena *arena,
					    const char **ret);
void dac_close(struct dac *d);
/* Told what the user has to know; @text is borrowed. */
typedef void dac_tell_fn(void *arg, const char *text);
/*
 * Set @fn, which is told when the DAC of a core file is in trouble: calls that
 * do not end are stopped and fail; it is told the first time, and when the DAC
 * is not asked any more.
 */
void dac_tell(struct dac *d, dac_tell_fn *fn, void *arg);
/* Drop what the DAC cached: call after each resume. */
void dac_flush(struct dac *d);
uint64_t dac_calls(const struct dac *d);

/* ---- Modules --------------------------------------------------------- */

struct dac_module {
	uint64_t addr; /* Module* */
	uint64_t assembly;
	const char *path;          /* "" if loaded from bytes */
	const char *name;          /* simple or file name, never NULL */
	uint64_t base;             /* IL image, 0: none */
	uint64_t md_addr, md_size; /* metadata in memory, 0: none */
	bool dynamic;              /* Reflection.Emit */
	bool lacks; /* a core has only its path, and its file is nowhere */
	/*
	 * hot reload may update it: it was built for debugging, and
	 * DOTNET_MODIFIABLE_ASSEMBLIES=debug is set
	 */
	bool editable;
	/*
	 * how many updates it was given so far, failed ones included; 0 if
	 * unknown
	 */
	uint32_t n_updates;
};

DBG_MUST struct dbg_error *dac_modules(struct dac *d, struct arena *arena,
				       struct dac_module **ret, size_t *ret_n);
DBG_MUST struct dbg_error *dac_module_get(struct dac *d, uint64_t addr,
					  struct arena *arena,
					  struct dac_module *ret);

/*
 * Get where the PDB is in memory that a module loaded from memory was given, if
 * any.
 */
bool dac_module_symbols(struct dac *d, uint64_t module, uint64_t *ret_addr,
			uint32_t *ret_size);

/*
 * Have the runtime compile @module for debugging, before it compiles any
 * method of it. *ret is false if the module holds code that was compiled
 * ahead of time: the runtime uses that as it is.
 */
DBG_MUST struct dbg_error *dac_module_unoptimize(struct dac *d, uint64_t addr,
						 bool *ret);

/*
 * The AssemblyLoadContext object that a module was loaded into; 0 if it is
 * none of its own, or none of its types is in use yet.
 */
uint64_t dac_module_context(struct dac *d, uint64_t module);

/* ---- Methods and code ------------------------------------------------ */

struct dac_method {
	uint64_t addr; /* MethodDesc* */
	uint64_t type; /* MethodTable* */
	uint64_t module;
	uint32_t token; /* MethodDef; 0x06000000 if dynamic */
	bool dynamic;   /* DynamicMethod or IL stub */
};

/* Cached, but for dynamic ones. */
DBG_MUST struct dbg_error *dac_method_get(struct dac *d, uint64_t md,
					  struct dac_method *ret);
/* The native code that callers are led to now; 0: none, or not known. */
uint64_t dac_method_code(struct dac *d, uint64_t md);
/* MethodDesc whose code holds @ip; 0 if it is not managed code. */
uint64_t dac_method_at(struct dac *d, uint64_t ip);
/* MethodDesc of a token if the runtime made one (not generic), else 0. */
uint64_t dac_method_of_token(struct dac *d, uint64_t module, uint32_t token);
/* The DAC's spelling, with exact generic arguments where known. */
DBG_MUST struct dbg_error *dac_method_name(struct dac *d, uint64_t md,
					   struct arena *arena,
					   const char **ret);

struct dac_code {
	uint64_t method;      /* MethodDesc* */
	uint64_t start, size; /* hot part (all of it if not split) */
	uint64_t cold, cold_size;
	bool precompiled; /* ReadyToRun */
};

/* Code version that holds @ip; cached. method 0: not managed code. */
DBG_MUST struct dbg_error *dac_code_at(struct dac *d, uint64_t ip,
				       struct dac_code *ret);

/* Was it entered in a loop, so that its caller is the method itself (OSR)? */
bool dac_code_is_osr(struct dac *d, const struct dac_code *code);
/* How the code was made: "tier 0", "ReadyToRun"; NULL: not known. */
const char *dac_code_kind(struct dac *d, const struct dac_code *code);

enum {
	DAC_IL_NO_MAPPING = 0xffffffff,
	DAC_IL_PROLOG = 0xfffffffe,
	DAC_IL_EPILOG = 0xfffffffd,
};

enum dac_il_kind {
	DAC_IL_CODE,
	/*
	 * suspends the method at the await with that offset, or resumes it:
	 * tells where a suspended call waits, but is no code of the statement
	 */
	DAC_IL_AWAIT,
	/*
	 * where the code continues behind that await: not in the JIT's map, but
	 * found in the code that resumes
	 */
	DAC_IL_BEHIND,
};

struct dac_il_map {
	uint32_t il_offset;  /* or DAC_IL_* */
	uint64_t start, end; /* absolute, end exclusive, never 0 */
	enum dac_il_kind kind;
};

/*
 * IL-to-native map of the code version that holds @ip, by start address.
 * Cached for the session, borrowed. *ret_n is 0 for code without map.
 */
DBG_MUST struct dbg_error *dac_il_map(struct dac *d, uint64_t ip,
				      const struct dac_il_map **ret,
				      size_t *ret_n);

/*
 * Start addresses of every compiled version of every instantiation of a
 * MethodDef: current code and, where known, older tiers.
 */
DBG_MUST struct dbg_error *dac_method_codes(struct dac *d, uint64_t module,
					    uint32_t token, struct arena *arena,
					    uint64_t **ret, size_t *ret_n);
/* Forget all cached facts about code and types (module unloaded). */
void dac_forget(struct dac *d);

/* The DAC's name for an address ("RuntimeHelpers", stub names), or NULL. */
const char *dac_address_name(struct dac *d, uint64_t addr, struct arena *arena);

/* ---- Notifications --------------------------------------------------- */

/* Ask for module load (and unload) notifications. */
DBG_MUST struct dbg_error *dac_notify_modules(struct dac *d, bool on);

/* Ask for the notification of each catch handler entered, or end it. */
DBG_MUST struct dbg_error *dac_notify_catch(struct dac *d, bool on);

struct dac_method_ref {
	uint64_t module;
	uint32_t token;
};

enum {
	DAC_NOTIFY_MAX = 1000
}; /* entries of the runtime's table */

/*
 * Ask for (or end) the notification of code made for these methods. Batched.
 * DBG_E_RUNTIME if the table is full: the caller keeps to DAC_NOTIFY_MAX.
 */
DBG_MUST struct dbg_error *dac_notify_methods(struct dac *d,
					      const struct dac_method_ref *refs,
					      size_t n, bool on);

enum dac_notification_kind {
	DAC_NOTIFY_NONE,            /* an ordinary C++ throw */
	DAC_NOTIFY_MODULE_LOAD = 1, /* module */
	DAC_NOTIFY_MODULE_UNLOAD = 2,
	DAC_NOTIFY_EXCEPTION = 5,
	DAC_NOTIFY_GC = 6,
	DAC_NOTIFY_CATCH = 7,         /* method, native offset */
	DAC_NOTIFY_CODE = 8,          /* method, code address */
	DAC_NOTIFY_PAL_THROW = 0x100, /* runtime's own exception (.NET 8) */
};

struct dac_notification {
	enum dac_notification_kind kind;
	uint64_t a, b;
};

/*
 * Decode what a thread that stands at __cxa_throw (registers @regs) is
 * throwing. Needs no DAC call and no full stop: reads the record only.
 */
void dac_notification_decode(struct target *t, const struct regs *regs,
			     struct dac_notification *ret);

/*
 * The call instruction by which the runtime raises all notifications; 0 if
 * it is not the only one of its kind. Reads all of the runtime's code.
 */
uint64_t dac_notify_call(struct dac *d);
/* As dac_notification_decode, of a thread that stands at that call. */
void dac_notification_called(struct target *t, const struct regs *regs,
			     struct dac_notification *ret);

/*
 * Is the runtime inside of @image, the program, and the JIT with it? *ret is
 * its ICorJitCompiler::compileMethod then; 0: it was not needed yet.
 */
bool dac_jit_inside(struct dac *d, const struct target_image *image,
		    uint64_t *ret);

/* Entry of ThePreStub, 0 if unknown. */
uint64_t dac_prestub(struct dac *d);

/* Where a stub of the runtime leads to. */
struct dac_stub {
	uint64_t method; /* the MethodDesc that it passes on, 0: none */
	uint64_t code;   /* that it jumps to, 0: not known */
};

/* Decode the stub at @addr. All 0: there is none. */
void dac_stub_at(struct target *t, uint64_t addr, struct dac_stub *ret);

/* ---- The collector --------------------------------------------------- */

/*
 * Address of the runtime's count (int32) of collections that are moving
 * objects at the moment; 0: unknown. It goes up when one begins to plan and
 * down when all references lead to the new places, before threads go on.
 */
uint64_t dac_gc_count(struct dac *d);
/* What a runtime counts from its beginning on. */
struct dac_totals {
	bool known;
	uint32_t exceptions; /* thrown; goes round */
	uint64_t paused_us;  /* threads stood still for collections */
};

/* Read them from memory, also of a program that runs. */
void dac_totals_read(struct dac *d, struct dac_totals *ret);

/* Is @addr in the image of the runtime? */
bool dac_runtime_has(struct dac *d, uint64_t addr);
/*
 * The runtime's functions for the overloads of a method that is implemented in
 * it, by the method's or the function's name, as of target_table_find.
 */
void dac_native_functions(struct dac *d, const char *name, uint64_t *ret);

/* ---- Threads --------------------------------------------------------- */

struct dac_thread {
	uint64_t addr; /* Thread* */
	pid_t tid;     /* 0: not started or dead */
	uint32_t managed_id;
	bool cooperative;            /* preemptive GC disabled */
	bool finalizer;              /* it runs finalizers */
	uint64_t exception;          /* last thrown object, 0: none */
	uint64_t alloc, alloc_limit; /* where it makes its next object */
};

/*
 * A thread with a live tid that the runtime knows, NULL if it does not;
 * borrowed until dac_flush. The runtime's list is read as far as it takes.
 */
const struct dac_thread *dac_thread_find(struct dac *d, pid_t tid);
/* The managed System.Threading.Thread of a thread; 0: none (yet). */
uint64_t dac_thread_object(struct dac *d, const struct dac_thread *t);

/*
 * Has the runtime suspended all threads for a debugger of its own kind? Read
 * while the program runs. Can it be told of this runtime?
 */
bool dac_is_suspended(struct dac *d);
bool dac_tells_suspension(struct dac *d);

/* ---- Stacks ---------------------------------------------------------- */

enum dac_frame_kind {
	DAC_FRAME_MANAGED,
	DAC_FRAME_EXPLICIT, /* a runtime Frame: name */
	DAC_FRAME_NATIVE,   /* a stretch of native code */
};

struct dac_frame {
	enum dac_frame_kind kind;
	bool leaf;           /* ip is the next instruction, not a return */
	uint64_t ip, sp, bp; /* pc, stack and frame pointer */
	uint64_t saved[ARCH_SAVED]; /* of this frame, as arch_saved says */
	uint64_t frame_addr;        /* EXPLICIT */
	uint64_t method;            /* MANAGED: MethodDesc* */
};

/* The registers that a frame has; the others are left alone. */
void dac_frame_from(const struct regs *regs, struct dac_frame *ret);
void dac_frame_regs(const struct dac_frame *frame, struct regs *ret);

struct dac_walk;

/*
 * Walk the stack of a stopped thread. *ret is NULL for unmanaged threads. A
 * thread in native code that managed code called without a Frame (stubs,
 * write barriers, libm) gives a NATIVE item, then its managed caller. The
 * body of a handler and the method that holds it are two managed frames with
 * the same method and bp. Items other than managed frames have the registers
 * of the native code between, where the DAC knows them, or of the managed
 * frame that follows.
 */
DBG_MUST struct dbg_error *dac_walk_create(struct dac *d, pid_t tid,
					   struct dac_walk **ret);
void dac_walk_destroy(struct dac_walk *w);
/*
 * The stack pointer of the caller of a managed frame, right behind the return
 * address; at each of its instructions, prolog and epilog included. 0: not
 * known.
 */
uint64_t dac_caller_sp(struct dac *d, pid_t tid, const struct dac_frame *frame);
/* The next frame, newest first; *ret_any false at the end. */
DBG_MUST struct dbg_error *dac_walk_next(struct dac_walk *w,
					 struct dac_frame *ret, bool *ret_any);

/*
 * The instance of shared generic code that a managed frame runs: by its hidden
 * argument, as long as the code keeps that. All zero: not known, or the code is
 * not shared.
 */
struct dac_instance {
	uint64_t type;   /* exact MethodTable*, 0: see method */
	uint64_t method; /* exact MethodDesc*, 0: see type */
	bool by_this;    /* by the type of the object in `this` instead */
};

void dac_frame_instance(struct dac *d, pid_t tid, const struct dac_frame *frame,
			struct dac_instance *ret);

/* Kind of an explicit Frame ("InlinedCallFrame") in @arena, or NULL. */
const char *dac_frame_name(struct dac *d, uint64_t frame_addr,
			   struct arena *arena);

struct dac_var {
	const char *name; /* arguments: metadata name; else "" */
	bool present;     /* false: optimised away */
	bool unread;      /* ... or what tells its place is not there */
	bool in_register; /* then bytes hold it, addr is 0 */
	uint64_t addr;
	uint32_t size;
	uint8_t bytes[16]; /* IN_REGISTER */
	uint64_t type;     /* MethodTable* of a value type, else 0 */
	bool is_arg;
	bool moves;     /* it lies in an object of the heap */
	uint32_t index; /* among the arguments or slots */
};

/*
 * The same without the DAC, from the JIT's information on the code: @n_args
 * arguments, then locals, without types. Needed since the DAC uses the metadata
 * and code that the method had before the first update of its module (hot
 * reload).
 */
void dac_code_vars(struct dac *d, pid_t tid, const struct dac_frame *frame,
		   uint32_t n_args, bool args, struct arena *arena,
		   struct dac_var **ret, size_t *ret_n);

/*
 * The number in machine code of the integer register that holds @var of the
 * frame, *ret; DBG_E_STATE if it is in none or in several.
 */
DBG_MUST struct dbg_error *dac_var_register(struct dac *d, pid_t tid,
					    const struct dac_frame *frame,
					    const struct dac_var *var,
					    unsigned int *ret);
/* The registers that hold a variable, a bit each by number; 0: not known. */
uint32_t dac_var_registers(struct dac *d, pid_t tid,
			   const struct dac_frame *frame,
			   const struct dac_var *var);

/*
 * Arguments (`this` first) or local slots of a managed frame of @tid, in IL
 * order; slots include the compiler's own.
 */
DBG_MUST struct dbg_error *dac_frame_vars(struct dac *d, pid_t tid,
					  const struct dac_frame *frame,
					  bool args, struct arena *arena,
					  struct dac_var **ret, size_t *ret_n);

/* ---- Types and objects ----------------------------------------------- */

struct dac_type {
	uint64_t addr; /* MethodTable* */
	uint64_t module;
	uint32_t token; /* TypeDef; 0: array or other made type */
	uint64_t parent;
	uint32_t base_size, component_size;
	uint32_t n_fields; /* instance fields, parents' included */
	uint32_t n_statics;
	uint64_t first_field; /* FieldDesc list */
	bool is_array, is_string, is_free, is_value_type, is_enum;
	uint32_t rank;       /* arrays */
	uint64_t element;    /* arrays: MethodTable* of the element */
	uint32_t value_size; /* bytes of an unboxed value */
};

/* Cached. An address that is no MethodTable gives DBG_E_MEMORY. */
DBG_MUST struct dbg_error *dac_type_get(struct dac *d, uint64_t mt,
					const struct dac_type **ret);
/* The DAC's spelling (metadata name, exact generic arguments); cached. */
DBG_MUST struct dbg_error *dac_type_name(struct dac *d, uint64_t mt,
					 const char **ret);
/* MethodTable of a TypeDef or TypeRef token; 0 if not loaded. */
uint64_t dac_type_of_token(struct dac *d, uint64_t module, uint32_t token);
/*
 * First of the numbers that stand for modules which the runtime has not loaded
 * (and has no types of): no program has such addresses.
 */
#define DAC_UNLOADED_MODULES UINT64_C(0x0d0d000000000000)
/* Exact generic arguments of an instantiated type, in @arena. */
DBG_MUST struct dbg_error *dac_type_args(struct dac *d, uint64_t mt,
					 struct arena *arena, uint64_t **ret,
					 size_t *ret_n);
/*
 * Read the @n type arguments of an instance of a generic method; returns @n, or
 * 0 if they are not known.
 */
size_t dac_method_args(struct dac *d, uint64_t md, uint64_t *ret, size_t n);
/*
 * The address of the runtime's MethodTableAuxiliaryData of a type; 0: not
 * known.
 */
uint64_t dac_type_auxiliary(struct dac *d, uint64_t mt);
/*
 * The IL of the method whose CORINFO_METHOD_INFO is at @info, an argument of
 * the JIT's compileMethod; 0: it cannot be read.
 */
uint64_t dac_compiled_il(struct dac *d, uint64_t info);
/*
 * The loaded instantiation of generic @token with these arguments; 0 if the
 * runtime has none (until the next flush a miss is not looked for again).
 */
uint64_t dac_type_instance(struct dac *d, uint64_t module, uint32_t token,
			   const uint64_t *args, size_t n_args);

struct dac_field {
	uint64_t addr; /* FieldDesc* */
	uint32_t token;
	uint32_t elem;   /* enum elem of meta/sig.h */
	uint32_t offset; /* instance: from the first field's place */
	bool is_static, is_thread_static;
	uint64_t enclosing; /* MethodTable* */
};

/* Own fields (not the parents'), static and instance; cached, borrowed. */
DBG_MUST struct dbg_error *dac_fields(struct dac *d, uint64_t mt,
				      const struct dac_field **ret,
				      size_t *ret_n);
/*
 * Hot reload: of the field @rid that was added to the class @mt (0: it is not
 * to be compared), the object whose first field refers to its value in @object,
 * or is it, *ret 0: it was not used in this object yet. False: it is not known.
 */
bool dac_late_holder(struct dac *d, uint64_t object, uint64_t mt, uint32_t rid,
		     uint64_t *ret);
/*
 * Of an added static, where its value is, or the address of a reference to it;
 * *ret 0: it was not used yet. False likewise.
 */
bool dac_late_static(struct dac *d, uint64_t module, uint32_t rid,
		     uint64_t *ret);
/*
 * MethodTable of a field's type, 0: it is not loaded. Expensive: the DAC copies
 * all metadata of the module to answer.
 */
uint64_t dac_field_type(struct dac *d, const struct dac_field *field);
/* Read the FieldDesc at @addr; false: it cannot be read. */
bool dac_field_at(struct dac *d, uint64_t addr, struct dac_field *ret);
/*
 * Has the runtime finished the static constructor of @mt? True if it is not
 * known.
 */
bool dac_is_class_ready(struct dac *d, uint64_t mt);
/* Has the static constructor of the class thrown? */
bool dac_has_class_failed(struct dac *d, uint64_t mt);
/*
 * Address of a static; @thread is Thread* for thread statics. *ret is 0 if the
 * class is not initialised there. Struct statics are boxed: this is the address
 * of the payload.
 */
DBG_MUST struct dbg_error *dac_static_addr(struct dac *d, uint64_t mt,
					   const struct dac_field *field,
					   uint64_t thread, uint64_t *ret);

/*
 * Is @addr within the GC's heap? DBG_E_STATE while the GC is at work. @tid is
 * the thread that is looked at, 0: none.
 */
DBG_MUST struct dbg_error *dac_heap_holds(struct dac *d, pid_t tid,
					  uint64_t addr, bool *ret);
/*
 * Store reference @ref, not null, at @addr within the GC's heap, as the
 * program's own code would: the GC is told by the runtime's write barrier,
 * which a stopped thread runs.
 */
DBG_MUST struct dbg_error *dac_heap_store(struct dac *d, pid_t tid,
					  uint64_t addr, uint64_t ref);

struct dac_object {
	uint64_t addr, type;
	uint64_t size;
	uint64_t n_components;         /* arrays, strings */
	uint64_t data;                 /* arrays: first element */
	uint64_t bounds, lower_bounds; /* multi-dim: int32 arrays, or 0 */
};

/* Check and describe the object at @addr; DBG_E_MEMORY if it is none. */
DBG_MUST struct dbg_error *dac_object_get(struct dac *d, uint64_t addr,
					  struct dac_object *ret);

/* ---- enummemory.c ---------------------------------------------------- */

typedef void dac_memory_fn(void *arg, uint64_t addr, uint32_t n);
/*
 * Tell of the memory that the DAC needs to walk stacks and to tell threads,
 * modules and exceptions; some of it twice.
 */
DBG_MUST struct dbg_error *dac_each_memory(struct dac *d, dac_memory_fn *fn,
					   void *arg);

#endif
