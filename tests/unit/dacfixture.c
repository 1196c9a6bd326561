#include "dacfixture.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "dac/assumption.h"

enum {
	PATIENCE_MS = 60000,
	TOKENS = 200,
	ELEM_CHAR = 3,
	ELEM_INT = 8,
};

static const char *cache_dir(struct arena *arena)
{
	const char *cache = getenv("DNDBG_CACHE"), *home = getenv("HOME");

	if (cache && *cache)
		return arena_strdup(arena, cache);
	return arena_printf(arena, "%s/.cache/dndbg", home ? home : "");
}

const char *dacfixture_host(const char *major, struct arena *arena)
{
	const char *path =
	    arena_printf(arena, "%s/roots/%s/dotnet", cache_dir(arena), major);

	return file_exists(path) ? path : NULL;
}

/* ---- Starting and stopping ------------------------------------------- */

// Resume what stopped; the program must not end.
static void take_events(struct target *t)
{
	struct target_event e;
	bool any = true;

	while (any) {
		must(target_event_next(t, &e, &any));
		if (!any)
			return;
		if (e.kind == TARGET_EXITED)
			fail_msg("the program ended by itself");
		if (e.kind == TARGET_BORN || e.kind == TARGET_GONE)
			continue;
		must(target_thread_resume(
		    t, e.tid, e.kind == TARGET_SIGNAL ? e.signal : 0));
	}
}

// Let the program run until it has written "rest"; what it wrote is in @said.
static void run_to_rest(struct target *t, int out, struct str *said)
{
	struct pollfd fds[] = {
	    {.fd = target_fd(t), .events = POLLIN},
	    {.fd = out, .events = POLLIN},
	};
	char text[4096];

	must(target_resume_all(t));
	while (!str_ends(str_get(said), "rest\n")) {
		if (poll(fds, 2, PATIENCE_MS) <= 0)
			fail_msg("the program did not come to rest: '%s'",
				 str_get(said));
		take_events(t);
		if (!(fds[1].revents & POLLIN))
			continue;
		ssize_t got = read(out, text, sizeof(text));
		if (got > 0)
			str_addn(said, text, (size_t)got);
	}
	must(target_stop_all(t));
}

const char *dacfixture_dll(struct arena *arena, const char *program)
{
	const char *dll =
	    arena_printf(arena, "%s/fixtures/%s/%s.dll", cache_dir(arena),
			 program, str_basename(program));

	if (!file_exists(dll))
		fail_msg("no '%s': run scripts/build-fixtures", dll);
	return dll;
}

struct target *dacfixture_start(struct arena *arena, const char *host,
				const char *program, bool optimized,
				struct str *said)
{
	const char *dll = dacfixture_dll(arena, program);
	char *dir = arena_printf(arena, "/tmp/dndbg-dac-XXXXXX");
	struct target *t;

	assert_non_null(mkdtemp(dir));
	const char *fifo = arena_printf(arena, "%s/out", dir);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	_cleanup_close_ int out = open(fifo, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	assert_true(out >= 0);

	const char *argv[] = {host, dll, NULL};
	const char *env[] = {optimized ? "DOTNET_TieredCompilation=0"
				       : "DOTNET_TieredCompilation",
			     "DOTNET_gcServer=0"};
	const struct dbg_launch launch = {
	    .env = env,
	    .n_env = 2,
	    .stdio = {"/dev/null", fifo, "/dev/null"},
	};
	must(target_spawn(host, argv, &launch, &t));
	run_to_rest(t, out, said);
	unlink(fifo);
	rmdir(dir);
	return t;
}

// What the code room tells the DAC: here from the program's own memory.
static void tell_core_library(struct dacfixture *f)
{
	const struct dac_module *core = NULL;

	for (size_t i = 0; i < f->n_modules && !core; i++)
		if (strstr(f->modules[i].path, "System.Private.CoreLib"))
			core = &f->modules[i];
	assert_non_null(core);
	uint8_t *p = arena_alloc(f->arena, core->md_size);
	must(target_read(f->t, core->md_addr, p, core->md_size));
	must(md_parse((struct bytes){p, core->md_size}, &f->core));
	dac_core_library(f->d, core->addr, &f->core);
}

// Is the main thread asleep in the kernel, and does "spin" run managed code?
static bool all_in_place(struct dacfixture *f)
{
	struct target_thread *threads;
	struct regs regs;
	char name[16];
	pid_t spin = 0;
	size_t n;

	must(target_regs(f->t, f->main_tid, &regs));
	if (regs.orig_rax != SYS_futex)
		return false;
	must(target_threads(f->t, f->arena, &threads, &n));
	for (size_t i = 0; i < n; i++) {
		target_thread_name(f->t, threads[i].tid, name);
		if (!strcmp(name, "spin"))
			spin = threads[i].tid;
	}
	f->threads = threads;
	f->n_threads = n;
	const struct dac_thread *t = dac_thread_find(f->d, spin);
	return t && t->cooperative;
}

// "rest" is written a moment before the main thread is, and a thread that
// computes may be stopped in a helper of the runtime.
static void come_to_place(struct dacfixture *f)
{
	struct pollfd fd = {.fd = target_fd(f->t), .events = POLLIN};

	for (int left = PATIENCE_MS; !all_in_place(f); left--) {
		if (!left)
			fail_msg("the program did not come to rest");
		must(target_resume_all(f->t));
		poll(&fd, 1, 1);
		take_events(f->t);
		must(target_stop_all(f->t));
		dac_flush(f->d);
	}
}

struct dac *dacfixture_open(struct target *t, struct arena *arena)
{
	struct target_image image;
	struct dac *d = NULL;
	bool found, ready = false;

