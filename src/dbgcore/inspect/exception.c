/*
 * Exception objects in words: type, message, the stack recorded in them, and
 * the exceptions within.
 */
#include "inspect/exception.h"
#include "dac/objectlayout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/object.h"
#include "code/thrown.h"
#include "inspect/inspect.h"

enum {
	EXCEPTIONS_MAX = 50, /* of a list */
	DATA_MAX = 50,
	TRACE_LINES_MAX = 1000,
};

static void trace_line(struct inspect *in, const struct thrown_frame *e,
		       struct arena *arena, struct str *out)
{
	const struct code_pos *pos;
	bool any = false;
	struct dbg_error *err = code_pos_at(in->code, e->ip, true, &pos, &any);

	if (err || !any) {
		dbg_error_destroy(err);
		return;
	}
	str_add(out, out->len ? "\n" : "");
	size_t from = out->len;
	str_addf(out, "   at %s",
		 code_method_name(in->code, pos->method, true, arena));
	if (pos->path && pos->point.line)
		str_addf(out, " in %s:line %u", pos->path, pos->point.line);
	str_one_line(out, from);
}

/*
 * Append a stack trace that the exception has as text: from another process or
 * thread, or, on .NET 11, from a static constructor that failed before.
 */
static void trace_given(struct inspect *in, uint64_t addr, const char *field,
			struct arena *arena, struct str *out)
{
	uint64_t at = object_ref(in->code, addr, field);
	const char *text = at ? object_string(in->code, at, arena) : NULL;
	size_t n = text ? strlen(text) : 0;

	while (n && (text[n - 1] == '\n' || text[n - 1] == '\r'))
		n--;
	if (n)
		str_addf(out, "%s%.*s", out->len ? "\n" : "", (int)n, text);
}

/* As Exception.StackTrace is put together. */
static const char *trace_text(struct inspect *in, uint64_t addr,
			      struct arena *arena)
{
	_cleanup_str_ struct str text = {0};
	struct thrown_frame *list;
	bool cut;
	size_t n = thrown_read(in->code, addr, arena, &list, &cut);

	trace_given(in, addr, "_remoteStackTraceString", arena, &text);
	if (!n)
		trace_given(in, addr, "_stackTraceString", arena, &text);
	for (size_t i = 0; i < n; i++)
		trace_line(in, &list[i], arena, &text);
	if (cut)
		str_add(&text, "\n   ...");
	return text.len ? arena_strdup(arena, str_get(&text)) : NULL;
}

void exception_list_thrown(struct inspect *in, const struct dbg_stop *stop,
			   struct arena *arena)
{
	struct thrown_frame *list;
	size_t n = thrown_read(in->code, stop->exception, arena, &list, NULL);

	// behind the last one are frames that live
	while (n && !list[n - 1].ends_throw)
		n--;
	struct stack_thrown *thrown =
	    arena_calloc(arena, n + 1, sizeof(*thrown));
	for (size_t i = 0; i < n; i++)
		thrown[i] = (struct stack_thrown){list[i].ip, list[i].method};
	stack_set_thrown(in->stack, stop->thread, thrown, n);
}

/* A list of frames that grows. */
struct frame_list {
	struct dbg_frame *v;
	size_t n, cap;
};

static void frame_push(struct frame_list *l, const struct dbg_frame *f)
{
	if (l->n == TRACE_LINES_MAX)
		return;
	mem_grow(&l->v, &l->cap, l->n, sizeof(*l->v));
	l->v[l->n++] = *f;
}

/*
 * A line that Exception.StackTrace has put together in English:
 * "   at Name(Type name, ...) in /path/file.cs:line 12", the place only if
 * there are symbols.
 */
static void frame_of_line(const char *line, struct arena *arena,
			  struct frame_list *l)
{
	const char *name = line + strspn(line, " ");

