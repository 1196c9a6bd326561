/*
 * -var-create, -var-update, -var-list-children, -var-assign and so on: the
 * commands of variable objects, and the list of these.
 */
#include "mi/mi_var.h"
#include "mi/mi.h"
#include "mi/mi_priv.h"
#include "mi/record.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "front/cli/netcoredbg.h"
#include "front/debuggees.h"

/* ---- Variable objects ---------------------------------------------------- */

/*
 * Of GDB/MI: names for expressions whose values, types and children a client
 * asks for again at each stop; which of them changed is found by evaluating
 * them anew.
 */

enum {
	VARS_MAX = 200000,
	FRAMES_AT_ONCE = 64,
};

/* ---- The list ---------------------------------------------------------- */

static uint64_t key_of(const char *name)
{
	return str_hash(name, strlen(name));
}

/* Find a variable object by name; NULL: there is none. */
static struct var *var_find(struct mi *m, const char *name)
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

/* A new one of @parent (NULL: root), "-" takes the next free name. */
static struct dbg_error *var_add(struct mi *m, const char *name,
				 struct var *parent, struct var **ret)
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

static void var_free(struct var *v)
{
	free(v->name);
	free(v->exp);
	free(v->path);
	free(v->type);
	free(v->text);
	free(v->given);
	free(v);
}

/* Take it or (@only) its children out of the list; how many were there? */
static size_t var_delete(struct mi *m, struct var *v, bool only)
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

static void var_enter(struct mi *m, const struct var *v)
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

/* The frame in which it is evaluated; DBG_E_NOT_FOUND: that has ended. */
static struct dbg_error *var_frame(struct mi *m, const struct var *v,
				   dbg_id *ret)
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

/* v->value is of a call: that is what it is for the rest of the stop. */
static void var_given(const struct mi *m, struct var *v)
{
	v->called = true;
	v->stop = m->stops;
	str_set(&v->given, v->value.text);
	v->seen = m->values;
}

/* ... by a call in the program, which only its creation makes. */
static struct dbg_error *var_call(struct mi *m, struct var *v)
{
	struct dbg_eval_request req = {
	    .expr = v->path,
	    .thrown = m->dialect == MI_NETCOREDBG ? DBG_THROWN_NAMED
						  : DBG_THROWN_ERROR,
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

/* ---- The commands -------------------------------------------------------- */

enum {
	CHILDREN_MAX = 10000, /* listed at once */
};

void mi_vars_deinit(struct mi *m)
{
	for (size_t i = 0; i < m->n_vars; i++)
		var_free(m->vars[i]);
	free(m->vars);
	map_deinit(&m->var_names);
}

struct dbg_error *var_get(struct mi *m, const struct mi_call *call, size_t i,
			  struct var **ret)
{
	const char *name = call->args.v[i];

	*ret = var_find(m, name);
	if (!*ret)
		return dbg_err(DBG_E_NOT_FOUND,
			       "Variable object not found: '%.80s'", name);
	var_enter(m, *ret);
	return NULL;
}

// Is the variable object editable? While the program runs, only what is known
// of it counts.
const char *var_attributes(struct mi *m, const struct var *v)
{
	bool can = v->path && v->value.kind != DBG_VALUE_ABSENT &&
		   v->value.kind != DBG_VALUE_GROUP;
	struct dbg_stopped at;
	dbg_id frame = 0;

	if (can && !dbg_err_drop(dbg_stopped(m->dbg, &at)) &&
	    !dbg_err_drop(var_frame(m, v, &frame)))
		can = dbg_is_assignable(at, frame, v->path);
	return can ? "editable" : "noneditable";
}

static bool prints(enum mi_print print, const struct dbg_value *v)
{
	return print == PRINT_ALL ||
	       (print == PRINT_SIMPLE && !mi_is_compound(v));
}

// Put the members of a variable object, in the order of each dialect.
static void put(struct mi *m, struct str *t, const struct var *v,
		enum mi_print print, bool is_child)
{
	bool shows = prints(print, &v->value);

