/*
 * What the command line asks for before the client's first line: the program
 * and its arguments, -p, --core, -x and -ex.
 */
#include <string.h>

#include "base/mem.h"
#include "front/plain.h"
#include "mi/mi_priv.h"

static void early_or_late(struct mi *m, bool early)
{
	const struct front_options *o = m->front;

	for (size_t i = 0; i < o->n_startup && !m->quit; i++) {
		const struct startup_command *s = &o->startup[i];
		if (s->early != early)
			continue;
		_cleanup_free_ char *source =
		    s->file ? xasprintf("source %s", s->text) : NULL;
		mi_warn(m, mi_cli(m, source ? source : s->text));
		notify_take(m);
	}
}

static void with_word(struct mi *m, const char *command, const char *word)
{
	if (!word)
		return;
	struct dbg_error *err = mi_cli_word(m, command, word);
	if (err && m->front->netcoredbg) {
		plain_error(err);
		m->quit = true;
		m->exit_code = 1;
		return;
	}
	mi_warn(m, err);
	notify_take(m);
}

void mi_start(struct mi *m)
{
	launch_config_copy(m->launch, &m->front->launch);
	early_or_late(m, true);
	mi_program(m);
	with_word(m, "core-file", m->front->core);
	with_word(m, m->front->wait ? "attach --wait" : "attach",
		  m->front->attach);
	early_or_late(m, false);
	if (m->options->run && !m->quit)
		mi_warn(m, mi_cli_quiet(m, "run", NULL));
	notify_take(m);
}
