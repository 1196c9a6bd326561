/* dbg.h: errors, which are values, and what every part of the API needs. */
#ifndef DBG_ERROR_H
#define DBG_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define DBG_MUST __attribute__((warn_unused_result))

struct dbg;
struct arena; /* of base/mem.h: whoever gives one to a call frees the result */

/* Id of a frame or a value of the present stop; 0 is none. */
typedef uint64_t dbg_id;

enum dbg_code {
	DBG_E_ARGUMENT = 1, /* the user's words make no sense here */
	DBG_E_STATE,        /* not possible in this state of the program */
	DBG_E_NOT_FOUND,    /* no such file, type, method, thread, ... */
	DBG_E_STALE,        /* an id of an earlier stop */
	DBG_E_MEMORY,       /* target memory that cannot be accessed */
	DBG_E_TARGET,       /* ptrace or the kernel said no */
	DBG_E_RUNTIME,      /* the runtime or its DAC is not usable */
	DBG_E_SYMBOLS,      /* PDB or metadata missing, wrong or broken */
	DBG_E_FILE,         /* a file cannot be opened or read */
	DBG_E_FORMAT,       /* a file or target structure is malformed */
	DBG_E_UNSUPPORTED,  /* asked for what this engine does not do */
	DBG_E_INTERRUPTED,  /* dbg_interrupt() during long work */
};

struct dbg_error {
	enum dbg_code code;
	unsigned int cs; /* the C# compiler's number: 103 of CS0103; 0: none */
	char *message;   /* one sentence, no capital, no full stop */
};

/* Free @err; NULL is allowed. */
void dbg_error_destroy(struct dbg_error *err);

/* ---- Files ----------------------------------------------------------- */

/*
 * Open the regular file @path, as open(2) with @flags (mode 0666), close on
 * exec, without waiting for anybody; a file of another kind is refused and
 * is not touched. With @streams, pipes and character devices are accepted
 * as well: reading and writing may say EAGAIN.
 */
DBG_MUST struct dbg_error *dbg_open_file(const char *path, int flags,
					 bool streams, int *ret);

#endif
