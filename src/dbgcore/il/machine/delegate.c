/*
 * Delegates, the program's and the machine's own: what one of them calls, and
 * the loop over the list of a multicast one.
 */
#include "il/machine/delegate.h"

#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "dbg.h"
#include "il/machine/ops.h"
#include "il/machine/vm_priv.h"
#include "meta/il.h"
#include "meta/sig.h"

/* ---- Dynamic methods ------------------------------------------------- */

/*
 * Methods that the program has made at run time: DynamicMethod, and what
 * LambdaExpression.Compile makes of expressions. Their IL is in no file, but
 * the managed half of the runtime keeps it as long as they live (laid out alike
 * in .NET 8, 9 and 10):
 *
 *   delegate._methodBase -> DynamicMethod -> _resolver -> m_code,
 *   m_localSignature, m_scope.m_tokens: what its tokens stand for, as objects
 *
 * They become methods as those that we make ourselves are (il/machine/call.c),
 * whose pool is that list.
 */

static struct dbg_error *dynamic_method(struct vm *vm, uint64_t object,
					struct type_method **ret);

enum {
	CODE_MAX = 1 << 20,
	TOKENS_MAX = 1 << 16,
	NAME_MAX_UNITS = 256,
	INDEX_MASK = 0xffffff, /* of a token: the rest is its kind */
};

static struct dbg_error *bad(const char *what)
{
	return dbg_err(DBG_E_UNSUPPORTED,
		       "it calls code that the program has made at run time, "
		       "%s",
		       what);
}

/* ---- Objects of the program -------------------------------------------- */

static bool is_named(struct vm *vm, uint64_t object, const char *name)
{
	struct type *type = object ? object_type(vm, object) : NULL;
	return type && type->module && !strcmp(type_simple_name(type), name);
}

/* The word in field @name of @object or of what is boxed there; 0: none. */
static uint64_t word_of(struct vm *vm, uint64_t object, const char *name)
{
	struct type_field *field = NULL;
	struct type *type = object ? object_type(vm, object) : NULL;
	uint32_t offset = 0;
	uint64_t word = 0;
	if (!type ||
	    dbg_err_drop(type_field_find(vm->ts, type, name, &field)) ||
	    !field || dbg_err_drop(type_field_offset(vm->ts, field, &offset)) ||
	    !vm_read(vm, object + 8 + offset, &word, sizeof(word)))
		return 0;
	return word;
}

/* The bytes of a byte[] in the arena; n 0: there are none. */
static struct bytes bytes_of(struct vm *vm, uint64_t object)
{
	uint64_t data, n;
	if (!object || !array_data(vm, object, &data, &n) || n > CODE_MAX)
		return (struct bytes){0};
	uint8_t *copy = arena_alloc(vm->dynamic, n + 1);
	return vm_read(vm, data, copy, n) ? (struct bytes){copy, n}
					  : (struct bytes){0};
}

static const char *name_of(struct vm *vm, uint64_t method)
{
	_cleanup_str_ struct str out = {0};
	uint16_t units[NAME_MAX_UNITS];
	uint32_t n = 0;
	uint64_t text = word_of(vm, method, "_name");
	if (text && vm_read(vm, text + 8, &n, sizeof(n)) && n &&
	    n <= NAME_MAX_UNITS && vm_read(vm, text + 12, units, n * 2))
		str_add_utf16(&out, units, n);
	return arena_strdup(vm->dynamic, out.len ? str_get(&out) : "dynamic");
}

/* ---- Tokens -------------------------------------------------------------- */

static struct dbg_error *method_entry_of(struct vm *vm, uint64_t info,
					 struct type *context,
					 struct made_entry *ret)
{
	uint64_t desc = is_named(vm, info, "RuntimeMethodInfoStub")
			    ? word_of(vm, info, "m_value")
			    : word_of(vm, info, "m_handle");
	ret->kind = MADE_METHOD;
	return desc ? type_method_of_desc(vm->ts, desc, context, &ret->method)
		    : bad("a method of which is not known");
}

