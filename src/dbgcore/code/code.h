/*
 * Joins the runtime's facts (dac) and the files' facts (meta): loaded
 * modules with their metadata and symbols; names to methods; file:line to
 * (method, IL offset) to addresses and back.
 *
 * A place is what the user means: (module, MethodDef, IL offset); it stays
 * true whatever code the runtime makes of it. Addresses are derived from a
 * place for each code version that exists at the moment.
 *
 * Session lifetime: struct code and its modules. Everything else is in the
 * arena given.
 */
#ifndef CODE_CODE_H
#define CODE_CODE_H

#include "dac/dac.h"
#include "dbg.h"
#include "meta/md.h"
#include "meta/md_update.h"
#include "meta/pdb.h"
#include "meta/pe.h"

struct code;
struct csname_args;
struct source_rules;
struct str;
struct symbol_rules;

struct code_module {
	uint32_t number;  /* 1, 2, ...: dbg_module.number */
	uint64_t addr;    /* Module* */
	char *name;       /* file name */
	char *path;       /* NULL: loaded from memory */
	const char *mvid; /* as text, NULL: none */
	uint64_t base;
	struct pe pe; /* n_sections 0: only metadata was had */
	struct md md;
	struct pdb *pdb; /* NULL: see symbols */
	enum dbg_symbols symbols;
	char *symbols_note;
	bool optimized;
	bool framework; /* optimised and called System.* or the like */
	bool dynamic;
	/* Updates that came before it was seen here (hot reload). */
	uint32_t n_missed;
	/* An update of it is not known, and why; NULL: all are. */
	const char *unknown_update;
};

/* @rules and @symbols are borrowed, or NULL. @d may start a new run later. */
struct code *code_create(struct target *t, struct dac *d,
			 const struct source_rules *rules,
			 const struct symbol_rules *symbols);
void code_destroy(struct code *c);
/*
 * Set the path of a single-file program, which contains the assemblies; their
 * PDBs are beside it.
 */
void code_set_bundle(struct code *c, const char *program);

/* Add all modules that are loaded now. */
DBG_MUST struct dbg_error *code_modules_read(struct code *c);
/*
 * Take in a module that the runtime loaded: metadata from its file if the
 * MVID agrees with memory, else from memory; symbols looked for at once.
 * A module that cannot be read is kept with a note. Idempotent.
 */
DBG_MUST struct dbg_error *code_module_add(struct code *c,
					   const struct dac_module *m,
					   struct code_module **ret);
/*
 * As code_module_add, for a module that no program has loaded: @bytes are its
 * file, taken over; @m->addr is any number that no other module has.
 */
DBG_MUST struct dbg_error *code_module_add_image(struct code *c,
						 const struct dac_module *m,
						 struct bytes bytes,
						 struct code_module **ret);
/*
 * Look again for the symbols of a module in memory without: true if it has
 * some now, and what was known of its code is forgotten.
 */
bool code_module_symbols(struct code *c, struct code_module *m);
void code_module_remove(struct code *c, uint64_t addr);
struct code_module *code_module_find(struct code *c, uint64_t addr);
/* All, in order of loading; borrowed until the next add or remove. */
struct code_module *const *code_modules(struct code *c, size_t *ret_n);
/*
 * Find a module by its file name with or without extension, ignoring case;
 * NULL: none.
 */
struct code_module *code_module_named(struct code *c, const char *name);
/*
 * Get a module that the program has not loaded, by name, from its file beside
 * the core library or beside the module @from, which refers to it (may be
 * NULL); NULL: there is no such file. It is not among code_modules, and the
 * runtime knows nothing of its types.
 */
struct code_module *code_module_unloaded(struct code *c,
					 struct code_module *from,
					 const char *name);
typedef void code_module_fn(void *arg, struct code_module *m);
/*
 * Calls @fn for each such module that @m (may be NULL) refers to, and for
 * System.Linq, whose methods nobody refers to before they are used.
 */
void code_each_unloaded(struct code *c, const struct code_module *m,
			code_module_fn *fn, void *arg);
/*
 * A number that grows whenever facts about a module may have changed: the
 * program loaded a module that was read from its file before, or updated one.
 */
