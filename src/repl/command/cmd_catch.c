/*
 * `catch` and `tcatch`: stops at exceptions and when modules come or go. The
 * kinds of the former take the same options and types; the words are taken
 * apart here and become one request to the engine.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "repl/cmd.h"
#include "base/err.h"
#include "repl/line/parse.h"
#include "repl/repl_priv.h"
#include "repl/show/show.h"

struct catch_words {
	bool exact;
	char *module, *message; /* NULL: not given */
	char *types;            /* NULL: all */
	const char *condition;  /* borrowed, NULL: none */
};

static void catch_words_deinit(struct catch_words *w)
{
	free(w->module);
	free(w->message);
	free(w->types);
}

// The next word of *@p, "in quotes" or not; NULL at the end.
static char *parse_word(const char **p)
{
	const char *s = *p;
	size_t n;

	if (*s == '"') {
		n = strcspn(++s, "\"");
		*p = s + n + (s[n] == '"');
	} else {
		n = strcspn(s, " \t");
		*p = s + n;
		if (!n)
			return NULL;
	}
	*p += strspn(*p, " \t");
	return xstrndup(s, n);
}

static struct dbg_error *parse_option(const char **p, struct catch_words *ret)
{
	_cleanup_free_ char *option = parse_word(p);
	char **value = NULL;

	if (!strcmp(option, "-exact")) {
		ret->exact = true;
		return NULL;
	}
	if (!strcmp(option, "-module"))
		value = &ret->module;
	else if (!strcmp(option, "-message"))
		value = &ret->message;
	if (!value)
		return dbg_err_arg(
		    "No option \"%s\": there are -exact, -module "
		    "NAME and -message REGEX.",
		    option);
	free(*value);
	*value = parse_word(p);
	return *value ? NULL
		      : dbg_err_arg("Option \"%s\" needs a value.", option);
}

// [-exact] [-module NAME] [-message REGEX] [TYPE, ...] [if CONDITION]
static struct dbg_error *parse_catch(const char *args, struct catch_words *ret)
{
	struct dbg_error *err = NULL;
	size_t n;

	while (!err && *args == '-')
		err = parse_option(&args, ret);
	if (err)
		return err;
	ret->condition = parse_if(args);
	n = ret->condition ? (size_t)(ret->condition - args) : strlen(args);
	while (n && isspace((unsigned char)args[n - 1]))
		n--;
	if (n)
		ret->types = xstrndup(args, n);
	if (ret->condition)
		ret->condition += 2 + strspn(ret->condition + 2, " \t");
	return NULL;
}

enum {
	ONCE = 0x100, /* with the kind in an entry's value: tcatch */
};

static struct dbg_break_req request_of(const struct call *call)
{
	return (struct dbg_break_req){
	    .kind = (enum dbg_break_kind)(call->cmd->value & ~ONCE),
	    .temporary = call->cmd->value & ONCE,
	};
}

static struct dbg_error *catch_exception(struct repl *r,
					 const struct call *call)
{
	struct catch_words words = {0};
	struct dbg_error *err = parse_catch(call->args, &words);
	struct dbg_break_req req = request_of(call);

	req.text = words.types;
	req.catches.exact = words.exact;
	req.catches.module = words.module;
	req.catches.message = words.message;
	if (!err)
		err = break_add(r, &req, words.condition);
	catch_words_deinit(&words);
	return err;
}

// [REGEX]: what is left of the line.
static struct dbg_error *catch_module(struct repl *r, const struct call *call)
{
	struct dbg_break_req req = request_of(call);

	req.text = call->args;
	return break_add(r, &req, NULL);
}

#define CATCH_ARGS "[OPTIONS] [TYPE, ...] [if CONDITION]"
#define LOAD_ARGS "[REGEX]"

