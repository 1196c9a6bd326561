/*
 * Calls: sites, frames, and the operations that enter and leave methods.
 * A callee's frame begins at the arguments that its caller has pushed.
 */
#include "dac/objectlayout.h"
#include "il/machine/ops.h"
#include "il/machine/space.h"
#include "il/made.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- Methods that are made, not loaded ----------------------------------- */

/* The method stands first: it is what others see. */
struct made {
	struct type_method method;
	struct made_code code;
	struct type_sig sig;
	struct arena *arena;
	void *slot;
};

enum {
	MADE_RVA = 0xffffffff, // no image has one there
};

struct type_method *made_create(struct arena *arena, const char *name,
				const struct type_sig *sig,
				const struct made_code *code)
{
	struct made *m = arena_alloc(arena, sizeof(*m));
	m->method.name = name;
	m->method.flags = sig->has_this ? 0 : TYPE_METHOD_STATIC;
	m->method.rva = MADE_RVA;
	m->sig = *sig;
	m->arena = arena;
	m->code = *code;
	return &m->method;
}

static const struct made *made_of(const struct type_method *m)
{
	return !m->module && m->rva == MADE_RVA ? (const struct made *)m : NULL;
}

struct arena *made_arena_of(const struct type_method *m)
{
	const struct made *made = made_of(m);
	return made ? made->arena : NULL;
}

/* A place of the machine's own with it. */
static void **made_slot_of(struct type_method *m)
{
	return made_of(m) ? &((struct made *)m)->slot : NULL;
}

const struct made_code *made_code_of(const struct type_method *m)
{
	const struct made *made = made_of(m);
	return made ? &made->code : NULL;
}

const struct type_sig *made_sig_of(const struct type_method *m)
{
	const struct made *made = made_of(m);
	return made ? &made->sig : NULL;
}

/* ---- Objects for calls in the program ------------------------------------ */

/*
 * Objects of the machine's that a call in the program is to be given: it can
 * have the like of them, if all that they lead to is known. Left out are
 * delegates, whose code is the machine's own, and classes of the core library
 * whose objects the runtime itself makes (threads, exceptions); of types it has
 * its own.
 */

static bool is_plain(struct vm *vm, const struct type *type)
{
	return type->is_value || type->module != types_core(vm->ts) ||
	       !strcmp(type_namespace(type), "System.Collections.Generic");
}

/*
 * Describe the object at @addr, which is the interpreter's own; false: the
 * program cannot be given one like it.
 */
static bool own_measure(struct vm *vm, uint64_t addr, struct vm_own *ret)
{
	const struct type_layout *layout, *element;
	struct type *type = object_type(vm, addr);
	uint64_t data;

	if (!type || type->is_delegate ||
	    dbg_err_drop(type_layout(vm->ts, type, &layout)))
		return false;
	*ret = (struct vm_own){.addr = addr, .type = type};
	ret->shown = vm_type_of_object(vm, addr);
	if (ret->shown)
		return true;
	if (type->special == TYPE_SPECIAL_STRING)
		return true;
	ret->size = layout->object;
	if (type->kind != TYPE_KIND_ARRAY)
		return type->module && is_plain(vm, type) &&
		       ret->size <= VM_OWN_BYTES;
	if (type->elem != ELEM_SZARRAY ||
	    !array_data(vm, addr, &data, &ret->n) ||
	    dbg_err_drop(type_layout(vm->ts, type->inner, &element)) ||
	    ret->n > VM_OWN_BYTES || ret->n * element->size > VM_OWN_BYTES)
		return false;
	ret->size += (uint32_t)ret->n * element->size;
	return true;
}

static bool graph_add(struct vm *vm, struct vm_graph *g, uint64_t addr)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].addr == addr)
			return true;
	return g->n < VM_OWN_MAX && own_measure(vm, addr, &g->v[g->n++]);
}

bool vm_graph_add(struct vm *vm, struct vm_graph *g, uint64_t addr)
{
	size_t next = g->n;

	if (!graph_add(vm, g, addr))
		return false;
	for (; next < g->n; next++) {
		const struct vm_own o = g->v[next];

		for (uint32_t at = 0; at + 8 <= o.size; at += 8) {
			uint64_t word;

			if (!vm_read(vm, o.addr + OBJECT_FIELDS + at, &word, 8))
				return false;
			if (vm_owns(vm, word) ? !graph_add(vm, g, word)
					      : vm_is_imaginary(vm->ts, word))
				return false;
		}
	}
	return true;
}

