/*
 * The program's MethodDesc of a method. That of a generic one stands for one
 * instance, which the program makes as its own reflection does: the method of
 * the instance of the class (RuntimeMethodHandle.GetMethodFromCanonical), and
 * from it, where the class or the method itself hands type arguments to shared
 * code, an entry that does so (GetStubIfNeeded). What these are given and the
 * program does not have yet (a class, the object of a type, the array of type
 * arguments) is had by a call before them. What lasts of all this is what stays
 * when the program itself calls the method.
 */
#include "session/evaluation_priv.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "meta/md.h"

enum {
	NAME_DEPTH_MAX = 16,
	NAME_UNITS_MAX = 4096,
	ASSEMBLY_NAME = 7, // a column
};

/* A call that is to be made first. */
struct step {
	pid_t tid;
	bool runs;
};

/* ---- Names ----------------------------------------------------------- */

/* As Type.GetType reads it; false: parts of the name mean something to it. */
static bool add_definition(struct types *ts, struct type *type, struct str *out,
			   unsigned int depth)
{
	struct type *outer = type_enclosing(ts, type);
	const char *name = type_simple_name(type);

	if (depth > NAME_DEPTH_MAX || strpbrk(name, ",+&*[]\\"))
		return false;
	if (outer && !add_definition(ts, outer, out, depth + 1))
		return false;
	if (outer)
		str_addc(out, '+');
	else if (*type_namespace(type))
		str_addf(out, "%s.", type_namespace(type));
	str_add(out, name);
	return true;
}

static bool add_assembly(const struct type *type, struct str *out)
{
	while (type->inner)
		type = type->inner;
	const struct md *md = type->module ? &type->module->md : NULL;
	if (!md || !md_rows(md, MD_ASSEMBLY))
		return false;
	str_addf(out, ", %s", md_col_string(md, MD_ASSEMBLY, 1, ASSEMBLY_NAME));
	return true;
}

static bool add_type(struct types *ts, struct type *type, struct str *out,
		     unsigned int depth)
{
	if (depth > NAME_DEPTH_MAX || type->open)
		return false;
	if (type->elem == ELEM_SZARRAY) {
		bool named = add_type(ts, type->inner, out, depth + 1);

		str_add(out, "[]");
		return named;
	}
	if (!type->module || !add_definition(ts, type, out, depth + 1))
		return false;
	for (size_t i = 0; i < type->n_args; i++) {
		str_add(out, i ? ",[" : "[[");
		if (!add_type(ts, type->args[i], out, depth + 1) ||
		    !add_assembly(type->args[i], out))
			return false;
		str_addc(out, ']');
	}
	if (type->n_args)
		str_addc(out, ']');
	return true;
}

/*
 * Does the runtime find it by its name? It looks in the default load context
 * alone, and might load the assembly of another a second time there.
 */
static bool has_name(struct dbg *dbg, const struct type *type)
{
	struct inspect *in = &dbg->inspect;

	while (type->inner)
		type = type->inner;
	for (size_t i = 0; i < type->n_args; i++)
		if (!has_name(dbg, type->args[i]))
			return false;
	if (!type->module || !dac_module_context(in->dac, type->module->addr))
		return type->module;
	const char *name =
	    inspect_load_context(in, type->module->addr, in->arena);
	return name && !strcmp(name, "Default");
}

/* ---- Types ----------------------------------------------------------- */

static struct dbg_error *not_loaded(struct dbg *dbg, struct type *type)
{
	return dbg_err(DBG_E_STATE,
		       "'%s' cannot be called: the program has not loaded '%s' "
		       "yet",
		       dbg->evaluation->wanted,
		       type_name(dbg->inspect.types, type));
}

static struct dbg_error *load(struct dbg *dbg, struct step *s,
			      struct type *type);

static struct dbg_error *helper(struct dbg *dbg, struct step *s,
				enum doing doing, const uint64_t *words,
				size_t n)
{
	struct type *class = calling_helper_class(dbg, doing);

	if (class && !type_mt(dbg->inspect.types, class))
		return load(dbg, s, class);
	s->runs = true;
	return calling_helper(dbg, s->tid, doing, words, n);
}

/* Have @type loaded by its name. */
static struct dbg_error *load(struct dbg *dbg, struct step *s,
			      struct type *type)
{
	struct evaluation *v = dbg->evaluation;
	_cleanup_str_ struct str name = {0};

