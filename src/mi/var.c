/*
 * Variable objects of GDB/MI: names for expressions whose values, types and
 * children a client asks for again at each stop; which of them changed is found
 * by evaluating them anew.
 */
#include "mi/var.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "front/debuggees.h"
#include "mi/mi_evaluate.h"
#include "mi/mi_priv.h"

enum {
	VARS_MAX = 200000,
	FRAMES_AT_ONCE = 64,
};

/* ---- The list ---------------------------------------------------------- */

static uint64_t key_of(const char *name)
{
	return str_hash(name, strlen(name));
}

struct var *var_find(struct mi *m, const char *name)
{
	struct var *v = map_find(&m->var_names, key_of(name));

	if (!v || !strcmp(v->name, name))
		return v;
	// two names of one key
	for (size_t i = 0; i < m->n_vars; i++)
		if (!strcmp(m->vars[i]->name, name))
			return m->vars[i];
	return NULL;
}

struct dbg_error *var_add(struct mi *m, const char *name, struct var *parent,
			  struct var **ret)
{
	_cleanup_free_ char *made = NULL;

	if (m->n_vars >= VARS_MAX)
		return dbg_err(DBG_E_ARGUMENT,
			       "There are %d variable objects already; delete "
			       "some by -var-delete.",
			       VARS_MAX);
	if (!strcmp(name, "-"))
		name = made = xasprintf("var%" PRIu32, ++m->last_var);
	if (var_find(m, name))
		return dbg_err(DBG_E_ARGUMENT,
			       "Duplicate variable object name");
	struct var *v = xcalloc(1, sizeof(*v));
	v->name = xstrdup(name);
	v->parent = parent;
	v->format = 'n';
	mem_grow(&m->vars, &m->cap_vars, m->n_vars, sizeof(struct var *));
	m->vars[m->n_vars++] = v;
	map_put(&m->var_names, key_of(name), v);
	*ret = v;
	return NULL;
}

void var_free(struct var *v)
{
	free(v->name);
	free(v->exp);
	free(v->path);
	free(v->type);
	free(v->text);
	free(v->given);
	free(v);
}

size_t var_delete(struct mi *m, struct var *v, bool only)
{
	size_t left = 0;

	v->gone = true;
	// parents precede children
	for (size_t i = 0; i < m->n_vars; i++)
		if (m->vars[i]->parent && m->vars[i]->parent->gone)
			m->vars[i]->gone = true;
	v->gone = !only;
	size_t n = m->n_vars;
	for (size_t i = 0; i < n; i++) {
		struct var *o = m->vars[i];
		if (!o->gone) {
			m->vars[left++] = o;
			continue;
		}
		uint64_t key = key_of(o->name);
		if (map_find(&m->var_names, key) == o)
			map_take(&m->var_names, key);
		var_free(o);
	}
	m->n_vars = left;
	return n - left;
}

/* ---- Where ------------------------------------------------------------- */

void var_enter(struct mi *m, const struct var *v)
{
	struct dbg *dbg = debuggees_find(m->first, v->group);

	if (!v->floating && dbg)
		groups_use(m, dbg);
}

static uint64_t stack_of(const struct dbg_frame *f)
{
	return f->bp ? f->bp : f->sp;
}

static struct dbg_error *find_frame(struct dbg_stopped at, const struct var *v,
				    dbg_id *ret)
{
	struct dbg_frame *list;
	size_t n = FRAMES_AT_ONCE;

	for (uint32_t first = 0; n == FRAMES_AT_ONCE; first += FRAMES_AT_ONCE) {
		struct dbg_error *err = dbg_frame_list(
		    at, v->thread, first, FRAMES_AT_ONCE, &list, &n);
		if (err)
			return err;
		for (size_t i = 0; i < n; i++) {
			if (stack_of(&list[i]) != v->frame ||
			    list[i].token != v->token)
				continue;
			*ret = list[i].id;
			return NULL;
		}
	}
	return dbg_err(DBG_E_NOT_FOUND, "the frame of '%s' has ended", v->name);
}

struct dbg_error *var_frame(struct mi *m, const struct var *v, dbg_id *ret)
{
	struct mi_found *last = &m->found;
	struct dbg_frame *list;
	size_t n = 0;

