/*
 * The one line of a value. Depth and length are limited: a struct shows its
 * fields, and the structs in these, no further; objects show their type.
 * For editors, which unfold children, a struct shows its type too, a char its
 * code, an enum value the name alone.
 */
#include "view/look.h"
#include "view/proxy.h"
#include "view/view.h"
#include "view/view_priv.h"

#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "eval/literal.h"
#include "eval/member.h"
#include "il/vm.h"
#include "target/target.h"
#include "types/methodref.h"

/* ---- Values of F# as F# writes them -------------------------------------- */

/*
 * { Name = "Ann"; Age = 30 }, Box (3, 4), Some 6, [1; 2; 3]. What a type is in
 * F# is told by an attribute that its compiler adds, CompilationMapping
 * (FSharp.Core's SourceConstructFlags).
 */

#define MAPPING_NAME "Microsoft.FSharp.Core.CompilationMappingAttribute"
#define TAG_NONE UINT64_MAX

enum {
	ASCII_SMALL = 0x20,
	MAPPING_UNION = 1,
	MAPPING_RECORD = 2,
	MAPPING_EXCEPTION = 5,
	MAPPING_MODULE = 7,
	MAPPING_KIND = 31,
	BLOB_FLAGS = 2, /* behind the prolog of the attribute's value */
	BLOB_CASE = 6,  /* of a property: the number of its case */
	BASES_MAX = 3,  /* a case derives from its union */
	ITEMS_MAX = 100,
	FSHARP_LINE_MAX = 1000,
	NOTHING_BELOW = 1 << 16,
};

static void view_text_at(const struct view *w, const struct value *v, int depth,
			 struct str *out);

static unsigned int mapping(const struct type *type)
{
	struct bytes blob;

	if (!type->module || !type->token ||
	    !md_has_attribute(&type->module->md, type->token, MAPPING_NAME,
			      &blob) ||
	    blob.n <= BLOB_FLAGS)
		return 0;
	return blob.p[BLOB_FLAGS] & MAPPING_KIND;
}

bool fsharp_is_module(const struct type *type)
{
	return mapping(type) == MAPPING_MODULE;
}

/* Is it an F# option, whose null is None? */
static bool fsharp_is_option(const struct type *type)
{
	return str_starts(value_type_name(type),
			  "Microsoft.FSharp.Core.FSharpOption<");
}

bool fsharp_is_list(const struct type *type)
{
	return str_starts(value_type_name(type),
			  "Microsoft.FSharp.Collections.FSharpList<");
}

static bool field_value(const struct view *w, const struct value *v,
			const char *name, struct value *ret)
{
	const struct field *f = value_type_field(w->values, v->type, name);

	if (f && f->kind == FIELD_INSTANCE)
		*ret = value_field(w->values, v, f);
	return f && f->kind == FIELD_INSTANCE;
}

// [1; 2; 3]: cells with a head, up to one without a tail.
static void add_list(const struct view *w, const struct value *v, int depth,
		     struct str *out)
{
	struct value at = *v, head, tail;

	str_addc(out, '[');
	for (int i = 0; field_value(w, &at, "tail", &tail) &&
			!value_is_null(w->values, &tail);
	     i++) {
		str_add(out, i ? "; " : "");
		if (i == ITEMS_MAX || out->len > FSHARP_LINE_MAX) {
			str_add(out, "...");
			break;
		}
		if (field_value(w, &at, "head", &head))
			view_text_at(w, &head, depth + 1, out);
		at = value_dereference(w->values, &tail);
		if (at.where == VALUE_ABSENT)
			break;
	}
	str_addc(out, ']');
}

static void add_record(const struct view *w, const struct value *v, int depth,
		       struct str *out)
{
	const struct field *fields;
	size_t n, shown = 0;

	value_type_fields(w->values, v->type, &fields, &n);
	str_add(out, "{ ");
	for (size_t i = 0; i < n && out->len <= FSHARP_LINE_MAX; i++) {
		if (fields[i].kind != FIELD_INSTANCE || !fields[i].source)
			continue;
		struct value at = value_field(w->values, v, &fields[i]);
		str_addf(out, "%s%s = ", shown++ ? "; " : "", fields[i].source);
		view_text_at(w, &at, depth + 1, out);
	}
	str_add(out, " }");
}

