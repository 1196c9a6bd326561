/*
 * Where statics are.
 *
 * The DAC is asked by field, which serves generic types, thread statics and
 * data of the image (RVA statics) alike in .NET 8, 9 and 10. If that way is
 * barred, .NET 9 and 10 tell the bases of a type's statics.
 */
#include "dac/dac_priv.h"

enum {
	NULL_PAGE = 4096,
	ELEM_VALUETYPE = 0x11,
	ELEM_CLASS = 0x12,
};

// References and boxed structures lie among the GC's statics.
static bool is_gc_static(const struct dac_field *field)
{
	return field->elem == ELEM_CLASS || field->elem == ELEM_VALUETYPE;
}

static uint64_t by_bases(struct dac *d, const struct dac_type *type,
			 const struct dac_field *field, uint64_t thread)
{
	uint64_t gc = 0, plain = 0;
	int32_t hr;

	if (field->is_thread_static)
		hr = DAC_CALL(d, d->sos14, SOS14_THREAD_STATIC_BASE, type->addr,
			      thread, &plain, &gc);
	else
		hr = DAC_CALL(d, d->sos14, SOS14_STATIC_BASE, type->addr,
			      &plain, &gc);
	uint64_t base = is_gc_static(field) ? gc : plain;
	return hr == COM_OK && base ? base + field->offset : 0;
}

static uint64_t by_field(struct dac *d, void *instance,
			 const struct dac_field *field, pid_t tid)
{
	_cleanup_com_ void *task = NULL, *value = NULL;
	uint64_t addr = 0;
	uint32_t n = 0;

	if (tid && DAC_CALL(d, d->process, PROCESS_TASK_BY_TID, (uint32_t)tid,
			    &task) != COM_OK)
		return 0;
	int32_t hr =
	    DAC_CALL(d, instance, TYPEINST_STATIC_BY_TOKEN, NULL, field->token,
		     task, &value, (uint32_t)0, &n, NULL);
	if (hr != COM_OK || !value ||
	    DAC_CALL(d, value, VALUE_ADDRESS, &addr) != COM_OK)
		return 0;
	return addr;
}

static pid_t tid_of(struct dac *d, uint64_t thread)
{
	struct sos_thread data = {0};

	if (!thread || DAC_CALL(d, d->sos, SOS_THREAD, thread, &data) < 0 ||
	    data.tid > INT32_MAX)
		return 0;
	return (pid_t)data.tid;
}

struct dbg_error *dac_static_addr(struct dac *d, uint64_t mt,
				  const struct dac_field *field,
				  uint64_t thread, uint64_t *ret)
{
	struct dbg_error *err;
	const struct dac_type *type;

	err = dac_type_get(d, mt, &type);
	if (err)
		return err;
	if (!field->is_static)
		return dbg_err(DBG_E_ARGUMENT, "field 0x%08x is not static",
			       field->token);
	pid_t tid = 0;
	if (field->is_thread_static) {
		tid = tid_of(d, thread);
		if (!tid) {
			*ret = 0;
			return NULL;
		}
	}
	void *instance = dac_instance_get(d, mt);
	uint64_t addr = instance ? by_field(d, instance, field, tid) : 0;
	// By field, the statics of a class shared between reference types are
	// those of the canonical one, which has none: an offset from 0.
	if (addr < NULL_PAGE)
		addr = 0;
	if (!addr && d->sos14)
		addr = by_bases(d, type, field, thread);
	*ret = addr;
	return NULL;
}
