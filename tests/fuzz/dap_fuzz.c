/*
 * The bytes of a client through framing and every request that needs no
 * program: a session of the debug adapter over pipes, from start to end.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "dap/dap.h"
#include "dap/dap_priv.h"
#include "repl/repl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct front_options options = {.commands = &repl_commands};

static void add_message(struct str *t, const char *s, size_t n)
{
	str_addf(t, "Content-Length: %zu\r\n\r\n", n);
	str_addn(t, s, n);
}

// Most inputs break the stream at once: each line is a message, too.
static void frame_lines(const char *s, size_t n, struct str *ret)
{
	static const char start[] =
	    "{\"seq\":1,\"type\":\"request\",\"command\":\"initialize\"}";

	add_message(ret, start, sizeof(start) - 1);
	while (n) {
		const char *eol = memchr(s, '\n', n);
		size_t len = eol ? (size_t)(eol - s) : n;
		// programs are not started here
		if (!memmem(s, len, "launch", 6) && !memmem(s, len, "tach", 4))
			add_message(ret, s, len);
		s += len + (eol != NULL);
		n -= len + (eol != NULL);
	}
}

static int begin(struct dap *d)
{
	int sink = memfd_create("answers", MFD_CLOEXEC);

	*d = (struct dap){.options = &options, .in_fd = -1};
	dbg_error_destroy(dbg_create(&d->dbg));
	outbox_init(&d->out, sink);
	console_init(&d->console);
	return sink;
}

static void end(struct dap *d, int sink)
{
	dap_deinit(d);
	dbg_destroy(d->dbg);
	close(sink);
}

static void serve(const char *bytes, size_t n)
{
	struct dap d;
	int sink = begin(&d);

	for (size_t at = 0; at < n && !d.quit; at += 100) {
		size_t part = n - at < 100 ? n - at : 100;
		framing_feed(&d.in.in, bytes + at, part);
		dap_take_messages(&d);
	}
	end(&d, sink);
}

// Each line as what launch.json says; files that it names are not opened.
static void set_up(const char *s, size_t n)
{
	struct dap d;
	int sink = begin(&d);

	while (n) {
		const char *eol = memchr(s, '\n', n);
		size_t len = eol ? (size_t)(eol - s) : n;
		cJSON *args = cJSON_ParseWithLength(s, len);
		if (cJSON_IsObject(args) && !memmem(s, len, "ile", 3) &&
		    !memmem(s, len, "\\u", 2)) {
			dbg_error_destroy(setup_take(&d, args, false));
			dbg_error_destroy(setup_take(&d, args, true));
		}
		cJSON_Delete(args);
		s += len + (eol != NULL);
		n -= len + (eol != NULL);
	}
	end(&d, sink);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_str_ struct str framed = {0};

	if (size > 1 << 16)
		return 0;
	serve((const char *)data, size);
	frame_lines((const char *)data, size, &framed);
	serve(str_get(&framed), framed.len);
	set_up((const char *)data, size);
	return 0;
}
