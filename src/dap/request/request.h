/*
 * The table of requests. Each family of handlers stands in one file, req_*.c,
 * with its entries at the end; request.c lists the families. Capabilities are
 * made from the entries, and the dispatcher checks what they ask for, so a
 * handler begins with its work.
 */
#ifndef DAP_REQUEST_H
#define DAP_REQUEST_H

#include "dap/request/args.h"
#include "dbg.h"
#include "base/str.h"

struct dap;

/* A request of the client. */
struct request {
	int64_t seq;
	const char *command;
	const cJSON *args; /* an object */
	struct str *body;  /* takes the members of the response's body */
	bool deferred;     /* the handler answers later, by dap_answer() */
	bool by_hand;      /* the user asked for it: a failure is shown */
};

typedef struct dbg_error *request_fn(struct dap *d, struct request *req);
/* Handler of a request that needs a stopped program; @at: the present stop. */
typedef struct dbg_error *request_stop_fn(struct dap *d, struct dbg_stopped at,
					  struct request *req);

enum request_flags {
	REQ_ANYTIME = 1,       /* also before `initialize` */
	REQ_NEEDS_PROCESS = 2, /* a program */
	/*
	 * The user did this and would see nothing of its failure. Clients ask
	 * for everything else as they like, or show the words themselves.
	 */
	REQ_BY_HAND = 8,
	/* Carried out while an evaluation goes on, for which others wait. */
	REQ_URGENT = 16,
};

struct dap_request {
	const char *name;
	const char *capability; /* NULL: every adapter has it */
	unsigned int flags;
	/* one of the two handlers */
	request_fn *run;
	request_stop_fn *stopped;
};

extern const struct dap_request req_session[];
extern const struct dap_request req_break[];
extern const struct dap_request req_run[];
extern const struct dap_request req_stack[];
extern const struct dap_request req_value[];
extern const struct dap_request req_code[];
extern const struct dap_request req_memory[];
extern const struct dap_request req_data[];
extern const struct dap_request req_variable[];

/* Is the message to be carried out while an evaluation goes on? */
bool request_is_urgent(const struct dap *d, const cJSON *message);
/* Carry out a message of the client, a parsed JSON document. */
void request_take(struct dap *d, const cJSON *message);
/* The present stop, or why there is none. */
DBG_MUST struct dbg_error *request_stop(struct dap *d, struct dbg_stopped *ret);
/* "supportsX": true for every entry that has one. */
void request_capabilities(struct str *t);

#endif
