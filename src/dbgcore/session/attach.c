/*
 * Attaching to a running program by its process or its name, opening a core or
 * a frozen copy, and letting a program go. After an attach the program is
 * stopped and start.c finds how far its runtime is. Detaching first lifts
 * everything of ours; a program that cannot be let go stays debugged.
 */
#include "session/attach.h"
#include "session/session.h"
#include "session/siblings.h"
#include "session/ticks.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "inspect/exception.h"
#include "inspect/fault.h"
#include "target/core.h"
#include "target/proc.h"

/* ---- What a process runs, seen from outside ------------------------------ */

/*
 * Its command line and executable tell whether it is a .NET program, a tool of
 * the SDK or neither, and its name. Needs no ptrace, so it works for processes
 * that may be attached to or followed.
 */

enum {
	CMDLINE_MAX = 65536,
	HOST_MAX = 256 << 20, /* bytes of a file that may be a host */
	HOST_USUAL = 1 << 20, /* ... that has no runtime inside */
};

/* ---- What it runs, by its command line ------------------------------- */

/* Is it a tool of the SDK? These are in sdk/VERSION beside dotnet. */
static bool is_of_sdk(const char *path)
{
	for (const char *p = path; (p = strstr(p, "/sdk/")); p++)
		if (isdigit((unsigned char)p[5]))
			return true;
	return false;
}

static void set_name(struct program *p, const char *path)
{
	snprintf(p->name, sizeof(p->name), "%s", str_basename(path));
}

/*
 * Name it by the kernel's name, which has at most 15 bytes; if it may be cut,
 * by the executable.
 */
static void set_native(struct program *p, pid_t pid, const char *exe)
{
	char comm[16];

	proc_comm(pid, pid, comm);
	snprintf(p->name, sizeof(p->name), "%s", comm);
	if (!*comm || strlen(comm) == sizeof(comm) - 1)
		set_name(p, exe);
}

bool program_host_passes(const char *arg, bool *value)
{
	bool passed = *value || !strcmp(arg, "exec");

	*value = !passed && !strncmp(arg, "--", 2);
	return passed || *value;
}

bool program_is_assembly(const char *path)
{
	return str_ends(path, ".dll") || str_ends(path, ".exe");
}

void program_of_host(const char *cmdline, size_t n, struct program *ret)
{
	bool value = false;

	ret->kind = PROGRAM_SDK;
	set_name(ret, "dotnet");
	for (size_t at = strnlen(cmdline, n) + 1; at < n;
	     at += strnlen(cmdline + at, n - at) + 1) {
		const char *arg = cmdline + at;

		if (program_host_passes(arg, &value))
			continue;
		if (program_is_assembly(arg)) {
			ret->kind =
			    is_of_sdk(arg) ? PROGRAM_SDK : PROGRAM_DOTNET;
			set_name(ret, arg);
		}
		return;
	}
}

/* Is it an apphost: an executable with the program's .dll beside it? */
static void of_apphost(struct program *p, pid_t pid, const char *exe)
{
	_cleanup_free_ char *config =
	    xasprintf("/proc/%d/root%s.runtimeconfig.json", pid, exe);
	_cleanup_free_ char *dll = xasprintf("%s.dll", exe);

	if (!file_exists(config)) {
		set_native(p, pid, exe);
		return;
	}
	p->kind = is_of_sdk(exe) ? PROGRAM_SDK : PROGRAM_DOTNET;
	p->apphost = true;
	set_name(p, dll);
}

void program_of(pid_t pid, struct program *ret)
{
	char path[32], exe[PATH_MAX];
	size_t size = 0;

	memset(ret, 0, sizeof(*ret));
	if (!proc_executable(pid, exe))
		return;
	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	_cleanup_free_ char *args = proc_read(path, &size);
	if (size > CMDLINE_MAX) {
		size = CMDLINE_MAX;
		args[size] = '\0';
	}
	if (strcmp(str_basename(exe), "dotnet") || !size)
		of_apphost(ret, pid, exe);
	else
		program_of_host(args, size, ret);
}

/* ---- Is it one of .NET? ---------------------------------------------- */

/*
 * Does the process map a library of a runtime, or of a host on its way to one?
 */
