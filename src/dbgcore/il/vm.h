/*
 * The machine: IL executed in the debugger, over a stopped program that it
 * reads and never touches.
 *
 * Memory is one address space of 64 bits. The program's memory is at its own
 * addresses; a write to it goes to a copy of the page, the overlay, and only
 * the machine sees it. Objects that the execution allocates, and the stack
 * with all arguments, locals and values on it, lie in a region of the
 * machine's own at addresses that no program has. So references, by-refs,
 * pointers and spans are plain addresses, whichever side they are on, and
 * objects of both sides look alike: the MethodTable pointer first (the
 * runtime's, or type_handle's), then what the runtime has there.
 *
 * A method is compiled once for the session, for its exact generic arguments,
 * to an array of operations on places of its frame (compile*.c); the types on
 * the IL stack are known then, and IL that disagrees with itself is refused.
 * Calls push a frame and return into the one loop (run.c): no C recursion, so
 * an execution can be left at any operation and gone on with.
 *
 * One machine executes one method at a time, but keeps what it has allocated
 * from one execution to the next, since results are looked at: the heap lives
 * until vm_stop.
 *
 *   vm_begin -> vm_run -> DONE | THROWN | REFUSED
 *                       ^  |
 *                       |  +-> MORE (the slice is over), CALL (answer it)
 *                       +-----+
 *
 * What must never happen: a write outside of the machine's own memory,
 * whatever IL and data say; a wait; an execution without end.
 */
#ifndef IL_VM_H
#define IL_VM_H

#include "types/methodref.h"
#include "types/types.h"
#include "value/value.h"

struct vm;

/* The machine's own region; addresses that are not canonical. */
#define VM_FIRST 0x0d0b000000000000u
/* Addresses of methods, as ldftn pushes them; no memory is there. */
#define VM_ENTRIES 0x0d0c000000000000u

/* Limits of one execution; 0: the default. */
struct vm_budget {
	uint64_t instructions; /* IL, all methods: 50 million */
	uint64_t memory;       /* allocated and copied: 64 MiB */
	uint32_t depth;        /* frames: 10,000 */
	uint32_t ms;           /* of processor time: 2,000 */
	bool plain;            /* what would throw is refused instead */
	bool keeps;            /* sees what others that keep have written */
};

struct vm *vm_create(struct values *types);
void vm_destroy(struct vm *m);
/* A new stop: what was read and allocated before is gone. */
void vm_stop(struct vm *m);
/* The program was written to: read it again. */
void vm_forget(struct vm *m);
/*
 * Set the thread whose thread statics and Thread.CurrentThread the execution
 * sees; borrowed.
 */
void vm_set_thread(struct vm *m, struct thread_ref *thread);
struct types *vm_types(struct vm *m);
/*
 * Which calls that an expression's own code makes to methods of the program
 * stop as VM_CALL, to be made in the program, instead of being interpreted? A
 * call whose argument exists only in the interpreter is interpreted all the
 * same, unless a copy can be made in the program (vm_graph_add), or, if its
 * number is chosen, the argument's target can be copied there and back.
 */
enum vm_calls {
	VM_CALLS_NONE,
	VM_CALLS_CHOSEN, /* the calls of these numbers, in order from 0 */
	VM_CALLS_TREES,  /* and those that make expression trees */
	VM_CALLS_ALL,    /* and what has no IL, wherever it is called */
};
/* @numbers are borrowed until the next call; for what is begun after it. */
void vm_set_calls(struct vm *m, enum vm_calls which, const uint32_t *numbers,
		  size_t n);
/* How many such calls have begun so far in this execution. */
uint32_t vm_outer_calls(const struct vm *m);
/*
 * Did the last execution ask for texts of the framework that the program has
 * not read from its resources? It was given their names in their place.
 */
bool vm_named_texts(const struct vm *m);
/*
 * After an execution ended as REFUSED: was the call refused that vm_outer_calls
 * counted last, or something that this call does?
 */
bool vm_in_outer_call(const struct vm *m);

/* ---- Executing ------------------------------------------------------- */

/* A value of @type: its bytes at an address of the machine's space. */
struct vm_value {
	struct type *type; /* void: none */
	uint64_t addr;
};

/*
 * Make @method, with what a caller would push, the next to be executed; an
 * execution that was not finished is dropped, and so are writes to the
 * program's memory by former ones. Those of executions that keep stay until the
 * next stop, or the next write to the program, for one another: what a getter
 * makes when it is first asked for is the same object ever after. @args: `this`
 * first (a reference; the address of a value type), @n as its signature says;
 * each is the bytes of a place of its type.
 */