/* ---- Calls --------------------------------------------------------------- */

#define OP(name)                                                               \
	const struct op *name(struct vm *vm, const struct op *i, uint8_t *fp)

enum {
	FRAME_MAX = 1 << 20,
	STACK_SLACK = 4096,
	ENTRIES_SIZE = 1 << 28,
	OWN_DEPTH = 2, // what vm_begin pushes, and the expression
};

/* ---- Sites ------------------------------------------------------------- */

const char *method_text(struct vm *vm, struct type_method *method)
{
	return made_code_of(method) ? method->name
				    : type_method_name(vm->ts, method);
}

struct dbg_error *method_sig(struct vm *vm, struct type_method *method,
			     const struct type_sig **ret)
{
	*ret = made_sig_of(method);
	return *ret ? NULL : type_method_sig(vm->ts, method, ret);
}

struct dbg_error *place_size(struct vm *vm, struct type *type, uint32_t *ret)
{
	const struct type_layout *layout;
	if (type->elem == ELEM_VOID) {
		*ret = 0;
		return NULL;
	}
	struct dbg_error *err = type_layout(vm->ts, type, &layout);
	if (err)
		return err;
	if (layout->size > FRAME_MAX)
		return dbg_err(DBG_E_UNSUPPORTED, "a value of %u bytes",
			       layout->size);
	*ret = layout->size ? (layout->size + 7) & ~7u : 8;
	return NULL;
}

struct dbg_error *site_fill(struct vm *vm, struct site *s)
{
	uint32_t n = 0, total = s->sig->has_this ? 8 : 0;
	for (size_t k = 0; k < s->sig->n_params; k++) {
		struct dbg_error *err = place_size(vm, s->sig->params[k], &n);
		if (err)
			return err;
		total += n;
		if (total > FRAME_MAX)
			return dbg_err(DBG_E_UNSUPPORTED,
				       "arguments of %u bytes", total);
	}
	s->args_size = total;
	return place_size(vm, s->sig->ret, &s->ret_size);
}

/* A class whose static constructor a call of the method has to run first. */
static struct type *initialises(struct type_method *method)
{
	enum {
		BEFORE_FIELD_INIT = 0x100000
	};
	struct type *owner = method->owner;
	bool is_ctor = !strcmp(method->name, ".ctor");
	if (!owner || !method->token || owner->flags & BEFORE_FIELD_INIT ||
	    !strcmp(method->name, ".cctor"))
		return NULL;
	return is_ctor || method->flags & TYPE_METHOD_STATIC ? owner : NULL;
}

struct dbg_error *site_of(struct vm *vm, struct type_method *method,
			  struct site **ret)
{
	void **slot = made_slot_of(method);
	struct site *s = slot ? *slot : map_find(&vm->sites, (uintptr_t)method);
	if (s) {
		*ret = s;
		return NULL;
	}
	s = arena_alloc(slot ? made_arena_of(method) : vm->arena, sizeof(*s));
	s->method = method;
	s->init = initialises(method);
	struct dbg_error *err = method_sig(vm, method, &s->sig);
	if (!err)
		err = site_fill(vm, s);
	if (err)
		return err;
	if (slot)
		*slot = s;
	else
		map_put(&vm->sites, (uintptr_t)method, s);
	*ret = s;
	return NULL;
}

/*
 * The interfaces of arrays are generic methods of a class of their own, for
 * any element type.
 */
static struct type_method *of_elements(struct vm *vm, struct site *s,
				       struct type_method *m)
{
	struct type *of = s->method->owner;
	if (!m->owner || strcmp(type_simple_name(m->owner), "SZArrayHelper") ||
	    !of || of->n_args != 1)
		return m;
	return type_method_instance(vm->ts, m, of->args, 1);
}

struct dbg_error *site_target(struct vm *vm, struct site *s, uint64_t handle,
			      struct site **ret)
{
	struct type_method *target;
	*ret = s->target;
	if (handle == s->handle)
		return NULL;
	struct type *type = type_of_handle(vm->ts, handle);
	if (!type)
		return dbg_err(DBG_E_MEMORY, "no object where one is called");
	struct dbg_error *err =
	    type_method_virtual(vm->ts, s->method, type, &target);
	if (!err)
		err = site_of(vm, of_elements(vm, s, target), ret);
	if (err)
		return err;
	s->target = *ret;
	s->handle = handle;
	return NULL;
}

/* ---- Addresses of methods and fields ----------------------------------- */