	record_str(t, "name", v->name);
	if (m->dialect == MI_NETCOREDBG) {
		if (shows)
			record_str(t, "value", v->text);
		record_str(t, "attributes", var_attributes(m, v));
		record_str(t, "exp", v->exp);
		record_uint(t, "numchild", v->n_children);
		record_str(t, "type", v->type);
		record_uint(t, "thread-id", groups_thread_id(m, v->thread));
		return;
	}
	if (is_child)
		record_str(t, "exp", v->exp);
	record_uint(t, "numchild", v->n_children);
	if (shows)
		record_str(t, "value", v->text);
	record_str(t, "type", v->type);
	record_uint(t, "thread-id", groups_thread_id(m, v->thread));
	if (v->value.titled) {
		record_str(t, "displayhint", "array");
		record_str(t, "dynamic", "1");
	}
	if (!is_child)
		record_str(t, "has_more", "0");
}

/* ---- Making ------------------------------------------------------------ */

static struct dbg_error *fix(struct mi *m, struct dbg_stopped at,
			     const struct mi_call *call, struct var *v,
			     const char *where)
{
	struct dbg_frame f;
	char *end;

	v->floating = !strcmp(where, "@");
	struct dbg_error *err = mi_frame(at, call, &f);
	if (err)
		return err;
	v->group = m->group;
	v->thread = call->thread ? call->thread : m->thread;
	v->token = f.token;
	v->frame = f.bp ? f.bp : f.sp;
	uint64_t wanted = strtoull(where, &end, 16);
	if (*where == '*' || *where == '@' || wanted == v->frame)
		return NULL;
	return dbg_err(DBG_E_NOT_FOUND, "Failed to find the specified frame");
}

static struct dbg_error *var_make(struct mi *m, struct dbg_stopped at,
				  const struct mi_call *call, struct var *v,
				  const char *where)
{
	struct dbg_error *err = fix(m, at, call, v, where);

	if (!err)
		err = var_look(m, v);
	// netcoredbg has what is thrown as the value
	bool throws = err && !err->cs && m->dialect == MI_NETCOREDBG &&
		      (err->code == DBG_E_STATE || err->code == DBG_E_ARGUMENT);
	if (err && (throws || err->code == DBG_E_UNSUPPORTED)) {
		dbg_error_destroy(err);
		err = var_call(m, v);
	}
	if (err)
		return err;
	v->exp = xstrdup(v->path);
	var_told(m, v);
	return NULL;
}

// netcoredbg's words begin so, and its clients look for that.
static struct dbg_error *in_dialect(const struct mi *m, const char *expr,
				    struct dbg_error *err)
{
	return err && m->dialect == MI_NETCOREDBG
		   ? netcoredbg_error(err, "Error", expr)
		   : err;
}

static struct dbg_error *create(struct mi *m, struct dbg_stopped at,
				struct mi_call *call)
{
	struct dbg_error *err;
	size_t i = 0;
	struct var *v = NULL;
	char *path = NULL;

	if (call->args.n < i + 2)
		return mi_usage(call);
	const char *name = call->args.v[i++];
	const char *where = call->args.v[i];
	bool placed =
	    *where == '*' || *where == '@' || !strncmp(where, "0x", 2);
	if (!placed || call->args.n == i + 1)
		where = "*";
	else
		i++;
	err = mi_expression(call, i, &path);
	if (!err)
		err = var_add(m, name, NULL, &v);
	if (err) {
		free(path);
		return err;
	}
	v->path = path;
	err = var_make(m, at, call, v, where);
	if (err) {
		err = in_dialect(m, path, err);
		var_delete(m, v, false);
		return err;
	}
	put(m, call->out, v, PRINT_ALL, false);
	return NULL;
}

/* ---- Children ---------------------------------------------------------- */

// The name of a child: gdb's clients get the number of an element alone.
static char *child_exp(const struct mi *m, const struct dbg_value *c)
{
	size_t n = strlen(c->name);
	bool element = n > 2 && *c->name == '[' && c->name[n - 1] == ']';

	return element && m->dialect == MI_GDB ? xstrndup(c->name + 1, n - 2)
					       : xstrdup(c->name);
}

static struct var *find_child(struct mi *m, const struct var *v, uint64_t at)
{
	for (size_t i = 0; i < m->n_vars; i++)
		if (m->vars[i]->parent == v && m->vars[i]->at == at)
			return m->vars[i];
	return NULL;
}

static struct dbg_error *add_child(struct mi *m, struct var *v, uint64_t at,
				   const struct dbg_value *value,
				   struct var **ret)
{
	struct dbg_error *err;
	_cleanup_free_ char *exp = child_exp(m, value);
	_cleanup_free_ char *name = xasprintf("%s.%s", v->name, exp);
	// one word: clients send it back without quotes
	for (char *p = name; *p; p++)
		if (strchr(" \t\"\\", *p))
			*p = '_';
	bool plain = m->dialect == MI_NETCOREDBG;