static struct dbg_error *field_entry_of(struct vm *vm, uint64_t info,
					struct type *context,
					struct made_entry *ret)
{
	struct dac *d = types_dac(vm->ts);
	struct type_field *const *fields;
	struct dac_field field;
	size_t n;
	uint64_t desc = word_of(vm, info, "m_fieldHandle");
	if (!desc || !dac_field_at(d, desc, &field))
		return bad("a field of which is not known");
	struct type *type =
	    context ? context : type_of_mt(vm->ts, field.enclosing);
	ret->kind = MADE_FIELD;
	if (type)
		type_fields(vm->ts, type, &fields, &n);
	for (size_t i = 0; type && i < n; i++) {
		if (fields[i]->token == field.token) {
			ret->field = fields[i];
			return NULL;
		}
	}
	return bad("a field of which is not known");
}

static struct dbg_error *type_entry_of(struct vm *vm, uint64_t object,
				       struct made_entry *ret)
{
	ret->kind = MADE_TYPE;
	ret->type = object ? vm_type_of_object(vm, object) : NULL;
	return ret->type ? NULL : bad("a type of which is not known");
}

static struct dbg_error *string_entry_of(struct vm *vm, uint64_t object,
					 struct made_entry *ret)
{
	uint32_t n;
	ret->kind = MADE_STRING;
	if (!vm_read(vm, object + 8, &n, sizeof(n)) || n > CODE_MAX)
		return bad("a string of which cannot be read");
	uint16_t *units = arena_calloc(vm->dynamic, n + 1u, sizeof(units[0]));
	if (n && !vm_read(vm, object + 12, units, n * sizeof(units[0])))
		return bad("a string of which cannot be read");
	ret->units = units;
	ret->n_units = n;
	return NULL;
}

/*
 * Find what the token object @object stands for; fields of *ret that are
 * unknown stay 0.
 */
static struct dbg_error *token_of(struct vm *vm, uint64_t object,
				  struct made_entry *ret)
{
	struct type *type = object_type(vm, object), *context = NULL;
	if (!type)
		return NULL;
	if (type->special == TYPE_SPECIAL_STRING)
		return string_entry_of(vm, object, ret);
	uint64_t owner = word_of(vm, object, "m_context");
	if (owner)
		context = vm_type_of_object(vm, owner);
	if (is_named(vm, object, "RuntimeTypeHandle"))
		return type_entry_of(vm, word_of(vm, object, "m_type"), ret);
	if (is_named(vm, object, "RuntimeMethodHandle"))
		return method_entry_of(vm, word_of(vm, object, "m_value"), NULL,
				       ret);
	if (is_named(vm, object, "RuntimeFieldHandle"))
		return field_entry_of(vm, word_of(vm, object, "m_ptr"), NULL,
				      ret);
	if (is_named(vm, object, "GenericMethodInfo"))
		return method_entry_of(
		    vm, word_of(vm, object, "m_methodHandle"), context, ret);
	if (is_named(vm, object, "GenericFieldInfo"))
		return field_entry_of(vm, word_of(vm, object, "m_fieldHandle"),
				      context, ret);
	if (!is_named(vm, object, "DynamicMethod"))
		return NULL;
	ret->kind = MADE_METHOD;
	return dynamic_method(vm, object, &ret->method);
}

/* The list of @resolver's scope; where its objects are, and how many. */
static bool tokens_find(struct vm *vm, uint64_t resolver, uint64_t *ret,
			size_t *ret_n)
{
	uint64_t scope = word_of(vm, resolver, "m_scope");
	uint64_t list = word_of(vm, scope, "m_tokens");
	uint64_t n;
	if (!list || !array_data(vm, word_of(vm, list, "_items"), ret, &n))
		return false;
	uint32_t used = (uint32_t)word_of(vm, list, "_size");
	*ret_n = used;
	return used <= n && used <= TOKENS_MAX;
}