	if (v->making.loaded == type || !has_name(dbg, type))
		return not_loaded(dbg, type);
	if (v->making.name)
		return helper(dbg, s, DOING_LOAD, &v->making.name, 1);
	if (!add_type(dbg->inspect.types, type, &name, 0) ||
	    !add_assembly(type, &name) || name.len > NAME_UNITS_MAX)
		return not_loaded(dbg, type);
	uint16_t *units = arena_calloc(v->arena, name.len, sizeof(*units));
	for (size_t i = 0; i < name.len; i++) {
		if (name.s[i] & 0x80)
			return not_loaded(dbg, type);
		units[i] = (uint16_t)name.s[i];
	}
	v->making.naming = type;
	v->units = units;
	v->n_units = name.len;
	const uint64_t n = name.len;
	return helper(dbg, s, DOING_NAME, &n, 1);
}

/*
 * The program's object of @type: asked for anew before each call, since that of
 * an assembly that can be unloaded moves on .NET 9 and 10.
 */
static struct dbg_error *type_object(struct dbg *dbg, struct step *s,
				     struct type *type, uint64_t *ret)
{
	struct making *g = &dbg->evaluation->making;
	uint64_t mt = type_mt(dbg->inspect.types, type);

	if (!mt)
		return load(dbg, s, type);
	*ret = vm_program_type_object(dbg->inspect.vm, type);
	if (*ret)
		return NULL;
	if (g->shown == type)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' cannot be called: '%s' is of an assembly "
			       "that can be unloaded",
			       dbg->evaluation->wanted,
			       type_name(dbg->inspect.types, type));
	g->naming = type;
	return helper(dbg, s, DOING_TYPE, &mt, 1);
}

/* ---- Methods --------------------------------------------------------- */

void making_end(struct dbg *dbg)
{
	struct making *g = &dbg->evaluation->making;

	holding_drop(dbg, &g->array);
	holding_drop(dbg, &g->name);
	memset(g, 0, sizeof(*g));
}

/* The array of the method's type arguments. */
static struct dbg_error *arguments(struct dbg *dbg, struct step *s,
				   struct type_method *m)
{
	struct making *g = &dbg->evaluation->making;
	struct type *of = type_core(dbg->inspect.types, "System.RuntimeType");
	uint64_t object = 0;
	struct dbg_error *err = NULL;

	if (!of)
		return dbg_err(DBG_E_RUNTIME,
			       "this runtime has no 'System.RuntimeType'");
	if (!g->array) {
		err = type_object(dbg, s, of, &object);
		const uint64_t words[] = {object, m->n_args};
		return err || s->runs ? err
				      : helper(dbg, s, DOING_ARRAY, words, 2);
	}
	if (g->n_set == m->n_args)
		return NULL;
	err = type_object(dbg, s, m->args[g->n_set], &object);
	const uint64_t words[] = {g->array, object, g->n_set};
	return err || s->runs ? err : helper(dbg, s, DOING_SET, words, 3);
}

/* Does a caller that is not generic have to call it by an entry of its own? */
static bool has_entry(const struct type_method *m)
{
	return m->n_args || m->flags & TYPE_METHOD_STATIC ||
	       m->owner->is_value || m->owner->kind == TYPE_KIND_INTERFACE;
}

/* The instance @m, of the definition's @desc. */
static struct dbg_error *instance(struct dbg *dbg, struct step *s,
				  struct type_method *m, uint64_t desc)
{
	struct making *g = &dbg->evaluation->making;
	uint64_t owner = 0;
	struct dbg_error *err = type_object(dbg, s, m->owner, &owner);

	if (err || s->runs)
		return err;
	if (m->owner->n_args && !g->class) {
		const uint64_t words[] = {desc, owner};

		return helper(dbg, s, DOING_CLASS, words, 2);
	}
	if (g->class)
		desc = g->class;
	if (!has_entry(m)) {
		*type_method_desc(m) = desc;
		return NULL;
	}
	if (m->n_args)
		err = arguments(dbg, s, m);
	if (err || s->runs)
		return err;
	const uint64_t words[] = {desc, owner, g->array};
	return helper(dbg, s, DOING_STUB, words, 3);
}

/* The object of the method, by which it is called. */
static struct dbg_error *invoked(struct dbg *dbg, struct step *s,
				 struct type_method *m, uint64_t desc)
{
	struct evaluation *v = dbg->evaluation;
	uint64_t owner = 0;

