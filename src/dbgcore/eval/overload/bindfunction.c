/*
 * Local functions (ECMA-334, 13.6.4). One of an expression is a variable that
 * holds the delegate of a lambda, known in all of its block and set where that
 * begins. One of the program is a method "<Outer>g__Name|0_1", of the class of
 * the method around it or of a closure; closures that are structures are given
 * to it by reference, behind its own parameters.
 */
#include "eval/assign/bindassign.h"
#include "eval/bind/bindmade.h"
#include "eval/overload/conversion.h"
#include "eval/overload/overload.h"
#include "eval/statement/bindstatement.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/reader.h"
#include "base/str.h"
#include "code/code.h"
#include "meta/csname.h"
#include "stack/stack.h"

/* ---- Arguments about the caller ------------------------------------------ */

/*
 * Optional parameters that the compiler fills in with facts about the caller
 * ([CallerMemberName] and its like): here the method of the frame, the line
 * where it stands, and the text of the expression.
 */

#define SERVICES "System.Runtime.CompilerServices."

/* "<Main>b__0_1" is in Main; nested ones are "<<Main>b__0>..." */
static const char *author_method(struct arena *arena, const char *name)
{
	size_t depth = 0, n = 0;
	if (name[0] != '<' || str_starts(name, "<Main>$"))
		return name;
	do {
		depth += name[n] == '<';
		depth -= name[n] == '>';
		n++;
	} while (depth && name[n]);
	const char *inner = arena_strndup(arena, name + 1, n > 2 ? n - 2 : 0);
	return author_method(arena, inner);
}

/*
 * The name of the member that a method belongs to: the property of get_Name, M
 * of I.M.
 */
static const char *member_name(struct arena *arena, const char *name)
{
	static const char *const accessors[] = {"get_", "set_", "add_",
						"remove_"};
	const char *dot = strrchr(name, '.');
	name = author_method(arena, name);
	if (dot && dot > name)
		name = dot + 1;
	for (size_t i = 0; i < sizeof(accessors) / sizeof(accessors[0]); i++) {
		if (str_starts(name, accessors[i]))
			return name + strlen(accessors[i]);
	}
	return name;
}

/* The method at @pos; of a state machine the method that it was made from. */
static const char *method_at(const struct code_pos *pos)
{
	uint32_t rid = MD_TOKEN_RID(pos->token);
	uint32_t of = csname_kickoff(&pos->module->md, rid);
	return code_method_def_name(pos->module,
				    MD_TOKEN(MD_METHODDEF, of ? of : rid));
}

/*
 * The metadata name of the method in whose text the frame is; NULL: it is in
 * none.
 */
static const char *caller_method(struct binder *b)
{
	const struct frame *f = b->e->scope->frame;
	return f && f->pos && f->pos->module
		   ? author_method(b->arena, method_at(f->pos))
		   : NULL;
}

static struct bound *caller_member(struct binder *b, const struct code_pos *pos,
				   const struct expr *x)
{
	return bound_text(b, member_name(b->arena, method_at(pos)), x);
}

/* The text of the argument for the parameter that the attribute names. */
static struct bound *argument_text(struct binder *b, const struct call *c,
				   const struct candidate *k, struct bytes blob,
				   const struct expr *x)
{
	struct reader r;
	reader_init(&r, blob.p, blob.n);
	reader_u16(&r); // prolog
	size_t n = reader_cuint(&r);
	struct bytes name = reader_bytes(&r, n);
	for (uint32_t p = 0; !r.bad && p < k->sig->n_params; p++) {
		struct type_param of;
		type_method_param(k->declared, p, &of);
		if (strlen(of.name) != n || memcmp(of.name, name.p, n) ||
		    k->map[p] == NOT_GIVEN)
			continue;
		const struct bound *v = c->args[k->map[p]];
		return bound_text(b, bind_source(b, v->syntax), x);
	}
	return NULL;
}

