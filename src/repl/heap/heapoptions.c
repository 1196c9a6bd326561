/* Options of the commands about the heap: a table of them. */
#include "repl/heap/heapoptions.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "repl/cmd.h"

static const char *const generations[] = {"0",     "1",      "2",
					  "large", "pinned", "frozen"};

const char *heap_generation_name(enum dbg_generation gen)
{
	return gen < DBG_N_GENS ? generations[gen] : "?";
}

struct dbg_error *heap_address(const char *text, uint64_t *ret)
{
	char *end = NULL;

	uint64_t n =
	    isxdigit((unsigned char)*text) ? strtoull(text, &end, 16) : 0;
	if (!end || *end)
		return dbg_err_arg("\"%s\" is no address.", text);
	*ret = n;
	return NULL;
}

/* ---- Values ---------------------------------------------------------- */

static struct dbg_error *parse_type(struct heap_options *o, const char *value)
{
	o->filter.type = value;
	return NULL;
}

static struct dbg_error *parse_mt(struct heap_options *o, const char *value)
{
	return heap_address(value, &o->filter.method_table);
}

// A number of bytes: 4096, 0x1000, 4K.
static struct dbg_error *parse_size(const char *value, uint64_t *ret)
{
	static const char units[] = "kmg";
	char *end = NULL;
	uint64_t n = 0;

	if (isdigit((unsigned char)*value))
		n = strtoull(value, &end, 0);
	const char *unit =
	    end && *end ? strchr(units, tolower((unsigned char)*end)) : NULL;
	unsigned int shift = unit ? 10 * (unsigned int)(unit - units + 1) : 0;

	if (!end || (*end && (!unit || end[1])) || n > UINT64_MAX >> shift)
		return dbg_err_arg("\"%s\" is no size: 4096, 0x1000, 4K.",
				   value);
	*ret = n << shift;
	return NULL;
}

static struct dbg_error *parse_min(struct heap_options *o, const char *value)
{
	return parse_size(value, &o->filter.min);
}

static struct dbg_error *parse_max(struct heap_options *o, const char *value)
{
	return parse_size(value, &o->filter.max);
}

static struct dbg_error *parse_gen(struct heap_options *o, const char *value)
{
	static const struct {
		const char *name;
		enum dbg_generation gen;
	} others[] = {
	    {"loh", DBG_GEN_LARGE},  {"poh", DBG_GEN_PINNED},
	    {"foh", DBG_GEN_FROZEN}, {"gen0", DBG_GEN_0},
	    {"gen1", DBG_GEN_1},     {"gen2", DBG_GEN_2},
	};

	for (size_t i = 0; i < DBG_N_GENS; i++)
		if (!strcmp(value, generations[i])) {
			o->filter.gens |= 1U << i;
			return NULL;
		}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(value, others[i].name)) {
			o->filter.gens |= 1U << others[i].gen;
			return NULL;
		}
	return dbg_err_arg("\"%s\" is no generation: there are 0, 1, 2, large, "
			   "pinned and frozen.",
			   value);
}

static struct dbg_error *parse_number(const char *value, uint64_t max,
				      uint64_t *ret)
{
	if (!str_to_u64(value, ret) || *ret > max)
		return dbg_err_arg("\"%s\" is no number.", value);
	return NULL;
}

static struct dbg_error *parse_heap(struct heap_options *o, const char *value)
{
	uint64_t n;
	struct dbg_error *err = parse_number(value, UINT32_MAX, &n);

	if (err)
		return err;
	o->filter.by_heap = true;
	o->filter.heap = (uint32_t)n;
	return NULL;
}

static struct dbg_error *parse_top(struct heap_options *o, const char *value)
{
	return parse_number(value, UINT64_MAX, &o->top);
}

static struct dbg_error *parse_depth(struct heap_options *o, const char *value)
{
	return parse_number(value, DBG_WAY_DEPTH_MAX, &o->depth);
}

// Whoever watches parses it.
static struct dbg_error *parse_seconds(struct heap_options *o,
				       const char *value)
{
	o->seconds = value;
	return NULL;
}