uint32_t code_modules_age(const struct code *c);
/* Is @name the module's name? Several modules may have the same one. */
bool code_module_has_name(const struct code_module *m, const char *name);

/* ---- Updates (hot reload) -------------------------------------------- */

/* An update as the program gives it to MetadataUpdater.ApplyUpdate. */
struct code_update {
	struct bytes md, il, pdb;
	struct md delta;          /* @md, parsed; no rows: not yet */
	struct dbg_error *broken; /* it cannot be read; NULL: it can */
};

/* Free the update's memory, and its bytes. */
void code_update_deinit(struct code_update *update);

struct code_update_done {
	uint32_t n_before; /* updates that came before; 0: it is a new one */
	uint32_t n_changed, n_added; /* methods */
	uint32_t n_lost; /* may have moved, and where to is not known */
	bool symbols;    /* there are lines of them */
};

/*
 * Can @m be updated by it next? Of @update the bytes are set. What the runtime
 * would not see is looked for here: an update of another module, one that does
 * not follow the last, bodies that are cut off.
 */
DBG_MUST struct dbg_error *code_update_check(struct code_module *m,
					     struct code_update *update);
/*
 * The program is about to apply @update to @m (all stopped): parses it, and
 * keeps what the runtime will not tell any more of the code that is replaced.
 */
void code_update_begin(struct code *c, struct code_module *m,
		       struct code_update *update);
/*
 * Apply the update, which the program has applied. If it cannot be read, @m has
 * an unknown_update from then on.
 */
void code_update_apply(struct code *c, struct code_module *m,
		       struct code_update *update,
		       struct code_update_done *ret);
/*
 * Apply the @n updates that the program applied to @m before @m was known here,
 * in the order of their application. If they are fewer than the program has
 * applied (n_missed), @m keeps its unknown_update.
 */
void code_updates_recover(struct code *c, struct code_module *m,
			  struct code_update *updates, size_t n,
			  struct code_update_done *ret);
/* Append the sentence for the user about updates of @m. */
void code_update_say(const struct code_module *m,
		     const struct code_update_done *done, struct str *out);
/* How many updates of @m there were. */
uint32_t code_updates(const struct code_module *m);
/*
 * The number of the update that made the method's newest body; 0: it is the
 * image's.
 */
uint32_t code_method_version(const struct code_module *m, uint32_t token);
/*
 * The bytes from an IL body to the end of the section or update that holds it:
 * of the body at an RVA, and of a version of a method.
 */
struct bytes code_il(const struct code_module *m, uint32_t rva);
struct bytes code_method_il(const struct code_module *m, uint32_t token,
			    uint32_t version);
/* The line to which the last update of @m has moved a line of a document. */
uint32_t code_line_moved(const struct code_module *m, uint32_t document,
			 uint32_t line);
/* Has the file of a document been edited, by an update that is yet to come? */
bool code_text_is_edited(struct code *c, struct code_module *m,
			 uint32_t document);
/* Is the code at @pos of a method body that was replaced since? */
struct code_pos;
bool code_pos_is_replaced(const struct code_pos *pos);
/* ... or are its lines those of an earlier text for another reason? */
bool code_pos_is_of_before(const struct code_pos *pos);
/* The method at @pos, as the functions of pdb.h take it. */
struct pdb_method code_pos_method(const struct code_pos *pos);

/* ---- Places ---------------------------------------------------------- */

struct code_place {
	struct code_module *module;
	uint32_t token;   /* MethodDef */
	uint32_t version; /* of its body, see code_method_version */
	uint32_t il_offset;
	uint32_t document; /* rid, 0: no symbols */
	uint32_t line;     /* 0: no symbols */
	uint32_t column;   /* 0: the line was meant, as a whole */
};

/* A part of a file. */
struct code_spot {
	const char *file;
	uint32_t line, last_line; /* last_line 0: that line only */
	uint32_t column;
};

/*
 * The place in @m where the leftmost statement begins of the first line >=
 * @line of @file that has code, in the nearest enclosing bodies; several if the
 * compiler made copies of it (constructors with initialisers). @file is a bare
 * name, a tail or a full path, compared after substitution, `/` and `\` alike,
 * leading `./` and `../` left out. None if the file is not in @m or nothing
 * follows.
 */
