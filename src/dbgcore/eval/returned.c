/*
 * The value that a method has returned, when `finish` stops behind its call:
 * its type from the signature, its place from the calling convention
 * (value/x86/convention.c).
 */
#include "eval/returned.h"

#include "base/err.h"
#include "base/mem.h"
#include "dac/asyncmethod.h"
#include "eval/scope/scope_priv.h"

enum {
	METHOD_SIGNATURE = 4,
};

/*
 * Get the return type from the method's signature, as a value that has no place
 * yet; false: not known.
 */
static bool declared(struct values *ts, const struct returned *of,
		     struct arena *arena, struct value *ret)
{
	struct dac_method method;
	struct scope scope = {0};
	struct gather g = {.ts = ts, .arena = arena, .scope = &scope};
	struct sig_method *sig;
	struct dbg_error *err =
	    dac_method_get(values_dac(ts), of->method, &method);
	struct code_module *m =
	    err ? NULL : code_module_find(values_code(ts), method.module);

	if (!m || method.dynamic || !MD_TOKEN_RID(method.token)) {
		dbg_error_destroy(err);
		return false;
	}
	scope.module = scope.context.module = m;
	scope_set_class(
	    &scope, value_type_of_mt(ts, of->type ? of->type : method.type));
	// what such a method returns, its author did not write
	if (scope.type && value_type_is_state_machine(scope.type))
		return false;
	scope.context.method = method.token;
	scope_method_args(&g, of->method);
	err = sig_parse_method(md_col_blob(&m->md, MD_METHODDEF,
					   MD_TOKEN_RID(method.token),
					   METHOD_SIGNATURE),
			       arena, &sig);
	if (dbg_err_drop(err))
		return false;
	struct type *type = value_type_of_sig(ts, sig->ret, &scope.context, 0);
	struct dac_async async;
	// such code returns what its task is to have
	dac_async_get(values_dac(ts), of->method, &async);
	if (type && async.suspends)
		type = type->n_args ? type->args[0] : NULL;
	*ret = value_absent(type, WHY_NONE, 0);
	scope_name_param(&g, MD_TOKEN_RID(method.token), 0, ret);
	return type != NULL;
}

struct value returned_value(struct values *ts, const struct returned *of,
			    struct arena *arena)
{
	struct value type;

	if (!of->tid || !declared(ts, of, arena, &type))
		return value_absent(NULL, WHY_NONE, 0);
	struct value v = value_returned(ts, of->tid, type.type);
	value_name(&v, type.names, type.n_names);
	return v;
}
