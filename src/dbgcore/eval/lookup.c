/*
 * Names that are not members: variables of the frame, registers, kept values
 * ($1, $name) and types. Types are searched in the order of C#: types nested in
 * the class, its namespace and the enclosing ones, then the `using` directives
 * listed in the symbols.
 */
#include "eval/lookup.h"

#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "eval/dollar.h"
#include "eval/member.h"
#include "meta/csname.h"

enum {
	OUTER_MAX = 64
};

/* ---- Types ----------------------------------------------------------- */

/*
 * Namespaces that the SDK imports into every project, for code without symbols.
 */
static const char *const usings[] = {
    "System",      "System.Collections.Generic", "System.IO",
    "System.Linq", "System.Threading",           "System.Threading.Tasks",
};

static bool find_in(const struct eval *e, const char *space, size_t space_n,
		    const char *name, size_t n_args,
		    struct code_module **ret_module, uint32_t *ret_token)
{
	_cleanup_str_ struct str full = {0};
	str_addn(&full, space, space_n);
	if (space_n)
		str_addc(&full, '.');
	str_add(&full, name);
	return value_type_find_def(e->values, e->scope->module, str_get(&full),
				   n_args, ret_module, ret_token);
}

/* Namespace of the scope's class. */
static const char *scope_space(const struct eval *e)
{
	struct type *type = e->scope->type;
	return type && type->module
		   ? md_namespace(&type->module->md, MD_TOKEN_RID(type->token))
		   : "";
}

/* Find a type through a `using Ns;` or `using Alias = Ns;`. */
static bool find_imported(const struct eval *e, const char *name, size_t n_args,
			  struct code_module **ret_module, uint32_t *ret_token)
{
	for (size_t i = 0; i < e->scope->n_imports; i++) {
		const struct import *im = &e->scope->imports[i];
		const char *rest = name;
		if (!im->space)
			continue;
		if (im->alias) {
			size_t n = strlen(im->alias);
			if (strncmp(name, im->alias, n) || name[n] != '.')
				continue;
			rest = name + n + 1;
		}
		if (find_in(e, im->space, strlen(im->space), rest, n_args,
			    ret_module, ret_token))
			return true;
	}
	return false;
}

static bool find_def(const struct eval *e, const char *name, size_t n_args,
		     struct code_module **ret_module, uint32_t *ret_token)
{
	const char *space = scope_space(e);
	for (size_t n = strlen(space); n > 0;) {
		if (find_in(e, space, n, name, n_args, ret_module, ret_token))
			return true;
		while (n > 0 && space[n - 1] != '.')
			n--;
		n -= n > 0;
	}
	if (find_imported(e, name, n_args, ret_module, ret_token) ||
	    find_in(e, "", 0, name, n_args, ret_module, ret_token))
		return true;
	size_t n_usings = sizeof(usings) / sizeof(usings[0]);
	for (size_t i = 0; i < n_usings && !e->scope->n_imports; i++) {
		if (find_in(e, usings[i], strlen(usings[i]), name, n_args,
			    ret_module, ret_token))
			return true;
	}
	return false;
}

/* Find the type of a `using Name = Type;`. */
static struct type *alias_type(const struct eval *e, const char *name)
{
	for (size_t i = 0; i < e->scope->n_imports; i++) {
		const struct import *im = &e->scope->imports[i];
		if (im->alias && im->type && !strcmp(im->alias, name))
			return im->type;
	}
	return NULL;
}

/*
 * Find a generic parameter of the frame's method or class by its name. NULL:
 * there is none, or, if *ret_any, shared code does not tell its argument.
 */
static struct type *generic_param(const struct eval *e, const char *name,
				  bool *ret_any)
{
	const struct type_context *ctx = &e->scope->context;
	*ret_any = false;
	if (!ctx->module || !ctx->method)
		return NULL;
	const struct md *md = &ctx->module->md;
	uint32_t method = MD_TOKEN_RID(ctx->method);
	uint32_t owner = md_method_type(md, method);
	// GenericParam: Number, Flags, Owner (1 tags a method), Name.
	for (uint32_t of_method = 0; of_method < 2; of_method++) {
		uint32_t n;
		uint32_t coded = of_method ? method << 1 | 1 : owner << 1;
		uint32_t row = md_find(md, MD_GENERICPARAM, 2, coded, &n);
		struct type *const *args =
		    of_method ? ctx->method_args : ctx->class_args;
		size_t n_args =
		    of_method ? ctx->n_method_args : ctx->n_class_args;
		for (uint32_t i = 0; row && i < n; i++) {
			if (strcmp(
				md_col_string(md, MD_GENERICPARAM, row + i, 3),
				name))
				continue;
			*ret_any = true;
			return i < n_args && type_is_argument(args[i]) ? args[i]
								       : NULL;
		}
	}
	return NULL;
}

