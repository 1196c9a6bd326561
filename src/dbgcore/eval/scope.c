/*
 * Variables of a frame.
 *
 * A method's own arguments and slots come first. Where the compiler moved
 * variables away they are looked for in the object that holds them
 * (scope_closure.c).
 */
#include "eval/scope.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "eval/scope_priv.h"
#include "meta/csname.h"

enum {
	METHOD_RVA = 0,
	METHOD_SIGNATURE = 4,
	SIG_HASTHIS = 0x20,
	LOCAL_HIDDEN = 1, // pdb_local.attributes
	VARS_MAX = 4096,
};

/* ---- The list -------------------------------------------------------- */

struct var *scope_add(struct gather *g, const char *name, enum var_kind kind,
		      struct value value)
{
	struct scope *s = g->scope;
	if (s->n_vars == g->cap) {
		size_t cap = g->cap ? g->cap * 2 : 16;
		struct var *more = arena_calloc(g->arena, cap, sizeof(more[0]));
		if (s->n_vars)
			memcpy(more, s->vars, s->n_vars * sizeof(more[0]));
		s->vars = more;
		g->cap = cap;
	}
	struct var *v = &s->vars[s->n_vars];
	v->name = name;
	v->kind = kind;
	v->value = value;
	v->end = g->end;
	v->level = g->level;
	v->origin = g->origin;
	if (s->n_vars < VARS_MAX)
		s->n_vars++;
	return v;
}

const char *scope_spelled(const char *name)
{
	if (!strcmp(name, "this"))
		return "@this";
	return strcmp(name, "base") ? name : "@base";
}

struct var *scope_find(const struct scope *s, const char *name)
{
	struct var *found = NULL;
	for (size_t i = s->n_vars; i-- > 0;) {
		struct var *v = &s->vars[i];
		if (!strcmp(v->name, name) &&
		    (!found || v->level < found->level))
			found = v;
	}
	return found;
}

const struct var *scope_var(const struct scope *s, const char *name)
{
	return scope_find(s, name);
}

/* The next variable is argument or slot @index of the method. */
static void set_origin(struct gather *g, bool is_arg, uint32_t index,
		       const struct value *v, const struct dac_var *place)
{
	const struct var_origin origin = {
	    .is_arg = is_arg, .index = index, .type = v->type, .place = place};
	g->origin = arena_copy(g->arena, &origin, 1, sizeof(origin));
}

static bool is_hidden(const struct scope *s, const struct var *v)
{
	return v->level && scope_find(s, v->name)->level < v->level;
}

/*
 * this, then arguments, then the rest, each in the order found; without what
 * a variable further in hides.
 */
static void sort(struct gather *g)
{
	struct scope *s = g->scope;
	struct var *sorted =
	    arena_calloc(g->arena, s->n_vars + 1, sizeof(sorted[0]));
	size_t n = 0;
	for (int kind = VAR_THIS; kind <= VAR_LOCAL; kind++) {
		for (size_t i = 0; i < s->n_vars; i++) {
			int own = s->vars[i].kind == VAR_CONST
				      ? VAR_LOCAL
				      : (int)s->vars[i].kind;
			if (own == kind && !is_hidden(s, &s->vars[i]))
				sorted[n++] = s->vars[i];
		}
	}
	s->vars = sorted;
	s->n_vars = n;
}

/* The type a place holds variables by: through a by-ref. */
static struct type *holder_type(struct type *type)
{
	return type->kind == TYPE_KIND_BYREF ? type->inner : type;
}

/* ---- Arguments ------------------------------------------------------- */

static struct value place(struct type *type, const struct dac_var *var)
{
	if (var && var->unread)
		return value_absent(type, WHY_NOT_IN_CORE, 0);
	if (!var || !var->present)
		return value_absent(type, WHY_OPTIMIZED, 0);
	struct value v = var->in_register
			     ? value_bytes(type, var->bytes, sizeof(var->bytes))
			     : value_memory(type, var->addr);
	v.fixed = !var->in_register && !var->moves;
	v.in_register = var->in_register ? var : NULL;
	return v;
}

static struct dac_var *frame_vars(struct gather *g, bool args, size_t *ret_n)
{
	struct dac_var *vars;
	*ret_n = 0;
	struct dbg_error *err =
	    stack_frame_vars(g->ts, g->frame, args, g->arena, &vars, ret_n);
	if (err) {
		// Each is absent then, but their names and types are known.
		dbg_error_destroy(err);
		*ret_n = 0;
		return NULL;
	}
	return vars;
}