static struct dbg_error *pool_fill(struct vm *vm, uint64_t tokens,
				   struct made_entry *pool, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t object = 0;
		struct dbg_error *err = NULL;
		if (vm_read(vm, tokens + i * 8, &object, sizeof(object)) &&
		    object)
			err = token_of(vm, object, &pool[i]);
		if (err)
			return err;
	}
	return NULL;
}

/* Tokens in the code become indexes in the pool. */
static void tokens_strip(struct bytes code)
{
	struct il_insn in;
	for (uint32_t at = 0; il_decode(code, at, &in); at += in.size) {
		uint32_t token = (uint32_t)in.value & INDEX_MASK;
		if (in.op && in.op->operand == IL_TOKEN)
			memcpy((uint8_t *)code.p + at + in.size - sizeof(token),
			       &token, sizeof(token));
	}
}

/* ---- The method ---------------------------------------------------------- */

static struct dbg_error *signature(struct vm *vm, uint64_t method,
				   struct type_sig *ret)
{
	uint64_t list = word_of(vm, method, "_parameterTypes");
	uint64_t data = 0, n = 0, object;
	if (list && (!array_data(vm, list, &data, &n) || n > SITE_ARGS_MAX))
		return bad("whose parameters cannot be read");
	ret->params = arena_calloc(vm->dynamic, n + 1, sizeof(ret->params[0]));
	ret->n_params = n;
	for (uint64_t i = 0; i < n; i++) {
		if (!vm_read(vm, data + i * 8, &object, sizeof(object)))
			return bad("whose parameters cannot be read");
		ret->params[i] = vm_type_of_object(vm, object);
		if (!ret->params[i])
			return bad("a parameter of which has no known type");
	}
	object = word_of(vm, method, "_returnType");
	ret->ret = object ? vm_type_of_object(vm, object)
			  : type_of_elem(vm->ts, ELEM_VOID);
	return ret->ret ? NULL : bad("whose result has no known type");
}

static struct dbg_error *locals_of(struct vm *vm, struct bytes blob,
				   struct made_code *ret)
{
	struct type_context ctx = {.module = types_core(vm->ts)};
	struct sig_type **types = NULL;
	uint32_t n = 0;
	if (!blob.n)
		return NULL;
	struct dbg_error *err = sig_parse_locals(blob, vm->dynamic, &types, &n);
	if (err)
		return err;
	ret->locals = arena_calloc(vm->dynamic, n + 1u, sizeof(ret->locals[0]));
	ret->n_locals = n;
	for (uint32_t i = 0; !err && i < n; i++)
		err = type_of_sig(vm->ts, types[i], &ctx, &ret->locals[i]);
	return err;
}

static struct dbg_error *code_of(struct vm *vm, uint64_t method,
				 struct made_code *ret, uint64_t *ret_tokens)
{
	uint64_t resolver = word_of(vm, method, "_resolver");
	size_t n = 0;
	ret->code = bytes_of(vm, word_of(vm, resolver, "m_code"));
	if (!resolver || !ret->code.n ||
	    !tokens_find(vm, resolver, ret_tokens, &n))
		return bad("whose IL cannot be read");
	if (word_of(vm, resolver, "m_exceptions") ||
	    word_of(vm, resolver, "m_exceptionHeader"))
		return bad("which handles exceptions");
	tokens_strip(ret->code);
	ret->pool = arena_calloc(vm->dynamic, n + 1, sizeof(ret->pool[0]));
	ret->n_pool = n;
	ret->of_program = true;
	return locals_of(
	    vm, bytes_of(vm, word_of(vm, resolver, "m_localSignature")), ret);
}

/*
 * The method that the DynamicMethod at @object stands for, until the next stop.
 * DBG_E_UNSUPPORTED where it has what is not known here.
 */