	if (strncmp(name, "at ", 3))
		return;
	name += 3;
	const char *open = strchr(name, '(');
	const char *close = open ? strchr(open, ')') : NULL;
	if (!close)
		return;
	struct dbg_frame f = {
	    .kind = DBG_FRAME_THROWN,
	    .il_offset = UINT32_MAX,
	    .function = arena_strndup(arena, name, (size_t)(close + 1 - name)),
	    .name = arena_strndup(arena, name, (size_t)(open - name)),
	    .params =
		arena_strndup(arena, open + 1, (size_t)(close - open - 1)),
	};
	const char *number = strstr(close, ":line ");

	if (number && str_starts(close + 1, " in ")) {
		f.source.path = arena_strndup(arena, close + 5,
					      (size_t)(number - close - 5));
		f.source.line = (uint32_t)strtoul(number + 6, NULL, 10);
	}
	frame_push(l, &f);
}

static void frames_of_text(const char *text, struct arena *arena,
			   struct frame_list *l)
{
	while (text && *text) {
		size_t n = strcspn(text, "\n");

		frame_of_line(arena_strndup(arena, text, n), arena, l);
		text += n + (text[n] == '\n');
	}
}

static const char *given_text(struct inspect *in, uint64_t addr,
			      const char *field, struct arena *arena)
{
	_cleanup_str_ struct str text = {0};

	trace_given(in, addr, field, arena, &text);
	return text.len ? arena_strdup(arena, str_get(&text)) : NULL;
}

void exception_frames(struct inspect *in, uint64_t addr, struct arena *arena,
		      struct dbg_exception *ret)
{
	struct frame_list l = {0};
	struct thrown_frame *list;
	size_t n = thrown_read(in->code, addr, arena, &list, &ret->cut);

	frames_of_text(given_text(in, addr, "_remoteStackTraceString", arena),
		       arena, &l);
	if (!n)
		frames_of_text(given_text(in, addr, "_stackTraceString", arena),
			       arena, &l);
	for (size_t i = 0; i < n; i++) {
		struct stack_thrown at = {list[i].ip, list[i].method};
		struct dbg_frame f;

		if (stack_thrown_describe(in->stack, &at, &f))
			frame_push(&l, &f);
	}
	ret->frames = arena_copy(arena, l.v, l.n, sizeof(*l.v));
	ret->n_frames = l.n;
	free(l.v);
}

/* The exceptions in the array @list; an AggregateException's are one. */
static void add_list(struct inspect *in, uint64_t list, struct arena *arena,
		     struct exception_parts *parts)
{
	uint32_t n = 0;
	struct dbg_error *err =
	    target_read_u32(in->target, list + ARRAY_LENGTH, &n);

	if (n > EXCEPTIONS_MAX)
		n = EXCEPTIONS_MAX;
	parts->inner = arena_calloc(arena, n + 1, sizeof(*parts->inner));
	if (!err)
		err = target_read(in->target, list + ARRAY_DATA, parts->inner,
				  n * sizeof(*parts->inner));
	if (!err)
		parts->n_inner = n;
	dbg_error_destroy(err);
}

/*
 * Exception.Data is a ListDictionaryInternal: linked nodes of a key, a value
 * and the next. (One that the program put there itself is not read.)
 */
static void add_data(struct inspect *in, uint64_t data, struct arena *arena,
		     struct exception_parts *parts)
{
	uint64_t node = data ? object_ref(in->code, data, "head") : 0;

	parts->data = arena_calloc(arena, DATA_MAX, sizeof(*parts->data));
	for (; node && parts->n_data < DATA_MAX; parts->n_data++) {
		struct exception_datum *d = &parts->data[parts->n_data];

		d->key = object_ref(in->code, node, "key");
		d->value = object_ref(in->code, node, "value");
		node = object_ref(in->code, node, "next");
	}
}

static void add_parts(struct inspect *in, uint64_t addr, struct arena *arena,
		      struct exception_parts *parts)
{
	uint64_t inner = object_ref(in->code, addr, "_innerException");
	uint64_t list = object_ref(in->code, addr, "_innerExceptions");

	memset(parts, 0, sizeof(*parts));
	if (list)
		add_list(in, list, arena, parts);
	if (inner && !parts->n_inner) {
		parts->inner = arena_copy(arena, &inner, 1, sizeof(inner));
		parts->n_inner = 1;
	}
	add_data(in, object_ref(in->code, addr, "_data"), arena, parts);
}