void scope_set_class(struct scope *s, struct type *type)
{
	s->type = type;
	// a definition has none but its own parameters
	if (!type || type->open)
		return;
	s->context.class_args = type->args;
	s->context.n_class_args = type->n_args;
}

/*
 * Code over __Canon knows its exact types by the object it works on: the
 * base class of `this` that declares the method.
 */
static void context_from_this(struct gather *g, const struct value *v)
{
	struct type *declared = g->scope->type;
	struct value at = value_dereference(g->ts, v);
	if (at.where == VALUE_ABSENT || !declared || !declared->n_args)
		return;
	struct type *type = at.type;
	for (int i = 0; type && i < 1000; i++) {
		if (type->module == declared->module &&
		    type->token == declared->token) {
			scope_set_class(g->scope, type);
			return;
		}
		type = value_type_parent(g->ts, type);
	}
}

static void add_this(struct gather *g, const struct dac_var *var)
{
	struct type *type = g->scope->type;
	struct value v = place(type, var);
	// Methods of structs get the address of theirs.
	if (!type->is_reference)
		v.type = value_type_byref_to(g->ts, type);
	context_from_this(g, &v);
	if (v.type->is_reference)
		v.type = g->scope->type;
	set_origin(g, true, 0, &v, var);
	if (value_type_is_closure(type))
		scope_expand_outer(g, &v);
	else if (scope_holds(type))
		scope_expand(g, &v, 0);
	else
		scope_add(g, "this", VAR_THIS, v);
}

/* Param: Flags, Sequence, Name. */
static uint32_t param_token(const struct md *md, uint32_t method_rid,
			    uint32_t seq)
{
	uint32_t first, end;
	md_method_params(md, method_rid, &first, &end);
	for (uint32_t i = first; i < end; i++) {
		uint32_t p = md_member(md, MD_LIST_PARAMS, i);

		if (md_col(md, MD_PARAM, p, 1) == seq)
			return MD_TOKEN(MD_PARAM, p);
	}
	return 0;
}

void scope_name_param(struct gather *g, uint32_t method_rid, uint32_t seq,
		      struct value *v)
{
	const struct md *md = &g->scope->module->md;
	size_t n;
	if (!v->type || !tuple_is_in(v->type))
		return;
	const char *const *names =
	    tuple_names(md, param_token(md, method_rid, seq), g->arena, &n);
	value_name(v, names, n);
}

static bool is_object(const struct value *v)
{
	return v->type && v->type->is_reference &&
	       !strcmp(value_type_name(v->type), "object");
}

void scope_note_dynamic(struct gather *g, const struct code_module *m,
			uint32_t token, struct value *v)
{
	(void)g;
	v->is_dynamic =
	    token && is_object(v) &&
	    md_has_attribute(&m->md, token,
			     "System.Runtime.CompilerServices.DynamicAttribute",
			     NULL);
}

/*
 * What the runtime says of floating-point registers is nonsense: at a method's
 * first instruction the calling convention tells, behind it nothing does.
 */
static void fix_floats(const struct gather *g, size_t *n_floats,
		       struct value *v)
{
	if (g->frame->raw.leaf && !g->frame->level && g->frame->pos->enters)
		value_argument(g->ts, g->frame->tid, n_floats, v);
	else if (v->in_register && value_has_floats(g->ts, v->type))
		*v = value_absent(v->type, WHY_OPTIMIZED, 0);
}

static const char *param_name(struct gather *g, const char *name, uint32_t seq)
{
	return name[0] ? scope_spelled(name)
		       : arena_printf(g->arena, "arg_%u", seq);
}

static void add_arguments(struct gather *g, const struct sig_method *sig)
{
	size_t n;
	struct dac_var *vars = frame_vars(g, true, &n);
	const struct md *md = &g->frame->pos->module->md;
	uint32_t rid = MD_TOKEN_RID(g->frame->pos->token);
	size_t at = 0, n_floats = 0;
	if (sig->convention & SIG_HASTHIS) {
		if (g->scope->type)
			add_this(g, n ? &vars[0] : NULL);
		at = 1;
	}
	for (uint32_t i = 0; i < sig->n_params; i++, at++) {
		const struct dac_var *var = at < n ? &vars[at] : NULL;
		struct type *type =
		    value_type_of_sig(g->ts, sig->params[i], &g->scope->context,
				      var ? var->type : 0);
		struct value v = place(type, var);
		fix_floats(g, &n_floats, &v);
		set_origin(g, true, (uint32_t)at, &v, var);
		const char *name = md_param_name(md, rid, i + 1);
		scope_name_param(g, rid, i + 1, &v);
		scope_note_dynamic(g, g->scope->module,
				   param_token(md, rid, i + 1), &v);
		if (scope_holds(holder_type(type)))
			scope_expand_outer(g, &v);
		else if (scope_is_range(name))
			scope_expand_range(g, &v, VAR_ARG);
		else if (name[0] != '<')
			scope_add(g, param_name(g, name, i + 1), VAR_ARG, v);
	}
}