DBG_MUST struct dbg_error *code_find_line(struct code *c, struct code_module *m,
					  const char *file, uint32_t line,
					  struct arena *arena,
					  struct code_place **ret,
					  size_t *ret_n);
/*
 * The place of the statement that holds @column of @line, the innermost of
 * those that do (a lambda within a call). None if there is none.
 */
DBG_MUST struct dbg_error *
code_find_column(struct code *c, struct code_module *m,
		 const struct code_spot *spot, struct arena *arena,
		 struct code_place **ret, size_t *ret_n);
typedef void code_point_fn(void *arg, const char *path, uint32_t token,
			   const struct seq_point *point);
/* Calls @fn for visible points of @file that begin on a line of the spot. */
void code_each_point(struct code *c, struct code_module *m,
		     const struct code_spot *spot, code_point_fn *fn,
		     void *arg);
/*
 * Of how many methods in files of that name it is not known where updates that
 * came before @m was known here have put them.
 */
uint32_t code_file_lost(struct code *c, struct code_module *m,
			const char *file);
/* The path, which is not here, of a document of that name; NULL: none. */
const char *code_file_near(struct code *c, struct code_module *m,
			   const char *file);
/* Does @m have the document @file at all? */
bool code_has_file(struct code *c, struct code_module *m, const char *file);
/*
 * A sentence that the file's text is not what was compiled; NULL: nothing is
 * wrong or known.
 */
const char *code_file_note(struct code *c, struct code_module *m,
			   const char *file);

/*
 * A parsed function location. "A.B.M(int, string)": @name "A.B.M", @params
 * "int, string"; @has_params false without a list. Bound at the first
 * statement (symbols) or IL 0. Matches by whole name segments from the
 * right ("M" is Method of any type only if @name has at least TYPE.METHOD;
 * a bare "M" matches too, as gdb does), generic arity ignored, and the
 * bodies of async methods and iterators instead of their kickoff methods.
 */
struct code_function {
	const char *module; /* NULL: any */
	const char *name;
	const char *params; /* NULL: any overload */
};

DBG_MUST struct dbg_error *
code_find_function(struct code *c, struct code_module *m,
		   const struct code_function *fn, struct arena *arena,
		   struct code_place **ret, size_t *ret_n);

/*
 * The place where a breakpoint on the method itself belongs: its first
 * statement, behind the brace that opens the body unless a loop begins
 * there or the rules say so; IL 0 and no line without symbols.
 */
void code_entry(struct code *c, struct code_module *m, uint32_t token,
		struct code_place *ret);

typedef bool code_match_fn(void *arg, const char *name);
/*
 * Places of all methods of @m with symbols and code whose C# name @match
 * accepts, without its parameter list or with it.
 */
DBG_MUST struct dbg_error *
code_find_matching(struct code *c, struct code_module *m, code_match_fn *match,
		   void *arg, struct arena *arena, struct code_place **ret,
		   size_t *ret_n);

/* How a file name, as code_find_line takes it, matches a document. */
enum code_match {
	CODE_MATCH_NONE,
	CODE_MATCH_TAIL, /* its path ends in the name */
	CODE_MATCH_FILE, /* by its full path, or it is that file */
};
enum code_match code_place_match(struct code *c, const struct code_place *p,
				 const char *file);

/* Places to names. */
const char *code_place_path(struct code *c, const struct code_place *p,
			    struct arena *arena);
/* A function's name, whole and in its parts. */
struct code_name {
	const char *full;   /* "Ns.Type.Method(int, string)" */
	const char *plain;  /* "Ns.Type.Method" */
	const char *params; /* "int, string"; NULL: without parameter list */
};
/* Fill in @ret from a name whose parameter list begins at @list, or ends. */
void code_name_split(const char *full, size_t list, struct arena *arena,
		     struct code_name *ret);
/*
 * Where the parameter list at the end of a C++ or DAC name begins; the name's
 * length: there is none. A name made from metadata has this as a field.
 */
size_t code_name_list(const char *full);
/* C# name of a MethodDef; @args (NULL: none) for its generic parameters. */
void code_token_names(const struct code_module *m, uint32_t token,
		      const struct csname_args *args, struct arena *arena,
		      struct code_name *ret);