// What stands for a text that cannot be read.
static const char *unread(struct inspect *in, uint64_t addr, const char *why,
			  struct arena *arena)
{
	if (!target_can(in->target, TARGET_RUN))
		return "<not in the core>";
	return why ? why
		   : arena_printf(arena, "<cannot read 0x%" PRIx64 ">", addr);
}

/*
 * The text of the Message property if the class overrides it; NULL: it does
 * not.
 */
static const char *own_message(struct inspect *in, uint64_t addr,
			       struct arena *arena)
{
	uint16_t units[OBJECT_STRING_MAX];
	_cleanup_str_ struct str text = {0};
	uint32_t n = 0;
	bool own = false;

	if (!in->values)
		return NULL;

	struct view w = inspect_view(in, NULL);
	struct value v = value_object(in->values, addr), message = v;

	if (v.where != VALUE_ABSENT &&
	    value_type_is_exception(in->values, v.type))
		message = view_exception_message(&w, &v, &own);
	if (!own)
		return NULL;
	if (value_is_null(in->values, &message))
		return "";
	if (message.where == VALUE_ABSENT ||
	    !value_string_length(in->values, &message, &n))
		// what it was given is better than nothing
		return target_can(in->target, TARGET_RUN)
			   ? "<not known: its Message cannot be interpreted>"
			   : NULL;
	if (n > OBJECT_STRING_MAX)
		n = OBJECT_STRING_MAX;
	if (!value_string_read(in->values, &message, 0, units, n))
		return unread(in, addr,
			      "<not known: its Message cannot be read>", arena);
	str_add_utf16(&text, units, n);
	return arena_strdup(arena, str_get(&text));
}

bool exception_is(struct inspect *in, uint64_t addr)
{
	struct dac_object object;

	if (!addr || !in->values ||
	    dbg_err_drop(dac_object_get(in->dac, addr, &object)))
		return false;
	struct value v = value_object(in->values, addr);
	return v.where != VALUE_ABSENT && v.type &&
	       value_type_is_exception(in->values, v.type);
}

/* Type, message and number. False if there is no object. */
static bool describe_head(struct inspect *in, uint64_t addr,
			  struct arena *arena, struct dbg_exception *ret)
{
	struct dac_object object;
	struct dbg_error *err = dac_object_get(in->dac, addr, &object);
	uint64_t field;
	uint32_t number = 0;

	memset(ret, 0, sizeof(*ret));
	if (!err) {
		field = object_field(in->code, addr, "_HResult");
		if (field)
			err = target_read_u32(in->target, field, &number);
	}
	if (dbg_err_drop(err))
		return false;

	const char *name = code_type_name(in->code, object.type);

	ret->type = arena_strdup(arena, name ? name : "System.Exception");
	ret->hresult = number;
	ret->message = own_message(in, addr, arena);
	if (ret->message)
		return true;
	field = object_ref(in->code, addr, "_message");
	if (field)
		ret->message = object_string(in->code, field, arena);
	if (field && !ret->message)
		ret->message = unread(in, field, NULL, arena);
	else if (!field)
		// what Exception.Message makes of a null _message
		ret->message = arena_printf(
		    arena, "Exception of type '%s' was thrown.", ret->type);
	return true;
}

bool exception_get(struct inspect *in, uint64_t addr, struct arena *arena,
		   struct dbg_exception *ret, struct exception_parts *parts)
{
	if (!describe_head(in, addr, arena, ret))
		return false;
	ret->stack = trace_text(in, addr, arena);
	add_parts(in, addr, arena, parts);
	return true;
}

void exception_describe(struct inspect *in, uint64_t addr, struct arena *arena,
			struct dbg_stop *stop)
{
	struct dbg_exception e;

	if (!describe_head(in, addr, arena, &e))
		return;
	stop->exception = addr;
	stop->exception_type = e.type;
	stop->exception_message = e.message;
}