// Append the one value of a union case behind the case's name, in parentheses
// if it has several words.
static void add_one(const struct view *w, const struct value *v, int depth,
		    struct str *out)
{
	_cleanup_str_ struct str text = {0};

	view_text_at(w, v, depth + 1, &text);
	bool words =
	    strchr(str_get(&text), ' ') && !strchr("([{\"'", *str_get(&text));
	str_addf(out, words ? " (%s)" : " %s", str_get(&text));
}

// A field is named after its property: _radius, item of Item.
static bool is_behind(const char *field, const char *property)
{
	field += *field == '_';
	return *field && *property &&
	       (*field | ASCII_SMALL) == (*property | ASCII_SMALL) &&
	       !strcmp(field + 1, property + 1);
}

// Has the struct @type the field @f for its case @tag? The property tells.
static bool is_of_case(const struct type *type, const struct field *f,
		       uint64_t tag)
{
	const struct md *md = &type->module->md;
	struct bytes blob;
	uint32_t first, end;

	md_type_properties(md, MD_TOKEN_RID(type->token), &first, &end);
	for (uint32_t i = first; i < end; i++) {
		uint32_t r = md_member(md, MD_LIST_PROPERTIES, i);

		if (!is_behind(f->name, md_col_string(md, MD_PROPERTY, r, 1)))
			continue;
		return md_has_attribute(md, MD_TOKEN(MD_PROPERTY, r),
					MAPPING_NAME, &blob) &&
		       blob.n > BLOB_CASE && blob.p[BLOB_CASE] == tag;
	}
	return false;
}

static bool is_data(const struct value *v, const struct field *f, uint64_t tag)
{
	return f->kind == FIELD_INSTANCE && f->source &&
	       strcmp(f->name, "_tag") &&
	       (tag == TAG_NONE || is_of_case(v->type, f, tag));
}

// Append the data of a union case: nothing, one value, or several as a tuple. A
// struct union has the fields of all cases; those of the case @tag are its
// data.
static void add_case(const struct view *w, const struct value *v, uint64_t tag,
		     int depth, struct str *out)
{
	const struct field *fields;
	size_t n, n_data = 0, shown = 0;

	value_type_fields(w->values, v->type, &fields, &n);
	for (size_t i = 0; i < n; i++)
		n_data += is_data(v, &fields[i], tag);
	str_add(out, n_data > 1 ? " (" : "");
	for (size_t i = 0; i < n; i++) {
		if (!is_data(v, &fields[i], tag))
			continue;
		struct value at = value_field(w->values, v, &fields[i]);
		if (n_data == 1) {
			add_one(w, &at, depth, out);
			return;
		}
		str_add(out, shown++ ? ", " : "");
		view_text_at(w, &at, depth + 1, out);
	}
	str_add(out, n_data > 1 ? ")" : "");
}

// The case by its number: a constant of the nested class Tags.
static const char *tag_name(const struct type *type, uint64_t tag)
{
	const struct md *md = &type->module->md;
	uint32_t rid = MD_TOKEN_RID(type->token);
	uint32_t first, end;
	uint64_t i = 0;

	for (uint32_t r = 1; r <= md_rows(md, MD_TYPEDEF); r++) {
		if (strcmp(md_col_string(md, MD_TYPEDEF, r, 1), "Tags") ||
		    md_enclosing(md, r) != rid)
			continue;
		md_type_fields(md, r, &first, &end);
		// in the order of their numbers
		for (uint32_t f = first; f < end; f++, i++)
			if (i == tag)
				return md_col_string(
				    md, MD_FIELD,
				    md_member(md, MD_LIST_FIELDS, f), 1);
	}
	return NULL;
}

static bool add_union(const struct view *w, const struct value *v,
		      struct type *base, int depth, struct str *out)
{
	struct value field;
	uint64_t tag;
	const char *name = type_simple_name(v->type);

