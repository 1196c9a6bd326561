/* Portable PDB (dotnet/runtime docs/design/specs/PortablePdb-Metadata.md). */
#ifndef META_PDB_H
#define META_PDB_H

#include "base/file.h"
#include "meta/md.h"
#include "meta/sig.h"

struct arena;
struct pe;
struct pdb;

/*
 * Find and open the PDB of an assembly: embedded, beside the dll, at the
 * CodeView path, under each directory of @search. Matched by id. On
 * success *ret_state is DBG_SYMBOLS_LOADED and *ret owned by the caller;
 * for every other state *ret is NULL and *ret_note (in @arena) says in words
 * what was looked for and what was found. When loaded the note is the path,
 * or "embedded in PATH".
 */
struct pdb_request {
	const struct pe *pe;
	const char *dll_path; /* NULL: loaded from memory */
	const char *root;     /* prefix for paths (/proc/N/root) or "" */
	const char *const *search;
	size_t n_search;
	uint64_t inflated; /* what PDBs embedded in others take, see below */
};

void pdb_find(const struct pdb_request *req, struct arena *arena,
	      struct pdb **ret, enum dbg_symbols *ret_state,
	      const char **ret_note);

/*
 * Parse @bytes, which are taken over. False: they are not the PDB of @pe; they
 * are freed and *ret is untouched.
 */
bool pdb_take(const struct pe *pe, uint8_t *bytes, size_t n, struct pdb **ret);

/* Parse PDB bytes (fuzzing, tests). @bytes is borrowed. */
DBG_MUST struct dbg_error *pdb_parse(struct bytes bytes, struct pdb **ret);
void pdb_destroy(struct pdb *pdb);

/*
 * Add the next update of the module (hot reload): a PDB with the methods that
 * it changes or adds, numbered on its own. @bytes are copied. False: there are
 * none or they are broken, and that update has no debug information. A method's
 * version is the number of the update that made it, 0 for the PDB itself.
 */
bool pdb_update(struct pdb *pdb, struct bytes bytes);
/*
 * The last update has moved line N of @document to @lines[N - 1]. The lines of
 * methods that the update left alone are changed accordingly.
 */
void pdb_move_lines(struct pdb *pdb, uint32_t document, const uint32_t *lines,
		    uint32_t n);
/* The line to which the last update has moved @line. */
uint32_t pdb_line_moved(const struct pdb *pdb, uint32_t document,
			uint32_t line);
#define PDB_NEWEST UINT32_MAX /* version: the newest that there is */
struct pdb_method {
	uint32_t rid; /* MethodDef */
	uint32_t version;
};
/*
 * The tables that have a version of a method, and its row in them; NULL: it has
 * no debug information.
 */
const struct md *pdb_method_md(const struct pdb *pdb, struct pdb_method method,
			       uint32_t *ret_row);
/*
 * Was the text of a document changed by an update behind the one that has the
 * method's newest body?
 */
bool pdb_text_is_newer(const struct pdb *pdb, uint32_t method_rid,
		       uint32_t document);
/*
 * Where the updates so far have put the newest body of a method: its lines, in
 * order, and what they are now. n 0: that is not known.
 */
struct pdb_placement {
	uint32_t document;
	const uint32_t *from, *to;
	size_t n;
};
void pdb_place_method(struct pdb *pdb, uint32_t method_rid,
		      const struct pdb_placement *to);
/* Are its lines those of an earlier text, and not known in the present one? */
bool pdb_method_is_lost(const struct pdb *pdb, struct pdb_method method);
/* How many such methods a document has. */
uint32_t pdb_n_lost(const struct pdb *pdb, uint32_t document);
/* The greatest MethodDef rid that has debug information. */
uint32_t pdb_last_method(const struct pdb *pdb);
/* Bytes of memory that it takes because it was embedded in its assembly. */
uint64_t pdb_inflated(const struct pdb *pdb);

