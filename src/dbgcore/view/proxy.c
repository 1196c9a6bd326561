/* Proxies and what they show; see proxy.h. */
#include "view/proxy.h"
#include "view/cache.h"
#include "view/view_priv.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- Calls into the machine for views ------------------------------------ */

enum {
	SIZE_MAX_ARG = 1024, // bytes of a struct that is handed over
	ARGS_MAX = 2,
};

static const struct vm_budget one_of_many = {.instructions = 5000000,
					     .memory = 64 << 20,
					     .depth = 2000,
					     .ms = 250,
					     .keeps = true};
static const struct vm_budget of_rows = {.keeps = true};

/* ---- Values into the machine ----------------------------------------- */

static uint64_t put_word(struct vm *vm, uint64_t word)
{
	uint64_t at = vm_room(vm, sizeof(word));
	return at && vm_write(vm, at, &word, sizeof(word)) ? at : 0;
}

/* The bytes of a struct or primitive, where the machine can reach them. */
static uint64_t put_bytes(const struct view *w, struct type *type,
			  const struct value *v)
{
	const struct type_layout *layout;
	uint8_t bytes[SIZE_MAX_ARG];
	if (v->where == VALUE_MEMORY)
		return v->addr;
	if (dbg_err_drop(type_layout(vm_types(w->vm), type, &layout)) ||
	    layout->size > sizeof(bytes) ||
	    !value_read(w->values, v, 0, bytes, layout->size))
		return 0;
	uint64_t at = vm_room(w->vm, layout->size + 8);
	return at && vm_write(w->vm, at, bytes, layout->size) ? at : 0;
}

static uint64_t put_box(const struct view *w, struct type *type,
			const struct value *v)
{
	const struct type_layout *layout;
	uint8_t bytes[SIZE_MAX_ARG];
	if (dbg_err_drop(type_layout(vm_types(w->vm), type, &layout)) ||
	    layout->size > sizeof(bytes) ||
	    !value_read(w->values, v, 0, bytes, layout->size))
		return 0;
	uint64_t box = vm_new(w->vm, type);
	if (!box || !vm_write(w->vm, box + 8, bytes, layout->size))
		return 0;
	return put_word(w->vm, box);
}

/* A place that holds @v for a parameter of type @to (NULL: `this`); 0: none. */
static uint64_t argument_put(const struct view *w, const struct type *to,
			     const struct value *v)
{
	uint64_t object;
	struct type *type = value_type_exact(v->type);
	if (!type || v->where == VALUE_ABSENT)
		return 0;
	if (v->where == VALUE_TEXT) {
		object = vm_new_string(w->vm, v->units, v->n_units);
		return object ? put_word(w->vm, object) : 0;
	}
	if (!type->is_reference)
		return to && to->is_reference ? put_box(w, type, v)
					      : put_bytes(w, type, v);
	return value_pointer(w->values, v, &object) ? put_word(w->vm, object)
						    : 0;
}

/* ---- Executing ------------------------------------------------------- */

static void outcome_fail(const struct view *w, struct dbg_error *err,
			 struct outcome *ret)
{
	ret->why = arena_strdup(w->arena, err ? err->message : "it has no end");
	dbg_error_destroy(err);
}

static void run(const struct view *w, struct type_method *m,
		const struct vm_value *args, size_t n,
		const struct vm_budget *budget, struct outcome *ret)
{
	struct vm_result r = {0};
	struct types *ts = vm_types(w->vm);
	memset(ret, 0, sizeof(*ret));
	ret->value = value_absent(NULL, WHY_NONE, 0);
	vm_set_thread(w->vm, w->thread);
	struct dbg_error *err = vm_begin(w->vm, m, args, n, budget);
	if (err) {
		outcome_fail(w, err, ret);
		return;
	}
	vm_run(w->vm, 0, &r);
	ret->spent = r.state == VM_SPENT || r.state == VM_MORE;
	ret->thrown = r.state == VM_THROWN;
	ret->refused = r.state == VM_CALL || r.state == VM_REFUSED;
	if (r.state != VM_DONE && r.state != VM_THROWN) {
		outcome_fail(w, r.error, ret);
		return;
	}
	if (r.value.type->elem == ELEM_VOID)
		return;
	struct type *type = value_type_closed(r.value.type);
	if (!type) {
		ret->why = arena_printf(w->arena, "type '%s' is not known",
					type_name(ts, r.value.type));
		return;
	}
	ret->value = value_memory(type, r.value.addr);
	ret->value.fixed = true;
}

static void unreadable(struct outcome *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->value = value_absent(NULL, WHY_NONE, 0);
	ret->why = "the object cannot be read";
}