	if (v->invoking.object && v->invoking.method == m)
		return NULL;
	holding_drop(dbg, &v->invoking.object);
	v->invoking = (struct invoking){.method = m};
	struct dbg_error *err = type_object(dbg, s, m->owner, &owner);
	const uint64_t words[] = {owner, desc};
	return err || s->runs ? err : helper(dbg, s, DOING_METHOD, words, 2);
}

/* Of a virtual method the runtime gives out the entry that takes a box. */
static struct dbg_error *no_entry(struct dbg *dbg, const struct type_method *m)
{
	bool ref = type_attribute(
	    m->owner, "System.Runtime.CompilerServices.IsByRefLikeAttribute",
	    NULL);

	return dbg_err(DBG_E_UNSUPPORTED,
		       "'%s' cannot be called: it is a virtual method of a "
		       "generic %s",
		       dbg->evaluation->wanted,
		       ref ? "ref struct"
			   : "structure, and what it takes or returns cannot "
			     "be boxed");
}

static struct dbg_error *find(struct dbg *dbg, struct step *s,
			      struct type_method *m, bool invokes,
			      uint64_t *ret)
{
	struct making *g = &dbg->evaluation->making;
	bool is_generic = m->n_args || m->owner->n_args;
	uint64_t desc =
	    dac_method_of_token(dbg->inspect.dac, m->module->addr, m->token);
	struct dbg_error *err;

	if (!desc)
		return load(dbg, s, m->owner);
	if (is_generic && m->owner->is_value &&
	    m->flags & TYPE_METHOD_VIRTUAL && !invokes)
		return no_entry(dbg, m);
	if (g->method != m)
		making_end(dbg);
	g->method = m;
	err = is_generic && !*type_method_desc(m) ? instance(dbg, s, m, desc)
						  : NULL;
	if (err || s->runs)
		return err;
	*ret = is_generic ? *type_method_desc(m) : desc;
	if (invokes)
		err = invoked(dbg, s, m, *ret);
	if (!err && !s->runs)
		making_end(dbg);
	return err;
}

struct dbg_error *making_method(struct dbg *dbg, struct type_method *m,
				bool invokes, pid_t tid, uint64_t *ret,
				bool *ret_runs)
{
	struct step s = {.tid = tid};
	struct dbg_error *err;

	if (!m->module || !m->owner)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' cannot be called: it is no method of the "
			       "program's",
			       dbg->evaluation->wanted);
	err = find(dbg, &s, m, invokes, ret);
	*ret_runs = s.runs && !err;
	return err;
}

struct dbg_error *making_object(struct dbg *dbg, struct type *type, uint64_t n,
				pid_t tid)
{
	struct step s = {.tid = tid};
	bool is_array = type->kind == TYPE_KIND_ARRAY;
	uint64_t object = 0;
	struct dbg_error *err =
	    type_object(dbg, &s, is_array ? type->inner : type, &object);
	const uint64_t words[] = {object, n};

	if (err || s.runs)
		return err;
	return helper(dbg, &s, is_array ? DOING_VECTOR : DOING_OBJECT, words,
		      is_array ? 2 : 1);
}

struct dbg_error *making_type(struct dbg *dbg, struct type *type, pid_t tid)
{
	struct step s = {.tid = tid};
	uint64_t mt = type_mt(dbg->inspect.types, type);

	return mt ? helper(dbg, &s, DOING_SHOWN, &mt, 1) : load(dbg, &s, type);
}

struct dbg_error *making_take(struct dbg *dbg, uint64_t word)
{
	struct evaluation *v = dbg->evaluation;
	struct making *g = &v->making;

	switch (v->doing) {
	case DOING_LOAD:
		// of an array the runtime tells by its object alone
		if (word)
			vm_type_of_object(dbg->inspect.vm, word);
		g->loaded = g->naming;
		holding_drop(dbg, &g->name);
		g->name = 0;
		return NULL;
	case DOING_TYPE:
		g->shown = g->naming;
		return NULL;
	case DOING_ARRAY:
		g->array = word;
		holding_add(v, &g->array);
		break;
	case DOING_SET:
		g->n_set++;
		return NULL;
	case DOING_CLASS:
		g->class = word;
		break;
	case DOING_STUB:
		*type_method_desc(g->method) = word;
		break;
	case DOING_METHOD:
		v->invoking.object = word;
		holding_add(v, &v->invoking.object);
		break;
	default:
		return NULL;
	}
	return word ? NULL
		    : dbg_err(DBG_E_RUNTIME,
			      "'%s' cannot be called: the runtime does not "
			      "give its entry",
			      v->wanted);
}
