/*
 * The table of what is assumed of a runtime, and the ways by which each is
 * read: from the core library's metadata, from the runtime's contract
 * descriptor, from its table of names, by a search, or a constant up to the
 * release that it is known of. The first way that gives an answer which its
 * check does not refute counts, and is kept; a failure is told once.
 */
#include "dac/assumption.h"
#include "dac/contract.h"
#include "dac/dac_priv.h"
#include "dac/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "meta/jsonvalue.h"
#include "meta/md.h"

/* ---- Suspension by the runtime ------------------------------------------- */

/*
 * Has the runtime suspended all threads for a debugger of its own kind
 * (ICorDebug)? Its list of threads is read as it lies, while the program runs:
 * what changes meanwhile is read anew the next time.
 */

enum {
	THREADS_MAX = 4096,
};

struct places {
	struct dac_assumed store, first, next, link, state, bit;
};

static bool list_get(struct dac *d, struct places *ret)
{
	return dac_holds(d, ASSUME_THREADS, &ret->store) &&
	       dac_holds(d, ASSUME_THREADS_FIRST, &ret->first) &&
	       dac_holds(d, ASSUME_THREAD_NEXT, &ret->next);
}

static uint64_t first_link(struct dac *d, const struct places *at)
{
	uint64_t store = dac_word(d, at->store.value);

	return store ? dac_word(d, store + at->first.value) : 0;
}

/* A link leads to the next thread, or to that one's link, as the DAC shows. */
bool thread_link_find(struct dac *d, uint64_t *ret)
{
	struct sos_thread_store store = {0};
	struct places at;

	if (!list_get(d, &at) ||
	    DAC_CALL(d, d->sos, SOS_THREAD_STORE, &store) < 0 || !store.first)
		return false;
	*ret = first_link(d, &at) - store.first;
	return !*ret || *ret == at.next.value;
}

/* Find the list of threads, and the offset of their states. */
static bool places_get(struct dac *d, struct places *ret)
{
	return list_get(d, ret) &&
	       dac_holds(d, ASSUME_THREAD_LINK, &ret->link) &&
	       dac_holds(d, ASSUME_THREAD_STATE, &ret->state);
}

/*
 * Counts, among the threads that have begun and not ended, those with a bit
 * set.
 */
struct states {
	uint32_t bit;
	uint32_t n, n_with;
};

static bool states_count(struct dac *d, const struct places *at,
			 struct states *ret)
{
	uint64_t link = first_link(d, at);
	uint32_t state;

	for (int i = 0; link && i < THREADS_MAX; i++) {
		uint64_t thread = link - at->link.value;

		if (target_read_some(d->target, thread + at->state.value,
				     &state, sizeof(state)) != sizeof(state))
			return false;
		link = dac_word(d, thread + at->next.value);
		if (state & (DAC_THREAD_UNSTARTED | DAC_THREAD_DEAD))
			continue;
		ret->n++;
		ret->n_with += (state & ret->bit) != 0;
	}
	return true;
}

/*
 * The bit cannot be read, nor seen before it counts. It holds if the states are
 * numbered as they were: as many threads are in the background as the runtime
 * has counted.
 */
bool suspended_holds(struct dac *d, uint64_t bit)
{
	struct sos_thread_store store = {0};
	struct states background = {.bit = DAC_THREAD_BACKGROUND};
	struct places at;

	(void)bit;
	return places_get(d, &at) &&
	       DAC_CALL(d, d->sos, SOS_THREAD_STORE, &store) >= 0 &&
	       states_count(d, &at, &background) &&
	       background.n_with == (uint32_t)store.n_background;
}

bool dac_tells_suspension(struct dac *d)
{
	struct places at;

	return places_get(d, &at) && dac_holds(d, ASSUME_SUSPENDED, &at.bit);
}

bool dac_is_suspended(struct dac *d)
{
	struct places at;

	if (!places_get(d, &at) || !dac_holds(d, ASSUME_SUSPENDED, &at.bit))
		return false;

	struct states suspended = {.bit = (uint32_t)at.bit.value};

	return states_count(d, &at, &suspended) && suspended.n &&
	       suspended.n_with == suspended.n;
}