	if (fsharp_is_option(v->type)) {
		str_add(out, "Some");
		add_case(w, v, TAG_NONE, depth, out);
		return true;
	}
	// a class of its own, or the only case, which is named as its union is
	if (base != v->type || !field_value(w, v, "_tag", &field)) {
		size_t n = strcspn(name + (*name == '_'), "`");
		str_addn(out, name + (*name == '_'), n);
		add_case(w, v, TAG_NONE, depth, out);
		return true;
	}
	if (!value_integer(w->values, &field, &tag))
		return false;
	name = tag_name(base, tag);
	if (!name)
		return false;
	str_add(out, name);
	add_case(w, v, tag, depth, out);
	return true;
}

/*
 * Append a record, union, option, list or reference cell of F# as F# writes
 * it; false: @seen is none of these.
 */
static bool fsharp_text(const struct view *w, const struct value *seen,
			int depth, struct str *out)
{
	struct type *type = seen->type;

	if (fsharp_is_list(type)) {
		add_list(w, seen, depth, out);
		return true;
	}
	for (int i = 0; type && i < BASES_MAX; i++) {
		switch (mapping(type)) {
		case MAPPING_RECORD:
			add_record(w, seen, depth, out);
			return true;
		case MAPPING_UNION:
			return add_union(w, seen, type, depth, out);
		}
		type = type->is_reference ? value_type_parent(w->values, type)
					  : NULL;
	}
	return false;
}

/*
 * The message of an F# exception, `exception Bad of string * int`, as F# makes
 * it by reflection: Bad ("text", 1). False: it is none.
 */
static bool fsharp_exception_text(const struct view *w,
				  const struct value *seen, struct str *out)
{
	if (mapping(seen->type) != MAPPING_EXCEPTION)
		return false;
	str_add(out, type_simple_name(seen->type));
	add_case(w, seen, TAG_NONE, 0, out);
	return true;
}

/* ---- Messages of exceptions whose class makes them itself ---------------- */

/* The override of Exception.Message; NULL: it is Exception's own. */
static struct type_method *override_of_message(const struct view *w,
					       const struct value *seen)
{
	struct types *ts = vm_types(w->vm);
	struct type *type = value_type_exact(seen->type);
	struct type *base = type_core(ts, "System.Exception");
	struct type_method *found = NULL, *m = NULL;

	if (type && base)
		m = type_method_named(ts, base, "get_Message", 0);
	if (!m || dbg_err_drop(type_method_virtual(ts, m, type, &found)) ||
	    found == m)
		return NULL;
	return found;
}

/* The field that Exception.Message returns. */
static struct value message_field(const struct view *w,
				  const struct value *seen)
{
	const struct field *f =
	    value_type_field(w->values, seen->type, "_message");

	if (!f)
		return value_absent(NULL, WHY_NONE, 0);

	struct value v = value_field(w->values, seen, f);

	return value_dereference(w->values, &v);
}

bool view_fsharp_message(const struct view *w, const struct value *seen,
			 struct value *ret)
{
	_cleanup_str_ struct str text = {0};

	if (!fsharp_exception_text(w, seen, &text))
		return false;
	uint16_t *units = arena_calloc(w->arena, text.len + 1, sizeof(*units));
	size_t n = literal_units(str_get(&text), units);

	*ret = value_text(w->values, units, n);
	return true;
}

struct value view_exception_message(const struct view *w,
				    const struct value *seen, bool *ret_own)
{
	struct type_method *m = w->vm ? override_of_message(w, seen) : NULL;
	struct value field = message_field(w, seen);
	struct value made;
	struct outcome o;

	*ret_own = m;
	if (!m)
		return field;
	if (view_fsharp_message(w, seen, &made))
		return made;
	interpret_call(w, m, seen, &o);
	if (!o.why && !o.thrown && o.value.where != VALUE_ABSENT &&
	    !vm_named_texts(w->vm))
		return value_dereference(w->values, &o.value);
	// what it would make of nothing is not known
	return field.where != VALUE_ABSENT && value_is_null(w->values, &field)
		   ? value_absent(NULL, WHY_NONE, 0)
		   : field;
}

/* ---- Enumerations ---------------------------------------------------- */

