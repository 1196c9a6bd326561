/* Shared by what executes: the machine, its compiler, its natives. */
#ifndef IL_VM_PRIV_H
#define IL_VM_PRIV_H

#include "base/map.h"
#include "base/mem.h"
#include "il/made.h"
#include "il/machine/native.h"
#include "il/machine/throw.h"
#include "il/vm.h"

struct op;

/*
 * Executes one operation on the frame at @fp and returns the next one; NULL:
 * execution stops here (vm->state says why).
 */
typedef const struct op *op_fn(struct vm *vm, const struct op *i, uint8_t *fp);

/* d, a, b: places in the frame, by their offset. */
struct op {
	op_fn *fn;
	uint32_t d, a, b;
	uint32_t n; /* bytes, or what the operation says */
	union {
		int64_t i;
		double r;
		const void *p;
		const struct op *to; /* of a branch */
		struct site *site;
		struct type *type;
	} x;
};

enum clause_kind {
	CLAUSE_CATCH = 0,
	CLAUSE_FILTER = 1,
	CLAUSE_FINALLY = 2,
	CLAUSE_FAULT = 4,
};

/* Offsets are indexes of operations; ends are exclusive. */
struct clause {
	enum clause_kind kind;
	uint32_t try_start, try_end, start, end, filter;
	struct type *caught; /* CATCH; NULL: not loaded, catches nothing */
	uint32_t slot;       /* of its struct clause_words in the frame */
	uint32_t exception;  /* CATCH, FILTER: the place its body takes it */
};

enum {
	/* No handler: the exception leaves a filter, which drops it. */
	CLAUSE_DROPS = 0xffffffff,
};

/* State of a running handler, kept in its frame. */
struct clause_words {
	uint64_t cont;      /* FINALLY: index + 1 of what endfinally goes to */
	uint64_t exception; /* ... if that is 0: the one on its way, */
	uint64_t at;        /* from this operation */
	uint32_t frame;     /* to this frame (from 1; 0: nothing catches it) */
	uint32_t clause;
};

/* A compiled method. */
struct compiled {
	struct type_method *method;
	struct op *ops;
	size_t n_ops;
	uint32_t *il;       /* IL offset of each operation */
	uint32_t args_size; /* the arguments; behind them locals and slots */
	uint32_t clear;     /* bytes behind them to be cleared */
	uint32_t size;      /* of the whole frame */
	uint32_t ret_size;  /* bytes that ret copies */
	uint32_t ret_elem;  /* enum elem that ret normalises by, 0: none */
	struct clause *clauses;
	size_t n_clauses;
};

enum {
	SITE_ARGS_MAX = 64, /* of a native or delegate */
};

/* The operand of an operation: a call, field, type or literal. */
struct site {
	struct type_method *method;
	const struct type_sig *sig;
	struct compiled *code;          /* of method, once it was called */
	const struct il_native *native; /* ... or this, */
	bool sought;                    /* once it was looked for */
	struct type *init;              /* to be initialised first, or NULL */
	struct type *type;
	struct type_field *field;
	uint32_t args_size; /* of all arguments in the frame */
	uint32_t ret_size;  /* of the result there; 0: void */
	/* The last receiver's first word and what it led to. */
	uint64_t handle;
	struct site *target;
	bool answer; /* of a cast: was it one? */
	/* An object or a place; valid while the heap's epoch is @epoch. */
	uint64_t object;
	uint32_t epoch;
	struct bytes text;
	struct compiled *multicast; /* of an Invoke: the loop over the list */
};

struct frame {
	const struct compiled *code;
	const struct op *ip; /* the next one, once the callee is back */
	uint64_t base;       /* of its arguments, in the region */
	uint64_t ret;        /* where its result goes, in the region */
	uint64_t local;      /* vm->local_top at its begin */
	struct type *cctor;  /* it initialises this class; or NULL */
};