	struct var *c = plain ? find_child(m, v, at) : var_find(m, name);
	// two of one name: a field that hides another
	if (c && c->at != at) {
		str_set(&name, NULL);
		name = xasprintf("%s.%s@%" PRIu64, v->name, exp, at);
		c = var_find(m, name);
	}
	if (!c) {
		err = var_add(m, plain ? "-" : name, v, &c);
		if (err)
			return err;
		c->exp = xstrdup(exp);
		c->at = at;
		c->group = v->group;
		c->thread = v->thread;
		c->format = v->format;
	}
	str_set(&c->path, value->path);
	c->value = *value;
	c->seen = m->values;
	var_told(m, c);
	*ret = c;
	return NULL;
}

// The children of one kind among @from .. @to.
static struct dbg_error *put_kind(struct mi *m, struct dbg_stopped at,
				  struct mi_call *call, struct var *v,
				  enum mi_print print, uint64_t from,
				  uint64_t to)
{
	bool indexed = from < v->value.n_indexed;
	uint64_t base = indexed ? 0 : v->value.n_indexed;
	struct dbg_value *list;
	struct var *child;
	size_t n = 0;

	struct dbg_error *err =
	    dbg_children(at, v->value.id,
			 indexed ? DBG_CHILDREN_INDEXED : DBG_CHILDREN_NAMED,
			 from - base, (uint32_t)(to - from), &list, &n);
	for (size_t i = 0; !err && i < n; i++) {
		err = add_child(m, v, from + i, &list[i], &child);
		if (err)
			break;
		record_tuple(call->out, "child");
		put(m, call->out, child, print, true);
		record_tuple_end(call->out);
	}
	return err;
}

static struct dbg_error *put_children(struct mi *m, struct dbg_stopped at,
				      struct mi_call *call, struct var *v,
				      enum mi_print print, uint64_t from,
				      uint64_t to)
{
	struct dbg_error *err = NULL;
	uint64_t split = v->value.n_indexed;

	if (from == to)
		return NULL;
	record_list(call->out, "children");
	if (from < split)
		err = put_kind(m, at, call, v, print, from,
			       to < split ? to : split);
	if (!err && to > split)
		err = put_kind(m, at, call, v, print,
			       from < split ? split : from, to);
	record_list_end(call->out);
	return err;
}

struct dbg_error *var_range(const struct mi_call *call, size_t i,
			    uint64_t *from, uint64_t *to)
{
	struct dbg_error *err;

	if (call->args.n != i + 2)
		return call->args.n == i ? NULL : mi_usage(call);
	// -1: all of them
	if (*call->args.v[i] == '-' || *call->args.v[i + 1] == '-')
		return NULL;
	err = mi_number(call->args.v[i], UINT32_MAX, from);
	return err ? err : mi_number(call->args.v[i + 1], UINT32_MAX, to);
}

static struct dbg_error *list_children(struct mi *m, struct dbg_stopped at,
				       struct mi_call *call)
{
	struct dbg_error *err;
	enum mi_print print = PRINT_NONE;
	size_t i = 0;
	struct var *v;

	if (m->dialect == MI_NETCOREDBG)
		print = PRINT_ALL;
	if (call->args.n > 1 && mi_print_values(call->args.v[0], &print))
		i++;
	err = var_get(m, call, i, &v);
	if (!err)
		err = var_look(m, v);
	if (err)
		return err;
	uint64_t n = var_count(&v->value);
	uint64_t from = v->to ? v->from : 0;
	uint64_t to = v->to ? v->to : n;
	err = var_range(call, i + 1, &from, &to);
	if (err)
		return err;
	to = to < n ? to : n;
	from = from < to ? from : to;
	to = to - from < CHILDREN_MAX ? to : from + CHILDREN_MAX;
	record_uint(call->out, "numchild", to - from);
	err = put_children(m, at, call, v, print, from, to);
	if (!err && (to > from || m->dialect == MI_GDB))
		record_str(call->out, "has_more", to < n ? "1" : "0");
	return err;
}

/* ---- Updates ----------------------------------------------------------- */

static void put_change(struct str *t, struct var *v, enum mi_print print,
		       bool new_type)
{
	record_tuple(t, NULL);
	record_str(t, "name", v->name);
	if (v->in_scope && prints(print, &v->value))
		record_str(t, "value", v->text);
	record_str(t, "in_scope", v->in_scope ? "true" : "false");
	record_str(t, "type_changed", new_type ? "true" : "false");
	if (new_type) {
		record_str(t, "new_type", v->type);
		record_uint(t, "new_num_children", v->n_children);
	}
	record_str(t, "has_more", "0");
	record_tuple_end(t);
}

static bool has_frame(struct mi *m, const struct var *v)
{
	dbg_id frame;
	struct dbg_error *err = var_frame(m, v, &frame);
	bool ended = err && err->code == DBG_E_NOT_FOUND;

	dbg_error_destroy(err);
	return !ended;
}

// Compare with what was told; false: nothing is new.
static void update_one(struct mi *m, struct str *t, struct var *v,
		       enum mi_print print)
{
	var_enter(m, v);
	struct dbg_error *err = var_look(m, v);
	// no update makes a call: it stays what it was, in its frame
	if (err && (v->called || err->code == DBG_E_UNSUPPORTED) &&
	    has_frame(m, v)) {
		dbg_error_destroy(err);
		return;
	}
	if (err) {
		dbg_error_destroy(err);
		if (v->in_scope) {
			v->in_scope = false;
			put_change(t, v, print, false);
		}
		return;
	}
	_cleanup_free_ char *text = var_text(m, v, v->format);
	bool was = v->in_scope;
	bool new_type = strcmp(v->type, v->value.type) ||
			v->n_children != var_count(&v->value);
	bool same = was && !new_type && !strcmp(v->text, text);
	if (same)
		return;
	var_told(m, v);
	put_change(t, v, print, new_type);
	if (new_type)
		var_delete(m, v, true);
}

static bool is_frozen(const struct var *v)
{
	for (; v; v = v->parent)
		if (v->frozen)
			return true;
	return false;
}

static bool is_within(const struct var *v, const struct var *root)
{
	while (v && v != root)
		v = v->parent;
	return v;
}

static struct dbg_error *update(struct mi *m, struct mi_call *call)
{
	struct dbg_error *err = NULL;
	enum mi_print print = PRINT_NONE;
	struct var *root = NULL;
	size_t i = 0;