static uint64_t entry(struct vm *vm, const void *of)
{
	uint64_t known =
	    (uintptr_t)map_find(&vm->entry_of, (uint64_t)(uintptr_t)of);
	if (known)
		return known;
	known = VM_ENTRIES + ++vm->n_entries * 16;
	map_put(&vm->entry_of, (uintptr_t)of, (void *)(uintptr_t)known);
	map_put(&vm->entries, known, (void *)(uintptr_t)of);
	return known;
}

// Methods end in 0, fields in 8.
uint64_t method_entry(struct vm *vm, struct type_method *method)
{
	return entry(vm, method);
}

uint64_t field_entry(struct vm *vm, struct type_field *field)
{
	return entry(vm, field) + 8;
}

struct type_method *method_of_entry(struct vm *vm, uint64_t at)
{
	return at % 16 ? NULL : map_find(&vm->entries, at);
}

struct type_field *field_of_entry(struct vm *vm, uint64_t at)
{
	return at % 16 == 8 ? map_find(&vm->entries, at - 8) : NULL;
}

struct dbg_error *method_at(struct vm *vm, uint64_t code, struct type *exact,
			    struct type_method **ret)
{
	*ret = method_of_entry(vm, code);
	if (*ret)
		return NULL;
	uint64_t desc = value_function_method(vm->values, code);
	if (!desc)
		return dbg_err(DBG_E_NOT_FOUND,
			       "the code at %#llx belongs to no known method",
			       (unsigned long long)code);
	return type_method_of_desc(vm->ts, desc, exact, ret);
}

/* ---- What only the machine knows ----------------------------------------- */

bool vm_is_imaginary(const struct types *ts, uint64_t addr)
{
	return vm_owns(NULL, addr) || addr - VM_ENTRIES <= ENTRIES_SIZE ||
	       type_handle_is_made(ts, addr);
}

struct own_search {
	const struct vm *vm;
	const uint8_t *bytes;
	bool found;
};

static bool search_own(void *arg, struct type *part, uint32_t at)
{
	struct own_search *s = arg;

	s->found = call_may_point(part) &&
		   vm_is_imaginary(s->vm->ts, get_u8(s->bytes + at));
	return !s->found;
}

bool call_gives_own(struct vm *vm, const struct frame *to, struct type *type,
		    const uint8_t *bytes)
{
	struct own_search s = {.vm = vm, .bytes = bytes};

	if (!frame_is_expression(to))
		return false;
	if (type->kind != TYPE_KIND_STRUCT)
		search_own(&s, type, 0);
	else
		value_type_each_part(vm->values, type, search_own, &s);
	return s.found;
}

const struct op *call_refuse_own(struct vm *vm, const struct op *i)
{
	vm_refuse(vm, i,
		  dbg_err(DBG_E_UNSUPPORTED,
			  "the result is an address or handle that only dndbg "
			  "knows, which evaluates this without running the "
			  "program"));
	// of a result of the expression's own, the last call may be why
	if (frame_is_expression(&vm->frames[vm->n_frames - 1]))
		vm->refused = vm->outer;
	return NULL;
}

/* ---- Frames ------------------------------------------------------------ */

const struct op *frame_push(struct vm *vm, struct compiled *code, uint64_t base,
			    uint64_t ret, const struct op *next)
{
	if (vm->n_frames)
		vm->frames[vm->n_frames - 1].ip = next;
	if (vm->n_frames >= vm->budget.depth ||
	    base + code->size + STACK_SLACK > REGION_STACK) {
		vm_spent(vm, NULL, "calls are nested too deep");
		execution_drop(vm);
		return NULL;
	}
	mem_grow(&vm->frames, &vm->cap_frames, vm->n_frames,
		 sizeof(struct frame));
	vm->frames[vm->n_frames++] = (struct frame){
	    .code = code,
	    .base = base,
	    .ret = ret,
	    .local = vm->local_top,
	};
	vm->fp = vm->base + base;
	memset(vm->fp + code->args_size, 0, code->clear);
	return code->ops;
}

void frame_pop(struct vm *vm)
{
	vm->local_top = vm->frames[--vm->n_frames].local;
	if (vm->n_frames)
		vm->fp = vm->base + vm->frames[vm->n_frames - 1].base;
}