/* ---- The contract descriptor ----------------------------------------- */

/*
 * The runtime's contract descriptor: what a runtime says of its own structures,
 * since .NET 9. DotNetRuntimeContractDescriptor, exported by it, leads to a
 * text of JSON with the fields of types and with globals, of which those that
 * are addresses are numbers of an array of pointers beside it (dotnet/runtime,
 * docs/design/datacontracts/contract-descriptor.md and data_descriptor.md).
 * Cores that createdump writes of .NET 10 and before lack that page of data.
 */

enum {
	TEXT_MAX = 1 << 20,
	POINTERS_MAX = 1 << 12,
};

static const uint64_t magic = 0x0043414443434e44; /* "DNCCDAC\0" */

struct descriptor {
	uint64_t magic;
	uint32_t flags;
	uint32_t size;
	uint64_t text;
	uint32_t n_pointers;
	uint32_t pad;
	uint64_t pointers;
};

/*
 * Read the contract descriptor of @runtime; its text is in @arena, and empty if
 * there is none that can be read.
 */
static void contract_read(struct target *t, const struct target_image *runtime,
			  struct arena *arena, struct contract *ret)
{
	struct descriptor d;
	uint64_t addr = 0;
	struct dbg_error *err =
	    target_symbol(t, runtime, "DotNetRuntimeContractDescriptor", &addr);

	*ret = (struct contract){.target = t, .runtime = *runtime};
	if (dbg_err_drop(err) || !addr ||
	    target_image_data(t, runtime, addr, &d, sizeof(d)) != sizeof(d) ||
	    d.magic != magic || !d.size || d.size > TEXT_MAX ||
	    d.n_pointers > POINTERS_MAX)
		return;

	uint8_t *text = arena_alloc(arena, d.size);

	if (target_image_data(t, runtime, d.text, text, d.size) != d.size)
		return;
	ret->text = jsonvalue_parse((struct bytes){text, d.size});
	ret->pointers = d.pointers;
	ret->n_pointers = d.n_pointers;
}

bool contract_offset(const struct contract *c, const char *type,
		     const char *field, uint64_t *ret)
{
	struct bytes of =
	    jsonvalue_member(jsonvalue_member(c->text, "types"), type);
	struct bytes value = jsonvalue_member(of, field);

	/* The offset, or that and the field's type. */
	return jsonvalue_number(value, ret) ||
	       jsonvalue_number(jsonvalue_element(value, 0), ret);
}

/* Pointer number @i of those beside the text. */
static bool pointer_read(const struct contract *c, uint64_t i, uint64_t *ret)
{
	return i < c->n_pointers &&
	       target_image_data(c->target, &c->runtime,
				 c->pointers + i * sizeof(*ret), ret,
				 sizeof(*ret)) == sizeof(*ret);
}

bool contract_global(const struct contract *c, const char *name, uint64_t *ret)
{
	struct bytes value =
	    jsonvalue_member(jsonvalue_member(c->text, "globals"), name);
	uint64_t i;

	/* That and the global's type. */
	if (jsonvalue_element(value, 1).n)
		value = jsonvalue_element(value, 0);
	return jsonvalue_number(value, ret) ||
	       (jsonvalue_number(jsonvalue_element(value, 0), &i) &&
		pointer_read(c, i, ret));
}

const char *contract_text(const struct contract *c, const char *name,
			  struct arena *arena)
{
	struct bytes value =
	    jsonvalue_member(jsonvalue_member(c->text, "globals"), name);
	struct bytes text = jsonvalue_string(value);

	if (!text.p)
		text = jsonvalue_string(jsonvalue_element(value, 0));
	return text.p ? arena_strndup(arena, (const char *)text.p, text.n)
		      : NULL;
}

/* ---- Assumptions ----------------------------------------------------- */

enum {
	WAYS_MAX = 4,
	TRIES_MAX = 8, /* what fails so often is not there */
	NAME_SIZE = 200,
};