static struct dbg_error *dynamic_method(struct vm *vm, uint64_t object,
					struct type_method **ret)
{
	struct made_code code = {0};
	struct type_sig sig = {0};
	uint64_t tokens = 0;
	*ret = map_find(&vm->dynamics, object);
	if (*ret)
		return NULL;
	struct dbg_error *err = code_of(vm, object, &code, &tokens);
	if (!err)
		err = signature(vm, object, &sig);
	if (err)
		return err;
	*ret = made_create(vm->dynamic, name_of(vm, object), &sig, &code);
	// It is known before its pool is, for it may call itself.
	map_put(&vm->dynamics, object, *ret);
	err =
	    pool_fill(vm, tokens, (struct made_entry *)code.pool, code.n_pool);
	if (err)
		map_take(&vm->dynamics, object);
	return err;
}

/* The DynamicMethod that is @base, a delegate's _methodBase; 0: it is none. */
static uint64_t dynamic_object(struct vm *vm, uint64_t base)
{
	return is_named(vm, base, "DynamicMethod") ? base : 0;
}

/* ---- Delegates ------------------------------------------------------- */

#define OP(name)                                                               \
	const struct op *name(struct vm *vm, const struct op *i, uint8_t *fp)

/* Offset in objects of field @name of @type; 0: the type has none. */
static struct dbg_error *offset_of(struct vm *vm, struct type *type,
				   const char *name, uint32_t *ret)
{
	struct type_field *field = NULL;
	struct dbg_error *err =
	    type ? type_field_find(vm->ts, type, name, &field) : NULL;
	*ret = 0;
	if (!err && field) {
		err = type_field_offset(vm->ts, field, ret);
		*ret += 8;
	}
	return err;
}

/* A runtime has either a field @name or what stands for it, @newer. */
static struct dbg_error *offset_of_either(struct vm *vm, const char *owner,
					  const char *name, const char *newer,
					  uint32_t *ret)
{
	struct dbg_error *err =
	    offset_of(vm, type_core(vm->ts, owner), name, ret);
	if (!err && !*ret && newer)
		err = offset_of(vm, type_core(vm->ts, "System.Delegate"), newer,
				ret);
	if (!err && !*ret)
		err = dbg_err(DBG_E_NOT_FOUND, "%s has no field '%s'", owner,
			      name);
	return err;
}

/*
 * System.Delegate.CoreCLR.cs, System.MulticastDelegate.CoreCLR.cs. Since
 * .NET 11 one field, _helperObject, holds either what knows the method or the
 * list of a multicast delegate, and _extraData is the list's length.
 */
static struct dbg_error *learn(struct vm *vm)
{
	static const char one[] = "System.Delegate";
	static const char many[] = "System.MulticastDelegate";
	const struct {
		const char *owner, *name, *newer;
		uint32_t *offset;
	} fields[] = {
	    {one, "_methodPtr", NULL, &vm->of_method},
	    {one, "_methodPtrAux", NULL, &vm->of_aux},
	    {many, "_invocationList", "_helperObject", &vm->of_list},
	    {many, "_invocationCount", "_extraData", &vm->of_count},
	    {one, "_methodBase", "_helperObject", &vm->of_base},
	    {one, "_target", NULL, &vm->of_target},
	};
	struct dbg_error *err = NULL;
	size_t n = vm->of_target ? 0 : sizeof(fields) / sizeof(fields[0]);
	for (size_t i = 0; !err && i < n; i++)
		err = offset_of_either(vm, fields[i].owner, fields[i].name,
				       fields[i].newer, fields[i].offset);
	return err;
}

/* ---- Making ------------------------------------------------------------ */

/* a: the object and the method's address; the result. */
OP(op_new_delegate)
{
	struct dbg_error *err = learn(vm);
	struct type_method *method = NULL;
	const struct type_sig *sig;
	uint64_t target = get_u8(fp + i->a), code = get_u8(fp + i->a + 8);
	if (!err)
		err = method_at(vm, code, NULL, &method);
	if (!err)
		err = method_sig(vm, method, &sig);
	if (err)
		return vm_refuse(vm, i, err);
	if (!target && sig->has_this)
		return throw_new(vm, i, "System.ArgumentException");
	uint64_t object = vm_new(vm, i->x.site->method->owner);
	if (!object)
		return vm_spent(vm, i, "it wants too much memory");
	// as the runtime has it: one without a target is its own
	if (!target) {
		vm_write(vm, object + vm->of_aux, &code, sizeof(code));
		target = object;
	}
	vm_write(vm, object + vm->of_target, &target, sizeof(target));
	vm_write(vm, object + vm->of_method, &code, sizeof(code));
	put_u8(fp + i->a, object);
	return i + 1;
}

