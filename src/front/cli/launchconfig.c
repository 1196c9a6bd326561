/*
 * How a program is started: see launchconfig.h. A struct of plain strings,
 * changed piece by piece and copied whole.
 */
#include "front/cli/launchconfig.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void launch_config_deinit(struct launch_config *c)
{
	free(c->program);
	free(c->cwd);
	free(c->tty);
	for (int i = 0; i < 3; i++)
		free(c->stdio[i]);
	words_deinit(&c->args);
	words_deinit(&c->env);
	*c = (struct launch_config){0};
}

static void copy_words(struct words *to, const struct words *from)
{
	words_clear(to);
	for (size_t i = 0; i < from->n; i++)
		words_add(to, from->v[i], strlen(from->v[i]));
}

void launch_config_copy(struct launch_config *to,
			const struct launch_config *from)
{
	str_set(&to->program, from->program);
	str_set(&to->cwd, from->cwd);
	str_set(&to->tty, from->tty);
	for (int i = 0; i < 3; i++)
		str_set(&to->stdio[i], from->stdio[i]);
	copy_words(&to->args, &from->args);
	copy_words(&to->env, &from->env);
}

struct dbg_error *launch_config_args(struct launch_config *c, const char *line)
{
	struct launch_config new = {0};
	struct dbg_error *err = words_command(line, &new.args, new.stdio);

	if (!err) {
		copy_words(&c->args, &new.args);
		for (int i = 0; i < 3; i++)
			str_set(&c->stdio[i], new.stdio[i]);
	}
	launch_config_deinit(&new);
	return err;
}

void launch_config_env(struct launch_config *c, const char *name,
		       const char *value)
{
	_cleanup_free_ char *entry =
	    value ? xasprintf("%s=%s", name, value) : xstrdup(name);

	words_add(&c->env, entry, strlen(entry));
}

struct dbg_launch launch_config_request(const struct launch_config *c)
{
	return (struct dbg_launch){
	    .program = c->program,
	    .args = (const char *const *)c->args.v,
	    .n_args = c->args.n,
	    .cwd = c->cwd,
	    .env = (const char *const *)c->env.v,
	    .n_env = c->env.n,
	    .stdio = {c->stdio[0], c->stdio[1], c->stdio[2]},
	    .tty = c->tty,
	};
}

void launch_stdio(struct dbg_launch *launch, const char *const to[3])
{
	for (int i = 0; i < 3; i++) {
		const char *name = launch->stdio[i];

		if (!name)
			launch->stdio[i] = to[i];
		else if (*name == '&')
			launch->stdio[i] = to[name[1] - '0'];
	}
}

void launch_config_line(const struct launch_config *c, struct str *ret)
{
	words_quote(c->program ? c->program : "", ret);
	for (size_t i = 0; i < c->args.n; i++) {
		str_addc(ret, ' ');
		words_quote(c->args.v[i], ret);
	}
}