struct bound *caller_argument(struct binder *b, const struct call *c,
			      const struct candidate *k,
			      const struct type_param *p)
{
	struct bytes blob;
	const struct frame *f = b->e->scope->frame;
	const struct code_pos *pos = f ? f->pos : NULL;
	const struct md *md = &k->declared->owner->module->md;
	if (!p->token)
		return NULL;
	if (md_has_attribute(md, p->token,
			     SERVICES "CallerArgumentExpressionAttribute",
			     &blob))
		return argument_text(b, c, k, blob, c->x);
	if (!pos || !pos->module)
		return NULL;
	if (md_has_attribute(md, p->token, SERVICES "CallerMemberNameAttribute",
			     NULL))
		return caller_member(b, pos, c->x);
	if (pos->point.line &&
	    md_has_attribute(md, p->token, SERVICES "CallerLineNumberAttribute",
			     NULL))
		return bound_int(b, ELEM_I4, pos->point.line, c->x);
	if (pos->path &&
	    md_has_attribute(md, p->token, SERVICES "CallerFilePathAttribute",
			     NULL))
		return bound_text(b, pos->path, c->x);
	return NULL;
}

/* ---- Local functions (ECMA-334, 13.6.4) ---------------------------------- */

enum {
	PARAMS_MAX = 16 // of System.Func
};

/* Get the type Action<...> or Func<..., @ret>. */
static struct dbg_error *delegate_of(struct binder *b, struct type **types,
				     size_t n_params, struct type *returns,
				     struct type **ret)
{
	char name[64];
	bool gives = returns->elem != ELEM_VOID;
	size_t n = n_params + gives;
	if (gives)
		types[n_params] = returns;
	if (n)
		snprintf(name, sizeof(name), "System.%s`%zu",
			 gives ? "Func" : "Action", n);
	struct dbg_error *err = bind_core(b, n ? name : "System.Action", ret);
	if (!err && n)
		*ret = type_instance(b->ts, *ret, types, n);
	return err;
}

static struct dbg_error *declare(struct binder *b, const struct expr *x,
				 struct bound **ret)
{
	struct type *types[PARAMS_MAX + 1], *type;
	const struct expr *lambda = x->a;
	struct dbg_error *err = bind_type(b, x->type, &type);
	if (!err && lambda->n_list > PARAMS_MAX)
		err = bind_error(b, x, "too many parameters");
	for (size_t i = 0; !err && i < lambda->n_list; i++)
		err = bind_type(b, lambda->list[i]->type, &types[i]);
	if (!err)
		err = delegate_of(b, types, lambda->n_list, type, &type);
	if (!err)
		*ret = declare_var(b, x->name, type, x);
	return err;
}

struct dbg_error *functions_declare(struct binder *b, const struct expr *x,
				    size_t from, struct bound ***ret)
{
	struct bound **all =
	    arena_calloc(b->arena, x->n_list + 1, sizeof(*all));
	struct dbg_error *err = NULL;
	for (size_t i = from; !err && i < x->n_list; i++) {
		const struct expr *s = x->list[i];
		// what follows is a block of its own
		if (s->kind == STMT_USING && !s->b)
			break;
		if (s->kind == STMT_FUNCTION)
			err = declare(b, s, &all[i]);
	}
	*ret = all;
	return err;
}

struct dbg_error *function_bind(struct binder *b, const struct expr *x,
				struct bound *var, struct bound **ret)
{
	struct bound *lambda;
	struct dbg_error *err = lambda_convert(b, x->a, var->type, &lambda);
	if (err)
		return err;
	const struct bound_lambda *l = lambda->lambda;
	if (l->body->kind == BOUND_BLOCK && !l->gives && !l->ends &&
	    !strncmp(type_simple_name(var->type), "Func", 4))
		return dbg_err_cs(
		    161, bind_error(b, x, "not all code paths return a value"));
	*ret = bound_store(b, var, lambda);
	return NULL;
}

/* ---- Those of the program ---------------------------------------------- */

static bool is_closure(const struct type *type)
{
	return str_starts(type_simple_name(type), "<>c__DisplayClass");
}

/* Get the closure that contains the variable @v; false: none does. */
static bool closure_of(struct binder *b, const struct var *v, struct value *ret)
{
	const struct field *f = v->origin ? v->origin->field : NULL;
	struct type *type = f ? value_type_exact(f->owner) : NULL;
	if (!type || !is_closure(type) || v->value.where != VALUE_MEMORY)
		return false;
	uint64_t addr = v->value.addr - f->offset;
	*ret = type->is_reference
		   ? value_object(b->e->values, addr - sizeof(uint64_t))
		   : value_memory(f->owner, addr);
	return ret->type != NULL;
}