/*
 * Values of enums as text: the constant of that value, else, where the type has
 * [Flags], the constants whose bits make it up, largest first, else the number.
 */

static void add_name(const struct view *w, const struct type *type,
		     const char *name, struct str *out)
{
	if (!w->editor && !w->display)
		str_addf(out, "%s.", type_simple_name(type));
	str_add(out, name);
}

/*
 * Names that together make @value: the largest first, as Enum.ToString()
 * does. False if something is left over.
 */
static bool add_flags(const struct view *w, const struct type *type,
		      const struct enumerator *all, size_t n_all,
		      uint64_t value, struct str *out)
{
	uint64_t left = value;
	const char **used = arena_calloc(w->arena, n_all + 1, sizeof(used[0]));
	size_t n = 0;
	for (size_t i = n_all; i-- > 0;) {
		if (!all[i].value || (left & all[i].value) != all[i].value)
			continue;
		left &= ~all[i].value;
		used[n++] = all[i].name;
	}
	if (left || !value)
		return false;
	while (n-- > 0) {
		add_name(w, type, used[n], out);
		if (n)
			str_add(out, " | ");
	}
	return true;
}

// A core lacks memory that the program had, but for addresses that no program
// has anything at (vm.mmap_min_addr).
static void show_unreadable(const struct view *w, const struct value *v,
			    struct str *out)
{
	if (v->addr >= NOTHING_BELOW &&
	    !target_can(values_target(w->values), TARGET_RUN))
		str_add(out, "<not in the core>");
	else
		str_addf(out, "<cannot read 0x%" PRIx64 ">", v->addr);
}

/* "Color.Red", "Access.Read | Access.Run" or the number. */
static void enum_text(const struct view *w, const struct value *seen,
		      struct str *out)
{
	struct type *type = seen->type;
	const struct enumerator *all;
	size_t n;
	bool flags;
	uint64_t value;
	if (!value_integer(w->values, seen, &value)) {
		show_unreadable(w, seen, out);
		return;
	}
	value_type_enumerators(w->values, type, &all, &n, &flags);
	for (size_t i = 0; i < n; i++) {
		if (all[i].value == value) {
			add_name(w, type, all[i].name, out);
			return;
		}
	}
	struct str names = {0};
	if (flags && add_flags(w, type, all, n, value, &names))
		str_add(out, str_get(&names));
	else if (elem_is_signed(type->elem))
		str_addf(out, "%" PRId64, (int64_t)value);
	else
		str_addf(out, "%" PRIu64, value);
	str_deinit(&names);
}

/* ---- Values ---------------------------------------------------------- */

enum {
	DEPTH_MAX = 3,    // of structs
	NESTING_MAX = 16, // of tuples
	FIELDS_MAX = 12,
	LINE_MAX = 1000,          // where a line stops taking more fields
	STRING_MAX = 1024 * 1024, // units, whatever the setting says
	TARGETS_MAX = 4,
};

static void show(const struct view *w, const struct value *v, int depth,
		 struct str *out);

/* A union (C# 15) is shown as what it holds: the object in its Value. */
static struct value open_union(const struct view *w, const struct value *at)
{
	bool found;
	if (w->raw || at->where == VALUE_ABSENT || !type_is_union(at->type) ||
	    value_is_null(w->values, at))
		return *at;
	const struct field *f =
	    value_type_property(w->values, at->type, "Value", &found);
	if (!f || f->kind != FIELD_INSTANCE)
		return *at;
	struct value content = value_field(w->values, at, f);
	return value_dereference(w->values, &content);
}

struct value view_open(const struct view *w, const struct value *at)
{
	bool null;
	struct value inner = *at;
	if (at->where != VALUE_ABSENT &&
	    at->type->special == TYPE_SPECIAL_NULLABLE)
		inner = member_unwrap(w->values, at, &null);
	return open_union(w, &inner);
}

struct value view_seen(const struct view *w, const struct value *v)
{
	struct value at = value_dereference(w->values, v);
	return view_open(w, &at);
}