/* Documents. */
uint32_t pdb_n_documents(const struct pdb *pdb);
/* Path as written by the compiler; kept by @pdb. "" if there is none. */
const char *pdb_document_path(struct pdb *pdb, uint32_t rid);
/* Checksum; *ret_algorithm "SHA1", "SHA256" or NULL. */
struct bytes pdb_document_hash(const struct pdb *pdb, uint32_t rid,
			       const char **ret_algorithm);
/* Is the document written in Visual Basic? */
bool pdb_document_is_vb(const struct pdb *pdb, uint32_t rid);
/*
 * Embedded source text (inflated, capped), in @arena; {NULL, 0} if there is
 * none.
 */
struct bytes pdb_document_source(const struct pdb *pdb, uint32_t rid,
				 struct arena *arena);

/* Has the document embedded text? */
bool pdb_document_is_embedded(const struct pdb *pdb, uint32_t rid);

struct seq_point {
	uint32_t il_offset;
	uint32_t document;                           /* rid */
	uint32_t line, column, end_line, end_column; /* line 0: hidden */
};

/*
 * Sequence points of a method in IL order, in @arena; none for methods
 * without (*ret_n 0).
 */
DBG_MUST struct dbg_error *
pdb_sequence_points(const struct pdb *pdb, struct pdb_method method,
		    struct arena *arena, struct seq_point **ret, size_t *ret_n);

/* The lines of a document that a method has visible points on. */
struct pdb_method_lines {
	uint32_t method_rid;
	uint32_t document;
	uint32_t min_line, max_line;
	uint32_t reach; /* greatest max_line of the document up to here */
};
/*
 * All (method, document) pairs, sorted by document, then min_line; owned by
 * pdb.
 */
const struct pdb_method_lines *pdb_method_index(struct pdb *pdb, size_t *ret_n);
/*
 * Find the range of the index that includes all methods with @line of
 * @document: from the returned entry to before *@ret_end. Entries of the
 * document from there on begin behind the line.
 */
size_t pdb_methods_around(struct pdb *pdb, uint32_t document, uint32_t line,
			  size_t *ret_end);

/* Locals in scope. */
struct pdb_local {
	const char *name;
	uint32_t slot;          /* UINT32_MAX: a constant */
	uint16_t attributes;    /* 1: DebuggerHidden */
	struct bytes constant;  /* LocalConstant signature blob */
	uint32_t start, length; /* scope, IL offsets */
	uint32_t rid; /* LocalVariable or LocalConstant row, of all updates */
};
/*
 * Variables and constants whose scope holds @il_offset (UINT32_MAX: all),
 * outermost scope first, in @arena.
 */
DBG_MUST struct dbg_error *pdb_locals(const struct pdb *pdb,
				      struct pdb_method method,
				      uint32_t il_offset, struct arena *arena,
				      struct pdb_local **ret, size_t *ret_n);

/* StateMachineMethod: MoveNext to kickoff and back, rids, 0: none. */
uint32_t pdb_kickoff_of(const struct pdb *pdb, uint32_t move_next_rid);
uint32_t pdb_move_next_of(const struct pdb *pdb, uint32_t kickoff_rid);

struct il_range {
	uint32_t start, length;
};
/* StateMachineHoistedLocalScopes of MoveNext: scope of hoisted local N. */
void pdb_hoisted_scopes(const struct pdb *pdb, struct pdb_method method,
			struct arena *arena, struct il_range **ret,
			size_t *ret_n);

struct pdb_await {
	uint32_t yield_offset, resume_offset;
	uint32_t resume_method; /* MethodDef rid */
};
/* MethodSteppingInformation of an async MoveNext, in @arena. */
void pdb_awaits(const struct pdb *pdb, struct pdb_method method,
		struct arena *arena, struct pdb_await **ret, size_t *ret_n);
/* Is the type of the LocalVariable or LocalConstant @token `dynamic`? */
bool pdb_is_dynamic(const struct pdb *pdb, uint32_t token);
/* TupleElementNames of a LocalVariable/Constant row token; names may be NULL */
void pdb_tuple_names(const struct pdb *pdb, uint32_t token, struct arena *arena,
		     const char ***ret, size_t *ret_n);

#endif