DBG_MUST struct dbg_error *vm_begin(struct vm *m, struct type_method *method,
				    const struct vm_value *args, size_t n,
				    const struct vm_budget *budget);

enum vm_state {
	VM_DONE,    /* value: at a place that vm_stop ends */
	VM_THROWN,  /* value: the exception object, its place */
	VM_MORE,    /* the slice is over; run it again, or drop it */
	VM_CALL,    /* method has no IL that may be interpreted */
	VM_SPENT,   /* a budget is spent: error says which and where */
	VM_REFUSED, /* it cannot be: error says what and where */
};

struct vm_result {
	enum vm_state state;
	struct vm_value value;
	struct type_method *method; /* CALL; REFUSED: where, may be NULL */
	/* CALL: its arguments, as for vm_begin; borrowed. */
	const struct vm_value *args;
	size_t n_args;
	struct dbg_error *error; /* CALL, SPENT, REFUSED: the caller's */
};

/*
 * Execute about @slice IL instructions (0: till the end). After SPENT it goes
 * on with a fresh budget of the same size.
 */
void vm_run(struct vm *m, uint64_t slice, struct vm_result *ret);
/*
 * After CALL: the method was called in the program and returned the bytes at
 * @value (none for void), or threw the object @exception. The machine
 * forgets what it has read of the program; its own writes stay in front.
 */
void vm_answer(struct vm *m, const void *value, uint64_t exception);

/* ---- Memory ---------------------------------------------------------- */

/* Copy from the space; false: unreadable, at least in part. */
bool vm_read(struct vm *m, uint64_t addr, void *buf, size_t n);
/* Copy into the space: the overlay, never the program; false: not there. */
bool vm_write(struct vm *m, uint64_t addr, const void *buf, size_t n);
/*
 * ... only to copies that the interpreter has of those bytes: dirty pages and
 * its own memory.
 */
void vm_overwrite(struct vm *m, uint64_t addr, const void *buf, size_t n);
/* Has the last execution written to memory of the program's? */
bool vm_has_written(const struct vm *m);
/*
 * Carry these writes to the program, after the execution is DONE: all, or none
 * if it would be left with references that only the machine has.
 */
DBG_MUST struct dbg_error *vm_commit(struct vm *m);
/* Is @addr in the machine's own region? */
bool vm_owns(const struct vm *m, uint64_t addr);
/* ... or made for a method or type that the program has none for? */
bool vm_is_imaginary(const struct types *ts, uint64_t addr);
/*
 * Where the value is of a field that hot reload added to the class of @object:
 * the program's place or its own, which it makes if @make; 0: there is none, or
 * the machine ended.
 */
uint64_t vm_late(struct vm *m, struct type_field *field, uint64_t object,
		 bool make);

/* Objects in that region, and what they lead to there. */
enum {
	VM_OWN_MAX = 32,
	VM_OWN_BYTES = 1 << 16
};

struct vm_graph {
	struct vm_own {
		uint64_t addr;
		struct type *type;
		uint64_t n;    /* elements of an array */
		uint32_t size; /* behind the MethodTable; 0: a string, or */
		struct type *shown; /* ... the object of this type */
	} v[VM_OWN_MAX];
	size_t n;
};

/*
 * Add what is at @addr, in an order that depends on nothing but what refers to
 * what. False: the program cannot have the like of all that.
 */
bool vm_graph_add(struct vm *m, struct vm_graph *g, uint64_t addr);

/* Allocate zeroed objects; 0: the budget is spent. Strings may be NULL. */
uint64_t vm_new(struct vm *m, struct type *type);
uint64_t vm_new_array(struct vm *m, struct type *type, uint64_t n);
uint64_t vm_new_string(struct vm *m, const uint16_t *units, size_t n);
/* @n bytes for values that are handed in or out; aligned to 8. */
uint64_t vm_room(struct vm *m, size_t n);

/*
 * The program's RuntimeType object of @type, which the keys of its dictionaries
 * are; 0: it has none. Valid until the program runs.
 */
uint64_t vm_program_type_object(struct vm *m, struct type *type);
/* The RuntimeType object of @type, made if the program has none. */
uint64_t vm_type_object(struct vm *m, struct type *type);
/* The type that a RuntimeType object stands for; NULL: none. */
struct type *vm_type_of_object(struct vm *m, uint64_t addr);

#endif