bool view_elements(const struct view *w, const struct value *seen,
		   struct elements *ret)
{
	return seen->where != VALUE_ABSENT &&
	       value_elements(w->values, seen, ret);
}

/* ---- Absence --------------------------------------------------------- */

static void show_absent(const struct view *w, const struct value *v,
			struct str *out)
{
	switch (v->why) {
	case WHY_OPTIMIZED:
		str_add(out, "<optimized out>");
		return;
	case WHY_NOT_IN_CORE:
		str_add(out, "<not in the core>");
		return;
	case WHY_UNREADABLE:
		show_unreadable(w, v, out);
		return;
	case WHY_UNLOADED:
		str_addf(out, "<type '%s' is not loaded>",
			 v->type ? value_type_name(v->type) : "?");
		return;
	case WHY_UNINIT:
		str_add(out, "<class not initialized>");
		return;
	case WHY_THREAD:
		str_add(out, "<not set in this thread>");
		return;
	case WHY_NOT_OBJECT:
		str_addf(out, "<no object at 0x%" PRIx64 ">", v->addr);
		return;
	case WHY_NONE:
		str_add(out, "<no value>");
		return;
	}
}

/* ---- Primitives ------------------------------------------------------ */

/*
 * Show an address or handle; one that is of the interpreter's is in an object
 * that an expression made, and is nothing in the program.
 */
static bool show_imaginary(const struct view *w, uint64_t raw, struct str *out)
{
	if (!vm_is_imaginary(values_types(w->values), raw))
		return false;
	str_add(out, "<known to dndbg only>");
	return true;
}

static void show_integer(const struct view *w, const struct value *v,
			 uint64_t raw, struct str *out)
{
	if ((v->type->elem == ELEM_I || v->type->elem == ELEM_U) &&
	    show_imaginary(w, raw, out))
		return;
	switch (v->type->elem) {
	case ELEM_BOOLEAN:
		str_add(out, raw ? "true" : "false");
		return;
	case ELEM_CHAR:
		if (w->editor)
			str_addf(out, "%u ", (unsigned int)(uint16_t)raw);
		literal_char((uint16_t)raw, out);
		return;
	case ELEM_U1:
	case ELEM_U2:
	case ELEM_U4:
	case ELEM_U8:
	case ELEM_U:
		str_addu(out, raw);
		return;
	default:
		if ((int64_t)raw < 0)
			str_addc(out, '-');
		str_addu(out, (int64_t)raw < 0 ? -raw : raw);
		return;
	}
}

static void show_prim(const struct view *w, const struct value *v,
		      struct str *out)
{
	uint64_t raw;
	double d;
	float f;
	if (v->type->elem == ELEM_R8 &&
	    value_read(w->values, v, 0, &d, sizeof(d)))
		literal_double(d, out);
	else if (v->type->elem == ELEM_R4 &&
		 value_read(w->values, v, 0, &f, sizeof(f)))
		literal_float(f, out);
	else if (value_integer(w->values, v, &raw))
		show_integer(w, v, raw, out);
	else
		show_unreadable(w, v, out);
}

static void show_pointer(const struct view *w, const struct value *v,
			 struct str *out)
{
	uint64_t addr;
	if (!value_pointer(w->values, v, &addr)) {
		show_unreadable(w, v, out);
		return;
	}
	if (!addr)
		str_add(out, "null");
	else if (!show_imaginary(w, addr, out))
		str_addf(out, "0x%" PRIx64, addr);
	uint64_t method = addr && !v->type->inner
			      ? value_function_method(w->values, addr)
			      : 0;
	if (method)
		str_addf(out, " <%s>",
			 code_method_name(values_code(w->values), method, true,
					  w->arena));
}

/* ---- Strings --------------------------------------------------------- */

static void show_string(const struct view *w, const struct value *v,
			struct str *out)
{
	uint32_t length;
	if (!value_string_length(w->values, v, &length)) {
		show_unreadable(w, v, out);
		return;
	}
	uint32_t max =
	    w->elements && w->elements < STRING_MAX ? w->elements : STRING_MAX;
	uint32_t n = length < max ? length : max;
	uint16_t *units = xcalloc((size_t)n + 1, sizeof(units[0]));
	if (value_string_read(w->values, v, 0, units, n))
		literal_string(units, n, n < length, out);
	else
		show_unreadable(w, v, out);
	mem_free_ptr(&units);
}