/* ---- Locals ---------------------------------------------------------- */

static void set_tuple_names(struct gather *g, const struct pdb_local *local,
			    struct value *v)
{
	const char **names;
	size_t n;
	uint32_t token = MD_TOKEN(MD_LOCALVARIABLE, local->rid);
	pdb_tuple_names(g->frame->pos->module->pdb, token, g->arena, &names,
			&n);
	value_name(v, names, n);
}

static void add_local(struct gather *g, const struct slots *slots,
		      const struct pdb_local *local)
{
	if (local->slot >= slots->n_sigs)
		return;
	const struct dac_var *var =
	    local->slot < slots->n_vars ? &slots->vars[local->slot] : NULL;
	struct type *type =
	    value_type_of_sig(g->ts, slots->sigs[local->slot],
			      &g->scope->context, var ? var->type : 0);
	// The prolog clears the locals; before its end they hold anything.
	if (g->frame->pos->in_prolog)
		var = NULL;
	struct value v = place(type, var);
	set_origin(g, false, local->slot, &v, var);
	if (str_starts(local->name, "CS$<>8__locals") ||
	    scope_holds(holder_type(type))) {
		scope_expand(g, &v, 0);
		return;
	}
	const enum {
		HIDDEN = 1
	} hidden = HIDDEN;
	if ((local->attributes & hidden) || strchr(local->name, '<') ||
	    str_starts(local->name, "CS$"))
		return;
	set_tuple_names(g, local, &v);
	v.is_dynamic = is_object(&v) &&
		       pdb_is_dynamic(g->frame->pos->module->pdb,
				      MD_TOKEN(MD_LOCALVARIABLE, local->rid));
	scope_add(g, scope_spelled(local->name), VAR_LOCAL, v);
}

static void add_named_locals(struct gather *g, const struct slots *slots)
{
	const struct code_pos *pos = g->frame->pos;
	struct pdb_local *locals;
	size_t n;
	struct dbg_error *err =
	    pdb_locals(pos->module->pdb, code_pos_method(pos), pos->il_offset,
		       g->arena, &locals, &n);
	if (dbg_err_drop(err))
		return;
	for (size_t i = 0; i < n; i++) {
		g->end = locals[i].start + locals[i].length;
		g->origin = NULL;
		if (locals[i].slot == UINT32_MAX)
			scope_add_constant(g, &locals[i]);
		else
			add_local(g, slots, &locals[i]);
	}
	g->end = UINT32_MAX;
}

static void add_nameless_locals(struct gather *g, const struct slots *slots)
{
	for (uint32_t i = 0; i < slots->n_sigs; i++) {
		struct pdb_local local = {.slot = i, .name = "?"};
		const struct dac_var *var =
		    i < slots->n_vars ? &slots->vars[i] : NULL;
		struct type *type =
		    value_type_of_sig(g->ts, slots->sigs[i], &g->scope->context,
				      var ? var->type : 0);
		if (scope_holds(holder_type(type))) {
			add_local(g, slots, &local);
			continue;
		}
		// without a name and a value it says nothing
		if (!var || (!var->present && !var->unread))
			continue;
		g->origin = NULL;
		scope_add(g, arena_printf(g->arena, "local_%u", i), VAR_LOCAL,
			  place(type, var));
	}
}

static void read_slots(struct gather *g, struct slots *ret)
{
	const struct code_pos *pos = g->frame->pos;
	struct code_module *m = pos->module;
	struct bytes il = code_method_il(m, pos->token, pos->version);
	struct il_body body;
	if (!il.p)
		return;
	struct dbg_error *err = il_body_parse(il, g->arena, &body);
	if (!err && MD_TOKEN_RID(body.local_sig)) {
		struct bytes blob = md_col_blob(
		    &m->md, MD_STANDALONESIG, MD_TOKEN_RID(body.local_sig), 0);
		err =
		    sig_parse_locals(blob, g->arena, &ret->sigs, &ret->n_sigs);
	}
	if (err) {
		dbg_error_destroy(err);
		ret->n_sigs = 0;
	}
	if (ret->n_sigs)
		ret->vars = frame_vars(g, false, &ret->n_vars);
}