/* How an assumption is read, or why it is not. */
enum way_kind {
	WAY_END,
	WAY_FIELD,    /* "Type.field" of the core library: its offset */
	WAY_METHOD,   /* "Type.Method" of the core library: its token */
	WAY_CONTRACT, /* "Type.Field" of the contract: its offset */
	WAY_GLOBAL,   /* a global of the contract: its value or address */
	WAY_FUNCTION, /* of the runtime's table of names: its address */
	WAY_FOUND,    /* found by a search */
	WAY_CONSTANT, /* a number that cannot be read, only checked */
};

struct way {
	enum way_kind kind;
	const char *name;
	uint64_t constant;
	unsigned int until; /* the last release that it holds for; 0: all */
	bool (*find)(struct dac *d, uint64_t *ret);
};

/*
 * An offset that the contract tells in some releases, and that is the same in
 * earlier ones up to @until.
 */
#define OFFSET(name, value, until)                                             \
	{                                                                      \
		CONTRACT(name), CONSTANT(name, value, until)                   \
	}
#define NUMBER(name, value, until)                                             \
	{                                                                      \
		GLOBAL(name), CONSTANT(name, value, until)                     \
	}
#define FIELD(name)                                                            \
	{                                                                      \
		.kind = WAY_FIELD, name                                        \
	}
#define METHOD(name)                                                           \
	{                                                                      \
		.kind = WAY_METHOD, name                                       \
	}
#define CONTRACT(name)                                                         \
	{                                                                      \
		.kind = WAY_CONTRACT, name                                     \
	}
#define GLOBAL(name)                                                           \
	{                                                                      \
		.kind = WAY_GLOBAL, name                                       \
	}
#define FUNCTION(name)                                                         \
	{                                                                      \
		.kind = WAY_FUNCTION, name                                     \
	}
#define FOUND(name, fn)                                                        \
	{                                                                      \
		.kind = WAY_FOUND, name, .find = fn                            \
	}
#define CONSTANT(name, value, until)                                           \
	{                                                                      \
		WAY_CONSTANT, name, value, until, NULL                         \
	}

static const char not_noticed[] =
    "it is not noticed when the runtime suspends all threads for a debugger of "
    "its own kind";

static const char no_instances[] =
    "instances of generic types are not found by their arguments";
static const char no_method_arguments[] =
    "generic arguments of methods are not known";
static const char no_async_kinds[] =
    "methods that the runtime suspends are not debugged as such: breakpoints "
    "in them may be missed";
static const char no_debug_info[] =
    "what the JIT tells of its code is not read: generic arguments of code "
    "that instances share, locals of suspended async methods";
static const char no_trace[] = "stacks of exceptions are not known";
static const char no_thin_locks[] =
    "locks of objects that no thread has waited for are not listed";
static const char no_hash_codes[] = "hash codes of objects are not known";
static const char no_more_handles[] =
    "with server GC only the handles of as many processors as there are heaps "
    "are listed";
static const char no_totals[] = "exceptions and pauses are not counted";
static const char slow_stacks[] = "stacks take longer to read";

static bool gc_info_holds(struct dac *d, uint64_t version)
{
	(void)d;
	return version >= DAC_GC_INFO_FIRST && version <= DAC_GC_INFO_LAST;
}

