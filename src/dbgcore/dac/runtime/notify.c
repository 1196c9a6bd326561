/*
 * Notifications: asking the runtime, by flags in its memory, to tell of
 * modules, methods and catch handlers, and decoding what it tells. It raises a
 * C++ exception that it catches itself, so one trap at __cxa_throw sees them
 * all; where the runtime raises them from one call only, that call is trapped
 * instead.
 */
#include "dac/dac_priv.h"

#include <stdlib.h>
#include <string.h>

enum {
	NOTIFY_MODULE_LOAD = 1,
	NOTIFY_MODULE_UNLOAD = 2,
	NOTIFY_CATCH_ENTER = 8,
	METHOD_NONE = 0,
	METHOD_GENERATED = 1,
	TOKEN_UNUSED = 0x06ffffff, /* the last that a method may have */
	NOTIFY_CODE = 0xe0444143,  /* CLRDATA_NOTIFY_EXCEPTION */
	RECORD_PARAMS_MAX = 15,
	SCAN_BYTES = 1 << 18,
	TEXT_MAX = 1 << 26,
};

// The runtime's EXCEPTION_RECORD, as far as it is read here.
struct exception_record {
	uint32_t code, flags;
	uint64_t next, address;
	uint32_t n_params;
	uint64_t params[3];
};
static_assert(offsetof(struct exception_record, params) == 32, "");

static struct dbg_error *send_flags(struct dac *d, uint32_t flag, bool on)
{
	uint32_t flags = on ? d->notify_flags | flag : d->notify_flags & ~flag;
	int32_t hr;

	if (flags == d->notify_flags)
		return NULL;
	hr = DAC_CALL(d, d->process, PROCESS_SET_OTHER_NOTIFICATIONS, flags);
	if (hr < 0)
		return dac_write_err(d, hr, "cannot ask for notifications");
	d->notify_flags = flags;
	return NULL;
}

struct dbg_error *dac_notify_modules(struct dac *d, bool on)
{
	return send_flags(d, NOTIFY_MODULE_LOAD | NOTIFY_MODULE_UNLOAD, on);
}

struct dbg_error *dac_notify_catch(struct dac *d, bool on)
{
	return send_flags(d, NOTIFY_CATCH_ENTER, on);
}

static void release_all(void **objects, size_t n)
{
	for (size_t i = 0; i < n; i++)
		com_release(&objects[i]);
}

/*
 * The table of methods lies in memory that the DAC maps in the program when it
 * writes it first, and never frees. Empty, it stays when we are gone, as it
 * does when a debugger ends, and is used again; what is entered later does not.
 * So first one is entered that no module has, and taken out again; if we die
 * between, all of that is.
 */
static void make_method_table(struct dac *d, void *module)
{
	static const uint32_t flags[] = {METHOD_GENERATED, METHOD_NONE};
	uint32_t token = TOKEN_UNUSED;

	if (d->learned.has_method_table)
		return;
	target_undone_begin(d->target);
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		(void)DAC_CALL(d, d->process, PROCESS_SET_CODE_NOTIFICATIONS,
			       (uint32_t)1, &module, NULL, &token, &flags[i],
			       (uint32_t)0);
	target_undone_keep(d->target);
	d->learned.has_method_table = true;
}

struct dbg_error *dac_notify_methods(struct dac *d,
				     const struct dac_method_ref *refs,
				     size_t n, bool on)
{
	const uint32_t flag = on ? METHOD_GENERATED : METHOD_NONE;

	if (!n)
		return NULL;
	if (n > DAC_NOTIFY_MAX)
		return dbg_err(DBG_E_RUNTIME,
			       "more than %d methods to be notified of",
			       DAC_NOTIFY_MAX);
	_cleanup_free_ void **modules = xcalloc(n, sizeof(*modules));
	_cleanup_free_ uint32_t *tokens = xcalloc(n, sizeof(*tokens));
	_cleanup_free_ uint32_t *flags = xcalloc(n, sizeof(*flags));
	size_t used = 0;
	for (size_t i = 0; i < n; i++) {
		modules[used] = dac_module_object(d, refs[i].module);
		// An unloaded module notifies of nothing.
		if (!modules[used])
			continue;
		tokens[used] = refs[i].token;
		flags[used++] = flag;
	}
	int32_t hr = COM_OK;
	if (used)
		make_method_table(d, modules[0]);
	if (used)
		hr = DAC_CALL(d, d->process, PROCESS_SET_CODE_NOTIFICATIONS,
			      (uint32_t)used, modules, NULL, tokens, flags,
			      (uint32_t)0);
	release_all(modules, used);
	if (hr < 0)
		return dac_write_err(
		    d, hr, "cannot ask for notifications of %zu methods", used);
	return NULL;
}

