/*
 * Queries about one variable object (its expression, type, value, attributes)
 * and its settings (format, frozen).
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "mi/mi_priv.h"
#include "mi/mi_var.h"
#include "mi/record.h"

struct format {
	const char *name;
	char letter;
};

static const struct format formats[] = {
    {"natural", 'n'},     {"binary", 't'}, {"decimal", 'd'},
    {"hexadecimal", 'x'}, {"octal", 'o'},  {"zero-hexadecimal", 'z'},
};

enum {
	N_FORMATS = sizeof(formats) / sizeof(*formats)
};

static struct dbg_error *format_of(const char *name, char *ret)
{
	for (size_t i = 0; i < N_FORMATS; i++) {
		if (strncmp(formats[i].name, name, strlen(name)))
			continue;
		*ret = formats[i].letter;
		return NULL;
	}
	return dbg_err(DBG_E_ARGUMENT,
		       "Must specify the format as: \"natural\", \"binary\", "
		       "\"decimal\", \"hexadecimal\", \"octal\" or "
		       "\"zero-hexadecimal\"");
}

static struct dbg_error *evaluate(struct mi *m, struct dbg_stopped at,
				  struct mi_call *call)
{
	struct dbg_error *err;
	bool formatted = !strcmp(call->args.v[0], "-f");
	struct var *v;

	(void)at;
	if (call->args.n != (formatted ? 3 : 1))
		return mi_usage(call);
	err = var_get(m, call, formatted ? 2 : 0, &v);
	char format = err ? 'n' : v->format;
	if (!err && formatted)
		err = format_of(call->args.v[1], &format);
	if (!err)
		err = var_look(m, v);
	if (err)
		return err;
	_cleanup_free_ char *text = var_text(m, v, format);
	record_str(call->out, "value", text);
	return NULL;
}

static struct dbg_error *set_format(struct mi *m, struct mi_call *call)
{
	struct dbg_error *err;
	struct var *v;

	err = var_get(m, call, 0, &v);
	if (!err)
		err = format_of(call->args.v[1], &v->format);
	if (err)
		return err;
	for (size_t i = 0; i < N_FORMATS; i++)
		if (formats[i].letter == v->format)
			record_str(call->out, "format", formats[i].name);
	err = var_look(m, v);
	if (err) {
		// the program runs: the value comes with the next update
		dbg_error_destroy(err);
		return NULL;
	}
	var_told(m, v);
	record_str(call->out, "value", v->text);
	return NULL;
}

static struct dbg_error *show_format(struct mi *m, struct mi_call *call)
{
	struct var *v;

	struct dbg_error *err = var_get(m, call, 0, &v);
	for (size_t i = 0; !err && i < N_FORMATS; i++)
		if (formats[i].letter == v->format)
			record_str(call->out, "format", formats[i].name);
	return err;
}

static struct dbg_error *freeze(struct mi *m, struct mi_call *call)
{
	struct var *v;

	struct dbg_error *err = var_get(m, call, 0, &v);
	if (!err)
		v->frozen = strcmp(call->args.v[1], "0");
	return err;
}

static struct dbg_error *update_range(struct mi *m, struct mi_call *call)
{
	struct var *v;

	struct dbg_error *err = var_get(m, call, 0, &v);
	if (err)
		return err;
	v->from = v->to = 0;
	return var_range(call, 1, &v->from, &v->to);
}

static struct dbg_error *info_type(struct mi *m, struct mi_call *call)
{
	struct var *v;

	struct dbg_error *err = var_get(m, call, 0, &v);
	if (!err)
		record_str(call->out, "type", v->type);
	return err;
}

static struct dbg_error *info_expression(struct mi *m, struct mi_call *call)
{
	struct var *v;

	struct dbg_error *err = var_get(m, call, 0, &v);
	if (err)
		return err;
	record_str(call->out, "lang", "C#");
	record_str(call->out, "exp", v->exp);
	return NULL;
}

static struct dbg_error *info_path(struct mi *m, struct mi_call *call)
{
	struct var *v;

	struct dbg_error *err = var_get(m, call, 0, &v);
	if (!err)
		record_str(call->out, "path_expr", v->path ? v->path : "");
	return err;
}

static struct dbg_error *count_children(struct mi *m, struct mi_call *call)
{
	struct var *v;

	struct dbg_error *err = var_get(m, call, 0, &v);
	if (!err)
		record_uint(call->out, "numchild", v->n_children);
	return err;
}

static struct dbg_error *attributes(struct mi *m, struct mi_call *call)
{
	struct var *v;

	struct dbg_error *err = var_get(m, call, 0, &v);
	if (!err)
		record_str(call->out, m->dialect == MI_GDB ? "attr" : "status",
			   var_attributes(m, v));
	return err;
}

static struct dbg_error *accept(struct mi *m, struct mi_call *call)
{
	(void)m;
	(void)call;
	return NULL;
}

const struct mi_cmd mi_varinfo_cmds[] = {
    {"var-evaluate-expression", 0, "[-f FORMAT] NAME", 1, 3,
     .stopped = evaluate},
    {"var-set-format", 0, "NAME FORMAT", 2, 2, .run = set_format},
    {"var-show-format", 0, "NAME", 1, 1, .run = show_format},
    {"var-set-frozen", 0, "NAME 0|1", 2, 2, .run = freeze},
    {"var-set-update-range", 0, "NAME FROM TO", 3, 3, .run = update_range},
    {"var-set-visualizer", 0, "NAME VISUALIZER", 2, MI_ANY, .run = accept},
    {"var-info-type", 0, "NAME", 1, 1, .run = info_type},
    {"var-info-expression", 0, "NAME", 1, 1, .run = info_expression},
    {"var-info-path-expression", 0, "NAME", 1, 1, .run = info_path},
    {"var-info-num-children", 0, "NAME", 1, 1, .run = count_children},
    {"var-show-attributes", 0, "NAME", 1, 1, .run = attributes},
    {.name = NULL},
};