static const struct entry {
	const char *lost; /* what is said to be so if nothing holds */
	struct way ways[WAYS_MAX + 1];
	bool (*holds)(struct dac *d, uint64_t value); /* NULL: what is read */
	unsigned int since; /* the first release that has it; 0: all */
} entries[ASSUME_N] = {
    [ASSUME_EXINFO_OBJECT] = {"exceptions are not seen where they are thrown",
			      .ways = {FIELD(
				  "System.Runtime.EH+ExInfo._exception")}},
    [ASSUME_DISPATCH_EX] = {"exceptions are not seen where they are thrown",
			    .ways = {METHOD("System.Runtime.EH.DispatchEx")}},
    [ASSUME_DEBUGGER_LOG] = {"what Debugger.Log says is not shown",
			     .ways = {FUNCTION("DebugDebugger_Log")}},
    [ASSUME_DEBUGGER_BREAK] = {"Debugger.Break does not stop",
			       .ways = {FUNCTION("DebugDebugger_Break"),
					FUNCTION("BreakInternal")}},
    [ASSUME_DEBUGGER_ATTACHED] =
	{"Debugger.IsAttached is false",
	 .ways = {FUNCTION("DebugDebugger_IsManagedDebuggerAttached"),
		  FUNCTION("get_IsAttached")}},
    [ASSUME_FAIL_FAST] = {"Environment.FailFast stops at its signal only",
			  .ways = {FUNCTION("Environment_FailFast"),
				   FUNCTION("FailFast")}},
    [ASSUME_APPLY_UPDATE] = {"changes by hot reload are not seen",
			     .ways = {FUNCTION("AssemblyNative_ApplyUpdate")}},
    [ASSUME_UPDATE_COUNT] =
	{"changes by hot reload that came before dndbg are "
	 "not noticed",
	 .ways =
	     {CONSTANT("EditAndContinueModule.m_applyChangesCount", 0x5f0, 8),
	      CONSTANT("EditAndContinueModule.m_applyChangesCount", 0x468, 9),
	      CONSTANT("EditAndContinueModule.m_applyChangesCount", 0x350, 10),
	      CONSTANT("EditAndContinueModule.m_applyChangesCount", 0x354,
		       11)}},
    [ASSUME_GC_COUNT] =
	{"places within objects are not watched any more once the collector "
	 "has moved these",
	 .ways = {FOUND("GcDacVars.gc_structures_invalid_cnt", gc_count_find)}},
    [ASSUME_PRESTUB] =
	{"code that is not compiled yet is not waited for, and nothing can be "
	 "called in the program",
	 .ways = {FOUND("g_dacTable.ThePreStub", prestub_find)}},
    [ASSUME_GC_INFO] =
	{"generic arguments of code that instances share are not known",
	 {GLOBAL("GCInfoVersion"),
	  CONSTANT("GCInfoVersion", DAC_GC_INFO_FIRST, 9)},
	 .holds = gc_info_holds},
    [ASSUME_TYPE_FLAGS] = {"generic types are known by their arguments only",
			   OFFSET("MethodTable.MTFlags", 0, 0),
			   .holds = type_flags_hold},
    [ASSUME_TYPE_RID] = {no_instances, OFFSET("MethodTable.MTFlags2", 8, 9),
			 .holds = type_rid_holds},
    [ASSUME_TYPE_AUXILIARY] =
	{"expressions do not know the program's Type objects",
	 .ways = OFFSET("MethodTable.AuxiliaryData", 32, 9)},
    [ASSUME_LOADER_MODULE] =
	{"statics of threads and of generic classes are not known",
	 {CONSTANT("MethodTable.m_pLoaderModule", 24, 8)},
	 .holds = loader_module_holds},
    [ASSUME_TYPE_CLASS] = {"sizes of structures are rounded up",
			   .ways =
			       OFFSET("MethodTable.EEClassOrCanonMT", 40, 9)},
    [ASSUME_TYPE_INSTANCE] =
	{"generic arguments of types, and types of elements, are not known",
	 .ways = OFFSET("MethodTable.PerInstInfo", 48, 9)},
    [ASSUME_METHOD_INSTANCE] = {no_method_arguments,
				.ways =
				    OFFSET("InstantiatedMethodDesc.PerInstInfo",
					   16, 8)},
    [ASSUME_METHOD_COUNT] = {no_method_arguments,
			     .ways =
				 OFFSET("InstantiatedMethodDesc.NumGenericArgs",
					26, 8)},
    [ASSUME_METHOD_FLAGS] = {"generic methods, and methods that the runtime "
			     "suspends, are not known",
			     .ways = OFFSET("MethodDesc.Flags", 6, 9)},
    [ASSUME_ASYNC_DATA] = {no_async_kinds,
			   OFFSET("AsyncMethodData.Signature", 8,
				  DAC_TESTED_MAX),
			   .holds = async_data_holds, .since = 11},
    [ASSUME_METHOD_SIZE] = {no_async_kinds,
			    OFFSET("MethodDesc.!", 16, DAC_TESTED_MAX),
			    .since = 11},
    [ASSUME_INSTANCE_SIZE] = {no_async_kinds,
			      OFFSET("InstantiatedMethodDesc.!", 40,
				     DAC_TESTED_MAX),
			      .since = 11},
    [ASSUME_CODE_METHOD] = {no_debug_info,
			    .ways = OFFSET("RealCodeHeader.MethodDesc", 24, 9)},
    [ASSUME_CODE_INFO] = {no_debug_info,
			  .ways = OFFSET("RealCodeHeader.DebugInfo", 0, 10)},
    [ASSUME_JIT_IL] =
	{"breakpoints may miss the first calls of a method if several threads "
	 "make them at once",
	 .ways = {CONSTANT("CORINFO_METHOD_INFO.ILCode", 16, 0)}},
    [ASSUME_TRACE_HEADER] = {no_trace,
			     .ways = OFFSET("StackTraceArrayHeader.!", 16, 10)},
    [ASSUME_TRACE_ELEMENT] = {no_trace,
			      .ways = OFFSET("StackTraceElement.!", 32, 10)},
    [ASSUME_TRACE_IP] = {no_trace,
			 .ways = OFFSET("StackTraceElement.Ip", 0, 10)},
    [ASSUME_TRACE_METHOD] = {no_trace,
			     .ways = OFFSET("StackTraceElement.MethodDesc", 16,
					    10)},
    [ASSUME_TRACE_FLAGS] = {no_trace,
			    .ways = OFFSET("StackTraceElement.Flags", 24, 10)},
    [ASSUME_TYPE_PADDING] = {"sizes of structures are rounded up",
			     {CONTRACT("EEClass.BaseSizePadding"),
			      FOUND("EEClass.BaseSizePadding", padding_find)},
			     .holds = padding_holds},
    [ASSUME_FIELD_DESC] = {"fields of types take longer to read",
			   {CONTRACT("FieldDesc.DWord1"),
			    CONSTANT("FieldDesc.DWord1", 8, 10)},
			   .holds = field_desc_holds},
    [ASSUME_HEADER_OTHER] =
	{"what objects keep in their headers, locks and hash codes, is not "
	 "known",
	 .ways = NUMBER("SyncBlockIsHashOrSyncBlockIndex", 0x8000000, 10)},
    [ASSUME_HEADER_HASH] = {no_hash_codes, .ways = NUMBER("SyncBlockIsHashCode",
							  0x4000000, 10)},
    [ASSUME_HASH_BITS] = {no_hash_codes, .ways = NUMBER("SyncBlockHashCodeMask",
							0x3ffffff, 10)},
    [ASSUME_INDEX_BITS] = {no_hash_codes,
			   .ways = NUMBER("SyncBlockIndexMask", 0x3ffffff, 10)},
    [ASSUME_LOCK_OWNER] = {no_thin_locks,
			   .ways = NUMBER("SyncBlockMaskLockThreadId", 0xffff,
					  10)},
    [ASSUME_LOCK_DEPTH] = {no_thin_locks,
			   .ways = NUMBER("SyncBlockMaskLockRecursionLevel",
					  0x3f0000, 10)},
    [ASSUME_LOCK_SHIFT] = {no_thin_locks,
			   .ways = NUMBER("SyncBlockRecursionLevelShift", 16,
					  10)},
    [ASSUME_HEAPS] = {no_more_handles,
		      {CONSTANT("GcDacVars.n_heaps", 0xb0, 0)},
		      .holds = heaps_hold},
    [ASSUME_HANDLE_MAP] = {no_more_handles,
			   {CONSTANT("GcDacVars.handle_table_map", 0xe8, 0)},
			   .holds = handle_map_holds},
    [ASSUME_PATCH_COUNT] = {slow_stacks,
			    .ways = {CONSTANT("CHashTable.m_iBuckets", 0x14,
					      0)}},
    [ASSUME_PATCH_BUCKETS] = {slow_stacks,
			      .ways = {CONSTANT("CHashTable.m_piBuckets", 0x18,
						0)}},
    [ASSUME_INSTANCES] = {no_instances,
			  {CONTRACT("Module.AvailableTypeParams"),
			   FOUND("Module.AvailableTypeParams", instances_find)},
			  .holds = instances_hold},
    [ASSUME_SYNC_LOCK] = {"who waits for the lock of an object is not known",
			  .ways = {CONTRACT("SyncBlock.Lock"),
				   CONSTANT("SyncBlock.Lock", 0, 10)}},
    [ASSUME_SYNC_HASH] =
	{"hash codes are not shown of objects that threads have waited for",
	 .ways = {CONTRACT("SyncBlock.HashCode"),
		  CONSTANT("SyncBlock.HashCode", 80, 10)}},
    [ASSUME_SYNC_ADDED] =
	{"fields that hot reload added to classes are not shown",
	 .ways = {CONSTANT("SyncBlock.m_pEnCInfo", 0x40, 10),
		  CONSTANT("SyncBlock.m_pEnCInfo", 0x20, 11)}},
    [ASSUME_THREADS] = {not_noticed, {GLOBAL("ThreadStore")}, .since = 9},
    [ASSUME_THREADS_FIRST] = {not_noticed,
			      {CONTRACT("ThreadStore.FirstThreadLink")},
			      .since = 9},
    [ASSUME_THREAD_NEXT] = {not_noticed,
			    {CONTRACT("Thread.LinkNext")},
			    .since = 9},
    [ASSUME_THREAD_LINK] = {not_noticed,
			    {FOUND("Thread.Link", thread_link_find)},
			    .since = 9},
    [ASSUME_THREAD_STATE] = {not_noticed,
			     {CONTRACT("Thread.State")},
			     .since = 9},
    [ASSUME_SUSPENDED] = {not_noticed,
			  {CONSTANT("Thread.TS_DebugSuspendPending", 8, 0)},
			  .holds = suspended_holds,
			  .since = 9},
    [ASSUME_EXCEPTION_COUNT] = {no_totals,
				.ways = {FOUND(
				    "ExceptionNative.GetExceptionCount",
				    exception_count_find)}},
    [ASSUME_PAUSE_TIME] = {no_totals,
			   .ways = {FOUND("GCHeap.GetTotalPauseDuration",
					  pause_time_find)}},
};