OP(op_return)
{
	struct frame *f = &vm->frames[vm->n_frames - 1];
	if (i->x.type && vm->n_frames > 1 &&
	    call_gives_own(vm, f - 1, i->x.type, fp + i->a))
		return call_refuse_own(vm, i);
	if (i->n)
		memmove(vm->base + f->ret, fp + i->a, i->n);
	if (f->cctor)
		vm_class_of(vm, f->cctor)->state = CLASS_READY;
	frame_pop(vm);
	if (vm->n_frames)
		return vm->frames[vm->n_frames - 1].ip;
	vm->state = VM_DONE;
	return NULL;
}

bool frame_is_expression(const struct frame *f)
{
	struct type_method *m = f->code->method;
	const struct made_code *made = m ? made_code_of(m) : NULL;
	return !m || (made && !made->of_program);
}

/* ---- Calling ----------------------------------------------------------- */

/*
 * Can the program be given the object at @addr? A string in any case; what may
 * be compared or changed only by the expression itself, where no variable
 * leads to it behind the call; a box, which nobody changes, by its lambdas,
 * too. Of a type the program has an object of its own.
 */
static bool can_give(struct vm *vm, uint64_t addr)
{
	const struct frame *by = &vm->frames[vm->n_frames - 1];
	struct type *type = object_type(vm, addr);
	struct vm_graph g = {0};
	if (!type || type->special == TYPE_SPECIAL_STRING ||
	    vm_type_of_object(vm, addr))
		return type;
	return frame_is_expression(by) &&
	       (vm->n_frames <= OWN_DEPTH || type->is_value) &&
	       vm_graph_add(vm, &g, addr);
}

/* Has the program what lies there, or can it be given it? */
static bool is_passable(struct vm *vm, const struct type *type,
			const uint8_t *at, uint32_t size)
{
	for (uint32_t k = 0; k + 8 <= size; k += 8) {
		uint64_t word = get_u8(at + k);
		if (vm_is_imaginary(vm->ts, word) &&
		    (!type || !type->is_reference || !can_give(vm, word)))
			return false;
	}
	return true;
}

/* Bytes of a value: in a place of 8 there is more behind an int. */
static uint32_t value_size(struct vm *vm, struct type *type)
{
	const struct type_layout *layout;
	return dbg_err_drop(type_layout(vm->ts, type, &layout)) ? UINT32_MAX
								: layout->size;
}

/* Is at @at the address of a variable of our own, whose value it has? */
static bool is_copyable(struct vm *vm, struct type *type, const uint8_t *at)
{
	uint64_t addr = get_u8(at), word;
	uint32_t n = type->is_reference ? 8 : value_size(vm, type);
	if (!vm_owns(vm, addr) || n == UINT32_MAX)
		return false;
	for (uint32_t k = 0; k + 8 <= n; k += 8)
		if (!vm_read(vm, addr + k, &word, 8) ||
		    vm_is_imaginary(vm->ts, word))
			return false;
	return true;
}

/*
 * ... all arguments of a call? @copies: what is given by its address may be
 * copied there and back.
 */
static bool are_passable(struct vm *vm, const struct site *s, uint64_t base,
			 bool copies)
{
	const uint8_t *at = vm->base + base;
	uint32_t n;
	if (s->sig->n_params + s->sig->has_this > NATIVE_ARGS_MAX)
		return false;
	if (s->sig->has_this) {
		struct type *owner = s->method->owner;
		bool given = owner->special == TYPE_SPECIAL_TYPE ||
			     owner->special == TYPE_SPECIAL_STRING;
		if (!is_passable(vm, given ? owner : NULL, at, 8) &&
		    !(copies && owner->is_value && is_copyable(vm, owner, at)))
			return false;
		at += 8;
	}
	for (size_t k = 0; k < s->sig->n_params; k++, at += n) {
		struct type *type = s->sig->params[k];
		if (dbg_err_drop(place_size(vm, type, &n)))
			return false;
		if (copies && type->kind == TYPE_KIND_BYREF &&
		    is_copyable(vm, type->inner, at))
			continue;
		uint32_t size = value_size(vm, type);
		if (!is_passable(vm, type, at, size < n ? size : n))
			return false;
	}
	return true;
}

/*
 * End with a call that the program would have to make. It must never be given
 * what only the machine has: an object or a place of its own.
 */