static void add_locals(struct gather *g)
{
	struct slots slots = {0};
	read_slots(g, &slots);
	if (g->frame->pos->module->pdb)
		add_named_locals(g, &slots);
	else
		add_nameless_locals(g, &slots);
	g->origin = NULL;
}

/* ---- The whole ------------------------------------------------------- */

/* The class that the author wrote around closures and state machines. */
static struct type *author_type(struct values *ts, struct type *type)
{
	for (int i = 0; type && i < CLOSURES_MAX; i++) {
		if (!value_type_is_compiler_made(type) || !type->module)
			return type;
		struct code_module *m = type->module;
		uint32_t outer =
		    md_enclosing(&m->md, MD_TOKEN_RID(type->token));
		if (!outer)
			return type;
		uint32_t n_params;
		// GenericParam: Owner is column 2, a TypeDef's tag is 0.
		uint32_t any =
		    md_find(&m->md, MD_GENERICPARAM, 2, outer << 1, &n_params);
		uint32_t token = MD_TOKEN(MD_TYPEDEF, outer);
		if (any && n_params <= type->n_args)
			type = value_type_instance(ts, m, token, type->args,
						   n_params);
		else
			type = value_type_of_def(ts, m, token);
	}
	return type;
}

/* A method that is on no stack has all of its variables in its state machine */
static void gather_machine(struct gather *g)
{
	const struct code_pos *pos = g->frame->pos;
	struct scope *s = g->scope;
	s->module = pos->module;
	s->context.module = pos->module;
	s->context.method = pos->token;
	scope_set_class(s, g->frame->machine->type);
	scope_add_imports(g);
	if (pos->module->pdb)
		pdb_hoisted_scopes(pos->module->pdb, code_pos_method(pos),
				   g->arena, &g->hoisted, &g->n_hoisted);
	scope_expand(g, g->frame->machine, 0);
	sort(g);
	s->type = author_type(g->ts, s->type);
}

static void add_variables(struct gather *g)
{
	const struct code_pos *pos = g->frame->pos;
	uint32_t rid = MD_TOKEN_RID(pos->token);
	if (pos->module->pdb)
		pdb_hoisted_scopes(pos->module->pdb, code_pos_method(pos),
				   g->arena, &g->hoisted, &g->n_hoisted);
	struct sig_method *sig;
	struct dbg_error *err = sig_parse_method(
	    md_col_blob(&pos->module->md, MD_METHODDEF, rid, METHOD_SIGNATURE),
	    g->arena, &sig);
	if (!err)
		add_arguments(g, sig);
	dbg_error_destroy(err);
	add_locals(g);
}

static struct dbg_error *gather(struct gather *g)
{
	const struct code_pos *pos = g->frame->pos;
	struct dac_method method;
	struct stack_instance exact;
	struct scope *s = g->scope;
	if (g->frame->machine) {
		gather_machine(g);
		return NULL;
	}
	stack_frame_instance(g->ts, g->frame, &exact);
	struct dbg_error *err =
	    dac_method_get(values_dac(g->ts), exact.method, &method);
	if (err)
		return err;
	s->module = pos->module;
	s->context.module = pos->module;
	s->context.method = pos->token;
	scope_set_class(s, exact.type ? exact.type
				      : value_type_of_mt(g->ts, method.type));
	scope_method_args(g, exact.method);
	scope_add_imports(g);
	// what led to a throw has left its variables behind
	if (g->frame->kind != DBG_FRAME_THROWN)
		add_variables(g);
	s->type = author_type(g->ts, s->type);
	scope_add_statics(g);
	sort(g);
	return NULL;
}

struct dbg_error *scope_get(struct values *ts, const struct frame *frame,
			    struct thread_ref *thread, struct arena *arena,
			    struct scope **ret)
{
	struct dbg_error *err = NULL;
	struct scope *s = arena_alloc(arena, sizeof(*s));
	s->frame = frame;
	s->thread = thread;
	struct gather g = {
	    .ts = ts,
	    .frame = frame,
	    .arena = arena,
	    .scope = s,
	    .end = UINT32_MAX,
	};
	if (frame && frame->pos && frame->pos->module &&
	    MD_TOKEN_RID(frame->pos->token))
		err = gather(&g);
	*ret = s;
	return err;
}