void interpret_call(const struct view *w, struct type_method *m,
		    const struct value *self, struct outcome *ret)
{
	struct vm_value arg = {.type = value_type_exact(self->type)};
	// a struct that a method of its base is called on has to be boxed
	const struct type *owner = m->owner;
	arg.addr = argument_put(w, owner->is_value ? NULL : owner, self);
	if (arg.addr)
		run(w, m, &arg, 1, &one_of_many, ret);
	else
		unreadable(ret);
}

/* Call @m, static, without parameters. */
static void interpret_static(const struct view *w, struct type_method *m,
			     struct outcome *ret)
{
	run(w, m, NULL, 0, &one_of_many, ret);
}

/*
 * A new object of the class of @constructor, given the settled @arg. What is
 * asked for alone may take longer than one of many.
 */
static void interpret_new(const struct view *w, struct type_method *constructor,
			  const struct value *v, struct outcome *ret)
{
	struct vm_value args[ARGS_MAX];
	struct types *ts = vm_types(w->vm);
	const struct type_sig *sig;
	uint64_t object = vm_new(w->vm, constructor->owner);
	unreadable(ret);
	if (!object || dbg_err_drop(type_method_sig(ts, constructor, &sig)) ||
	    sig->n_params != 1)
		return;
	args[0].type = constructor->owner;
	args[0].addr = put_word(w->vm, object);
	args[1].type = sig->params[0];
	args[1].addr = argument_put(w, sig->params[0], v);
	if (!args[0].addr || !args[1].addr)
		return;
	run(w, constructor, args, ARGS_MAX, &of_rows, ret);
	if (!ret->why && !ret->thrown)
		ret->value = value_object(w->values, object);
}

/* ---- Proxies and what they show ------------------------------------------ */

enum {
	COUNT_MAX = INT32_MAX,
	NESTING_MAX = 4, // of collections that stand for others
};

/* ---- Members --------------------------------------------------------- */

/* Text shown in place of a value or of rows, in angle brackets. */
static const char *in_place(const struct view *w, const char *why)
{
	return arena_printf(w->arena, "<%s>", why);
}

const char *member_value(const struct view *w, const struct member *m,
			 const struct value *self, struct value *ret,
			 bool *ret_refused)
{
	struct outcome o;
	*ret_refused = false;
	if (m->field && !m->getter) {
		*ret = m->is_static
			   ? value_static(w->values, m->field, w->thread)
			   : value_field(w->values, self, m->field);
		return NULL;
	}
	if (m->is_static) {
		interpret_static(w, m->getter, &o);
	} else {
		struct types *ts = vm_types(w->vm);
		struct type *type = value_type_exact(self->type);
		struct type_method *found = m->getter;
		if (type && dbg_err_drop(type_method_virtual(ts, m->getter,
							     type, &found)))
			found = m->getter;
		interpret_call(w, found, self, &o);
	}
	*ret = o.value;
	*ret_refused = o.refused;
	if (o.why && !strcmp(m->name, "Message") &&
	    view_fsharp_message(w, self, ret)) {
		*ret_refused = false;
		return NULL;
	}
	if (!o.thrown)
		return o.why ? in_place(w, o.why) : NULL;
	struct value thrown = value_dereference(w->values, &o.value);
	return arena_printf(w->arena, "'%s' threw an exception of type '%s'",
			    m->name,
			    thrown.type ? value_type_name(thrown.type) : "?");
}

static bool is_root(const struct member *m)
{
	return m->browse == BROWSE_ROOT_HIDDEN && !m->is_static && !m->hidden;
}

/*
 * Find the member of a proxy whose elements stand for the whole: a public one
 * if there is one. F#'s proxies hide their rows from other assemblies, so their
 * only member is not public.
 */
static const struct member *root_member(const struct view *w, struct look *look)
{
	const struct member *all, *other = NULL;
	size_t n;
	look_members(w, look, &all, &n);
	for (size_t i = 0; i < n; i++) {
		if (!is_root(&all[i]))
			continue;
		if (all[i].is_public)
			return &all[i];
		if (!other)
			other = &all[i];
	}
	return other;
}

/* ---- Making ---------------------------------------------------------- */

static void make_subject(const struct view *w, const struct look *look,
			 const struct value *seen, struct proxy *p)
{
	struct outcome o;
	p->subject = *seen;
	p->look = (struct look *)look;
	if (!look->proxy)
		return;
	interpret_new(w, look->proxy, seen, &o);
	if (o.why || o.thrown || o.value.where == VALUE_ABSENT) {
		p->why =
		    in_place(w, o.why ? o.why : "its proxy threw an exception");
		return;
	}
	p->subject = o.value;
	p->look = look_get(w, o.value.type);
	p->is_proxy = true;
	if (!p->look)
		p->why = "<the type of its proxy is not known>";
}