// Is the C++ type thrown the runtime's own? Its type_info is {vtable, name}.
static bool is_pal_exception(struct target *t, uint64_t type_info)
{
	static const char name[] = "16PAL_SEHException";
	char text[sizeof(name)];
	uint64_t words[2];

	if (target_read_some(t, type_info, words, sizeof(words)) !=
	    sizeof(words))
		return false;
	// A name that starts with '*' is compared by address: same text.
	return target_read_some(t, words[1], text, sizeof(text)) ==
		   sizeof(text) &&
	       !memcmp(text, name, sizeof(name));
}

static void set_notification(const uint64_t *params, size_t n,
			     struct dac_notification *ret)
{
	switch (params[0]) {
	case DAC_NOTIFY_MODULE_LOAD:
	case DAC_NOTIFY_MODULE_UNLOAD:
	case DAC_NOTIFY_EXCEPTION:
	case DAC_NOTIFY_GC:
	case DAC_NOTIFY_CATCH:
	case DAC_NOTIFY_CODE:
		ret->kind = (enum dac_notification_kind)params[0];
		ret->a = params[1];
		ret->b = n > 2 ? params[2] : 0;
	}
}

/*
 * __cxa_throw(thrown object, type_info, destructor): the object begins with
 * the address of its exception record.
 */
void dac_notification_decode(struct target *t, const struct regs *regs,
			     struct dac_notification *ret)
{
	struct exception_record record;
	uint64_t addr;

	memset(ret, 0, sizeof(*ret));
	if (target_read_some(t, regs_arg(regs, 0), &addr, sizeof(addr)) !=
	    sizeof(addr))
		return;
	size_t n = target_read_some(t, addr, &record, sizeof(record));
	if (n == sizeof(record) && record.code == NOTIFY_CODE) {
		if (!record.n_params || record.n_params > RECORD_PARAMS_MAX)
			return;
		set_notification(record.params, record.n_params, ret);
		return;
	}
	if (!is_pal_exception(t, regs_arg(regs, 1)))
		return;
	ret->kind = DAC_NOTIFY_PAL_THROW;
	if (n == sizeof(record)) {
		ret->a = record.code;
		ret->b = addr;
	}
}

// RaiseException(code, flags, number, parameters)
void dac_notification_called(struct target *t, const struct regs *regs,
			     struct dac_notification *ret)
{
	uint64_t params[3] = {0};
	size_t n = (uint32_t)regs_arg(regs, 2);

	memset(ret, 0, sizeof(*ret));
	if ((uint32_t)regs_arg(regs, 0) != NOTIFY_CODE || !n ||
	    n > RECORD_PARAMS_MAX)
		return;
	if (target_read_some(t, regs_arg(regs, 3), params,
			     (n < 3 ? n : 3) * sizeof(*params)) >=
	    sizeof(*params))
		set_notification(params, n, ret);
}

// Find the call that raises notifications in @n bytes from @addr on; *count:
// how many were found.
static uint64_t find_raise(const uint8_t *bytes, size_t n, uint64_t addr,
			   size_t *count)
{
	const struct bytes code = code_raise();
	uint64_t found = 0;

	for (size_t off = 0; off < n;) {
		const uint8_t *at =
		    memmem(bytes + off, n - off, code.p, code.n);

		if (!at)
			break;
		off = (size_t)(at - bytes) + 1;
		found = addr + (uint64_t)(at - bytes) + code.n - 1;
		++*count;
	}
	return found;
}

uint64_t dac_notify_call(struct dac *d)
{
	const struct target_image image = {
	    .path = d->runtime.path,
	    .base = d->runtime.base,
	};
	uint64_t start, end, found = 0;
	size_t count = 0, step = SCAN_BYTES - code_raise().n + 1;
	struct dbg_error *err =
	    target_image_text(d->target, &image, &start, &end);

	if (err || end - start > TEXT_MAX) {
		dbg_error_destroy(err);
		return 0;
	}
	_cleanup_free_ uint8_t *bytes = xmalloc(SCAN_BYTES);
	for (uint64_t addr = start; addr < end; addr += step) {
		size_t left = (size_t)(end - addr);
		size_t n =
		    target_read_some(d->target, addr, bytes,
				     left < SCAN_BYTES ? left : SCAN_BYTES);
		uint64_t at = find_raise(bytes, n, addr, &count);

		if (at)
			found = at;
	}
	return count == 1 ? found : 0;
}
