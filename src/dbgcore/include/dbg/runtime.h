/*
 * dbg.h: the runtime's own structures, by their addresses. Arrays and strings
 * die with the stop.
 */
#ifndef DBG_RUNTIME_H
#define DBG_RUNTIME_H

#include <sys/types.h>

#include "dbg/stopped.h"

struct dbg_il_insn;

/* The releases of .NET that are known, from @ret_first to @ret_last. */
void dbg_runtimes(unsigned int *ret_first, unsigned int *ret_last);

/* ---- Types ----------------------------------------------------------- */

struct dbg_type_facts {
	uint64_t method_table, eeclass, parent, module;
	const char *name, *parent_name; /* C#; parent_name NULL: none */
	const char *file;               /* of the module; NULL: not known */
	uint32_t token;                 /* typeDef; 0: an array or the like */
	uint32_t base_size, component_size;
	uint32_t n_fields; /* fields of an instance, including inherited ones */
	uint32_t n_statics, n_methods, n_interfaces;
	uint32_t n_virtuals; /* 0: not known */
	bool collectible;
};

/* A type by its MethodTable or its EEClass. DBG_E_MEMORY: there is none. */
DBG_MUST struct dbg_error *dbg_type_facts(struct dbg_stopped at, uint64_t addr,
					  struct dbg_type_facts *ret);

struct dbg_type_slot {
	uint32_t slot;
	uint64_t method; /* MethodDesc, 0: not known */
	uint64_t entry;
	const char *name, *kind; /* of the code; NULL: there is none */
};

/* The methods that its objects have, inherited ones too, by slot. */
DBG_MUST struct dbg_error *dbg_type_slots(struct dbg_stopped at, uint64_t addr,
					  struct dbg_type_slot **ret,
					  size_t *ret_n);

/* ---- Methods --------------------------------------------------------- */

struct dbg_method_code {
	uint64_t start, size;
	uint64_t cold, cold_size; /* 0: it is in one piece */
	const char *kind;         /* as in dbg_frame_code */
};

struct dbg_method_facts {
	uint64_t method, method_table, module;
	const char *name; /* C#, with parameter types */
	const char *file; /* of the module; NULL: not known */
	uint32_t token;
	bool dynamic;       /* made at run time, without metadata */
	const char *path;   /* where it begins, or the address is; or NULL */
	uint32_t line;      /* of @path */
	uint32_t il_offset; /* of the address in code; UINT32_MAX: unknown */
	uint64_t at;        /* the code that holds the address; 0: none */
	struct dbg_method_code *codes;
	size_t n_codes;
};

/* A method by its MethodDesc. DBG_E_MEMORY: there is none. */
DBG_MUST struct dbg_error *dbg_method_facts(struct dbg_stopped at,
					    uint64_t method,
					    struct dbg_method_facts *ret);
/* The method whose code holds @ip. DBG_E_NOT_FOUND: it is not managed code. */
DBG_MUST struct dbg_error *dbg_method_at(struct dbg_stopped at, uint64_t ip,
					 struct dbg_method_facts *ret);
/* Disassemble the IL of a method. */
DBG_MUST struct dbg_error *dbg_method_il(struct dbg_stopped at, uint64_t method,
					 struct dbg_il_insn **ret,
					 size_t *ret_n);

/* ---- Names ----------------------------------------------------------- */

enum {
	DBG_NAMED_MAX = 100
};

struct dbg_named {
	uint64_t module;
	const char *file, *name;
	uint32_t token;
	uint64_t method_table; /* 0: a method, or the type is not in use */
	uint64_t method;       /* likewise */
	bool is_method;
};

/*
 * Types and methods of the name @name ("Ns.Type", "Ns.Type.Method"; nested
 * types by '.' or '+', generic ones with or without "`1") in the modules of the
 * file name @module; NULL: in all. At most DBG_NAMED_MAX.
 */
DBG_MUST struct dbg_error *dbg_name_find(struct dbg_stopped at,
					 const char *module, const char *name,
					 struct dbg_named **ret, size_t *ret_n);

/* ---- Assemblies ------------------------------------------------------ */

struct dbg_assembly {
	uint64_t module, assembly;
	uint64_t allocator;      /* LoaderAllocator, 0: not known */
	const char *name, *path; /* path: no '/' in it if from memory */
	const char *context;     /* name of its load context; NULL: none */
	uint64_t context_object; /* 0: the default one, or not known */
	uint64_t base, md_addr, md_size;
	uint32_t number; /* dbg_module.number, 0: none */
	bool dynamic;
};

/* List all loaded assemblies, by domain. */
DBG_MUST struct dbg_error *dbg_assembly_list(struct dbg_stopped at,
					     struct dbg_assembly **ret,
					     size_t *ret_n);

struct dbg_domain {
	uint64_t addr;
	uint32_t id, n_assemblies;
	const char *name;
	bool system;
};

/* List the AppDomains. */
DBG_MUST struct dbg_error *
dbg_domain_list(struct dbg_stopped at, struct dbg_domain **ret, size_t *ret_n);

struct dbg_load_context {
	uint64_t object;  /* 0: default, not made yet, or collected already */
	const char *type; /* "?" if there is no object to tell */
	const char *name; /* NULL: it has none */
	bool collectible;
	bool unloading; /* Unload was called, and it is still there */
	/*
	 * its LoaderAllocator, to which all objects of its types refer, so that
	 * what keeps this alive keeps the context; 0: none, or not known
	 */
	uint64_t allocator;
	uint32_t n_assemblies;
};

/*
 * AssemblyLoadContexts that are on the heap or have assemblies, the default one
 * first.
 */
DBG_MUST struct dbg_error *dbg_load_context_list(struct dbg_stopped at,
						 struct dbg_load_context **ret,
						 size_t *ret_n);

/* ---- Threads --------------------------------------------------------- */

struct dbg_runtime_thread {
	uint64_t addr, object; /* Thread and System.Threading.Thread */
	uint32_t number;       /* dbg_thread.number; 0: it does not run */
	uint32_t managed_id;   /* 0: none any more */
	pid_t tid;             /* 0: likewise */
	uint32_t state;
	const char *states; /* "background, pool worker" */
	const char *name;   /* Thread.Name; NULL: none */
	bool cooperative, dead, unstarted, finalizer;
	bool collecting;    /* it holds all others for a collection */
	uint64_t exception; /* last thrown, 0: none */
	const char *thrown; /* its type, or NULL */
};

/*
 * List all threads that the runtime knows, including threads that have not
 * begun, and ended ones that the program still refers to.
 */
DBG_MUST struct dbg_error *
dbg_runtime_thread_list(struct dbg_stopped at, struct dbg_runtime_thread **ret,
			size_t *ret_n);

#endif
