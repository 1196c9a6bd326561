/*
 * Answering native methods: the row for a method, found once by its type, name
 * and signature in the tables; its arguments taken from the frame and checked,
 * its result put back or its end (thrown, refused, a call) passed on to the
 * machine.
 */
#include "il/machine/native.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "il/machine/ops.h"
#include "il/machine/space.h"
#include "meta/assemblyname.h"

static const struct native_table *const tables[] = {
    &native_core,     &native_unsafe,  &native_math,    &native_bits,
    &native_type,     &native_create,  &native_object,  &native_span,
    &native_thread,   &native_culture, &native_handle,  &native_member,
    &native_trace,    &native_array,   &native_literal, &native_errno,
    &native_delegate, &native_locale,
};

enum {
	RET_MAX = 512,
	NESTING_MAX = 8,
};

/* ---- Finding the row --------------------------------------------------- */

static void add_type_name(struct types *ts, struct type *type, struct str *out,
			  int depth)
{
	struct type *outer = type_enclosing(ts, type);
	if (outer && depth < NESTING_MAX) {
		add_type_name(ts, outer, out, depth + 1);
		str_addc(out, '+');
	} else if (*type_namespace(type)) {
		str_add(out, type_namespace(type));
		str_addc(out, '.');
	}
	str_add(out, type_simple_name(type));
}

static bool params_match(struct types *ts, const struct type_sig *sig,
			 const char *params)
{
	_cleanup_str_ struct str text = {0};
	for (size_t k = 0; k < sig->n_params; k++) {
		if (k)
			str_add(&text, ", ");
		str_add(&text, type_name(ts, sig->params[k]));
	}
	return !strcmp(str_get(&text), params);
}

/* The letter of signatures that stands for primitives and enums. */
static char elem_letter(enum elem elem)
{
	switch (elem) {
	case ELEM_VOID:
		return '.';
	case ELEM_I8:
	case ELEM_U8:
		return 'l';
	case ELEM_R4:
		return 'f';
	case ELEM_R8:
		return 'd';
	case ELEM_I:
	case ELEM_U:
		return 'p';
	default:
		return 'i';
	}
}

/* Is @type what stands at *sig? *sig is moved behind it. */
static bool type_has_letter(struct types *ts, struct type *type,
			    const char **sig)
{
	const struct type_layout *layout;
	char letter = *(*sig)++;
	uint32_t words = letter == 'v' ? (uint32_t)(*(*sig)++ - '0') : 0;
	if (letter == 'T')
		return type->elem != ELEM_VOID;
	if (type->kind == TYPE_KIND_PRIM || type->kind == TYPE_KIND_ENUM)
		return letter == elem_letter(type->elem);
	if (type->kind == TYPE_KIND_POINTER || type->kind == TYPE_KIND_BYREF ||
	    type->kind == TYPE_KIND_FUNCTION)
		return letter == 'p';
	if (type->is_reference)
		return letter == 'o';
	return letter == 'v' && !dbg_err_drop(type_layout(ts, type, &layout)) &&
	       layout->size <= words * 8;
}

/* Does the method's signature match the first one of @text? */
static bool sig_is(struct types *ts, const struct type_sig *sig,
		   const char *text)
{
	if (sig->has_this != (*text == 't'))
		return false;
	text += *text == 't' ? 2 : 1;
	for (size_t k = 0; k < sig->n_params; k++) {
		if (*text == ')' || !type_has_letter(ts, sig->params[k], &text))
			return false;
	}
	if (*text++ != ')')
		return false;
	return type_has_letter(ts, sig->ret, &text);
}

static bool sig_matches(struct types *ts, const struct type_sig *sig,
			const char *text)
{
	const char *exact = strchr(text, ':');
	if (!strcmp(text, "*"))
		return true;
	if (exact)
		return sig_is(ts, sig, text) &&
		       params_match(ts, sig, exact + 2);
	for (; text; text = strchr(text, ' ')) {
		text += *text == ' ';
		if (sig_is(ts, sig, text))
			return true;
	}
	return false;
}

