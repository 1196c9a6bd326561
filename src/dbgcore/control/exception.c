/*
 * Exception objects in words: type, message, the stack recorded in them, and
 * the exceptions within.
 */
#include "control/control_priv.h"

#include <string.h>

#include "base/err.h"
#include "base/str.h"

enum {
	MESSAGE_MAX = 4096, /* UTF-16 units read of a message */
	STRING_LENGTH = 8,  /* offsets in a string object */
	STRING_CHARS = 12,
	TRACE_FRAMES_MAX = 500,
};

/*
 * _stackTrace is an sbyte[] (since .NET 9 perhaps within an object[], first):
 * a header of 16 bytes that begins with the number of elements, then these
 * (StackTraceElement of vm/object.h).
 */
struct trace_element {
	uint64_t ip, sp, method;
	uint64_t flags;
};

enum {
	TRACE_HEADER = 16,
	ARRAY_DATA = 16
};

/* Address of field @name of the object at @addr, looked for in its bases. */
static uint64_t object_field(struct control *c, uint64_t addr, uint64_t mt,
			     const char *name)
{
	struct dbg_error *err = NULL;

	for (int depth = 0; !err && mt && depth < 64; depth++) {
		const struct dac_type *type;
		const struct dac_field *fields;
		size_t n;

		err = dac_type_get(c->dac, mt, &type);
		if (!err)
			err = dac_fields(c->dac, mt, &fields, &n);
		if (err)
			break;

		struct code_module *m = code_module_find(c->code, type->module);

		for (size_t i = 0; m && i < n; i++) {
			uint32_t rid = MD_TOKEN_RID(fields[i].token);

			if (!fields[i].is_static &&
			    !strcmp(md_col_string(&m->md, MD_FIELD, rid, 1),
				    name))
				return addr + 8 + fields[i].offset;
		}
		mt = type->parent;
	}
	dbg_error_destroy(err);
	return 0;
}

static const char *string_text(struct control *c, uint64_t string,
			       struct arena *arena)
{
	uint16_t units[MESSAGE_MAX];
	uint32_t length;
	struct dbg_error *err =
	    target_read_u32(c->target, string + STRING_LENGTH, &length);

	if (!err && length > MESSAGE_MAX)
		length = MESSAGE_MAX;
	if (!err)
		err = target_read(c->target, string + STRING_CHARS, units,
				  length * sizeof(*units));
	if (err) {
		dbg_error_destroy(err);
		return NULL;
	}

	_cleanup_str_ struct str text = {0};

	str_add_utf16(&text, units, length);
	return arena_strdup(arena, str_get(&text));
}

/* The object that field @name of an exception refers to; 0: none. */
static uint64_t referred(struct control *c, uint64_t addr, uint64_t mt,
			 const char *name)
{
	uint64_t field = object_field(c, addr, mt, name), object = 0;
	struct dbg_error *err = NULL;

	if (field)
		err = target_read_u64(c->target, field, &object);
	if (!err)
		return object;
	dbg_error_destroy(err);
	return 0;
}

/* The array of trace elements in the object @trace; false if it is none. */
static bool trace_array(struct control *c, uint64_t trace,
			struct dac_object *ret)
{
	for (int depth = 0; trace && depth < 2; depth++) {
		const struct dac_type *type;
		struct dbg_error *err = dac_object_get(c->dac, trace, ret);

		if (!err)
			err = dac_type_get(c->dac, ret->type, &type);
		if (err) {
			dbg_error_destroy(err);
			return false;
		}
		if (type->component_size == 1)
			return true;
		if (type->component_size != sizeof(uint64_t))
			return false;
		err = target_read_u64(c->target, trace + ARRAY_DATA, &trace);
		if (err) {
			dbg_error_destroy(err);
			return false;
		}
	}
	return false;
}

static void trace_line(struct control *c, const struct trace_element *e,
		       struct arena *arena, struct str *out)
{
	const struct code_pos *pos;
	bool any = false;
	struct dbg_error *err = code_pos_at(c->code, e->ip, false, &pos, &any);

	if (err || !any) {
		dbg_error_destroy(err);
		return;
	}
	str_addf(out, "%s   at %s", out->len ? "\n" : "",
		 code_method_name(c->code, pos->method, true, arena));
	if (pos->path && pos->point.line)
		str_addf(out, " in %s:line %u", pos->path, pos->point.line);
}

static const char *trace_text(struct control *c, uint64_t trace,
			      struct arena *arena)
{
	struct dac_object array;
	uint32_t n;

	if (!trace_array(c, trace, &array))
		return NULL;

	struct dbg_error *err =
	    target_read_u32(c->target, array.addr + ARRAY_DATA, &n);
	_cleanup_str_ struct str text = {0};

	if (n > TRACE_FRAMES_MAX)
		n = TRACE_FRAMES_MAX;
	for (uint32_t i = 0; !err && i < n; i++) {
		struct trace_element e;
		uint64_t off = TRACE_HEADER + i * sizeof(e);

		if (off + sizeof(e) > array.n_components)
			break;
		err = target_read(c->target, array.addr + ARRAY_DATA + off, &e,
				  sizeof(e));
		if (!err)
			trace_line(c, &e, arena, &text);
	}
	dbg_error_destroy(err);
	return text.len ? arena_strdup(arena, str_get(&text)) : NULL;
}

bool control_exception(struct control *c, uint64_t addr, struct arena *arena,
		       struct dbg_exception *ret, uint64_t *ret_inner)
{
	struct dac_object object;
	struct dbg_error *err = dac_object_get(c->dac, addr, &object);
	uint64_t string;

	if (err) {
		dbg_error_destroy(err);
		return false;
	}

	const char *name = code_type_name(c->code, object.type);

	memset(ret, 0, sizeof(*ret));
	ret->type = arena_strdup(arena, name ? name : "System.Exception");
	string = referred(c, addr, object.type, "_message");
	if (string)
		ret->message = string_text(c, string, arena);
	if (!ret->message)
		// what Exception.Message makes of a null _message
		ret->message = arena_printf(
		    arena, "Exception of type '%s' was thrown.", ret->type);
	ret->stack =
	    trace_text(c, referred(c, addr, object.type, "_stackTrace"), arena);
	*ret_inner = referred(c, addr, object.type, "_innerException");
	return true;
}

void exception_describe(struct control *c, uint64_t addr, struct arena *arena,
			struct dbg_stop *stop)
{
	struct dbg_exception e;
	uint64_t inner;

	if (!control_exception(c, addr, arena, &e, &inner))
		return;
	stop->exception = addr;
	stop->exception_type = e.type;
	stop->exception_message = e.message;
}