struct type *lookup_enclosing(const struct eval *e, const struct type *type)
{
	struct code_module *m = type->module;
	uint32_t outer =
	    m ? md_enclosing(&m->md, MD_TOKEN_RID(type->token)) : 0;
	uint32_t token = MD_TOKEN(MD_TYPEDEF, outer), n = 0;
	if (!outer)
		return NULL;
	// its parameters are the nested type's first ones (II.10.3.1)
	if (!md_find(&m->md, MD_GENERICPARAM, 2, outer << 1, &n) || !n ||
	    n > type->n_args)
		return value_type_of_def(e->values, m, token);
	return value_type_instance(e->values, m, token, type->args, n);
}

/*
 * Find a type nested in the scope's class or in those around it, with type
 * arguments @args of its own.
 */
static struct type *nested_here(const struct eval *e, const char *name,
				struct type *const *args, size_t n_args)
{
	struct type *type = e->scope->type;
	for (int i = 0; type && i < OUTER_MAX; i++) {
		struct type *found =
		    member_nested(e->values, type, name, args, n_args);
		if (found)
			return found;
		type = lookup_enclosing(e, type);
	}
	return NULL;
}

/* Find nint, nuint and dynamic, which are names, not keywords. */
static struct type *native_integer(const struct eval *e, const char *name)
{
	static const struct {
		const char *name;
		enum elem elem;
	} all[] = {
	    {"nint", ELEM_I}, {"nuint", ELEM_U}, {"dynamic", ELEM_OBJECT}};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!strcmp(all[i].name, name))
			return value_type_of_elem(e->values, all[i].elem);
	}
	return NULL;
}

struct type *lookup_type_name(const struct eval *e, const char *name,
			      struct expr *const *args, size_t n_args)
{
	struct code_module *m;
	uint32_t token;
	struct type *native = native_integer(e, name);
	if (native)
		return native;
	bool is_param = false;
	struct type *param = n_args ? NULL : generic_param(e, name, &is_param);
	if (is_param)
		return param;
	if (n_args > LOOKUP_ARGS_MAX)
		return NULL;
	struct type *given[LOOKUP_ARGS_MAX];
	for (size_t i = 0; i < n_args; i++) {
		struct dbg_error *err = lookup_type(e, args[i], &given[i]);
		if (dbg_err_drop(err))
			return NULL;
	}
	struct type *known = nested_here(e, name, given, n_args);
	if (!known && !n_args)
		known = alias_type(e, name);
	if (known)
		return known;
	if (!find_def(e, name, n_args, &m, &token))
		return NULL;
	if (!n_args)
		return value_type_of_def(e->values, m, token);
	return value_type_instance(e->values, m, token, given, n_args);
}

static void add_path(const struct expr *x, struct str *name, struct dotted *ret)
{
	if (x->kind == EXPR_MEMBER) {
		add_path(x->a, name, ret);
		// global:: is where every name begins.
		if (x->a->kind != EXPR_ALIAS || strcmp(x->a->name, "global"))
			str_addc(name, '.');
		else
			str_clear(name);
	}
	str_add(name, x->name);
	for (size_t i = 0; i < x->n_args && ret->n_args < LOOKUP_ARGS_MAX; i++)
		ret->args[ret->n_args++] = x->args[i];
}

bool lookup_dotted(const struct eval *e, const struct expr *x,
		   struct dotted *ret)
{
	const struct expr *first = x;
	_cleanup_str_ struct str name = {0};
	while (first->kind == EXPR_MEMBER && !first->conditional &&
	       !first->arrow)
		first = first->a;
	if (first->kind != EXPR_NAME && first->kind != EXPR_ALIAS)
		return false;
	ret->n_args = 0;
	add_path(x, &name, ret);
	ret->name = arena_strdup(e->scratch, str_get(&name));
	return true;
}