const struct repl_cmd cmd_catch_subs[] = {
    {
	.names = "throw",
	.args = CATCH_ARGS,
	.help = "stop where an exception is thrown",
	.more =
	    "TYPE is the exception's type or a base class of it, by its last\n"
	    "part or in full; \"! TYPE\" is all but these. Options: -exact "
	    "(not\n"
	    "derived types), -module NAME (thrown by code of this module),\n"
	    "-message REGEX (that its message matches). $exception is the\n"
	    "exception in CONDITION.",
	.complete = DBG_NAMES_TYPES,
	.value = DBG_BREAK_THROW,
	.run = catch_exception,
    },
    {
	.names = "user-unhandled",
	.args = CATCH_ARGS,
	.help = "stop at a throw that no code of yours will catch",
	.more = "It passes code of yours and is caught by the framework or by\n"
		"nobody. A task that takes the exception of an async method\n"
		"does not count as catching. Arguments as for \"catch throw\".",
	.complete = DBG_NAMES_TYPES,
	.value = DBG_BREAK_USER_UNHANDLED,
	.run = catch_exception,
    },
    {
	.names = "unhandled",
	.args = CATCH_ARGS,
	.help = "stop when nobody catches an exception",
	.more = "Arguments as for \"catch throw\".",
	.complete = DBG_NAMES_TYPES,
	.value = DBG_BREAK_UNHANDLED,
	.run = catch_exception,
    },
    {
	.names = "catch",
	.args = CATCH_ARGS,
	.help = "stop where an exception is caught, before the handler",
	.more = "Handlers of the framework count, too; -module NAME is the "
		"module that\ncatches. Arguments as for \"catch throw\".",
	.complete = DBG_NAMES_TYPES,
	.value = DBG_BREAK_CAUGHT,
	.run = catch_exception,
    },
    {
	.names = "load",
	.args = LOAD_ARGS,
	.help = "stop when an assembly is loaded",
	.more = "REGEX is looked for in its path, or in its name if it has no "
		"file. Without\nit each one stops. System.Private.CoreLib is "
		"there before any stop.",
	.value = DBG_BREAK_LOAD,
	.run = catch_module,
    },
    {
	.names = "unload",
	.args = LOAD_ARGS,
	.help = "stop when an assembly is unloaded",
	.value = DBG_BREAK_UNLOAD,
	.run = catch_module,
    },
    {.names = NULL},
};

const struct repl_cmd cmd_tcatch_subs[] = {
    {
	.names = "throw",
	.args = CATCH_ARGS,
	.help = "stop where the next exception is thrown",
	.complete = DBG_NAMES_TYPES,
	.value = DBG_BREAK_THROW | ONCE,
	.run = catch_exception,
    },
    {
	.names = "user-unhandled",
	.args = CATCH_ARGS,
	.help = "stop once at a throw that no code of yours will catch",
	.complete = DBG_NAMES_TYPES,
	.value = DBG_BREAK_USER_UNHANDLED | ONCE,
	.run = catch_exception,
    },
    {
	.names = "unhandled",
	.args = CATCH_ARGS,
	.help = "stop once when nobody catches an exception",
	.complete = DBG_NAMES_TYPES,
	.value = DBG_BREAK_UNHANDLED | ONCE,
	.run = catch_exception,
    },
    {
	.names = "catch",
	.args = CATCH_ARGS,
	.help = "stop once where an exception is caught, before the handler",
	.complete = DBG_NAMES_TYPES,
	.value = DBG_BREAK_CAUGHT | ONCE,
	.run = catch_exception,
    },
    {
	.names = "load",
	.args = LOAD_ARGS,
	.help = "stop once when an assembly is loaded",
	.value = DBG_BREAK_LOAD | ONCE,
	.run = catch_module,
    },
    {
	.names = "unload",
	.args = LOAD_ARGS,
	.help = "stop once when an assembly is unloaded",
	.value = DBG_BREAK_UNLOAD | ONCE,
	.run = catch_module,
    },
    {.names = NULL},
};
