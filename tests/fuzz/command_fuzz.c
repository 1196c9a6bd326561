/* A line of a user through every parser of the terminal front end. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "repl/cmd.h"
#include "repl/line/parse.h"
#include "front/cli/words.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void split(const char *line)
{
	_cleanup_words_ struct words plain = {0};
	_cleanup_words_ struct words again = {0};
	_cleanup_words_ struct words command = {0};
	_cleanup_str_ struct str quoted = {0};
	char *stdio[3] = {NULL, NULL, NULL};

	dbg_error_destroy(words_command(line, &command, stdio));
	for (int i = 0; i < 3; i++)
		free(stdio[i]);
	struct dbg_error *err = words_split(line, &plain);
	if (dbg_err_drop(err))
		return;
	for (size_t i = 0; i < plain.n; i++) {
		words_quote(plain.v[i], &quoted);
		str_addc(&quoted, ' ');
	}
	// Quoting and splitting must be each other's inverse.
	if (words_split(str_get(&quoted), &again) || again.n != plain.n)
		abort();
	for (size_t i = 0; i < plain.n; i++)
		if (strcmp(again.v[i], plain.v[i]))
			abort();
}

static void parse_args(const char *args)
{
	struct dbg_error *err;
	struct parse_format format;
	struct parse_list list;
	uint64_t first, last;
	uint32_t number;
	const char *p;
	bool any = true;

	dbg_error_destroy(parse_format(args, &format));
	dbg_error_destroy(parse_count(args, 1, &first));
	dbg_error_destroy(dbg_parse_switch(args, &any));
	err = parse_list(args, &list);
	if (!err)
		parse_list_deinit(&list);
	dbg_error_destroy(err);
	parse_if(args);
	p = args;
	dbg_error_destroy(parse_number(&p, &number));
	p = args;
	any = true;
	for (err = NULL; any && !err;)
		err = parse_range(&p, &first, &last, &any);
	dbg_error_destroy(err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct repl_cmd *cmd;
	struct cmd_line parts;

	_cleanup_free_ char *line = xstrndup((const char *)data, size);
	cmd_parse(line, &parts);
	cmd_parse_format(&parts);
	if (parts.n_name)
		dbg_error_destroy(
		    cmd_find(NULL, parts.name, parts.n_name, &cmd));
	_cleanup_free_ char *format = xstrndup(parts.format, parts.n_format);
	parse_args(format);
	parse_args(parts.args);
	split(parts.args);
	return 0;
}