/* ---- The core library ------------------------------------------------ */

/* The MethodTable of one of its types; 0: there is none, or not yet. */
static uint64_t core_type(struct dac *d, const char *name)
{
	const struct core_library *core = &d->assumptions.core;
	uint32_t rid = md_type_named(core->md, name);

	return rid ? dac_type_of_token(d, core->module,
				       MD_TOKEN(MD_TYPEDEF, rid))
		   : 0;
}

void dac_core_library(struct dac *d, uint64_t module, const struct md *md)
{
	d->assumptions.core = (struct core_library){module, md};
	if (!md)
		return;

	d->learned.int_type = core_type(d, "System.Int32");
	d->learned.char_type = core_type(d, "System.Char");
	d->learned.value_type = core_type(d, "System.ValueType");
	d->learned.enum_type = core_type(d, "System.Enum");
}

/* The type and the member that "Type.member" names; 0: there is none such. */
static uint32_t type_of_member(const struct md *md, const char *name)
{
	const char *dot = strrchr(name, '.');
	char type[NAME_SIZE];

	if (!dot || (size_t)(dot - name) >= sizeof(type))
		return 0;
	snprintf(type, sizeof(type), "%.*s", (int)(dot - name), name);
	return md_type_named(md, type);
}

static const char *member_of(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? dot + 1 : name;
}