/* ---- The table ------------------------------------------------------- */

static const struct {
	const char *name;
	struct dbg_error *(*take)(struct heap_options *o, const char *value);
	size_t flag; /* of struct heap_options, where it takes no value */
} options[] = {
    {"type", parse_type, 0},
    {"mt", parse_mt, 0},
    {"min", parse_min, 0},
    {"max", parse_max, 0},
    {"gen", parse_gen, 0},
    {"heap", parse_heap, 0},
    {"top", parse_top, 0},
    {"depth", parse_depth, 0},
    {"seconds", parse_seconds, 0},
    {"free", NULL, offsetof(struct heap_options, filter.free)},
    {"live", NULL, offsetof(struct heap_options, filter.live)},
    {"dead", NULL, offsetof(struct heap_options, filter.dead)},
    {"refs", NULL, offsetof(struct heap_options, filter.refs)},
    {"retained", NULL, offsetof(struct heap_options, filter.retained)},
    {"together", NULL, offsetof(struct heap_options, together)},
    {"json", NULL, offsetof(struct heap_options, json)},
    {"stat", NULL, offsetof(struct heap_options, stat)},
    {"all", NULL, offsetof(struct heap_options, all)},
    {"stacks", NULL, offsetof(struct heap_options, stacks)},
    {"coalesce", NULL, offsetof(struct heap_options, coalesce)},
    {"locals", NULL, offsetof(struct heap_options, locals)},
    {"completed", NULL, offsetof(struct heap_options, completed)},
    {"md", NULL, offsetof(struct heap_options, methods)},
    {"by-gen", NULL, offsetof(struct heap_options, by_gen)},
};

bool heap_option_has_value(const char *word)
{
	if (*word != '-')
		return false;
	word += 1 + (word[1] == '-');
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (!strcmp(word, options[i].name))
			return options[i].take;
	return false;
}

// Is the option one of those in the usage of the command: "[--top N] [-stat]"?
static bool is_taken(const struct repl_cmd *cmd, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = cmd->args; (p = strchr(p, '-')); p++)
		if (p > cmd->args && strchr("[-", p[-1]) &&
		    !strncmp(p + 1, name, n) && strchr(" ]", p[1 + n]))
			return true;
	return false;
}

// The option at words[*i]; steps over its value.
static struct dbg_error *parse_option(const struct repl_cmd *cmd,
				      struct heap_options *o, size_t *i)
{
	const char *word = o->words.v[*i];
	const char *name = word + 1 + (word[1] == '-');

	for (size_t k = 0; k < sizeof(options) / sizeof(*options); k++) {
		if (strcmp(name, options[k].name) || !is_taken(cmd, name))
			continue;
		if (!options[k].take) {
			*(bool *)((char *)o + options[k].flag) = true;
			return NULL;
		}
		if (++*i == o->words.n)
			return dbg_err_arg("Option \"%s\" needs a value.",
					   word);
		return options[k].take(o, o->words.v[*i]);
	}
	return dbg_err_arg("No option \"%s\": \"%.*s\" takes %s.", word,
			   (int)cmd_name_len(cmd), cmd->names, cmd->args);
}

struct dbg_error *heap_options_parse(const struct call *call, size_t max,
				     struct heap_options *ret)
{
	struct dbg_error *err;

	memset(ret, 0, sizeof(*ret));
	err = words_split(call->args, &ret->words);
	for (size_t i = 0; i < ret->words.n && !err; i++) {
		const char *word = ret->words.v[i];

		if (word[0] == '-' && word[1])
			err = parse_option(call->cmd, ret, &i);
		else if (ret->n_args == max)
			err = dbg_err_arg("One word too many: \"%s\".", word);
		else
			ret->args[ret->n_args++] = word;
	}
	return err;
}

bool heap_options_choose(const struct heap_options *o)
{
	const struct dbg_heap_filter *f = &o->filter;

	return f->type || f->method_table || f->min || f->max || f->gens ||
	       f->by_heap || f->live || f->dead;
}

void heap_options_deinit(struct heap_options *o)
{
	words_deinit(&o->words);
}