struct dbg_error *lookup_copies(const struct eval *e, const char *name,
				size_t n_args)
{
	const char *copies =
	    value_type_in_copies(e->values, e->scope->module, name, n_args);
	if (!copies)
		return NULL;
	return dbg_err_cs(
	    433, dbg_err(DBG_E_STATE,
			 "several load contexts have a '%s' with a type '%s': "
			 "select a frame of its code, or cast the object to "
			 "'dynamic'",
			 copies, name));
}

struct dbg_error *lookup_no_type(const struct eval *e, const char *name,
				 struct expr *const *args, size_t n_args)
{
	bool is_param;
	for (size_t i = 0; i < n_args; i++) {
		struct type *arg;
		struct dbg_error *err = lookup_type(e, args[i], &arg);
		if (err)
			return err;
	}
	if (!n_args && !generic_param(e, name, &is_param) && is_param)
		return dbg_err(DBG_E_STATE,
			       "optimised code that several instances share "
			       "does not tell '%s'",
			       name);
	struct dbg_error *err = lookup_copies(e, name, n_args);
	return err ? err
		   : dbg_err_cs(246,
				dbg_err(DBG_E_NOT_FOUND,
					"the type or namespace name '%s' could "
					"not be found",
					name));
}

static struct dbg_error *named_type(const struct eval *e, const struct expr *t,
				    struct type **ret)
{
	struct dotted path;
	if (!lookup_dotted(e, t, &path))
		return dbg_err(DBG_E_ARGUMENT, "a type is wanted");
	*ret = lookup_type_name(e, path.name, path.args, path.n_args);
	return *ret ? NULL
		    : lookup_no_type(e, path.name, path.args, path.n_args);
}

static struct type *keyword_type(const struct eval *e, const struct expr *t)
{
	return t->elem == ELEM_VALUETYPE
		   ? value_type_core(e->values, "System.Decimal")
		   : value_type_of_elem(e->values, t->elem);
}

static struct type *nullable(const struct eval *e, struct type *type)
{
	struct code_module *m;
	uint32_t token;
	if (type->is_reference ||
	    !value_type_find_def(e->values, NULL, "System.Nullable", 1, &m,
				 &token))
		return type;
	return value_type_instance(e->values, m, token, &type, 1);
}

static struct dbg_error *tuple_type(const struct eval *e, const struct expr *t,
				    struct type **ret)
{
	struct expr *args[LOOKUP_ARGS_MAX];
	size_t n = 0;
	for (; n < t->n_list && n < LOOKUP_ARGS_MAX; n++)
		args[n] = t->list[n]->type;
	*ret = lookup_type_name(e, "System.ValueTuple", args, n);
	return *ret ? NULL
		    : dbg_err(DBG_E_NOT_FOUND,
			      "no type 'System.ValueTuple' in this context");
}

/*
 * Make a type that is made of another one: an array, a pointer, a nullable
 * type.
 */
static struct dbg_error *made_type(const struct eval *e, const struct expr *t,
				   struct type **ret)
{
	struct dbg_error *err = lookup_type(e, t->a, ret);
	if (err)
		return err;
	if (t->kind == EXPR_ARRAY_TYPE)
		*ret = value_type_array_of(e->values, *ret, t->rank);
	else if (t->kind == EXPR_POINTER_TYPE)
		*ret = value_type_pointer_to(e->values, *ret);
	else
		*ret = nullable(e, *ret);
	return NULL;
}

struct dbg_error *lookup_type(const struct eval *e, const struct expr *t,
			      struct type **ret)
{
	switch (t->kind) {
	case EXPR_KEYWORD:
		*ret = keyword_type(e, t);
		if (*ret)
			return NULL;
		return dbg_err_cs(
		    246,
		    dbg_err(
			DBG_E_NOT_FOUND,
			"the type or namespace name '%s' could not be found",
			t->name ? t->name : ""));
	case EXPR_ARRAY_TYPE:
	case EXPR_POINTER_TYPE:
	case EXPR_NULLABLE_TYPE:
		return made_type(e, t, ret);
	case EXPR_TUPLE_TYPE:
		return tuple_type(e, t, ret);
	default:
		return named_type(e, t, ret);
	}
}