/* Get the offset of a field of a loaded type from the runtime. */
static bool loaded_offset(struct dac *d, uint32_t type, uint32_t field,
			  uint64_t *ret)
{
	const struct dac_field *fields;
	size_t n;
	uint64_t mt = dac_type_of_token(d, d->assumptions.core.module,
					MD_TOKEN(MD_TYPEDEF, type));

	if (!mt || dbg_err_drop(dac_fields(d, mt, &fields, &n)))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (fields[i].token != MD_TOKEN(MD_FIELD, field))
			continue;
		*ret = fields[i].offset;
		return true;
	}
	return false;
}

static bool field_read(struct dac *d, const char *name, uint64_t *ret)
{
	const struct md *md = d->assumptions.core.md;
	uint32_t type = md ? type_of_member(md, name) : 0;
	uint32_t field = type ? md_field_named(md, type, member_of(name)) : 0;
	uint32_t told;

	if (!field)
		return false;
	*ret = DAC_OFFSET_UNKNOWN;
	if (md_field_offset(md, field, &told))
		*ret = told;
	else
		loaded_offset(d, type, field, ret);
	return true;
}

static bool method_read(struct dac *d, const char *name, uint64_t *ret)
{
	const struct md *md = d->assumptions.core.md;
	uint32_t type = md ? type_of_member(md, name) : 0;
	uint32_t method = type ? md_method_named(md, type, member_of(name)) : 0;

	*ret = MD_TOKEN(MD_METHODDEF, method);
	return method;
}