/* ---- Invoke ------------------------------------------------------------ */

struct delegate {
	uint64_t target, code, aux, list, count, base;
};

static bool delegate_read(struct vm *vm, uint64_t object, struct delegate *ret)
{
	return vm_read(vm, object + vm->of_target, &ret->target, 8) &&
	       vm_read(vm, object + vm->of_method, &ret->code, 8) &&
	       vm_read(vm, object + vm->of_aux, &ret->aux, 8) &&
	       vm_read(vm, object + vm->of_list, &ret->list, 8) &&
	       vm_read(vm, object + vm->of_count, &ret->count, 8) &&
	       vm_read(vm, object + vm->of_base, &ret->base, 8);
}

static struct dbg_error *method_of(struct vm *vm, uint64_t object,
				   const struct delegate *d,
				   struct type_method **ret)
{
	uint64_t code = d->aux ? d->aux : d->code;
	struct type *exact =
	    d->target == object ? NULL : object_type(vm, d->target);
	*ret = method_of_entry(vm, code);
	if (*ret || vm_owns(vm, object))
		return *ret ? NULL : method_at(vm, code, exact, ret);
	uint64_t dynamic = dynamic_object(vm, d->base);
	if (dynamic)
		return dynamic_method(vm, dynamic, ret);
	struct value v = value_object(vm->values, object);
	uint64_t desc = value_delegate_method(vm->values, &v);
	if (!desc)
		return dbg_err(DBG_E_NOT_FOUND,
			       "the delegate's method is not known");
	return type_method_of_desc(vm->ts, desc, exact, ret);
}

struct dbg_error *delegate_method(struct vm *vm, uint64_t object,
				  struct type_method **ret)
{
	struct delegate d;
	struct dbg_error *err = learn(vm);
	if (!err && !delegate_read(vm, object, &d))
		err = dbg_err(DBG_E_MEMORY, "the delegate cannot be read");
	return err ? err : method_of(vm, object, &d, ret);
}

/*
 * Find the method that an open delegate over an instance method calls: virtual
 * dispatch by the type of the first argument, @first.
 */
static struct dbg_error *open_target(struct vm *vm, struct site *s,
				     uint64_t first, struct site **ret)
{
	const struct type_method *m = s->method;
	*ret = s;
	if (!s->sig->has_this || !m->owner || m->owner->is_value)
		return NULL;
	uint64_t handle = object_handle(vm, first);
	return handle ? site_target(vm, s, handle, ret) : NULL;
}

static const struct op *invoke(struct vm *vm, const struct op *i, uint64_t base,
			       uint64_t ret, const struct op *next);

/* Is the method a delegate's Invoke, as in new D(d)? */
static bool is_invoke(const struct type_method *m)
{
	return m->owner && m->owner->is_delegate && !strcmp(m->name, "Invoke");
}

/*
 * Call what the delegate at @base, not a multicast one, calls: a closed one's
 * target takes its place, an open one's arguments begin behind it.
 */
