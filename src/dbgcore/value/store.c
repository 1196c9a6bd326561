/*
 * Writing values into places. What holds references also goes past the garbage
 * collector: it must learn that an old object refers to a new one (the card
 * table), as the write barrier of compiled code would tell it.
 */
#include "value/value.h"

#include "base/err.h"
#include "target/target.h"
#include "value/value_priv.h"

enum {
	STORE_MAX = 1 << 20, // bytes of one struct
	CHUNK = 4096,
	NESTING_MAX = 32, // structs inside structs
};

/* Copy the bytes of @from, zeros if it is NULL, to the place at @addr. */
static struct dbg_error *bytes_copy(struct values *ts, uint64_t addr,
				    const struct value *from, size_t n)
{
	uint8_t buf[CHUNK] = {0};
	for (size_t done = 0; done < n;) {
		size_t part = n - done < sizeof(buf) ? n - done : sizeof(buf);
		if (from && !value_read(ts, from, done, buf, part))
			return dbg_err(DBG_E_MEMORY,
				       "the new value cannot be read");
		struct dbg_error *err =
		    target_write(ts->target, addr + done, buf, part);
		if (err)
			return err;
		done += part;
	}
	return NULL;
}

/* Tell the GC of the references that were written. */
static struct dbg_error *tell_references(struct values *ts, pid_t tid,
					 struct type *type, uint64_t addr,
					 int depth)
{
	const struct field *fields;
	size_t n;
	uint64_t ref;
	struct dbg_error *err = NULL;
	if (type->is_reference) {
		err = target_read_u64(ts->target, addr, &ref);
		return err || !ref ? err
				   : dac_heap_store(ts->dac, tid, addr, ref);
	}
	if (type->kind != TYPE_KIND_STRUCT || depth > NESTING_MAX)
		return NULL;
	value_type_fields(ts, type, &fields, &n);
	for (size_t i = 0; !err && i < n; i++) {
		if (fields[i].kind == FIELD_INSTANCE)
			err =
			    tell_references(ts, tid, fields[i].type,
					    addr + fields[i].offset, depth + 1);
	}
	return err;
}

struct dbg_error *value_store(struct values *ts, struct thread_ref *thread,
			      const struct value *to, const struct value *from)
{
	pid_t tid = thread ? thread->tid : 0;
	struct type *type = to->type;
	size_t n = type->is_reference ? sizeof(uint64_t) : type_size(type);
	bool in_heap;
	if (to->where != VALUE_MEMORY || !n || n > STORE_MAX)
		return dbg_err(DBG_E_STATE, "it has no place in memory");
	if (values_beside(to->addr))
		return dbg_err(DBG_E_STATE,
			       "it was computed by a call: it has no place in "
			       "the program");
	if (!target_can(ts->target, TARGET_WRITE))
		return dbg_err(DBG_E_STATE,
			       "this program cannot be written to");
	bool refs = type->is_reference || type->kind == TYPE_KIND_STRUCT;
	struct dbg_error *err =
	    dac_heap_holds(ts->dac, tid, to->addr, &in_heap);
	if (!err)
		err = bytes_copy(ts, to->addr, from, n);
	if (!err && from && refs && in_heap)
		err = tell_references(ts, tid, type, to->addr, 0);
	return err;
}
