/* GDB/MI: the machine interface of gdb, for the front ends made for it. */
#ifndef MI_H
#define MI_H

#include <stdbool.h>
#include <stddef.h>

#include "dbg.h"

struct front_options;
struct listen_at;
struct ui_ops;

enum mi_dialect {
	MI_GDB,
	MI_NETCOREDBG, /* names, orders and words as netcoredbg has them */
};

struct mi_options {
	unsigned int version; /* 2, 3 or 4 */
	enum mi_dialect dialect;
	bool run; /* start the program at once */
};

/*
 * Serve a client until it leaves: the one that connects at @listen, or with
 * NULL that at stdin and stdout. Returns the exit status.
 */
int mi_main(struct dbg *dbg, const struct front_options *front,
	    const struct mi_options *options, const struct listen_at *listen);

/* The same on a second terminal: `new-ui mi TERMINAL`. */
extern const struct ui_ops mi_ui;

#endif