static const struct op *invoke_one(struct vm *vm, const struct op *i,
				   uint64_t base, uint64_t ret,
				   const struct op *next)
{
	struct delegate d;
	struct type_method *method;
	struct site *s;
	uint64_t object = get_u8(vm->base + base);
	uint32_t given = i->x.site->args_size;
	if (object < NULL_PAGE || !delegate_read(vm, object, &d))
		return throw_bad(vm, i, object);
	struct dbg_error *err = method_of(vm, object, &d, &method);
	if (!err && is_invoke(method) && d.target != object) {
		put_u8(vm->base + base, d.target);
		return invoke(vm, i, base, ret, next);
	}
	if (!err)
		err = site_of(vm, method, &s);
	bool open = !err && s->args_size == given - 8;
	if (open)
		err = open_target(vm, s, get_u8(vm->base + base + 8), &s);
	if (err)
		return vm_refuse(vm, i, err);
	if (open) {
		base += 8;
	} else if (s->args_size == given) {
		bool boxed = s->sig->has_this && method->owner &&
			     method->owner->is_value;
		put_u8(vm->base + base, boxed ? d.target + 8 : d.target);
	} else {
		return vm_refuse(vm, i,
				 dbg_err(DBG_E_FORMAT,
					 "a delegate calls '%s' with other "
					 "arguments",
					 method_text(vm, method)));
	}
	if (s->ret_size != i->x.site->ret_size)
		ret = base;
	return call_site(vm, s, base, ret, next);
}

/* The frame of a multicast call: arguments, index, result, arguments again. */
static uint32_t index_at(const struct site *s)
{
	return s->args_size;
}

static uint32_t result_at(const struct site *s)
{
	return s->args_size + 8;
}

static uint32_t copy_at(const struct site *s)
{
	return s->args_size + 8 + s->ret_size;
}

static const struct op *op_multicast(struct vm *vm, const struct op *i,
				     uint8_t *fp)
{
	struct site *s = i->x.site;
	struct delegate d;
	uint64_t data, n, base = (uint64_t)(fp - vm->base);
	uint64_t at = get_u8(fp + index_at(s));
	uint64_t object = get_u8(fp);
	if (object < NULL_PAGE || !delegate_read(vm, object, &d) ||
	    !array_data(vm, d.list, &data, &n))
		return throw_bad(vm, i, object);
	if (at >= d.count || at >= n)
		return i + 1;
	put_u8(fp + index_at(s), at + 1);
	memcpy(fp + copy_at(s), fp, s->args_size);
	if (!vm_read(vm, data + at * 8, fp + copy_at(s), 8))
		return throw_bad(vm, i, data);
	return invoke_one(vm, i, base + copy_at(s), base + result_at(s), i);
}

static struct compiled *multicast_code(struct vm *vm, struct site *s)
{
	struct compiled *code = arena_alloc(vm->arena, sizeof(*code));
	code->ops = arena_calloc(vm->arena, 2, sizeof(code->ops[0]));
	code->n_ops = 2;
	code->method = s->method;
	code->args_size = s->args_size;
	code->clear = 8 + s->ret_size;
	code->size = copy_at(s) + s->args_size + 32;
	code->ops[0] = (struct op){.fn = op_multicast, .x.site = s};
	code->ops[1] =
	    (struct op){.fn = op_return, .a = result_at(s), .n = s->ret_size};
	return code;
}

/* Call what the delegate at @base calls, one or several. */
static const struct op *invoke(struct vm *vm, const struct op *i, uint64_t base,
			       uint64_t ret, const struct op *next)
{
	struct site *s = i->x.site;
	struct delegate d;
	uint64_t object = get_u8(vm->base + base);
	if (object < NULL_PAGE || !delegate_read(vm, object, &d))
		return throw_bad(vm, i, object);
	struct type *list = d.list ? object_type(vm, d.list) : NULL;
	if (!list || list->kind != TYPE_KIND_ARRAY || !d.count ||
	    d.count > INT32_MAX)
		return invoke_one(vm, i, base, ret, next);
	if (!s->multicast)
		s->multicast = multicast_code(vm, s);
	return frame_push(vm, s->multicast, base, ret, next);
}

/* a: the delegate and the arguments; the result. */
OP(op_invoke)
{
	struct dbg_error *err = learn(vm);
	uint64_t base = (uint64_t)(fp + i->a - vm->base);
	return err ? vm_refuse(vm, i, err) : invoke(vm, i, base, base, i + 1);
}