/* ---- The contract ---------------------------------------------------- */

static const struct contract *contract_get(struct dac *d)
{
	struct dac_assumptions *a = &d->assumptions;
	const struct target_image image = {
	    .path = d->runtime.path,
	    .base = d->runtime.base,
	};

	if (!a->arena) {
		a->arena = arena_create();
		contract_read(d->target, &image, a->arena, &a->contract);
	}
	return &a->contract;
}

static bool offset_read(struct dac *d, const char *name, uint64_t *ret)
{
	char type[NAME_SIZE];

	snprintf(type, sizeof(type), "%.*s", (int)strcspn(name, "."), name);
	return contract_offset(contract_get(d), type, member_of(name), ret);
}

static bool function_read(struct dac *d, const char *name, uint64_t *ret)
{
	uint64_t found[TARGET_OVERLOADS];

	dac_native_functions(d, name, found);
	*ret = found[0];
	return *ret;
}

/* ---- Versions -------------------------------------------------------- */

/*
 * The name of an installed runtime's directory, else the version that the
 * runtime itself tells, as one that a program brings along.
 */
const char *dac_runtime_version(struct dac *d)
{
	static const char framework[] = "/Microsoft.NETCore.App/";
	struct dac_assumptions *a = &d->assumptions;
	const char *at = strstr(d->runtime.path, framework);

	if (a->version)
		return a->version;
	contract_get(d);
	if (at) {
		at += strlen(framework);
		a->version = arena_strndup(a->arena, at, strcspn(at, "/"));
	} else {
		a->version = contract_text(
		    &a->contract, "RuntimeProductVersionString", a->arena);
	}
	if (!a->version)
		a->version = dac_build_version(d->file.path, a->arena);
	return a->version;
}

unsigned int dac_runtime_major(struct dac *d)
{
	return (unsigned int)strtoul(dac_runtime_version(d), NULL, 10);
}

bool dac_runtime_is_new(struct dac *d)
{
	return dac_runtime_major(d) > DAC_TESTED_MAX;
}

/* ---- Assumptions ----------------------------------------------------- */

static bool way_read(struct dac *d, const struct way *way, uint64_t *ret)
{
	switch (way->kind) {
	case WAY_FIELD:
		return field_read(d, way->name, ret);
	case WAY_METHOD:
		return method_read(d, way->name, ret);
	case WAY_CONTRACT:
		return offset_read(d, way->name, ret);
	case WAY_GLOBAL:
		return contract_global(contract_get(d), way->name, ret);
	case WAY_FUNCTION:
		return function_read(d, way->name, ret);
	case WAY_FOUND:
		return way->find(d, ret);
	case WAY_CONSTANT:
		*ret = way->constant;
		return !way->until || dac_runtime_major(d) <= way->until;
	case WAY_END:
		break;
	}
	return false;
}