static void need_call(struct vm *vm, struct site *s, uint64_t base,
		      uint64_t ret, const struct op *next)
{
	uint32_t at = 0, n;
	vm->n_call_args = 0;
	if (s->sig->has_this) {
		vm->call_args[vm->n_call_args++] = (struct vm_value){
		    .type = s->method->owner, .addr = VM_FIRST + base};
		at = 8;
	}
	for (size_t k = 0; k < s->sig->n_params; k++) {
		if (vm->n_call_args == NATIVE_ARGS_MAX ||
		    dbg_err_drop(place_size(vm, s->sig->params[k], &n)))
			break;
		vm->call_args[vm->n_call_args++] = (struct vm_value){
		    .type = s->sig->params[k], .addr = VM_FIRST + base + at};
		at += n;
	}
	vm->call = s->method;
	vm->call_ret = ret;
	vm->call_size = s->ret_size;
	vm->ip = vm->refused = next;
	vm->state = VM_CALL;
	dbg_error_destroy(vm->error);
	vm->error = dbg_err(DBG_E_UNSUPPORTED,
			    "'%s' cannot be evaluated without running the "
			    "program: it is code of the runtime",
			    method_text(vm, s->method));
}

/* Is the call, which is about to begin, one of the expression's own? */
static bool is_outer(const struct vm *vm, const struct site *s)
{
	const struct type *owner = s->method->owner;
	return s->method->token && owner && !owner->is_delegate &&
	       frame_is_expression(&vm->frames[vm->n_frames - 1]);
}

/*
 * Does it return a span? One into an argument that was copied to the program
 * would refer to the copy.
 */
static bool returns_span(const struct site *s)
{
	const struct type *ret = s->sig->ret;
	return ret->is_value && ret->n_args &&
	       !strcmp(type_namespace(ret), "System") &&
	       (!strcmp(type_simple_name(ret), "Span`1") ||
		!strcmp(type_simple_name(ret), "ReadOnlySpan`1"));
}

/*
 * Does the method make or query expression trees, or find the members in them?
 * Their objects must be in the program itself.
 */
static bool makes_tree(const struct type *owner)
{
	const char *space = type_namespace(owner);
	return owner->special == TYPE_SPECIAL_TYPE ||
	       !strcmp(space, "System.Linq.Expressions") ||
	       (!strcmp(space, "System.Linq") &&
		!strcmp(type_simple_name(owner), "Queryable"));
}

/*
 * Is this call, one of the expression's own, to be made in the program
 * (vm_set_calls), and can it be?
 */
static bool is_wanted(struct vm *vm, const struct site *s, uint64_t base)
{
	// methods of String give the same result here, except for cultures
	bool wanted =
	    (vm->calls == VM_CALLS_ALL &&
	     s->method->owner->special != TYPE_SPECIAL_STRING) ||
	    (vm->calls == VM_CALLS_TREES && makes_tree(s->method->owner));
	bool chosen = false;
	for (size_t k = 0; !chosen && k < vm->n_chosen; k++)
		chosen = vm->chosen[k] == vm->n_outer;
	if ((!chosen && !wanted) || returns_span(s))
		return false;
	return are_passable(vm, s, base, false) ||
	       ((chosen || vm->calls == VM_CALLS_ALL) &&
		type_method_boxes(s->method, s->sig) &&
		are_passable(vm, s, base, true));
}

static bool has_no_il(const struct type_method *m)
{
	return m->token && !m->rva && !(m->flags & TYPE_METHOD_ABSTRACT);
}

const struct op *call_site(struct vm *vm, struct site *s, uint64_t base,
			   uint64_t ret, const struct op *next)
{
	if (vm->calls && is_outer(vm, s)) {
		bool wanted = is_wanted(vm, s, base);
		vm->n_outer++;
		vm->outer = next;
		vm->outer_opens = false;
		if (wanted) {
			need_call(vm, s, base, ret, next);
			return NULL;
		}
	}
	if (!s->sought) {
		s->native = native_find(vm->ts, s->method, s->sig);
		s->sought = true;
	}
	if (s->native)
		return native_run(vm, s, base, ret, next);
	return call_il(vm, s, base, ret, next);
}

/*
 * May an argument be a pointer or handle of the runtime? The ones that
 * interpreted code has may be meaningless in the program.
 */
static bool has_handles(const struct type_sig *sig)
{
	for (size_t k = 0; k < sig->n_params; k++) {
		const struct type *type = sig->params[k];
		if (!type->is_reference && type->kind != TYPE_KIND_ENUM &&
		    (type->kind != TYPE_KIND_PRIM || type->elem == ELEM_I ||
		     type->elem == ELEM_U))
			return true;
	}
	return false;
}