static enum native_end never(struct native *n)
{
	return native_ret_i4(n, 0);
}

/* Code for a processor's instructions has another way without them. */
static bool asks_processor(const struct type_method *method)
{
	const char *space = type_namespace(method->owner);
	if (!strcmp(method->name, "get_IsHardwareAccelerated"))
		return str_starts(space, "System.Runtime.Intrinsics") ||
		       str_starts(space, "System.Numerics");
	return !strcmp(method->name, "get_IsSupported") &&
	       (str_starts(space, "System.Runtime.Intrinsics.") || !*space);
}

/* "System.Runtime.Intrinsics.*" is every type whose name begins so. */
static bool type_matches(const char *pattern, const char *name)
{
	size_t n = strlen(pattern);
	return n && pattern[n - 1] == '*' ? !strncmp(pattern, name, n - 1)
					  : !strcmp(pattern, name);
}

/* Every assembly of the framework has classes SR and Interop.Sys of its own. */
static bool is_everywhere(const struct type_method *method)
{
	return !strcmp(method->name, "UsingResourceKeys") ||
	       !strcmp(method->name, "GetResourceString") ||
	       str_starts(method->name, "ConvertErrorP");
}

const struct il_native *native_find(struct types *ts,
				    struct type_method *method,
				    const struct type_sig *sig)
{
	static const struct il_native hardware = {.sig = "()i", .fn = never};
	_cleanup_str_ struct str owner = {0};
	if (!method->token || !method->owner ||
	    (method->module != types_core(ts) && !is_everywhere(method)) ||
	    !assembly_is_framework(&method->module->md))
		return NULL;
	if (asks_processor(method))
		return sig_matches(ts, sig, hardware.sig) ? &hardware : NULL;
	add_type_name(ts, method->owner, &owner, 0);
	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
		for (size_t k = 0; k < tables[t]->n; k++) {
			const struct il_native *row = &tables[t]->rows[k];
			if (type_matches(row->type, str_get(&owner)) &&
			    (!strcmp(row->method, method->name) ||
			     !strcmp(row->method, "*")) &&
			    sig_matches(ts, sig, row->sig))
				return row;
		}
	}
	return NULL;
}

/* ---- Running it -------------------------------------------------------- */

struct native_places {
	const uint8_t *args[NATIVE_ARGS_MAX];
	uint32_t sizes[NATIVE_ARGS_MAX];
	uint64_t ret[RET_MAX / 8];
	uint32_t ret_size;
};

/* Integers below 32 bits, extended. */
static void widen(uint8_t *p, const struct type *type)
{
	if (type->kind != TYPE_KIND_PRIM && type->kind != TYPE_KIND_ENUM)
		return;
	switch (type->elem) {
	case ELEM_I1:
		put_i4(p, get_i1(p));
		break;
	case ELEM_BOOLEAN:
	case ELEM_U1:
		put_i4(p, get_u1(p));
		break;
	case ELEM_I2:
		put_i4(p, get_i2(p));
		break;
	case ELEM_CHAR:
	case ELEM_U2:
		put_i4(p, get_u2(p));
		break;
	default:
		break;
	}
}

static void add_arg(struct native *n, const uint8_t *place, uint32_t size)
{
	n->places->args[n->n_args] = place;
	n->places->sizes[n->n_args++] = size;
}

static struct dbg_error *native_args(struct vm *vm, struct site *s,
				     uint64_t base, struct native *n)
{
	uint32_t size = 0;
	uint64_t at = base;
	if (s->sig->n_params + 1 > NATIVE_ARGS_MAX || s->ret_size > RET_MAX)
		return dbg_err(DBG_E_UNSUPPORTED, "too many arguments");
	if (s->sig->has_this) {
		add_arg(n, vm->base + at, 8);
		at += 8;
	}
	for (size_t k = 0; k < s->sig->n_params; k++) {
		struct dbg_error *err =
		    place_size(vm, s->sig->params[k], &size);
		if (err)
			return err;
		add_arg(n, vm->base + at, size);
		widen(vm->base + at, s->sig->params[k]);
		at += size;
	}
	return NULL;
}