/* Characters in a row: spans of char are text. */
static void show_chars(const struct view *w, const struct elements *els,
		       struct str *out)
{
	uint64_t max =
	    w->elements && w->elements < STRING_MAX ? w->elements : STRING_MAX;
	uint64_t n = els->n < max ? els->n : max;
	struct value at = value_memory(els->type, els->addr);
	uint16_t *units = xcalloc(n + 1, sizeof(units[0]));
	if (!n || value_read(w->values, &at, 0, units, n * sizeof(units[0])))
		literal_string(units, n, n < els->n, out);
	else
		show_unreadable(w, &at, out);
	mem_free_ptr(&units);
}

/* ---- Rows ------------------------------------------------------------ */

/* Offset of the outermost rank in the name of an array type. */
static size_t rank_start(const char *name)
{
	int depth = 0;
	for (size_t i = 0; name[i]; i++) {
		if (name[i] == '<' || name[i] == '(')
			depth++;
		else if (name[i] == '>' || name[i] == ')')
			depth--;
		else if (name[i] == '[' && depth == 0)
			return i;
	}
	return strlen(name);
}

static void add_lengths(const struct elements *els, struct str *out)
{
	for (uint32_t i = 0; i < els->rank; i++) {
		if (i)
			str_add(out, ", ");
		if (els->plain || els->lower[i] == 0)
			str_addf(out, "%u", els->lengths[i]);
		else
			str_addf(out, "%d..%" PRId64, els->lower[i],
				 (int64_t)els->lower[i] + els->lengths[i] - 1);
	}
}

static void show_row(const struct value *v, const struct elements *els,
		     struct str *out)
{
	const char *name = value_type_name(v->type);
	// A buffer's own type is the compiler's.
	if (value_type_is_compiler_made(v->type) && els->type)
		name = value_type_name(els->type);
	size_t at =
	    v->type->kind == TYPE_KIND_ARRAY ? rank_start(name) : strlen(name);
	str_addc(out, '{');
	str_addn(out, name, at);
	str_addc(out, '[');
	add_lengths(els, out);
	str_addc(out, ']');
	if (name[at]) {
		const char *close = strchr(name + at, ']');
		str_add(out, close ? close + 1 : "");
	}
	str_addc(out, '}');
}

/* ---- Delegates and exceptions ---------------------------------------- */

static void add_method(const struct view *w, const struct value *v,
		       struct str *out)
{
	uint64_t method = value_delegate_method(w->values, v);
	const char *name = method ? code_method_name(values_code(w->values),
						     method, false, w->arena)
				  : NULL;
	str_add(out, name ? name : value_type_name(v->type));
}

static bool add_targets(const struct view *w, const struct value *v,
			struct str *out)
{
	struct elements els;
	if (!value_delegate_targets(w->values, v, &els))
		return false;
	for (uint64_t i = 0; i < els.n && i < TARGETS_MAX; i++) {
		struct value item = value_delegate_target(w->values, &els, i);
		if (i)
			str_add(out, ", ");
		if (item.where != VALUE_ABSENT && item.type->is_delegate)
			add_method(w, &item, out);
	}
	if (els.n > TARGETS_MAX)
		str_add(out, ", ...");
	return true;
}

static void show_delegate(const struct view *w, const struct value *v,
			  struct str *out)
{
	str_addc(out, '{');
	if (!add_targets(w, v, out))
		add_method(w, v, out);
	str_addc(out, '}');
}

// True: it has no message.
static bool show_exception(const struct view *w, const struct value *v,
			   struct str *out)
{
	bool own;
	struct value text = view_exception_message(w, v, &own);
	bool known = text.where != VALUE_ABSENT;
	bool null = known && value_is_null(w->values, &text);
	str_addf(out, "{%s%s", value_type_name(v->type), known ? ": " : "");
	if (null && own)
		str_add(out, "null");
	else if (null)
		str_addf(out, "\"Exception of type '%s' was thrown.\"",
			 value_type_name(v->type));
	else if (known)
		show_string(w, &text, out);
	str_addc(out, '}');
	return !known;
}