static bool has_library(pid_t pid, bool *ret_readable)
{
	static const char *const names[] = {"libcoreclr.so", "libhostfxr.so",
					    "libhostpolicy.so"};
	struct proc_maps maps;
	bool found = false;

	struct dbg_error *err = proc_maps_load(pid, &maps);
	*ret_readable = !err && maps.n;
	if (dbg_err_drop(err))
		return false;
	for (size_t i = 0; i < maps.n && !found; i++)
		for (size_t j = 0; j < sizeof(names) / sizeof(*names); j++)
			found = found ||
				!strcmp(str_basename(maps.v[i].path), names[j]);
	proc_maps_deinit(&maps);
	return found;
}

/*
 * Is the executable a .NET host? One that has loaded nothing yet contains the
 * name of what it will load, one with the runtime inside the name of its
 * debugging table.
 */
static bool is_host(pid_t pid, size_t max)
{
	static const char *const words[] = {"libhostfxr", "libcoreclr",
					    "DotNetRuntimeInfo"};
	char path[32];
	struct file file;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	struct dbg_error *err = file_load(path, max, &file);
	if (dbg_err_drop(err))
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words) && !found; i++)
		found = memmem(file.bytes.p, file.bytes.n, words[i],
			       strlen(words[i]));
	file_unload(&file);
	return found;
}

/*
 * Has the process a .NET runtime, or is it a host that will have one? Also true
 * if that cannot be found out.
 */
static bool program_is_dotnet(pid_t pid)
{
	bool readable;

	// The list of mappings is long and dear, a host is a small file.
	return is_host(pid, HOST_USUAL) || has_library(pid, &readable) ||
	       !readable || is_host(pid, HOST_MAX);
}

/* ---- Which bears a name? --------------------------------------------- */

/* Is @file called @name, with or without its extension? */
static bool called(const char *file, const char *name)
{
	const char *base = str_basename(file);
	size_t n = strlen(name);

	return !strncmp(base, name, n) &&
	       (!base[n] || !strcmp(base + n, ".dll") ||
		!strcmp(base + n, ".exe"));
}

static bool bears(pid_t pid, const char *name)
{
	char exe[PATH_MAX], comm[16];
	struct program p;

	proc_comm(pid, pid, comm);
	if (!strcmp(comm, name))
		return true;
	program_of(pid, &p);
	return called(p.name, name) ||
	       (proc_executable(pid, exe) && called(exe, name));
}

/*
 * Find .NET programs called @name, by the kernel's name, by their file or by
 * the .dll that they run; returns how many, at most @max.
 */
static size_t programs_named(const char *name, pid_t *ret, size_t max)
{
	struct dirent *entry;
	size_t n = 0;

	DIR *dir = opendir("/proc");
	if (!dir)
		return 0;
	while (n < max && (entry = readdir(dir))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid <= 0 || pid == getpid() || !bears(pid, name) ||
		    proc_state(pid, pid) == 'Z' || !program_is_dotnet(pid))
			continue;
		ret[n++] = pid;
	}
	closedir(dir);
	return n;
}

/* ---- Targets that the session did not start ------------------------------ */

enum {
	NAMED_MAX = 64,
	WAIT_MS = 10,       /* between two looks: nothing tells of a process */
	WAIT_MAX_MS = 64,   /* ... while a collection is waited for */
	LENT_LOOK_MS = 100, /* nor of the end of one that another one traces */
};

static struct dbg_error *number_threads(struct dbg *dbg)
{
	struct dbg_error *err;
	struct target_thread *threads;
	size_t n;

	err = target_threads(dbg->target, dbg->inspect.arena, &threads, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		stack_thread_number(dbg->inspect.stack, threads[i].tid);
	return NULL;
}

// The target stands: take over what it has of a runtime.
static struct dbg_error *target_stands(struct dbg *dbg, const char *path)
{
	struct dbg_error *err;

	session_begin(dbg, path);
	inspect_stop(&dbg->inspect);
	err = number_threads(dbg);
	return err ? err : start_attached(dbg);
}

static struct dbg_error *attach(struct dbg *dbg, pid_t pid)
{
	struct dbg_error *err;