static void make_rows(const struct view *w, struct proxy *p)
{
	const struct member *m =
	    p->look && !p->why ? root_member(w, p->look) : NULL;
	struct value v;
	bool refused;
	p->member = m;
	if (!m)
		return;
	p->why = member_value(w, m, &p->subject, &v, &refused);
	if (p->why)
		return;
	p->root = view_seen(w, &v);
	if (p->root.where == VALUE_ABSENT || value_is_null(w->values, &p->root))
		return;
	p->has_rows = view_elements(w, &p->root, &p->rows);
	if (p->has_rows)
		return;
	// a collection: its own rows
	struct look *look = look_get(w, p->root.type);
	struct view deeper = *w;
	deeper.display++;
	const struct proxy *inner = look && w->display < NESTING_MAX
					? proxy_get(&deeper, look, &p->root)
					: NULL;
	if (inner && inner->has_rows) {
		p->rows = inner->rows;
		p->has_rows = true;
	}
}

static struct proxy *proxy_make(const struct view *w, const struct look *look,
				const struct value *seen)
{
	struct proxy *p = arena_alloc(w->arena, sizeof(*p));
	memset(p, 0, sizeof(*p));
	p->type = look->type;
	make_subject(w, look, seen, p);
	make_rows(w, p);
	return p;
}

/* The key by which the value's proxy is cached; 0: it is not. */
static uint64_t key_of(const struct view *w, const struct value *seen)
{
	uint64_t addr;
	if (!seen->type->is_reference)
		return seen->where == VALUE_MEMORY ? seen->addr : 0;
	return value_pointer(w->values, seen, &addr) ? addr : 0;
}

static bool shows_more(const struct view *w, const struct look *look)
{
	return look->proxy || root_member(w, (struct look *)look);
}

const struct proxy *proxy_get(const struct view *w, const struct look *look,
			      const struct value *seen)
{
	if (!shows_more(w, look))
		return NULL;
	uint64_t key = key_of(w, seen);
	struct proxy *p = key ? map_find(&w->cache->proxies, key) : NULL;
	// the first field of a struct has its address
	if (p && p->type == seen->type)
		return p;
	p = proxy_make(w, look, seen);
	if (key)
		map_put(&w->cache->proxies, key, p);
	return p;
}

bool proxy_is_counted(const struct look *look)
{
	return look->count && look->is_sequence;
}

bool proxy_shows_rows(const struct view *w, const struct look *look,
		      const struct value *seen, const struct member *m)
{
	if (proxy_is_counted(look))
		return true;
	const struct proxy *p = proxy_get(w, look, seen);
	return p && p->member == m && (p->has_rows || p->why);
}

bool proxy_count(const struct view *w, const struct look *look,
		 const struct value *seen, uint64_t *ret)
{
	struct outcome o;
	uint64_t key = key_of(w, seen);
	if (!shows_more(w, look))
		return false;
	const struct proxy *p = key ? map_find(&w->cache->proxies, key) : NULL;
	if ((!p || p->type != seen->type) && proxy_is_counted(look)) {
		interpret_call(w, look->count, seen, &o);
		if (!o.why && !o.thrown &&
		    value_integer(w->values, &o.value, ret) &&
		    *ret <= COUNT_MAX)
			return true;
	}
	p = proxy_get(w, look, seen);
	*ret = p->rows.n;
	return p->has_rows;
}

/* ---- Enumeration ----------------------------------------------------- */

/* The part of a List<T> that is in use. */
static bool list_rows(const struct view *w, const struct value *list,
		      struct elements *ret)
{
	const struct field *items =
	    value_type_field(w->values, list->type, "_items");
	const struct field *size =
	    value_type_field(w->values, list->type, "_size");
	uint64_t n;
	if (!items || !size)
		return false;
	struct value all = value_field(w->values, list, items);
	struct value count = value_field(w->values, list, size);
	all = value_dereference(w->values, &all);
	if (!view_elements(w, &all, ret) ||
	    !value_integer(w->values, &count, &n) || n > ret->n)
		return false;
	ret->n = n;
	return true;
}

const struct proxy *proxy_results(const struct view *w, const struct look *look,
				  const struct value *seen)
{
	struct outcome o;
	uint64_t key = key_of(w, seen);
	struct proxy *p = key ? map_find(&w->cache->results, key) : NULL;
	if (!look->list || (p && p->type == seen->type))
		return look->list ? p : NULL;
	p = arena_alloc(w->arena, sizeof(*p));
	memset(p, 0, sizeof(*p));
	p->type = seen->type;
	interpret_new(w, look->list, seen, &o);
	if (o.thrown)
		o.why = "its enumerator threw an exception";
	if (o.why) {
		p->why = in_place(w, o.why);
	} else if (list_rows(w, &o.value, &p->rows)) {
		p->has_rows = true;
	} else {
		// a view, which enumerates when its rows are asked for
		p->subject = o.value;
		p->look = look_get(w, o.value.type);
		make_rows(w, p);
	}
	if (!p->why && !p->has_rows)
		p->why = in_place(w, "the elements cannot be read");
	if (key)
		map_put(&w->cache->results, key, p);
	return p;
}
