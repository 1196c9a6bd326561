/* What targets that are no program do, for fuzzers of what reads one. */
#ifndef FUZZ_FUZZTARGET_H
#define FUZZ_FUZZTARGET_H

#include <stdlib.h>
#include <string.h>

#include "target/target_priv.h"

/* Its memory may change at any time. */
static inline bool fuzz_never_frozen(const struct target *t)
{
	(void)t;
	return false;
}

/* Some pages of memory, so that some addresses lead somewhere. */
static inline size_t fuzz_read_pages(struct target *t, uint64_t addr, void *buf,
				     size_t n)
{
	enum {
		BEGIN = 0x10000,
		END = 0x30000
	};

	(void)t;
	if (addr < BEGIN || addr >= END || n > END - addr)
		return 0;
	memset(buf, 0x11, n);
	return n;
}

/* A write to the program is the one thing that must not be. */
static inline struct dbg_error *fuzz_write_none(struct target *t, uint64_t addr,
						const void *buf, size_t n)
{
	(void)t;
	(void)addr;
	(void)buf;
	(void)n;
	abort();
}

#endif