	err = target_attach(pid, &dbg->target);
	if (!err)
		err = target_stands(dbg, NULL);
	if (err) {
		session_ended(dbg);
		return err;
	}
	session_stopped(
	    dbg, &(struct dbg_stop){.reason = DBG_STOP_ATTACH,
				    .thread = session_pause_thread(dbg, pid)});
	return NULL;
}

struct dbg_error *session_stand(struct dbg *dbg, struct target *t,
				const char *path)
{
	dbg->target = t;

	struct dbg_error *err = target_stands(dbg, path);

	if (err)
		session_ended(dbg);
	return err;
}

// Name a core by its command line, as a process is named; "": the module with
// Main will tell.
static void name_core(struct dbg *dbg, const struct target_core *core)
{
	_cleanup_free_ char *words = xmalloc(core->words.n + 1);
	struct program p = {.kind = PROGRAM_NATIVE};

	if (core->words.n)
		memcpy(words, core->words.p, core->words.n);
	words[core->words.n] = '\0';
	if (!strcmp(str_basename(words), "dotnet"))
		program_of_host(words, core->words.n, &p);
	else
		snprintf(p.name, sizeof(p.name), "%s", str_basename(words));
	session_inferior_name(dbg, &p);
}

struct dbg_error *dbg_core(struct dbg *dbg, const char *path)
{
	struct dbg_error *err;
	struct dbg_stop stop = {.reason = DBG_STOP_ATTACH};
	struct target *t;
	struct target_core core;

	if (dbg->target)
		return dbg_err(DBG_E_STATE,
			       "a program is being debugged already");
	err = target_core_open(path, &dbg->files, &t, &core);
	if (err)
		return err;
	name_core(dbg, &core);
	if (*core.command)
		session_message(dbg, "the core was made of '%s'", core.command);
	if (core.missing)
		session_warning(dbg,
				"the core was cut short: %" PRIu64
				" bytes of memory are missing",
				core.missing);
	err = session_stand(dbg, t, "");
	if (err)
		return err;
	stop.thread = session_pause_thread(dbg, core.tid);
	if (core.signal) {
		stop.thread = stack_thread_number(dbg->inspect.stack, core.tid);
		const struct fault_signal fault = {
		    .signal = core.signal,
		    .told = core.fault.signal,
		    .code = core.fault.code,
		    .addr = core.fault.addr,
		};

		control_terminated(dbg->control, core.tid, &fault, &stop);
	}
	session_stopped(dbg, &stop);
	return NULL;
}

bool dbg_can_run(const struct dbg *dbg)
{
	return dbg->target && target_can(dbg->target, TARGET_RUN);
}

// Find the only process with that name; else an error that lists them.
static struct dbg_error *one_of(const char *name, const pid_t *pids, size_t n,
				pid_t *ret)
{
	_cleanup_str_ struct str list = {0};

	if (n == 1) {
		*ret = pids[0];
		return NULL;
	}
	if (!n)
		return dbg_err(DBG_E_NOT_FOUND,
			       "no .NET program is called '%s'", name);
	for (size_t i = 0; i < n; i++)
		str_addf(&list, "%s%d", i ? ", " : "", pids[i]);
	return dbg_err(DBG_E_ARGUMENT,
		       "%zu .NET programs are called '%s': attach to one of "
		       "the processes %s",
		       n, name, str_get(&list));
}

static struct dbg_error *find_named(struct dbg *dbg,
				    const struct dbg_attach *req, pid_t *ret)
{
	pid_t pids[NAMED_MAX];
	size_t n = programs_named(req->name, pids, NAMED_MAX);

	dbg->inspect.interrupted = 0;
	while (!n && req->wait) {
		if (dbg->inspect.interrupted)
			return dbg_err(DBG_E_INTERRUPTED,
				       "no .NET program called '%s' was "
				       "started",
				       req->name);
		poll(NULL, 0, WAIT_MS);
		n = programs_named(req->name, pids, NAMED_MAX);
	}
	return one_of(req->name, pids, n, ret);
}

static struct dbg_error *find_program(struct dbg *dbg,
				      const struct dbg_attach *req, pid_t *ret)
{
	char comm[16];

	if (!req->pid && (!req->name || !*req->name))
		return dbg_err(DBG_E_ARGUMENT, "attach to what?");
	if (!req->pid)
		return find_named(dbg, req, ret);
	*ret = req->pid;
	if (req->pid == getpid() || program_is_dotnet(req->pid))
		return NULL;
	proc_comm(req->pid, req->pid, comm);
	return dbg_err(DBG_E_RUNTIME,
		       "process %d ('%s') is no .NET program: no runtime is "
		       "loaded in it, and it is no host that loads one",
		       req->pid, comm);
}

struct dbg_error *dbg_program_find(struct dbg *dbg, const char *what,
				   pid_t *ret)
{
	struct dbg_attach req = {0};
	uint64_t pid;

	if (str_to_u64(what, &pid) && pid <= INT32_MAX)
		req.pid = (pid_t)pid;
	if (!req.pid)
		req.name = what;
	return find_program(dbg, &req, ret);
}

/* ---- Snapshots ------------------------------------------------------- */

// Give the stop of a copy the reason of its program's stop: an exception or a
// signal.
static void stop_as(struct dbg *dbg, const struct dbg_stop *was, pid_t tid,
		    struct dbg_stop *stop)
{
	if (!dbg->inspect.dac || (!was->exception && !was->signal))
		return;
	stop->reason = was->reason;
	stop->thread = stack_thread_number(dbg->inspect.stack, tid);
	stop->signal = was->signal;
	stop->fatal = was->fatal;
	if (was->exception && was->reason != DBG_STOP_FAIL_FAST)
		exception_describe(&dbg->inspect, was->exception,
				   dbg->inspect.arena, stop);
	stop->exception = was->exception;
}

// Stand on @t, a copy of a process that has gone on. @tid: the thread to look
// at, which stood as @was says.
static struct dbg_error *stand_copy(struct dbg *dbg, struct target *t,
				    pid_t tid, const struct dbg_stop *was)
{
	struct dbg_error *err = session_stand(dbg, t, NULL);
	struct dbg_stop stop = {.reason = DBG_STOP_ATTACH};
	struct program p;

	if (err)
		return err;
	program_of(target_pid(t), &p);
	session_inferior_name(dbg, &p);
	stop.thread = session_pause_thread(dbg, tid);
	stop_as(dbg, was, tid, &stop);
	session_stopped(dbg, &stop);
	return NULL;
}

// Stopped for no longer than the copying takes: its runtime is looked at later.
static struct dbg_error *attach_copy(struct dbg *dbg, pid_t pid)
{
	struct target *live, *copy;
	struct dbg_error *err = target_attach(pid, &live);

