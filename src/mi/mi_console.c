/*
 * Commands of the prompt for the client: lines that are no command of GDB/MI,
 * and -interpreter-exec console. They are carried out by front/cli/commands.h;
 * what they print goes out as console stream records, and what they changed is
 * told.
 */
#include <string.h>

#include "base/mem.h"
#include "mi/mi_priv.h"

// Take over the state that a command has left, such as the selected frame.
static void after(struct mi *m)
{
	struct command_result result = commands_result(&m->commands);

	groups_look(m);
	if (dbg_state(m->dbg) == DBG_STOPPED && result.place.thread) {
		m->thread = result.place.thread;
		m->level = result.place.level;
	}
	if (result.quit)
		m->quit = true;
	if (result.resumed)
		m->resumed = true;
	mi_output_started(&m->output);
	m->values++;
}

struct dbg_error *mi_cli_quiet(struct mi *m, const char *line, struct str *ret)
{
	struct command_place place = {m->thread, m->level};
	_cleanup_str_ struct str nowhere = {0};

	struct dbg_error *err =
	    commands_run(&m->commands, line, &place, ret ? ret : &nowhere);
	after(m);
	return err;
}

struct dbg_error *mi_cli_word(struct mi *m, const char *command,
			      const char *word)
{
	_cleanup_free_ char *line =
	    xasprintf("%s %s", command, word ? word : "");

	return mi_cli_quiet(m, line, NULL);
}

struct dbg_error *mi_cli(struct mi *m, const char *line)
{
	_cleanup_str_ struct str printed = {0};
	uint32_t group = m->group;
	uint32_t thread = m->thread;
	uint32_t level = m->level;

	struct dbg_error *err = NULL;
	if (strncmp(line, "set ", 4) || !mi_setting_own(m, line + 4, &err))
		err = mi_cli_quiet(m, line, &printed);
	if (!err && !strncmp(line, "set ", 4))
		mi_setting_tell(m, line + 4 + strspn(line + 4, " "));
	mi_stream(m, '~', str_get(&printed), printed.len);
	if (m->resumed) {
		m->by_cli = true;
		m->way = strncmp(line, "fin", 3) ? MI_WAY_RUN : MI_WAY_FINISH;
	}
	notify_breaks(m, true);
	if (dbg_state(m->dbg) == DBG_STOPPED && thread &&
	    (group != m->group || thread != m->thread || level != m->level))
		notify_selected(m);
	return err;
}

struct dbg_error *mi_cli_lines(struct mi *m, const struct words *lines)
{
	struct command_place place = {m->thread, m->level};
	_cleanup_str_ struct str nowhere = {0};

	struct dbg_error *err =
	    commands_lines(&m->commands, lines, &place, &nowhere);
	after(m);
	return err;
}

void mi_cli_stopped(struct mi *m, bool show)
{
	struct command_place place = {m->thread, m->level};
	_cleanup_str_ struct str printed = {0};

	mi_warn(m, commands_stopped(&m->commands, &place, show, &printed));
	after(m);
	mi_stream(m, '~', str_get(&printed), printed.len);
}