const struct op *call_il(struct vm *vm, struct site *s, uint64_t base,
			 uint64_t ret, const struct op *next)
{
	if (!s->code && has_no_il(s->method)) {
		need_call(vm, s, base, ret, next);
		if (vm->calls &&
		    (vm->calls != VM_CALLS_ALL || has_handles(s->sig) ||
		     !are_passable(vm, s, base, false)))
			vm->state = VM_REFUSED;
		return NULL;
	}
	if (!s->code) {
		struct dbg_error *err = code_get(vm, s->method, &s->code);
		if (err)
			return vm_refuse(vm, next - 1, err);
	}
	return frame_push(vm, s->code, base, ret, next);
}

/* a: the arguments and, afterwards, the result. */
OP(op_call)
{
	struct site *s = i->x.site;
	const struct op *next;
	uint64_t base = (uint64_t)(fp + i->a - vm->base);
	bool outer = s->init && vm->calls && is_outer(vm, s);
	if (s->init && !(outer && is_wanted(vm, s, base)) &&
	    !class_ready(vm, s->init, i, &next)) {
		vm->outer_opens |= outer;
		return next;
	}
	return call_site(vm, s, base, base, i + 1);
}

OP(op_call_virtual)
{
	struct site *s = i->x.site, *target;
	uint64_t object = get_u8(fp + i->a);
	uint64_t handle = object_handle(vm, object);
	uint64_t base = (uint64_t)(fp + i->a - vm->base);
	if (!handle)
		return throw_bad(vm, i, object);
	struct dbg_error *err = site_target(vm, s, handle, &target);
	if (err)
		return vm_refuse(vm, i, err);
	if (target->method->owner && target->method->owner->is_value)
		put_u8(fp + i->a, object + 8);
	return call_site(vm, target, base, base, i + 1);
}

/* b: the address to call. */
OP(op_call_pointer)
{
	struct type_method *method;
	struct site *s;
	uint64_t base = (uint64_t)(fp + i->a - vm->base);
	uint64_t code = get_u8(fp + i->b);
	if (code < NULL_PAGE)
		return throw_bad(vm, i, code);
	struct dbg_error *err = method_at(vm, code, NULL, &method);
	if (!err)
		err = site_of(vm, method, &s);
	if (!err && (s->args_size != i->x.site->args_size ||
		     s->ret_size != i->x.site->ret_size))
		err =
		    dbg_err(DBG_E_FORMAT, "'%s' is called with other arguments",
			    method_text(vm, method));
	if (err)
		return vm_refuse(vm, i, err);
	return call_site(vm, s, base, base, i + 1);
}

/*
 * newobj: a is where the arguments begin and the result goes; n: bytes of a
 * value type, 0: an object.
 */
OP(op_new_call)
{
	struct site *s = i->x.site;
	const struct op *next;
	uint32_t shift = i->n ? i->n + 8 : 16, args = s->args_size - 8;
	if (s->init && !class_ready(vm, s->init, i, &next))
		return next;
	uint64_t object =
	    i->n ? vm_addr(vm, fp + i->a) : vm_new(vm, s->method->owner);
	if (!object)
		return vm_spent(vm, i, "it wants too much memory");
	memmove(fp + i->a + shift, fp + i->a, args);
	if (i->n)
		memset(fp + i->a, 0, i->n);
	else
		put_u8(fp + i->a, object);
	put_u8(fp + i->a + shift - 8, object);
	uint64_t base = (uint64_t)(fp + i->a - vm->base) + shift - 8;
	return call_site(vm, s, base, base, i + 1);
}

/* ---- Addresses of functions -------------------------------------------- */

OP(op_function)
{
	put_u8(fp + i->d, method_entry(vm, i->x.site->method));
	return i + 1;
}

OP(op_virtual_function)
{
	struct site *target;
	uint64_t object = get_u8(fp + i->a);
	uint64_t handle = object_handle(vm, object);
	if (!handle)
		return throw_bad(vm, i, object);
	struct dbg_error *err = site_target(vm, i->x.site, handle, &target);
	if (err)
		return vm_refuse(vm, i, err);
	put_u8(fp + i->d, method_entry(vm, target->method));
	return i + 1;
}

/* newobj of a string: the method Ctor of the same parameters makes it. */
OP(op_new_string)
{
	struct site *s = i->x.site;
	uint64_t base = (uint64_t)(fp + i->a - vm->base);
	if (s->sig->has_this) {
		memmove(fp + i->a + 8, fp + i->a, s->args_size - 8);
		put_u8(fp + i->a, 0);
	}
	return call_site(vm, s, base, base, i + 1);
}