	while (v->parent)
		v = v->parent;
	if (last->seen == m->stops && last->group == v->group &&
	    last->thread == v->thread && last->frame == v->frame &&
	    last->token == v->token && !v->floating) {
		*ret = last->id;
		return NULL;
	}
	struct dbg_stopped at;
	struct dbg_error *err = dbg_stopped(m->dbg, &at);
	if (err)
		return err;
	if (!v->floating && v->frame) {
		err = find_frame(at, v, ret);
		if (!err)
			*last = (struct mi_found){m->stops,  v->frame, v->group,
						  v->thread, v->token, *ret};
		return err;
	}
	err = dbg_frame_list(at, m->thread, m->level, 1, &list, &n);
	if (!err && !n)
		err = dbg_err(DBG_E_NOT_FOUND, "No frame selected.");
	if (!err)
		*ret = list[0].id;
	return err;
}

/* ---- What -------------------------------------------------------------- */

uint64_t var_count(const struct dbg_value *v)
{
	return v->id ? v->n_indexed + v->n_named : 0;
}

/* Child @number of a value that was looked at. */
static struct dbg_error *var_child(struct dbg_stopped at, const struct var *v,
				   uint64_t number, struct dbg_value *ret)
{
	bool indexed = number < v->value.n_indexed;
	struct dbg_value *list;
	size_t n = 0;

	struct dbg_error *err = dbg_children(
	    at, v->value.id,
	    indexed ? DBG_CHILDREN_INDEXED : DBG_CHILDREN_NAMED,
	    indexed ? number : number - v->value.n_indexed, 1, &list, &n);
	if (err)
		return err;
	if (!n)
		return dbg_err(DBG_E_NOT_FOUND, "'%s' is not there any more",
			       v->name);
	*ret = list[0];
	return NULL;
}

struct dbg_error *var_look(struct mi *m, struct var *v)
{
	struct dbg_stopped at;
	dbg_id frame = 0;

	if (v->seen == m->values)
		return NULL;
	if (v->called && v->stop == m->stops) {
		v->value.text = v->given;
		v->value.type = v->type;
		v->value.name = v->value.path = v->value.declared = NULL;
		v->seen = m->values;
		return NULL;
	}
	if (v->called)
		return dbg_err(
		    DBG_E_UNSUPPORTED,
		    "the value of '%s' was given by a call, which is "
		    "made once: create it again",
		    v->name);
	struct dbg_error *err = dbg_stopped(m->dbg, &at);
	if (err)
		return err;
	if (!v->floating && v->group != m->group)
		return dbg_err(DBG_E_NOT_FOUND, "the program has ended");
	if (v->path) {
		err = var_frame(m, v, &frame);
		if (!err)
			err = dbg_eval(at, frame, v->path, &v->value);
	} else {
		err = var_look(m, v->parent);
		if (!err)
			err = var_child(at, v->parent, v->at, &v->value);
	}
	if (!err)
		v->seen = m->values;
	return err;
}

void var_given(const struct mi *m, struct var *v)
{
	v->called = true;
	v->stop = m->stops;
	str_set(&v->given, v->value.text);
	v->seen = m->values;
}

struct dbg_error *var_call(struct mi *m, struct var *v)
{
	struct dbg_eval_request req = {
	    .expr = v->path,
	    .exceptions = m->dialect == MI_NETCOREDBG,
	};
	struct dbg_error *err = var_frame(m, v, &req.frame);

	if (!err)
		err = mi_evaluate(m, &req, &v->value);
	if (err)
		return err;
	var_given(m, v);
	return NULL;
}

char *var_text(struct mi *m, struct var *v, char format)
{
	const char *text = NULL;
	struct dbg_stopped at;
	dbg_id frame = 0;

	if (format == 'n' || !v->path ||
	    dbg_err_drop(dbg_stopped(m->dbg, &at)) ||
	    dbg_err_drop(var_frame(m, v, &frame)))
		return xstrdup(v->value.text);
	struct dbg_error *err =
	    dbg_format(at, frame, v->path, format == 'z' ? 'x' : format, &text);
	dbg_error_destroy(err);
	return xstrdup(err ? v->value.text : text);
}

void var_told(struct mi *m, struct var *v)
{
	char *text = var_text(m, v, v->format);

	free(v->text);
	v->text = text;
	str_set(&v->type, v->value.type);
	v->n_children = var_count(&v->value);
	v->in_scope = true;
}