/* ---- Fields ---------------------------------------------------------- */

static void show_tuple(const struct view *w, const struct value *v, int depth,
		       struct str *out)
{
	size_t n = tuple_count(v->type);
	str_addc(out, '(');
	for (size_t i = 0; i < n; i++) {
		if (i)
			str_add(out, ", ");
		if (out->len > LINE_MAX) {
			str_add(out, "...");
			break;
		}
		const char *name = value_element_name(v, i);
		if (name)
			str_addf(out, "%s: ", name);
		struct value item = member_tuple(w->values, v, i);
		show(w, &item, depth + 1, out);
	}
	str_addc(out, ')');
}

/* {X = 1, Y = 2}: instance fields of a struct or anonymous object; any? */
static bool show_fields(const struct view *w, const struct value *v, int depth,
			struct str *out)
{
	const struct field *fields;
	size_t n, shown = 0;
	value_type_fields(w->values, v->type, &fields, &n);
	str_addc(out, '{');
	for (size_t i = 0; i < n; i++) {
		if (fields[i].kind != FIELD_INSTANCE || !fields[i].source)
			continue;
		if (shown)
			str_add(out, ", ");
		if (shown++ >= FIELDS_MAX || out->len > LINE_MAX ||
		    depth >= DEPTH_MAX) {
			str_add(out, "...");
			break;
		}
		str_addf(out, "%s = ", fields[i].source);
		struct value at = value_field(w->values, v, &fields[i]);
		show(w, &at, depth + 1, out);
	}
	str_addc(out, '}');
	return true;
}

bool view_is_text(const struct elements *els)
{
	return els->type && els->type->elem == ELEM_CHAR &&
	       els->type->kind == TYPE_KIND_PRIM;
}

/*
 * Does the text of ToString replace the fields? At the prompt not for the
 * user's own types, which show everything, nor for generic structs, whose
 * fields say more.
 */
static bool says_itself(const struct view *w, const struct type *type)
{
	return w->editor || (!look_is_users(w, type) && !type->n_args);
}

// From here on, functions return true if the text already shows the children,
// see view_priv.h.
static bool show_struct(const struct view *w, const struct value *v, int depth,
			struct str *out)
{
	struct elements els;
	if (fsharp_text(w, v, depth, out))
		return false;
	if (wellknown_scalar(v->type)) {
		if (!wellknown_text(w, v, out))
			show_unreadable(w, v, out);
	} else if (v->type->special == TYPE_SPECIAL_NULLABLE) {
		str_add(out, "null");
	} else if (v->type->special == TYPE_SPECIAL_TUPLE) {
		show_tuple(w, v, depth, out);
	} else if (view_elements(w, v, &els)) {
		if (!view_is_text(&els)) {
			show_row(v, &els, out);
			return true;
		}
		show_chars(w, &els, out);
	} else if (display_own(w, v, out)) {
		return false;
	} else if (says_itself(w, v->type) && display_text(w, v, out)) {
		return false;
	} else if (w->editor) {
		str_addf(out, "{%s}", value_type_name(v->type));
		return true;
	} else {
		return show_fields(w, v, depth, out);
	}
	return false;
}

/*
 * System.Tuple: its items, including the items of the nested tuple that is its
 * eighth.
 */
static void show_tuple_class(const struct view *w, const struct value *v,
			     int depth, struct str *out)
{
	const struct field *fields;
	size_t n, shown = 0;
	value_type_fields(w->values, v->type, &fields, &n);
	str_addc(out, '(');
	for (size_t i = 0; i < n && out->len <= LINE_MAX; i++) {
		if (fields[i].kind != FIELD_INSTANCE || !fields[i].source)
			continue;
		struct value at = value_field(w->values, v, &fields[i]);
		str_add(out, shown++ ? ", " : "");
		show(w, &at, depth + 1, out);
	}
	str_addc(out, ')');
}