	if (err)
		return err;
	err = target_snapshot(live, &copy);
	// A thread that cannot be let go now is when we forget the program.
	dbg_err_drop(target_detach(live, false));
	target_destroy(live);
	return err ? err : stand_copy(dbg, copy, pid, &(struct dbg_stop){0});
}

struct dbg_error *dbg_snapshot(struct dbg_stopped at)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err = session_need_live(at);
	struct target *copy;

	if (!err)
		err = target_snapshot(dbg->target, &copy);
	if (err)
		return err;
	pid_t tid = stack_thread_tid(dbg->inspect.stack, dbg->stop.thread);
	const struct dbg_stop was = dbg->stop;

	err = dbg_detach(dbg, false);
	if (!err)
		return stand_copy(dbg, copy, tid, &was);
	target_destroy(copy);
	return err;
}

static bool is_settled(struct dbg *dbg)
{
	return !dbg->inspect.dac || !dac_gc_works(dbg->inspect.dac);
}

/*
 * Let the program go on until its collector is not at work; it is let go
 * meanwhile, as nothing else is as sure to leave it to itself.
 */
static struct dbg_error *settle(struct dbg *dbg, const struct dbg_attach *req,
				pid_t pid)
{
	size_t events = session_events(dbg);
	uint32_t waited = 0, ms = 2;
	struct dbg_error *err;

	dbg->inspect.interrupted = 0;
	for (;;) {
		err = req->snapshot ? attach_copy(dbg, pid) : attach(dbg, pid);
		if (err || waited >= req->settle || dbg->inspect.interrupted ||
		    is_settled(dbg))
			return err;
		err = dbg_detach(dbg, false);
		if (err)
			return err;
		session_events_forget(dbg, events);
		poll(NULL, 0, (int)ms);
		waited += ms;
		ms = ms < WAIT_MAX_MS ? ms * 2 : ms;
	}
}