enum {
	PAGE_SIZE_VM = 4096,
	TLB_SIZE = 256,
};

struct page {
	uint64_t addr;
	bool dirty;
	uint8_t data[PAGE_SIZE_VM];
};

/* Pages that an execution has written to. */
struct written {
	struct page **pages;
	size_t n, cap;
};

/* Interpreter's facts about a type. */
struct vm_class {
	struct type *type;
	enum {
		CLASS_NEW,
		CLASS_RUNS,
		CLASS_READY,
		CLASS_FAILED,
	} state;
	bool in_program;     /* the program has initialised it */
	uint64_t failure;    /* FAILED: what its uses throw; 0: not made */
	uint64_t object;     /* its RuntimeType, 0: not asked for */
	uint32_t mark_epoch; /* of object, if it is the machine's */
};

/* One interpreter. Large: every operation works on its registers and memory. */
struct vm {
	struct values *values;
	struct types *ts; /* that they are of */
	struct thread_ref *thread;
	struct arena *arena;       /* session: codes and sites */
	struct map classes;        /* struct type *: struct vm_class * */
	struct map statics, lates; /* see vm.c */
	struct map objects;        /* address of RuntimeType: struct type * */
	struct map sites;          /* struct type_method *: struct site * */
	struct map literals;       /* hash of a text: struct literal * */
	struct map entries, entry_of; /* address: method or field; and back */
	struct map dynamics;   /* DynamicMethod: type_method, until a stop */
	struct arena *dynamic; /* of these */
	uint32_t of_target, of_method, of_aux; /* in delegates; 0: not sought */
	uint32_t of_list, of_count, of_base;

	/* The region. */
	uint8_t *base;
	uint64_t local_top, heap_top; /* behind what localloc, the heap took */
	uint32_t epoch; /* of the heap: changes when it is freed */

	/* Copies of the program's pages. */
	struct map pages;
	struct page *tlb[TLB_SIZE];
	size_t n_pages;
	struct written written;
	struct written aside; /* by views, while something else executes */
	bool keeps;           /* the last execution was one of views */

	/* the execution under way */
	struct frame *frames;
	size_t n_frames, cap_frames;
	uint8_t *fp;
	const struct op *ip; /* NULL: none is under way */
	struct vm_budget budget;
	uint64_t fuel;      /* operations until the loop looks up */
	uint64_t left;      /* ... until the budget is spent */
	uint64_t allocated; /* against the budget */
	uint64_t cpu_start; /* ms; 0: not yet */
	struct type *result_type;
	enum vm_state state;
	struct dbg_error *error;
	struct type_method *call; /* CALL */
	struct vm_value call_args[NATIVE_ARGS_MAX];
	size_t n_call_args, n_chosen;
	uint64_t call_ret;           /* in the region */
	uint32_t call_size, n_outer; /* n_outer, chosen: see vm_set_calls */
	enum vm_calls calls;
	const uint32_t *chosen;
	const struct op *outer;   /* behind the expression's own last call */
	const struct op *refused; /* REFUSED: behind the operation, or NULL */
	bool outer_opens, named_texts; /* the next one has its class made */
	uint64_t ret, n_entries;       /* ret: of the whole, in the region */
	struct arena *scratch;
	uint64_t thrown, thread_object; /* THROWN: it; made for a thread */
	struct filter_run *filter;      /* being asked, in scratch; or NULL */
};

/* The region: stack, what localloc hands out, heap. */
enum {
	REGION_STACK = 16 << 20,
	REGION_LOCALS = 16 << 20,
	REGION_HEAP_BASE = REGION_STACK + REGION_LOCALS,
	REGION_SIZE = 256 << 20,
	/* A reference this near to 0 is null with an offset. */
	NULL_PAGE = 0x10000,
	OBJECT_HEADER = 8, /* in front of the object: its header word */
};

