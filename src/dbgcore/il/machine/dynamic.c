/*
 * Methods that the program has made at run time: DynamicMethod, and what
 * LambdaExpression.Compile makes of expressions. Their IL is in no file, but
 * the managed half of the runtime keeps it as long as they live (laid out alike
 * in .NET 8, 9 and 10):
 *
 *   delegate._methodBase -> DynamicMethod -> _resolver -> m_code,
 *   m_localSignature, m_scope.m_tokens: what its tokens stand for, as objects
 *
 * They become methods as those that we make ourselves are (il/made.h), whose
 * pool is that list.
 */
#include "il/machine/dynamic.h"

#include <string.h>

#include "base/err.h"
#include "il/machine/vm_priv.h"
#include "meta/il.h"
#include "meta/sig.h"

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

/* What the token object @object stands for; what is unknown stays 0. */
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

struct dbg_error *dynamic_method(struct vm *vm, uint64_t object,
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

uint64_t dynamic_object(struct vm *vm, uint64_t base)
{
	return is_named(vm, base, "DynamicMethod") ? base : 0;
}