struct dbg_error *dbg_attach(struct dbg *dbg, const struct dbg_attach *req)
{
	struct dbg_error *err;
	pid_t pid = 0;

	if (dbg->target)
		return dbg_err(DBG_E_STATE,
			       "a program is being debugged already");
	err = find_program(dbg, req, &pid);
	if (err)
		return err;
	struct proc_times times[2] = {0};

	if (req->look && !req->snapshot) {
		proc_times_read(pid, &times[0]);
		poll(NULL, 0, (int)req->look);
		proc_times_read(pid, &times[1]);
	}
	err = settle(dbg, req, pid);
	if (!err && times[0].n)
		target_times_keep(dbg->target, times);
	proc_times_deinit(&times[0]);
	proc_times_deinit(&times[1]);
	return err;
}

bool dbg_survives(const struct dbg *dbg)
{
	return dbg->target && target_survives(dbg->target);
}

// Drop Ctrl-C that was typed at our terminal: it was meant for us, and would
// end the program.
static struct dbg_error *drop_keys(struct dbg *dbg)
{
	sigset_t keys;

	target_keys_pending(dbg->target, &keys);
	for (int i = 1; i < NSIG; i++)
		if (dbg->signals[i].set)
			sigdelset(&keys, i);
	return target_keys_drop(dbg->target, &keys);
}

// Stop it, and take out what is ours but for the traps.
static struct dbg_error *leave(struct dbg *dbg)
{
	struct dbg_error *err = target_stop_all(dbg->target);

	if (err)
		return err;
	inspect_stop(&dbg->inspect);
	err = drop_keys(dbg);
	if (err)
		return err;
	evaluation_let_go(dbg);
	control_leave(dbg->control);
	return NULL;
}

// The program cannot be let go: go on debugging it.
static void debug_on(struct dbg *dbg)
{
	if (dbg->state == DBG_RUNNING)
		dbg_error_destroy(session_go(dbg));
}

struct dbg_error *dbg_detach(struct dbg *dbg, bool stopped)
{
	struct dbg_error *err = NULL;

	if (!dbg->target)
		return dbg_err(DBG_E_STATE, "the program is not being run");
	if (!target_can(dbg->target, TARGET_RUN)) {
		session_ended(dbg);
		return NULL;
	}
	if (dbg->state != DBG_LENT)
		err = leave(dbg);
	if (!err)
		err = target_detach(dbg->target, stopped);
	if (err)
		debug_on(dbg);
	else
		session_ended(dbg);
	return err;
}

/* ---- Lending --------------------------------------------------------- */

struct dbg_error *dbg_lend(struct dbg *dbg, pid_t dumper)
{
	struct dbg_error *err;

	if (!dbg_can_run(dbg))
		err = dbg_err(DBG_E_STATE, "the program is not being run");
	else if (dbg->state == DBG_LENT)
		err = dbg_err(DBG_E_STATE, "another createdump is at work on "
					   "it: it has one tracer at a time");
	else
		err = leave(dbg);
	if (!err)
		err = target_lend(dbg->target, dumper);
	if (err) {
		dbg_error_destroy(dbg_child_leave(dbg, dumper, false));
		debug_on(dbg);
		return err;
	}
	session_forget(dbg);
	dbg->state = DBG_LENT;
	dbg->pausing = false;
	ticks_start(&dbg->lent, LENT_LOOK_MS);
	return NULL;
}

struct dbg_error *session_back(struct dbg *dbg)
{
	struct dbg_error *err = target_reclaim(dbg->target);

	if (err) {
		dbg->pausing = false;
		// of one that is ending that is told
		if (!proc_dying(dbg_pid(dbg)))
			session_event(dbg, &(struct dbg_event){
					       .kind = DBG_EVENT_DUMPER,
					       .text = err->message,
					   });
		dbg_error_destroy(err);
		return NULL;
	}
	ticks_stop(&dbg->lent);
	err = target_stands(dbg, NULL);
	if (err) {
		// it was debugged before: that is gone on with
		session_warning(dbg, "%s", err->message);
		dbg_error_destroy(err);
		start_give_up(dbg);
	}
	if (dbg->pausing)
		return session_paused(dbg, dbg_pid(dbg), 0);
	siblings_freeze_with(dbg);
	return NULL;
}