const struct op *native_run(struct vm *vm, struct site *s, uint64_t base,
			    uint64_t ret, const struct op *next)
{
	struct native_places places;
	struct native n = {.vm = vm,
			   .types = vm->ts,
			   .method = s->method,
			   .places = &places,
			   .site = s,
			   .base = base,
			   .ret_at = ret,
			   .next = next};
	struct dbg_error *err = native_args(vm, s, base, &n);
	if (err)
		return vm_refuse(vm, next - 1, err);
	places.ret_size = s->ret_size < 8 ? 8 : s->ret_size;
	memset(places.ret, 0, places.ret_size);
	switch (s->native->fn(&n)) {
	case NATIVE_DONE:
		if (call_gives_own(vm, &vm->frames[vm->n_frames - 1],
				   s->sig->ret, (const uint8_t *)places.ret))
			return call_refuse_own(vm, next - 1);
		memcpy(vm->base + ret, places.ret, s->ret_size);
		return next;
	case NATIVE_THROWN:
		return throw_object(vm, next - 1, n.exception);
	case NATIVE_IL:
		dbg_error_destroy(n.error);
		return call_il(vm, s, base, ret, next);
	case NATIVE_CALL:
		return n.entered;
	case NATIVE_REFUSED:
		break;
	}
	if (!n.error)
		n.error = dbg_err(DBG_E_UNSUPPORTED, "it is not supported");
	return vm_refuse(
	    vm, next - 1,
	    dbg_err_prefix(n.error, "'%s'", method_text(vm, s->method)));
}

/* ---- For those who write rows ------------------------------------------ */

const void *native_arg(const struct native *n, size_t i, size_t size)
{
	return i < n->n_args && size <= n->places->sizes[i] ? n->places->args[i]
							    : NULL;
}

/* Copy an argument that is a number or reference; an absent one reads as 0. */
static void arg_copy(const struct native *n, size_t i, void *to, size_t size)
{
	const void *from = native_arg(n, i, size);
	if (from)
		memcpy(to, from, size);
}

int32_t native_i4(const struct native *n, size_t i)
{
	int32_t v = 0;
	arg_copy(n, i, &v, sizeof(v));
	return v;
}

int64_t native_i8(const struct native *n, size_t i)
{
	int64_t v = 0;
	arg_copy(n, i, &v, sizeof(v));
	return v;
}

uint64_t native_ref(const struct native *n, size_t i)
{
	uint64_t v = 0;
	arg_copy(n, i, &v, sizeof(v));
	return v;
}

double native_r8(const struct native *n, size_t i)
{
	double v = 0;
	arg_copy(n, i, &v, sizeof(v));
	return v;
}

float native_r4(const struct native *n, size_t i)
{
	float v = 0;
	arg_copy(n, i, &v, sizeof(v));
	return v;
}

enum native_end native_ret(struct native *n, const void *from, size_t size)
{
	if (size > n->places->ret_size)
		return native_refuse(n, "a result of %zu bytes has no place",
				     size);
	memcpy(n->places->ret, from, size);
	return NATIVE_DONE;
}

enum native_end native_ret_get(struct native *n, uint64_t addr, size_t size)
{
	uint8_t bytes[RET_MAX];
	if (size > sizeof(bytes))
		return native_refuse(n, "a result of %zu bytes has no place",
				     size);
	enum native_end end = native_get(n, addr, bytes, size);
	return end == NATIVE_DONE ? native_ret(n, bytes, size) : end;
}

enum native_end native_put_arg(struct native *n, uint64_t addr, size_t i,
			       size_t size)
{
	const void *from = native_arg(n, i, size);
	return from
		   ? native_put(n, addr, from, size)
		   : native_refuse(n, "argument %zu has no %zu bytes", i, size);
}

enum native_end native_ret_i4(struct native *n, int32_t v)
{
	return native_ret(n, &v, sizeof(v));
}

