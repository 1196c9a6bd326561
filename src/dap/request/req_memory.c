/* `readMemory` and `writeMemory`, in base64 as the protocol wants it. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "dap/wire/base64.h"
#include "dap/dap_priv.h"
#include "dap/wire/emit.h"
#include "base/err.h"
#include "dap/request/variable.h"

enum {
	READ_MAX_BYTES = 1 << 20
};

static struct dbg_error *get_address(const cJSON *args, uint64_t *ret)
{
	const char *ref = NULL;
	int64_t offset = 0;

	struct dbg_error *err = args_need(args, "memoryReference");
	if (!err)
		err = args_str(args, "memoryReference", &ref);
	if (!err)
		err = args_i64(args, "offset", &offset);
	if (!err && !args_parse_addr(ref, ret))
		err = dbg_err_arg("'%s' is not an address", ref);
	if (!err)
		*ret += (uint64_t)offset;
	return err;
}

static struct dbg_error *do_read(struct dap *d, struct dbg_stopped at,
				 struct request *req)
{
	uint64_t addr = 0, count = 0;
	size_t n = 0;

	(void)d;
	struct dbg_error *err = get_address(req->args, &addr);
	if (!err)
		err = args_need(req->args, "count");
	if (!err)
		err = args_u64(req->args, "count", &count);
	if (!err && count > READ_MAX_BYTES)
		err = dbg_err_arg("more than 1 MiB is asked for");
	if (err)
		return err;
	_cleanup_free_ char *buf = xcalloc(count, 1);
	err = dbg_memory_read(at, addr, buf, count, &n);
	if (err) {
		// unreadable is an answer
		dbg_error_destroy(err);
		n = 0;
	}
	emit_addr(req->body, "address", addr);
	if (n < count)
		emit_int(req->body, "unreadableBytes", (int64_t)(count - n));
	_cleanup_free_ char *data = base64_encode(buf, n);
	emit_str(req->body, "data", data);
	return NULL;
}

static struct dbg_error *do_write(struct dap *d, struct dbg_stopped at,
				  struct request *req)
{
	const char *data = NULL;
	const char *ref = "";
	int64_t offset = 0;
	uint64_t addr = 0;
	_cleanup_free_ unsigned char *bytes = NULL;
	size_t n = 0;

	struct dbg_error *err = get_address(req->args, &addr);
	if (!err)
		err = args_need(req->args, "data");
	if (!err)
		err = args_str(req->args, "data", &data);
	if (!err && !base64_decode(data, &bytes, &n))
		err = dbg_err_arg("'data' is no base64");
	if (!err)
		err = dbg_memory_write(at, addr, bytes, n);
	if (err)
		return err;
	emit_int(req->body, "bytesWritten", (int64_t)n);
	variable_assigned(d);
	if (!d->client.memory_event)
		return NULL;
	dbg_error_destroy(args_str(req->args, "memoryReference", &ref));
	dbg_error_destroy(args_i64(req->args, "offset", &offset));
	struct str *t = dap_event(d, "memory");
	emit_str(t, "memoryReference", ref);
	emit_int(t, "offset", offset);
	emit_int(t, "count", (int64_t)n);
	dap_send(d);
	return NULL;
}

const struct dap_request req_memory[] = {
    {"readMemory", "supportsReadMemoryRequest", 0, .stopped = do_read},
    {"writeMemory", "supportsWriteMemoryRequest", REQ_BY_HAND,
     .stopped = do_write},
    {0},
};
