/*
 * Children that are followed: see children.h. Each is left stopped by SIGSTOP,
 * the client is asked to start a session that attaches to it, and if the client
 * refuses or dndbg ends it gets SIGCONT.
 */
#include "dap/launch/children.h"

#include <signal.h>
#include <stdlib.h>

#include "base/mem.h"
#include "dap/dap_priv.h"
#include "dap/wire/emit.h"

void children_deinit(struct children *c)
{
	for (size_t i = 0; i < c->n; i++)
		kill(c->asked[i].pid, SIGCONT);
	free(c->asked);
	*c = (struct children){0};
}

static void alone(struct dap *d, const struct dbg_event *e)
{
	dap_say(d,
		"'%s' (process %d) is not debugged: this client starts no "
		"sessions for children. Launch it itself, or attach to it.",
		e->text, (int)e->child);
}

void children_take(struct dap *d, const struct dbg_event *e)
{
	struct children *c = &d->children;
	bool asks = d->client.start_debugging;
	struct dbg_error *err = dbg_child_leave(d->dbg, e->child, asks);

	if (err) {
		dap_warn(d, err);
		return;
	}
	if (!asks) {
		alone(d, e);
		return;
	}
	begin_runs(d);
	mem_grow(&c->asked, &c->cap, c->n, sizeof(*c->asked));
	struct child *child = &c->asked[c->n++];
	child->pid = e->child;
	struct str *t = dap_ask(d, "startDebugging", &child->seq);
	emit_str(t, "request", "attach");
	emit_object(t, "configuration");
	emit_str(t, "request", "attach");
	emit_strf(t, "name", "%s (%d)", e->text, (int)e->child);
	emit_int(t, "processId", e->child);
	emit_bool(t, "__wake", true);
	setup_child(&d->setup, t);
	emit_object_end(t);
	dap_send(d);
}

void children_answered(struct dap *d, int64_t seq, bool success)
{
	struct children *c = &d->children;
	size_t i = 0;

	while (i < c->n && c->asked[i].seq != seq)
		i++;
	if (i == c->n)
		return;
	if (!success) {
		kill(c->asked[i].pid, SIGCONT);
		dap_say(d,
			"Process %d is not debugged: the client started no "
			"session for it.",
			(int)c->asked[i].pid);
	}
	c->asked[i] = c->asked[--c->n];
}