/* ---- Namespaces ------------------------------------------------------ */

bool lookup_space(const struct eval *e, const char *space)
{
	const char *own = scope_space(e);
	size_t n = strlen(space);
	if (!n || (!strncmp(own, space, n) && (!own[n] || own[n] == '.')))
		return true;
	for (size_t i = 0; i < e->scope->n_imports; i++) {
		const struct import *im = &e->scope->imports[i];
		if (im->space && !im->alias && !strcmp(im->space, space))
			return true;
	}
	for (size_t i = 0; i < sizeof(usings) / sizeof(usings[0]); i++) {
		if (!strcmp(usings[i], space))
			return true;
	}
	return false;
}

/* ---- Simple names ---------------------------------------------------- */

static bool find_variable(const struct eval *e, const char *name,
			  struct value *ret)
{
	const struct var *v = scope_var(e->scope, name);

	if (!v)
		return false;
	*ret = v->value;
	eval_note_variable(e, v);
	return true;
}

static struct dbg_error *find_this(const struct eval *e, const char *name,
				   struct value *ret)
{
	if (!find_variable(e, "this", ret)) {
		eval_note_unknown(e);
		return dbg_err_cs(
		    103,
		    dbg_err(DBG_E_NOT_FOUND, "no '%s' in this context", name));
	}
	if (strcmp(name, "base") || !e->scope->type)
		return NULL;
	struct type *parent = value_type_parent(e->values, e->scope->type);
	if (parent)
		ret->type = parent;
	return NULL;
}

/* Get a register as gdb does: addresses are pointers, other registers long. */
static struct dbg_error *find_register(const struct eval *e, const char *name,
				       struct value *ret)
{
	struct values *ts = e->values;
	struct regs_item item;

	if (!e->scope->frame)
		return dbg_err(DBG_E_NOT_FOUND,
			       "'$%s': no frame whose register it could be",
			       name);
	struct dbg_error *err =
	    stack_register(values_target(ts), e->scope->frame, name, &item);
	if (err)
		return err;
	bool address = item.number == ARCH_PC || item.number == ARCH_SP ||
		       item.number == ARCH_FP;
	struct type *type =
	    address ? value_type_pointer_to(ts, value_type_of_elem(ts, ELEM_U1))
		    : value_type_of_elem(ts, ELEM_I8);
	*ret = value_bytes(type, &item.value, sizeof(item.value));
	return NULL;
}

static struct dbg_error *find_dollar(const struct eval *e, const char *name,
				     struct value *ret)
{
	if (!strcmp(name, "$exception")) {
		if (!e->exception)
			return dbg_err(DBG_E_NOT_FOUND,
				       "there is no exception at this stop");
		*ret = value_object(e->values, e->exception);
		return NULL;
	}
	if (!strcasecmp(name, "$returnvalue")) {
		if (!e->returned.type)
			return dbg_err(DBG_E_NOT_FOUND,
				       "no call was stepped out of whose value "
				       "is known");
		*ret = e->returned;
		return NULL;
	}
	if (stack_register_named(name + 1))
		return find_register(e, name + 1, ret);
	if (e->history && history_names(name))
		return history_get(e->history, e->values, name, ret);
	return dollar_get(e, name, ret);
}

struct dbg_error *lookup_value(const struct eval *e, const struct expr *x,
			       struct value *ret, bool *ret_any)
{
	const char *name = x->name;
	*ret_any = true;
	// what the compiler of Visual Basic calls a variable
	if (str_starts(name, "$VB$")) {
		const char *source = csname_source_name(e->scratch, name);
		name = source ? source : name;
	}
	if (!strcmp(name, "this") || !strcmp(name, "base"))
		return find_this(e, name, ret);
	if (*name == '$')
		return find_dollar(e, name, ret);
	*ret_any = !x->n_args &&
		   ((!strcmp(name, "Me") && find_variable(e, "this", ret)) ||
		    find_variable(e, name, ret));
	if (*ret_any || x->n_args || !declared_names(e, name))
		return NULL;
	*ret_any = true;
	return declared_get(e, name, ret);
}