enum native_end native_ret_i8(struct native *n, int64_t v)
{
	return native_ret(n, &v, sizeof(v));
}

enum native_end native_ret_ref(struct native *n, uint64_t v)
{
	return native_ret(n, &v, sizeof(v));
}

enum native_end native_ret_r8(struct native *n, double v)
{
	return native_ret(n, &v, sizeof(v));
}

enum native_end native_ret_r4(struct native *n, float v)
{
	return native_ret(n, &v, sizeof(v));
}

enum native_end native_throw(struct native *n, const char *type)
{
	n->exception = exception_new(n->vm, type);
	return n->exception ? NATIVE_THROWN
			    : native_refuse(n, "%s is thrown", type);
}

enum native_end native_refuse(struct native *n, const char *fmt, ...)
{
	char text[200];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	dbg_error_destroy(n->error);
	n->error = dbg_err(DBG_E_UNSUPPORTED, "%s", text);
	return NATIVE_REFUSED;
}

enum native_end native_fail(struct native *n, struct dbg_error *err)
{
	dbg_error_destroy(n->error);
	n->error = err;
	return NATIVE_REFUSED;
}

enum native_end native_call(struct native *n, struct type_method *method,
			    const uint64_t *args, size_t n_args)
{
	struct vm *vm = n->vm;
	struct site *s;
	struct dbg_error *err = site_of(vm, method, &s);
	if (err)
		return native_fail(n, err);
	size_t wants = s->sig->n_params + (s->sig->has_this ? 1 : 0);
	// behind what the arguments of this call take, and its result
	uint64_t base = n->base + n->site->args_size + n->site->ret_size + 8;
	uint64_t at = base;
	if (n_args != wants || base + s->args_size > REGION_STACK)
		return native_refuse(n, "other arguments");
	for (size_t k = 0; k < n_args; k++) {
		uint32_t size = 8;
		bool of_this = s->sig->has_this && k == 0;
		if (!of_this)
			err = place_size(
			    vm, s->sig->params[k - s->sig->has_this], &size);
		if (err)
			return native_fail(n, err);
		if (!vm_read(vm, args[k], vm->base + at, size))
			return native_refuse(n, "an argument is unreadable");
		at += size;
	}
	n->entered = call_site(vm, s, base, n->ret_at, n->next);
	return NATIVE_CALL;
}

static enum native_end bad(struct native *n, uint64_t addr)
{
	if (addr < NULL_PAGE)
		return native_throw(n, "System.NullReferenceException");
	return native_refuse(n, "memory at %#llx cannot be accessed",
			     (unsigned long long)addr);
}

enum native_end native_get(struct native *n, uint64_t addr, void *buf,
			   size_t size)
{
	return vm_read(n->vm, addr, buf, size) ? NATIVE_DONE : bad(n, addr);
}

enum native_end native_put(struct native *n, uint64_t addr, const void *buf,
			   size_t size)
{
	return vm_write(n->vm, addr, buf, size) ? NATIVE_DONE : bad(n, addr);
}

enum native_end native_move(struct native *n, uint64_t to, uint64_t from,
			    uint64_t size)
{
	vm_charge(n->vm, size);
	// the end of what was allocated is no place, but may be copied to
	if (!size)
		return NATIVE_DONE;
	if (size > REGION_SIZE || !space_move(n->vm, to, from, size))
		return bad(n, to < NULL_PAGE ? to : from);
	return NATIVE_DONE;
}

enum native_end native_fill(struct native *n, uint64_t to, uint8_t byte,
			    uint64_t size)
{
	vm_charge(n->vm, size);
	if (size > REGION_SIZE || !space_fill(n->vm, to, byte, size))
		return bad(n, to);
	return NATIVE_DONE;
}

struct type *native_type_of(struct native *n, uint64_t addr)
{
	return object_type(n->vm, addr);
}

uint32_t native_size(struct native *n, struct type *type)
{
	const struct type_layout *layout;
	return dbg_err_drop(type_layout(n->types, type, &layout))
		   ? 0
		   : layout->size;
}