/*
 * Get the closure of @type that contains variables of the frame; false: none
 * does.
 */
static bool closure_find(struct binder *b, const struct type *type,
			 struct value *ret)
{
	const struct scope *s = b->e->scope;
	for (size_t i = 0; i < s->n_vars; i++) {
		if (closure_of(b, &s->vars[i], ret) &&
		    value_type_exact(ret->type) == type)
			return true;
	}
	return false;
}

/*
 * Find the method of @type whose name begins with @prefix, if *io is none yet.
 */
static void search_type(struct binder *b, struct type *type, const char *prefix,
			struct type_method **io, bool *ret_several)
{
	struct type_method *const *all;
	size_t n;
	type_methods(b->ts, type, &all, &n);
	for (size_t i = 0; i < n; i++) {
		if (!str_starts(all[i]->name, prefix))
			continue;
		*ret_several |= *io && strcmp((*io)->name, all[i]->name);
		*io = all[i];
	}
}

static struct type_method *function_search(struct binder *b, const char *prefix,
					   bool *ret_several)
{
	const struct scope *s = b->e->scope;
	struct type *type = value_type_exact(s->type);
	struct type_method *found = NULL;
	struct value closure;
	if (type)
		search_type(b, type, prefix, &found, ret_several);
	for (size_t i = 0; !found && i < s->n_vars; i++) {
		if (closure_of(b, &s->vars[i], &closure))
			search_type(b, value_type_exact(closure.type), prefix,
				    &found, ret_several);
	}
	return found;
}

/* Add the closures that @m takes by reference. */
static struct dbg_error *add_closures(struct binder *b, struct type_method *m,
				      const struct expr *x, struct bound *g)
{
	const struct type_sig *sig;
	struct value closure;
	struct dbg_error *err = type_method_sig(b->ts, m, &sig);
	if (err)
		return err;
	g->list = arena_calloc(b->arena, sig->n_params + 1, sizeof(*g->list));
	for (size_t i = 0; i < sig->n_params; i++) {
		struct type *type = sig->params[i]->inner;
		if (sig->params[i]->kind != TYPE_KIND_BYREF || !type ||
		    !is_closure(type))
			continue;
		if (!closure_find(b, type, &closure))
			return bind_error(b, x,
					  "what '%s' captures is not known "
					  "here",
					  x->name);
		g->list[g->n_list++] = bound_value(b, &closure, type, x);
	}
	return NULL;
}

/*
 * Set what the local function @m is called on: an object, a closure, or its
 * class.
 */
static struct dbg_error *add_receiver(struct binder *b,
				      const struct type_method *m,
				      const struct expr *x, struct bound *g)
{
	const struct var *self = scope_var(b->e->scope, "this");
	struct value closure;
	if (m->flags & TYPE_METHOD_STATIC) {
		g->b = bound_make(b, BOUND_TYPE, m->owner, x);
		return NULL;
	}
	if (is_closure(m->owner) && closure_find(b, m->owner, &closure)) {
		g->a = bound_value(b, &closure, m->owner, x);
		return NULL;
	}
	return self ? bind_frame_value(b, &self->value, x, &g->a)
		    : bind_error(b, x, "'%s' needs an object", x->name);
}

struct dbg_error *function_named(struct binder *b, const struct expr *x,
				 struct bound **ret)
{
	const struct type_context *context = &b->e->scope->context;
	const char *outer =
	    b->e->scope->type && !b->params ? caller_method(b) : NULL;
	bool several = false;
	*ret = NULL;
	if (!outer)
		return NULL;
	struct type_method *m = function_search(
	    b, arena_printf(b->arena, "<%s>g__%s|", outer, x->name), &several);
	if (!m)
		return NULL;
	if (several)
		return bind_error(
		    b, x, "several local functions are called '%s'", x->name);
	struct bound *g = bound_make(b, BOUND_GROUP, NULL, x);
	g->name = m->name;
	if (m->n_args == context->n_method_args)
		g->n_args = m->n_args;
	g->args = arena_copy(b->arena, context->method_args, g->n_args,
			     sizeof(*g->args));
	struct dbg_error *err = add_receiver(b, m, x, g);
	if (!err)
		err = add_closures(b, m, x, g);
	*ret = g;
	return err;
}