/* C# name of a MethodDesc, exact generic arguments where known. */
void code_method_names(struct code *c, uint64_t method, struct arena *arena,
		       struct code_name *ret);
/* The method's whole name, or without @params. */
const char *code_method_name(struct code *c, uint64_t method, bool params,
			     struct arena *arena);
enum code_method_kind {
	CODE_METHOD_PLAIN,
	CODE_METHOD_DISPATCH, /* by which the runtime throws, or calls Main */
	CODE_METHOD_STUB,     /* IL made by the runtime, native methods */
	CODE_METHOD_DYNAMIC,  /* IL made by the program */
};
enum code_method_kind code_method_kind(struct code *c, uint64_t method);
/* C# name of a MethodTable; cached for the session. */
const char *code_type_name(struct code *c, uint64_t type);

/* ---- Code ------------------------------------------------------------ */

/* Addresses of @p in the code version that holds @ip (a start address). */
DBG_MUST struct dbg_error *code_addresses(struct code *c,
					  const struct code_place *p,
					  uint64_t ip, struct arena *arena,
					  uint64_t **ret, size_t *ret_n);

/* The part of a method that an IL offset lies in. */
enum code_region {
	CODE_REGION_BODY,
	CODE_REGION_HANDLER, /* catch, finally, fault */
	CODE_REGION_FILTER,  /* the condition of a catch */
};

/* The source position that an address of managed code stands for. */
struct code_pos {
	struct code_module *module; /* NULL: none known */
	uint64_t method;            /* MethodDesc */
	uint64_t start;             /* of its native code; 0: not known */
	uint32_t token;
	uint32_t version;   /* of the method's body, see code_method_version */
	uint32_t il_offset; /* UINT32_MAX: unknown */
	bool in_prolog, in_epilog;
	/*
	 * The instruction whose variables' places hold here: the method's
	 * first one while its frame is built (@enters, also at itself), one of
	 * the body in what else the compiler added.
	 */
	uint64_t vars_ip;
	bool enters;
	enum code_region region;
	struct seq_point point; /* visible one; line 0: no source */
	const char *path;       /* substituted; NULL: no source */
};

/*
 * @leaf false: @ip is a return address, look at ip - 1. Not managed code:
 * *ret_any false. Cached by address for the session (path included).
 */
DBG_MUST struct dbg_error *code_pos_at(struct code *c, uint64_t ip, bool leaf,
				       const struct code_pos **ret,
				       bool *ret_any);

/* How many arguments the method at @pos has, including `this`; 0: not known. */
uint32_t code_count_args(const struct code_pos *pos);
/*
 * Find which variables of the method at @pos, by its code at @at (behind a
 * call: where it returns to), have no value there if the method has waited at
 * an await before (.NET 11, runtime async). @lost has an entry
 * for each of @n_vars variables: the @n_args arguments first, then locals.
 * False: none, or it cannot be told; @lost is untouched then.
 */
bool code_lost_vars(struct code *c, const struct code_pos *pos, uint64_t at,
		    bool *lost, uint32_t n_args, uint32_t n_vars);
/*
 * The address where the prolog of the method that holds @ip ends; 0: unknown.
 */
uint64_t code_body_start(struct code *c, uint64_t ip);
/* Get the position of an IL offset in a method, which may not be compiled. */
void code_pos_of(struct code *c, struct code_module *m, uint32_t token,
		 uint32_t il_offset, struct code_pos *ret);
/*
 * Find the statement of a frame that called a method from @ip, by the called
 * method's metadata name, @callee. Optimised code may map many statements to
 * one IL offset, since it maps no offset while values are on the IL stack; the
 * calls in these statements tell which one it is. False if @pos cannot be
 * improved.
 */
bool code_pos_of_call(struct code *c, const struct code_pos *pos, uint64_t ip,
		      const char *callee, struct code_pos *ret);
/* Metadata name of a MethodDef. */
const char *code_method_def_name(const struct code_module *m, uint32_t token);
/*
 * Make the paths of positions that were handed out anew, by the present
 * substitution rules.
 */
void code_renew_paths(struct code *c);

/*
 * A sequence point (hidden ones too) and where its code starts. Optimised
 * code may have pieces of one statement apart: each piece is an entry.
 */