static bool is_anonymous(const struct type *type)
{
	return str_starts(type_simple_name(type), "<>f__AnonymousType") ||
	       str_starts(type_simple_name(type), "VB$AnonymousType_");
}

/* System.RuntimeType holds the MethodTable of what it stands for. */
static bool show_type_object(const struct view *w, const struct value *v,
			     struct str *out)
{
	if (strcmp(value_type_name(v->type), "System.RuntimeType"))
		return false;
	const struct field *f =
	    value_type_field(w->values, v->type, "m_handle");
	uint64_t mt;
	if (!f)
		return false;
	struct value handle = value_field(w->values, v, f);
	struct type *type = value_pointer(w->values, &handle, &mt)
				? value_type_of_mt(w->values, mt)
				: NULL;
	if (type)
		str_addf(out, "typeof(%s)", value_type_name(type));
	return type != NULL;
}

static bool show_object(const struct view *w, const struct value *v, int depth,
			struct str *out)
{
	struct elements els;
	if (v->type->special == TYPE_SPECIAL_STRING) {
		show_string(w, v, out);
	} else if (fsharp_text(w, v, depth, out)) {
		return false;
	} else if (v->type->kind == TYPE_KIND_ARRAY &&
		   view_elements(w, v, &els)) {
		show_row(v, &els, out);
		return true;
	} else if (value_type_is_tuple_class(v->type)) {
		show_tuple_class(w, v, depth, out);
	} else if (is_anonymous(v->type)) {
		return show_fields(w, v, depth, out);
	} else if (v->type->is_delegate && !w->delegate_types) {
		show_delegate(w, v, out);
	} else if (!w->exception_types &&
		   value_type_is_exception(w->values, v->type)) {
		return show_exception(w, v, out);
	} else if (show_type_object(w, v, out) || display_own(w, v, out)) {
		return false;
	} else if (display_text(w, v, out)) {
		return look_is_users(w, v->type);
	} else {
		str_addf(out, "{%s}", value_type_name(v->type));
		return true;
	}
	return false;
}

/* ---- The whole ------------------------------------------------------- */

/* Integers in the format that is asked for. */
static bool is_formatted(const struct view *w, const struct value *v,
			 struct str *out)
{
	enum elem elem = v->type->elem;
	return w->letter && elem != ELEM_BOOLEAN && elem != ELEM_R4 &&
	       elem != ELEM_R8 &&
	       !dbg_err_drop(view_format(w, v, w->letter, out));
}

static bool show_seen(const struct view *w, const struct value *seen, int depth,
		      struct str *out)
{
	if (seen->where == VALUE_ABSENT) {
		show_absent(w, seen, out);
		return false;
	}
	if (depth > NESTING_MAX) {
		str_add(out, "...");
		return false;
	}
	const struct type *type = seen->type;
	if (type->is_reference && !value_is_null(w->values, seen))
		return show_object(w, seen, depth, out);
	if (type->kind == TYPE_KIND_STRUCT)
		return show_struct(w, seen, depth, out);
	if (type->is_reference)
		str_add(out, fsharp_is_option(type) ? "None" : "null");
	else if (type_is_pointer(type))
		show_pointer(w, seen, out);
	else if (!type->is_value || type->elem == ELEM_VOID)
		str_add(out, "<no value>");
	else if (is_formatted(w, seen, out))
		;
	else if (type->kind == TYPE_KIND_ENUM)
		enum_text(w, seen, out);
	else
		show_prim(w, seen, out);
	return false;
}

static void show(const struct view *w, const struct value *v, int depth,
		 struct str *out)
{
	struct value seen = view_seen(w, v);
	show_seen(w, &seen, depth, out);
}

/* As view_text, of a part of another value, @depth levels inside of it. */
static void view_text_at(const struct view *w, const struct value *v, int depth,
			 struct str *out)
{
	if (depth > DEPTH_MAX)
		str_add(out, "...");
	else
		show(w, v, depth, out);
}

bool view_text_seen(const struct view *w, const struct value *seen,
		    struct str *out)
{
	return show_seen(w, seen, 0, out);
}

void view_text(const struct view *w, const struct value *v, struct str *out)
{
	show(w, v, 0, out);
}