	if (call->args.n > 1 && mi_print_values(call->args.v[0], &print))
		i++;
	if (i + 1 != call->args.n)
		return mi_usage(call);
	if (strcmp(call->args.v[i], "*"))
		err = var_get(m, call, i, &root);
	if (err)
		return err;
	record_list(call->out, "changelist");
	// one whose type has changed loses its children, which follow it
	for (size_t k = 0; k < m->n_vars; k++) {
		struct var *v = m->vars[k];
		if (root ? is_within(v, root) && (v == root || !is_frozen(v))
			 : !is_frozen(v))
			update_one(m, call->out, v, print);
	}
	record_list_end(call->out);
	return NULL;
}

static struct dbg_error *assign(struct mi *m, struct dbg_stopped at,
				struct mi_call *call)
{
	struct dbg_error *err;
	struct dbg_value ret;
	char *text = NULL;
	dbg_id frame = 0;
	struct var *v;

	(void)at;
	err = var_get(m, call, 0, &v);
	if (!err && !v->path)
		err = dbg_err(DBG_E_ARGUMENT,
			      "-var-assign: Variable object is not editable");
	if (!err)
		err = mi_expression(call, 1, &text);
	if (!err)
		err = var_frame(m, v, &frame);
	if (!err) {
		const struct dbg_eval_request req = {
		    .frame = frame, .expr = v->path, .value = text};
		err = in_dialect(m, text, mi_evaluate(m, &req, &ret));
	}
	free(text);
	// what only a call tells is what was assigned
	if (!err && v->called) {
		v->value = ret;
		var_given(m, v);
	}
	if (!err)
		err = var_look(m, v);
	if (err)
		return err;
	// that it has changed is told by the next update of others
	var_told(m, v);
	record_str(call->out, "value", v->text);
	return NULL;
}

static struct dbg_error *delete (struct mi *m, struct mi_call *call)
{
	bool only = !strcmp(call->args.v[0], "-c");
	struct var *v;

	if (call->args.n != 1 + (size_t)only)
		return mi_usage(call);
	struct dbg_error *err = var_get(m, call, only, &v);
	if (err && m->dialect == MI_NETCOREDBG) {
		dbg_error_destroy(err);
		return NULL;
	}
	if (err)
		return err;
	size_t n = var_delete(m, v, only);
	if (m->dialect == MI_GDB)
		record_uint(call->out, "ndeleted", n);
	return NULL;
}

const struct mi_cmd mi_var_cmds[] = {
    {"var-create", MI_TAIL, "NAME FRAME EXPRESSION", 2, MI_ANY,
     .stopped = create},
    {"var-update", 0, "[PRINT_VALUES] NAME|*", 1, 2, .run = update},
    {"var-list-children", 0, "[PRINT_VALUES] NAME [FROM TO]", 1, 4,
     .stopped = list_children},
    {"var-assign", MI_TEXT, "NAME EXPRESSION", 2, MI_ANY, .stopped = assign},
    {"var-delete", 0, "[-c] NAME", 1, 2, .run = delete},
    {.name = NULL},
};