struct code_point {
	uint64_t addr;
	struct seq_point point;
};

/*
 * Get all points of the code version that contains @ip, by address; one point
 * may have several addresses if the JIT made copies (finally clones). None
 * without symbols. Cached for the session, borrowed.
 */
DBG_MUST struct dbg_error *code_points(struct code *c, uint64_t ip,
				       const struct code_point **ret,
				       size_t *ret_n);

/* Traits of a method that matter to a step. */
enum code_trait {
	CODE_SOURCE = 1,       /* has a visible sequence point */
	CODE_NON_USER = 2,     /* DebuggerNonUserCode */
	CODE_STEP_THROUGH = 4, /* DebuggerStepThrough, DebuggerHidden */
	CODE_ACCESSOR = 8,     /* of a property */
	CODE_OPERATOR = 16,
	CODE_CCTOR = 32,  /* static constructor */
	CODE_HIDDEN = 64, /* DebuggerHidden */
};
/*
 * Bits of enum code_trait; attributes of its type and its property count. 0
 * without symbols. Cached for the session.
 */
unsigned int code_traits(struct code *c, struct code_module *m, uint32_t token);
/*
 * Just My Code: has the method source, is its module built for debugging (or
 * @home, which counts in any case; NULL: none), and did its author not mark it
 * as something to pass? Where all modules with symbols are optimised, a Release
 * build, those count whose source files are here, or all if none's are.
 */
bool code_is_user(struct code *c, struct code_module *m, uint32_t token,
		  const struct code_module *home);
/* Are all modules with symbols optimised, and is there one? */
bool code_all_optimized(struct code *c);
/*
 * How the code was compiled, as static text. For code without tiers .NET 11's
 * DAC does not tell; then the module's setting counts. NULL: not known.
 */
const char *code_kind(struct code *c, const struct dac_code *code);
/* Is any of its methods the user's, but for marks of their author? */
bool code_module_is_user(struct code *c, struct code_module *m);
/* Is there text of a source file of the module, on disk or in its symbols? */
bool code_module_is_here(struct code *c, struct code_module *m);
/*
 * IL offset where the innermost handler or filter around @il_offset begins;
 * UINT32_MAX: it is in none.
 */
uint32_t code_handler_at(struct code_module *m, uint32_t token,
			 uint32_t il_offset);
/*
 * The IL offset where the async method continues after @await if the awaited
 * task was complete and it did not have to wait; UINT32_MAX: not found.
 */
uint32_t code_await_join(const struct code_module *m, uint32_t token,
			 const struct pdb_await *await);
/* Is the method or its class generic? */
bool code_is_generic(const struct code_module *m, uint32_t token);
/* The address of a method's IL behind its header; 0: unknown. */
uint64_t code_il_addr(const struct code *c, const struct code_module *m,
		      uint32_t token);
/*
 * The address of a method's code that was compiled ahead of time. The runtime
 * may not know it yet and may never use it. 0: none.
 */
uint64_t code_precompiled_addr(const struct code *c,
			       const struct code_module *m, uint32_t token);
/* Does the method have symbols with at least one visible point? */
bool code_has_source(struct code *c, struct code_module *m, uint32_t token);
/* MoveNext token of an async or iterator kickoff method, 0: it is none. */
uint32_t code_move_next(struct code *c, struct code_module *m,
			uint32_t kickoff_token);

struct code_call {
	uint32_t il_offset;
	struct code_name name;
	const char *simple; /* in metadata */
};

struct code_calls {
	struct arena *arena; /* the caller's */
	struct code_call *calls;
	size_t n;
};

/* The calls of the line at @pos, by IL offset; a cap on their number. */
void code_calls(const struct code_pos *pos, struct code_calls *ret);

/* ---- Completion ------------------------------------------------------ */

typedef void code_name_fn(void *arg, const char *name);
/* Calls @fn for files, types or methods (enum dbg_names bits). */
void code_each_name(struct code *c, unsigned int names, code_name_fn *fn,
		    void *arg);

/* Calls @fn for the path of every document, after substitution. */
void code_each_path(struct code *c, struct code_module *m, code_name_fn *fn,
		    void *arg);

#endif