/* Charge for work on @n bytes. */
static inline void vm_charge(struct vm *vm, uint64_t n)
{
	n /= 32;
	vm->fuel -= n < vm->fuel ? n : vm->fuel;
}

/* ---- vm.c -------------------------------------------------------- */

/* @n zeroed bytes, aligned to 8; 0: too many. */
uint64_t allocate(struct vm *vm, uint64_t n);
/* Free all that was allocated. */
void allocate_clear(struct vm *vm);
/* Type of the object at @addr, NULL: none there. */
struct type *object_type(struct vm *vm, uint64_t addr);
/* The first word of the object without the GC's mark bits; 0: unreadable. */
uint64_t object_handle(struct vm *vm, uint64_t addr);
/* Box @n bytes of @type at @from. */
uint64_t object_box(struct vm *vm, struct type *type, const void *from);
/* A new array or string of @n elements; NULL type's message is set. */
bool array_data(struct vm *vm, uint64_t addr, uint64_t *ret_data,
		uint64_t *ret_n);
struct vm_class *vm_class_of(struct vm *vm, struct type *type);

/* Place of a static of a class that is initialised; 0: vm ended. */
uint64_t static_place(struct vm *vm, struct type_field *field);
/*
 * Is @type ready? Else its static constructor was pushed, and is to be run
 * before @i is tried again: *ret is its first operation (NULL: vm ended).
 */
bool class_ready(struct vm *vm, struct type *type, const struct op *i,
		 const struct op **ret);

/* ---- compile.c --------------------------------------------------------- */

/* The compiled method; an error is a sentence that names it. */
DBG_MUST struct dbg_error *code_get(struct vm *vm, struct type_method *method,
				    struct compiled **ret);

/* ---- call.c ------------------------------------------------------------ */

const char *method_text(struct vm *vm, struct type_method *method);
DBG_MUST struct dbg_error *method_sig(struct vm *vm, struct type_method *method,
				      const struct type_sig **ret);
/*
 * Enter @code: arguments are at @base, the result goes to @ret (offsets in
 * the region). @i is the operation that goes on after it.
 */
const struct op *frame_push(struct vm *vm, struct compiled *code, uint64_t base,
			    uint64_t ret, const struct op *next);
void frame_pop(struct vm *vm);
/* Is it the code of an expression, or the outermost frame? */
bool frame_is_expression(const struct frame *f);
/* Call whatever @site's method is; @next goes on after it. */
const struct op *call_site(struct vm *vm, struct site *site, uint64_t base,
			   uint64_t ret, const struct op *next);
/* ... its IL, whatever the tables say. */
const struct op *call_il(struct vm *vm, struct site *site, uint64_t base,
			 uint64_t ret, const struct op *next);
/* Addresses that stand for methods and fields: of ldftn, of ldtoken. */
uint64_t method_entry(struct vm *vm, struct type_method *method);
uint64_t field_entry(struct vm *vm, struct type_field *field);
struct type_field *field_of_entry(struct vm *vm, uint64_t entry);
struct type_method *method_of_entry(struct vm *vm, uint64_t entry);
/* The site of a method that is found at run time. */
DBG_MUST struct dbg_error *site_of(struct vm *vm, struct type_method *method,
				   struct site **ret);
/* Sizes by its signature. */
DBG_MUST struct dbg_error *site_fill(struct vm *vm, struct site *site);
/* Bytes of a place in a frame: a multiple of 8. */
DBG_MUST struct dbg_error *place_size(struct vm *vm, struct type *type,
				      uint32_t *ret);
/* The method at an address of code, ours or the program's. */
DBG_MUST struct dbg_error *method_at(struct vm *vm, uint64_t code,
				     struct type *exact,
				     struct type_method **ret);
/* Run @site's native; @next goes on after it. native_run.c */
const struct op *native_run(struct vm *vm, struct site *site, uint64_t base,
			    uint64_t ret, const struct op *next);

#endif