	must(target_image_find(t, "libcoreclr.so", arena, &image, &found));
	assert_true(found);
	const struct dac_runtime runtime = {.path = image.path,
					    .base = image.base};
	must(dac_open(t, &runtime, &d, &ready));
	assert_true(ready);
	return d;
}

struct dacfixture *dacfixture_create(const char *host, const char *config,
				     bool optimized)
{
	struct dacfixture *f = xcalloc(1, sizeof(*f));
	_cleanup_str_ struct str said = {0};

	f->arena = arena_create();
	f->t = dacfixture_start(f->arena, host,
				arena_printf(f->arena, "%s/Inspect", config),
				optimized, &said);
	f->main_tid = target_pid(f->t);
	f->d = dacfixture_open(f->t, f->arena);
	come_to_place(f);
	must(dac_modules(f->d, f->arena, &f->modules, &f->n_modules));
	for (size_t i = 0; i < f->n_modules; i++)
		if (!strcmp(f->modules[i].name, "Inspect"))
			f->module = f->modules[i].addr;
	assert_true(f->module != 0);
	tell_core_library(f);
	return f;
}

void dacfixture_destroy(struct dacfixture *f)
{
	dac_close(f->d);
	target_destroy(f->t);
	arena_destroy(f->arena);
	free(f);
}

/* ---- Looking things up ----------------------------------------------- */

size_t dacfixture_walk(struct dacfixture *f, pid_t tid, bool all,
		       struct dacframe **ret)
{
	struct dac_walk *walk;
	struct dac_frame frame;
	struct dacframe *frames = NULL;
	size_t n = 0, cap = 0;
	bool any;

	must(dac_walk_create(f->d, tid, &walk));
	while (walk) {
		must(dac_walk_next(walk, &frame, &any));
		if (!any)
			break;
		if (!all && frame.kind != DAC_FRAME_MANAGED)
			continue;
		mem_grow(&frames, &cap, n, sizeof(*frames));
		frames[n].frame = frame;
		frames[n].name = "";
		if (frame.kind == DAC_FRAME_MANAGED)
			must(dac_method_name(f->d, frame.method, f->arena,
					     &frames[n].name));
		n++;
	}
	dac_walk_destroy(walk);
	*ret = arena_copy(f->arena, frames, n, sizeof(*frames));
	free(frames);
	return n;
}

struct dacframe dacfixture_frame(struct dacfixture *f, const char *part,
				 pid_t *ret_tid)
{
	struct dacframe *frames;

	for (size_t i = 0; i < f->n_threads; i++) {
		size_t n =
		    dacfixture_walk(f, f->threads[i].tid, false, &frames);
		for (size_t j = 0; j < n; j++) {
			if (!strstr(frames[j].name, part))
				continue;
			*ret_tid = f->threads[i].tid;
			return frames[j];
		}
	}
	fail_msg("no frame of '%s'", part);
	return (struct dacframe){0};
}

const char *dacfixture_type_name(struct dacfixture *f, uint64_t mt)
{
	const char *name = "";

	if (mt)
		must(dac_type_name(f->d, mt, &name));
	return name;
}

uint64_t dacfixture_type(struct dacfixture *f, const char *name)
{
	for (uint32_t i = 1; i < TOKENS; i++) {
		uint64_t mt =
		    dac_type_of_token(f->d, f->module, 0x02000000 + i);
		if (mt && !strcmp(dacfixture_type_name(f, mt), name))
			return mt;
	}
	fail_msg("no type '%s'", name);
	return 0;
}

uint32_t dacfixture_method(struct dacfixture *f, const char *part)
{
	for (uint32_t token = 0x06000001; token < 0x06000000 + TOKENS;
	     token++) {
		uint64_t *codes;
		const char *name;
		size_t n;
		must(dac_method_codes(f->d, f->module, token, f->arena, &codes,
				      &n));
		if (!n)
			continue;
		must(dac_method_name(f->d, dac_method_at(f->d, codes[0]),
				     f->arena, &name));
		if (strstr(name, part))
			return token;
	}
	fail_msg("no compiled method '%s'", part);
	return 0;
}

uint64_t dacfixture_u64(struct dacfixture *f, uint64_t addr)
{
	uint64_t ret;

	must(target_read_u64(f->t, addr, &ret));
	return ret;
}

const char *dacfixture_string(struct dacfixture *f, uint64_t object)
{
	_cleanup_str_ struct str s = {0};
	struct dac_object o;
	uint16_t units[256];

	must(dac_object_get(f->d, object, &o));
	assert_string_equal(dacfixture_type_name(f, o.type), "System.String");
	assert_true(o.n_components <= 256);
	must(target_read(f->t, o.data, units, o.n_components * sizeof(*units)));
	str_add_utf16(&s, units, o.n_components);
	return arena_strdup(f->arena, str_get(&s));
}