/* Is @name one of those in DNDBG_DISTRUST? */
static bool is_distrusted(const char *name)
{
	const char *list = getenv("DNDBG_DISTRUST");
	size_t n = strlen(name);

	while (list && *list) {
		size_t of = strcspn(list, ",");

		if ((of == n && !memcmp(list, name, n)) ||
		    (of == 1 && *list == '*'))
			return true;
		list += of + (list[of] == ',');
	}
	return false;
}

static bool entry_read(struct dac *d, const struct entry *e,
		       struct dac_assumed *ret)
{
	for (unsigned int i = 0; e->ways[i].kind != WAY_END; i++) {
		uint64_t value;

		if (!way_read(d, &e->ways[i], &value) ||
		    (e->holds && !e->holds(d, value)))
			continue;
		*ret = (struct dac_assumed){
		    .value = value,
		    .member = member_of(e->ways[i].name),
		    .way = i,
		};
		return true;
	}
	return false;
}

/* Is the runtime of a release that has no such thing yet? */
static bool is_before(struct dac *d, const struct entry *e)
{
	unsigned int major = dac_runtime_major(d);

	return major && major < e->since;
}

static struct dbg_error *failed(struct dac *d, const struct entry *e)
{
	const struct way *way = e->ways;

	if (is_distrusted(way->name))
		return dbg_err(DBG_E_RUNTIME,
			       "%s: '%s' is not trusted (DNDBG_DISTRUST)",
			       e->lost, way->name);
	if (!d->assumptions.core.md && way->kind <= WAY_METHOD)
		return dbg_err(DBG_E_RUNTIME,
			       "%s: the metadata of System.Private.CoreLib is "
			       "missing",
			       e->lost);
	return dbg_err(DBG_E_RUNTIME,
		       e->holds || way->kind >= WAY_FOUND
			   ? "%s: .NET %s has no '%s' as expected"
			   : "%s: .NET %s has no '%s'",
		       e->lost, dac_runtime_version(d), way->name);
}

static bool assume(struct dac *d, enum dac_assumption what,
		   struct dac_assumed *ret)
{
	const struct entry *e = &entries[what];
	struct assumption_answer *k = &d->assumptions.answers[what];

	if (!k->holds && k->failures < TRIES_MAX) {
		k->holds = !is_before(d, e) &&
			   !is_distrusted(e->ways[0].name) &&
			   entry_read(d, e, &k->found);
		k->failures += !k->holds;
	}
	if (!k->holds)
		return false;
	*ret = k->found;
	// The type was not loaded yet, but may be when asked again.
	if (k->found.value == DAC_OFFSET_UNKNOWN)
		k->holds = false;
	return true;
}

struct dbg_error *dac_assume(struct dac *d, enum dac_assumption what,
			     struct dac_assumed *ret)
{
	return assume(d, what, ret) ? NULL : failed(d, &entries[what]);
}

/*
 * Was the sentence about this feature told? It is told once, whichever of its
 * assumptions fail.
 */
static bool is_told(struct dac *d, const struct entry *e)
{
	for (size_t i = 0; i < ASSUME_N; i++)
		if (d->assumptions.answers[i].told &&
		    !strcmp(entries[i].lost, e->lost))
			return true;
	return false;
}

bool dac_holds(struct dac *d, enum dac_assumption what, struct dac_assumed *ret)
{
	struct assumption_answer *k = &d->assumptions.answers[what];
	const struct dac_limits *l = &d->limits;

	if (assume(d, what, ret))
		return true;
	if (l->tell && !is_before(d, &entries[what]) &&
	    !is_told(d, &entries[what])) {
		struct dbg_error *err = failed(d, &entries[what]);

		k->told = true;
		l->tell(l->arg, err->message);
		dbg_error_destroy(err);
	}
	return false;
}

void dac_say(struct dac *d, const char *text)
{
	if (d->limits.tell)
		d->limits.tell(d->limits.arg, text);
}

void dac_refute(struct dac *d, enum dac_assumption what)
{
	struct assumption_answer *k = &d->assumptions.answers[what];
	struct dac_assumed none;

	k->holds = false;
	k->failures = TRIES_MAX;
	(void)dac_holds(d, what, &none);
}
