/* The table of the DAC's methods: see dacmethods.h. */
#include "dac/dacmethods.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dac/compound.h"
#include "dac/dac_priv.h"
#include "dac/guard.h"

/* ---- Addresses of compound images ------------------------------------ */

/* Several calls of the DAC in one, where the DAC is: see compound.h. */

enum {
	S_FALSE = 1,
	INSTANCES_MAX = 1 << 14,
};

// A fault ends one method, not all.
static int32_t guarded_call(void *object, enum dac_method_id method,
			    unsigned int n, ...)
{
	uint64_t a[DAC_MAX_ARGS] = {0};
	va_list ap;

	va_start(ap, n);
	for (unsigned int i = 0; i < n; i++)
		a[i] = va_arg(ap, uint64_t);
	va_end(ap);
	return guard_call_method(method, object, a);
}

#define CALL(object, method, ...)                                              \
	guarded_call(object, method, DAC_COUNT(__VA_ARGS__), ##__VA_ARGS__)

/*
 * Of ISOSDacInterface; @sos6: ISOSDacInterface6 or NULL.
 * ---- Types -----------------------------------------------------------
 */
static int32_t compound_type(void *sos, uint64_t mt, void *sos6,
			     struct sos_type_all *ret)
{
	memset(ret, 0, sizeof(*ret));
	int32_t hr = CALL(sos, SOS_TYPE, mt, &ret->type);

	if (hr < 0)
		return hr;
	// Free objects and some made types have no fields to tell of.
	if (CALL(sos, SOS_TYPE_FIELDS, mt, &ret->fields) < 0)
		memset(&ret->fields, 0, sizeof(ret->fields));
	if (!sos6 || CALL(sos6, SOS6_COLLECTIBLE, mt, &ret->collectible) < 0)
		memset(&ret->collectible, 0, sizeof(ret->collectible));
	return hr;
}

/* ---- Objects --------------------------------------------------------- */

static int32_t compound_words(void *object, struct object_words *ret)
{
	size_t n = malloc_usable_size(object);

	memset(ret, 0, sizeof(*ret));
	memcpy(ret, object, n < sizeof(*ret) ? n : sizeof(*ret));
	return COM_OK;
}

static int32_t compound_put_word(void *object, uint64_t at, uint64_t word)
{
	memcpy((char *)object + at * sizeof(word), &word, sizeof(word));
	return COM_OK;
}

/* ---- Variables ------------------------------------------------------- */

static void var_place(void *value, struct xclr_var *ret)
{
	uint32_t n = 0;

	ret->has_place = CALL(value, VALUE_N_LOCATIONS, &n) == COM_OK && n;
	if (!ret->has_place)
		return;
	ret->has_addr = CALL(value, VALUE_ADDRESS, &ret->addr) == COM_OK;
	if (ret->has_addr) {
		if (CALL(value, VALUE_SIZE, &ret->size) != COM_OK)
			ret->size = 0;
		return;
	}
	n = 0;
	if (CALL(value, VALUE_BYTES, (uint32_t)sizeof(ret->bytes), &n,
		 ret->bytes) == COM_OK &&
	    n <= sizeof(ret->bytes))
		ret->n_bytes = n;
}

static void var_type(void *value, struct xclr_var *ret, void **ret_type)
{
	enum {
		IS_PRIMITIVE = 0x1,
		IS_VALUE_TYPE = 0x2,
		IS_REFERENCE = 0x10,
		IS_ENUM = 0x40,
	};
	uint32_t flags = 0;

	ret->is_value = CALL(value, VALUE_FLAGS, &flags) == COM_OK &&
			!(flags & IS_REFERENCE) &&
			flags & (IS_PRIMITIVE | IS_VALUE_TYPE | IS_ENUM);
	if (ret->is_value && CALL(value, VALUE_TYPE, ret_type) == COM_OK &&
	    *ret_type)
		compound_words(*ret_type, &ret->type);
}

/*
 * On IXCLRDataFrame. *ret_type: the variable's IXCLRDataTypeInstance, if it
 * is_value and has one.
 */
static int32_t compound_var(void *frame, uint32_t is_arg, uint32_t index,
			    struct xclr_var *ret, void **ret_type,
			    uint32_t n_name, uint16_t *name)
{
	_cleanup_com_ void *value = NULL;
	uint32_t n = 0;

	memset(ret, 0, sizeof(*ret));
	int32_t hr = CALL(frame, is_arg ? FRAME_ARG : FRAME_LOCAL, index,
			  &value, n_name, &n, name);
	if (hr < 0 || !value)
		return hr;
	var_type(value, ret, ret_type);
	var_place(value, ret);
	return hr;
}

/* ---- IL maps --------------------------------------------------------- */

// The method's instance whose current code begins at @start; NULL: none.
static void *instance_at(void *process, uint64_t start)
{
	uint64_t handle = 0, entry;
	void *ret = NULL;

	if (CALL(process, PROCESS_START_METHODS_BY_ADDRESS, start, NULL,
		 &handle) != COM_OK)
		return NULL;
	for (int i = 0; !ret && i < INSTANCES_MAX; i++) {
		_cleanup_com_ void *instance = NULL;

		if (CALL(process, PROCESS_NEXT_METHOD_BY_ADDRESS, &handle,
			 &instance) != COM_OK ||
		    !instance)
			break;
		entry = 0;
		if (CALL(instance, METHOD_ENTRY, &entry) != COM_OK ||
		    entry != start)
			continue;
		ret = instance;
		instance = NULL;
	}
	CALL(process, PROCESS_END_METHODS_BY_ADDRESS, handle);
	return ret;
}

/*
 * On IXCLRDataProcess: get the IL map of the code that begins at @start, if
 * that is its method's current code (S_FALSE: it is not, or there is none). Of
 * *ret_n entries the first @n are copied.
 */
static int32_t compound_il_map(void *process, uint64_t start, uint32_t n,
			       struct xclr_il_map *ret, uint32_t *ret_n)
{
	_cleanup_com_ void *instance = instance_at(process, start);
	uint32_t got = 0;

	*ret_n = 0;
	if (!instance)
		return S_FALSE;
	int32_t hr = CALL(instance, METHOD_IL_MAP, (uint32_t)0, ret_n, NULL);
	if (hr >= 0 && *ret_n && *ret_n <= n) {
		hr = CALL(instance, METHOD_IL_MAP, *ret_n, &got, ret);
		if (got < *ret_n)
			*ret_n = got;
	}
	if (hr < 0)
		*ret_n = 0;
	return COM_OK;
}

/* ---- Stacks ---------------------------------------------------------- */

static bool walk_item(void *walk, struct walk_item *ret)
{
	enum {
		FRAME_ADDR = 0xf0000000
	};
	struct context c;
	struct regs regs;
	uint32_t size = 0, simple = 0, detail = 0;

	if (CALL(walk, WALK_CONTEXT, (uint32_t)CONTEXT_FULL,
		 (uint32_t)sizeof(c), &size, &c) != COM_OK ||
	    CALL(walk, WALK_FRAME_TYPE, &simple, &detail) != COM_OK)
		return false;
	memset(ret, 0, sizeof(*ret));
	context_get_regs(&c, &regs);
	dac_frame_from(&regs, &ret->frame);
	ret->managed = simple == DAC_FRAME_TYPE_MANAGED;
	if (!ret->managed &&
	    CALL(walk, WALK_REQUEST, (uint32_t)FRAME_ADDR, (uint32_t)0, NULL,
		 (uint32_t)sizeof(ret->frame_addr), &ret->frame_addr) < 0)
		ret->frame_addr = 0;
	return true;
}

/*
 * On IXCLRDataStackWalk: read the present item, or the next one if @on, and up
 * to @n - 1 that follow. *ret_n is less if the walk ends there.
 */
static int32_t compound_walk(void *walk, uint32_t on, uint32_t n,
			     struct walk_item *ret, uint32_t *ret_n)
{
	for (*ret_n = 0; *ret_n < n; ++*ret_n)
		if (((on || *ret_n) && CALL(walk, WALK_NEXT) != COM_OK) ||
		    !walk_item(walk, &ret[*ret_n]))
			break;
	return COM_OK;
}

/*
 * Of ISOSDacInterface13.
 * ---- Loader heaps ----------------------------------------------------
 */
static int32_t compound_heap_names(void *sos13, int32_t n,
				   struct loader_heap_name *ret, int32_t *ret_n)
{
	const char *names[LOADER_HEAPS_MAX] = {0};

	if (n > LOADER_HEAPS_MAX)
		n = LOADER_HEAPS_MAX;
	int32_t hr = CALL(sos13, SOS13_GET_NAMES, n, names, ret_n);
	for (int32_t i = 0; hr >= 0 && i < n; i++)
		if (names[i])
			snprintf(ret[i].text, sizeof(ret[i].text), "%s",
				 names[i]);
	return hr;
}

// The DAC's callback has no argument; it is called by TraverseLoaderHeap alone.
static struct {
	struct loader_block *v;
	uint32_t n, max;
} blocks;

static void visit_block(uint64_t start, size_t size, int32_t is_current)
{
	(void)is_current;
	if (blocks.n < blocks.max)
		blocks.v[blocks.n++] = (struct loader_block){start, size};
}

/* Likewise: read the blocks of the heap, *ret_n as far as there is room. */
static int32_t compound_heap_blocks(void *sos13, uint64_t heap, uint32_t kind,
				    uint32_t n, struct loader_block *ret,
				    uint32_t *ret_n)
{
	blocks.v = ret;
	blocks.n = 0;
	blocks.max = n;
	int32_t hr = CALL(sos13, SOS13_TRAVERSE, heap, kind,
			  (uint64_t)(uintptr_t)visit_block);
	*ret_n = blocks.n;
	return hr;
}

/* ---- Methods --------------------------------------------------------- */

#define ARG(kind, count, size)                                                 \
	{                                                                      \
		DAC_ARG_##kind, (count), (size)                                \
	}
#define V ARG(VALUE, 0, 0)
#define NONE V
#define OBJECT ARG(OBJECT, 0, 0)
#define LOCAL ARG(LOCAL, 0, 0)
#define NEW ARG(NEW, 0, sizeof(uint64_t))
#define NAME ARG(NAME, 0, sizeof(uint16_t))
#define READ(type) ARG(READ, 0, sizeof(type))
#define ONE(type) ARG(DATA, 0, sizeof(type))
#define MANY(type, n) ARG(DATA, 1 + (n), sizeof(type))
#define TEXT(n) ARG(TEXT, 1 + (n), sizeof(uint16_t))
#define U32 ONE(uint32_t)
#define U64 ONE(uint64_t)
#define BY_SLOT(name, slot, ...) {#name, NULL, slot, {__VA_ARGS__}},
#define BY_FN(name, fn, ...)                                                   \
	{#name, (com_fn *)(void (*)(void))fn, 0, {__VA_ARGS__}},

const struct dac_method_info dac_methods[DAC_N_METHODS] = {
    DAC_METHODS(BY_SLOT, BY_FN)};
