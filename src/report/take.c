/*
 * A program that stands still is taken down: threads, frames, exceptions and,
 * of the thread that the report is about, what its variables hold.
 *
 * Each thread's frames are asked for in pages, so a stack of fifty thousand
 * frames costs no more memory than is kept of it: runs of frames that repeat
 * (a recursion without end) are counted and listed once.
 */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- Takestuck ----------------------------------------------------------- */

/*
 * The parts of a report about a program that does not go on, as far as they are
 * asked for: tests that run, what threads wait for, and async calls that wait
 * in an await. The latter are on no stack; the heap is walked for them.
 */

enum {
	ASYNC_MAX = 50, /* chains that are told */
	CALLS_MAX = 200,
	SOURCES_MAX = 10,   /* chains that show a line */
	VARIABLE_CALLS = 4, /* the user's of such a chain that show variables */
};

/*
 * Prefixes of modules that run tests; the first ones are those of frameworks.
 */
static const char *const runners[] = {
    "xunit.",
    "nunit.",
    "MSTest",
    "TUnit.",
    "Microsoft.VisualStudio.TestPlatform.",
    "Microsoft.TestPlatform.",
    "Microsoft.Testing.",
    "NUnit3.TestAdapter",
    "testhost",
};

enum {
	N_FRAMEWORKS = 5
};

/* ---- Tests ------------------------------------------------------------ */

static bool is_of(const char *module, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_starts(module, runners[i]))
			return true;
	return false;
}

bool report_runs_tests(const char *module)
{
	return module && is_of(module, sizeof(runners) / sizeof(*runners));
}

static bool has_tests(struct dbg *dbg)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_module *v;
	size_t n;

	if (dbg_err_drop(dbg_module_list(dbg, arena, &v, &n)))
		return false;
	for (size_t i = 0; i < n; i++)
		if (is_of(v[i].name, N_FRAMEWORKS))
			return true;
	return false;
}

// "Sums.Adds(start: 42)": the values tell apart the cases of one method.
static const char *test_text(struct report *r, struct dbg_stopped at,
			     const struct dbg_test *test)
{
	struct str text = {0};
	struct dbg_value *args;
	size_t n = 0;

	str_add(&text, test->name);
	if (test->inside || dbg_err_drop(dbg_scope_list(
				at, test->frame, DBG_SCOPE_ARGS, &args, &n)))
		n = 0;
	bool any = false;
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(args[i].name, "this"))
			continue;
		str_addf(&text, "%s%s: %s", any ? ", " : "(", args[i].name,
			 report_value(r, &args[i]));
		any = true;
	}
	str_add(&text, any ? ")" : "");
	const char *ret = report_copy(r, str_get(&text));
	str_deinit(&text);
	return ret;
}

// The only test of @v that runs the method of @v[at] itself, not a lambda of
// it; @n: there is none, or several.
static size_t whole_of(const struct dbg_test *v, size_t n, size_t at)
{
	size_t found = n;

	for (size_t i = 0; i < n; i++) {
		if (v[i].inside || strcmp(v[i].name, v[at].name))
			continue;
		if (found < n)
			return n;
		found = i;
	}
	return found;
}

// Is the test covered by another entry: the test whose lambda a thread runs, or
// the lambda if the report is about that?
static bool is_told(const struct report *r, const struct dbg_test *v, size_t n,
		    size_t at)
{
	if (v[at].inside)
		return v[at].thread != r->thread && whole_of(v, n, at) < n;
	for (size_t i = 0; i < n; i++)
		if (v[i].inside && v[i].thread == r->thread &&
		    whole_of(v, n, i) == at)
			return true;
	return false;
}

static void add_test(struct report *r, struct dbg_stopped at,
		     const struct dbg_test *v, size_t n, size_t i)
{
	size_t whole = v[i].inside ? whole_of(v, n, i) : n;

	r->tests[r->n_tests++] = (struct report_test){
	    .thread = v[i].thread,
	    .framework = report_copy(r, v[i].framework),
	    .name = report_copy(r, v[i].name),
	    .text = test_text(r, at, &v[whole < n ? whole : i]),
	    .path = report_copy(r, v[i].path),
	    .line = v[i].line,
	};
}

void report_take_tests(struct report *r, struct dbg_stopped at,
		       struct dbg_test **ret, size_t *ret_n)
{
	const struct dbg_stop *stop = dbg_stop_reason(at);
	bool goes_on = stop->reason == DBG_STOP_THROWN;
	bool waiting = r->stuck || (r->kind && !goes_on && has_tests(at.dbg));
	struct dbg_test *v = NULL;
	size_t n = 0;

	if (dbg_err_drop(dbg_test_list(at, waiting, &v, &n)))
		n = 0;
	*ret = v;
	*ret_n = n;
	// what stands still in a test is more likely to be to blame
	if (r->stuck && n && v[0].thread)
		r->thread = v[0].thread;
	r->tests = arena_calloc(r->arena, n, sizeof(*r->tests));
	for (int others = 0; others < 2; others++)
		for (size_t i = 0; i < n; i++)
			if ((v[i].thread != r->thread) == others &&
			    !is_told(r, v, n, i))
				add_test(r, at, v, n, i);
}

uint64_t report_tests_hash(struct dbg *dbg)
{
	struct report r = {.arena = arena_create()};
	struct dbg_stopped at;
	struct dbg_test *v;
	uint64_t hash = 0;
	size_t n;

	if (dbg_err_drop(dbg_stopped(dbg, &at)) ||
	    dbg_err_drop(dbg_test_list(at, true, &v, &n)))
		n = 0;
	for (size_t i = 0; i < n; i++) {
		const char *text = test_text(&r, at, &v[i]);

		// in any order: where they are in the heap changes
		hash += str_hash(text, strlen(text)) + v[i].thread;
	}
	report_destroy(&r);
	return hash;
}

/* ---- Threads that wait ------------------------------------------------ */

static const struct report_wait_kind kinds[] = {
    [DBG_BLOCKED_MONITOR] = {"lock", "the lock of ", "holds", true},
    [DBG_BLOCKED_LOCK] = {"lock", "", "holds", true},
    [DBG_BLOCKED_RWLOCK] = {"rwlock", "", "holds", true},
    [DBG_BLOCKED_SEMAPHORE] = {"semaphore", "", "has", false},
    [DBG_BLOCKED_TASK] = {"task", "", "runs", false},
    [DBG_BLOCKED_EVENT] = {"event", "", "sets", false},
    [DBG_BLOCKED_THREAD] = {"thread", "the end of ", "is", false},
    [DBG_BLOCKED_HANDLE] = {"handle", "", "sets", false},
    [DBG_BLOCKED_MUTEX] = {"mutex", "", "holds", true},
    [DBG_BLOCKED_LAZY] = {"lazy", "the value of ", "makes", true},
    [DBG_BLOCKED_BARRIER] = {"barrier", "", "signals", false},
    [DBG_BLOCKED_COUNTDOWN] = {"countdown", "", "signals", false},
    [DBG_BLOCKED_COLLECTION] = {"collection", "", "fills", false},
    [DBG_BLOCKED_CLASS] = {"class", "the class constructor of ", "runs", true},
    [DBG_BLOCKED_PULSE] = {"pulse", "a pulse of ", "has locked", false},
    [DBG_BLOCKED_CALLBACK] = {"callback", "a callback of ", "runs", true},
    [DBG_BLOCKED_RWLOCK_OLD] = {"rwlock", "", "holds", true},
    [DBG_BLOCKED_PROCESS] = {"process", "the end of ", "is", false},
    [DBG_BLOCKED_SPIN] = {"spin", "", "has", false},
};

void report_take_waits(struct report *r, struct dbg_stopped at)
{
	const struct dbg_stop *stop = dbg_stop_reason(at);
	struct dbg_blocked *v;
	size_t n = 0;

	if (!stop->signal && !stop->exception)
		r->lacking = report_copy(r, dbg_lacking(at));
	// walks the heap only if async calls are asked for (stuck)
	if (dbg_err_drop(dbg_blocked_list(at, r->stuck, &v, &n)))
		n = 0;
	r->waits = arena_calloc(r->arena, n, sizeof(*r->waits));
	for (size_t i = 0; i < n; i++)
		r->waits[r->n_waits++] = (struct report_wait){
		    .thread = v[i].thread,
		    .owner = v[i].owner,
		    .object = v[i].object,
		    .type = report_copy(r, v[i].type),
		    .kind = &kinds[v[i].kind],
		    .deadlock = v[i].deadlock,
		};
}

/* ---- Async calls ------------------------------------------------------ */

static bool is_users(const struct dbg_task *task)
{
	return task->source.path && !task->framework &&
	       !report_runs_tests(task->module);
}

static bool has_test(const struct dbg_async_chain *chain,
		     const struct dbg_test *tests, size_t n)
{
	for (size_t i = 0; i < chain->n; i++)
		for (size_t k = 0; k < n; k++)
			if (tests[k].call && tests[k].call == chain->v[i].addr)
				return true;
	return false;
}

static struct report_frame call_of(struct report *r,
				   const struct dbg_task *task)
{
	const char *name = task->method ? task->method : task->what;

	return (struct report_frame){
	    .kind = DBG_FRAME_ASYNC,
	    .name = report_copy(r, name ? name : task->type),
	    .params = report_copy(r, task->params),
	    .module = report_copy(r, task->module),
	    .path = report_copy(r, task->source.path),
	    .line = task->source.line,
	    .column = task->source.column,
	    .framework = task->framework || report_runs_tests(task->module),
	};
}

static void take_call_variables(struct report *r, struct dbg_stopped at,
				const struct dbg_task *task,
				struct report_frame *f)
{
	struct dbg_frame *frames;
	uint32_t thread;
	size_t n = 0;
	struct dbg_error *err = dbg_suspended_call(at, task->addr, &thread);

	if (!err)
		err = dbg_frame_list(at, thread, 0, 1, &frames, &n);
	if (!dbg_err_drop(err) && n)
		report_take_variables(r, at, frames[0].id, f);
}

static void add_chain(struct report *r, struct dbg_stopped at,
		      const struct dbg_async_chain *chain)
{
	struct report_async *to = &r->asyncs[r->n_asyncs++];
	size_t n = chain->n < CALLS_MAX ? chain->n : CALLS_MAX;
	const struct report_frame *culprit = NULL;
	unsigned int with_variables =
	    r->n_asyncs > SOURCES_MAX ? 0 : VARIABLE_CALLS;

	*to = (struct report_async){
	    .count = chain->count,
	    .circle = chain->circle,
	    .what = report_copy(r, chain->v[0].what),
	    .frames = arena_calloc(r->arena, n, sizeof(*to->frames)),
	};
	for (size_t i = 0; i < n; i++) {
		const struct dbg_task *task = &chain->v[i];
		struct report_frame *f;

		// what is awaited by all, which is no call, is told above them
		if (!i && task->what && !task->method)
			continue;
		f = &to->frames[to->n_frames++];
		*f = call_of(r, task);
		if (is_users(task) && with_variables) {
			take_call_variables(r, at, task, f);
			with_variables--;
		}
		if (culprit || !is_users(task) || r->n_asyncs > SOURCES_MAX)
			continue;
		report_take_source(r, at.dbg, f);
		culprit = f;
	}
}

void report_take_async(struct report *r, struct dbg_stopped at,
		       const struct dbg_test *tests, size_t n)
{
	const struct dbg_task_query all = {0};
	struct dbg_async found;

	if (!r->stuck || dbg_err_drop(dbg_async_list(at, &all, &found)))
		return;
	r->asyncs = arena_calloc(r->arena, ASYNC_MAX, sizeof(*r->asyncs));
	for (int others = 0; others < 2; others++)
		for (size_t i = 0;
		     i < found.n_chains && r->n_asyncs < ASYNC_MAX; i++) {
			const struct dbg_async_chain *chain = &found.chains[i];
			bool own = chain->circle;

			for (size_t k = 0; k < chain->n && !own; k++)
				own = is_users(&chain->v[k]);
			if (own && has_test(chain, tests, n) == !others)
				add_chain(r, at, chain);
		}
}

/* ---- A program that stands still is taken down --------------------------- */

/* ---- Surroundings ---------------------------------------------------- */

/*
 * The surroundings of a program: its command line, the part of its environment
 * that influences how it runs, its system and its modules. In a core only the
 * modules are known.
 */

static bool report_is_secret(const char *name);

enum {
	TEXT_MAX = 1 << 16, /* of a file of /proc that is looked at */
	WORDS_MAX = 200,
	WORD_MAX = 1000, /* characters that are kept */
};

/*
 * Prefixes of the environment variables that are reported; with "=" the whole
 * name.
 */
static const char *const chosen[] = {
    "DOTNET_", "COMPlus_", "CORECLR_", "ASPNETCORE_", "LANG=",
    "LC_",     "TZ=",      "CI=",      "HOSTNAME=",
};

static const char redacted[] = "<redacted>";

/* Characters between a name or option and its value. */
static const char separators[] = "=:";

// The whole file, or its beginning, with a zero behind it; NULL: there is none.
static char *read_file(struct report *r, const char *name, size_t *ret_n)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/%s", r->pid, name);
	FILE *file = r->pid ? fopen(path, "re") : NULL;
	if (!file)
		return NULL;
	char *text = arena_alloc(r->arena, TEXT_MAX + 1);
	*ret_n = fread(text, 1, TEXT_MAX, file);
	fclose(file);
	text[*ret_n] = '\0';
	return text;
}

typedef const char *word_fn(struct report *r, const char *word,
			    const char *before);

// The words of a file that zeros end, as @take wants them (NULL: not).
static const char **read_words(struct report *r, const char *name,
			       word_fn *take, size_t *ret_n)
{
	const char **list = arena_calloc(r->arena, WORDS_MAX, sizeof(*list));
	size_t n;
	const char *before = "", *text = read_file(r, name, &n);

	*ret_n = 0;
	for (size_t at = 0; text && at < n && *ret_n < WORDS_MAX;) {
		const char *word = text + at;
		const char *taken = take(r, word, before);

		if (taken)
			list[(*ret_n)++] = taken;
		at += strlen(word) + 1;
		before = word;
	}
	return list;
}

// Is it the key of a secret value? The words "key" and "sig" count only as
// whole names, being part of many harmless ones.
static bool is_secret_key(const char *key, size_t n)
{
	char *name = xstrndup(key, n);
	bool is = report_is_secret(name) || !strcasecmp(name, "key") ||
		  !strcasecmp(name, "sig");

	free(name);
	return is;
}

// Is there a password in an address, as in "https://user:password@host"?
static bool has_userinfo(const char *word)
{
	const char *s = strstr(word, "://");

	if (!s)
		return false;
	s += 3;
	size_t n = strcspn(s, "/?# ");

	return memchr(s, ':', n) && memchr(s, '@', n);
}

// Is a part of it a secret with its value, as in "Server=a;Password=b"?
static bool has_secret(const char *word)
{
	for (const char *s = word; (s = strpbrk(s, separators)); s++) {
		const char *key = s;

		while (key > word && !strchr("=:;,&?/ ", key[-1]))
			key--;
		if (is_secret_key(key, (size_t)(s - key)))
			return true;
	}
	return has_userinfo(word);
}

// "NAME=VALUE" without the value if the name, or the option, is a secret's.
static const char *without_secret(struct report *r, const char *word)
{
	int n = (int)strcspn(word, separators) + 1;

	if (has_secret(word))
		return arena_printf(r->arena, "%.*s%s", n, word, redacted);
	return arena_strndup(r->arena, word, strnlen(word, WORD_MAX));
}

static const char *take_argument(struct report *r, const char *word,
				 const char *before)
{
	bool is_value = *before == '-' && !strpbrk(before, separators) &&
			report_is_secret(before) && *word != '-';

	return is_value ? redacted : without_secret(r, word);
}

static const char *take_variable(struct report *r, const char *word,
				 const char *before)
{
	(void)before;
	for (size_t i = 0; i < sizeof(chosen) / sizeof(*chosen); i++)
		if (str_starts(word, chosen[i]))
			return without_secret(r, word);
	return NULL;
}

// The distribution's name for people, in the program's own root.
static const char *take_system(struct report *r)
{
	static const char key[] = "PRETTY_NAME=";
	size_t n;
	const char *text = read_file(r, "root/etc/os-release", &n);
	const char *found = text ? strstr(text, key) : NULL;

	if (!found || (found != text && found[-1] != '\n'))
		return NULL;
	found += strlen(key);
	found += strspn(found, "\"'");
	return arena_strndup(r->arena, found, strcspn(found, "\"'\n"));
}

static void take_modules(struct report *r, struct dbg *dbg)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_module *v;
	size_t n;

	if (dbg_err_drop(dbg_module_list(dbg, arena, &v, &n)))
		return;
	r->modules = arena_calloc(r->arena, n, sizeof(*r->modules));
	r->n_modules = n;
	for (size_t i = 0; i < n; i++)
		r->modules[i] = (struct report_module){
		    .name = report_copy(r, v[i].name),
		    .path = report_copy(r, v[i].path),
		    .version = report_copy(r, v[i].version),
		    .mvid = report_copy(r, v[i].mvid),
		    .framework = v[i].framework,
		    .symbols = v[i].symbols == DBG_SYMBOLS_LOADED,
		};
}

static void take_runtime(struct report *r)
{
	char version[DBG_VERSION_MAX];
	bool found = false;

	for (size_t i = 0; i < r->n_modules && !found; i++)
		found = dbg_framework_version(r->modules[i].path, version);
	r->runtime = found ? arena_printf(r->arena, ".NET %s", version) : "";
}

static void take_process(struct report *r)
{
	r->args = read_words(r, "cmdline", take_argument, &r->n_args);
	r->env = read_words(r, "environ", take_variable, &r->n_env);
	r->system = take_system(r);
}

static void take_heap(struct report_heap *h, struct dbg_stopped at)
{
	struct dbg_heap_parts parts;

	if (dbg_err_drop(dbg_heap_parts(at, &parts)))
		return;
	h->known = true;
	for (size_t i = 0; i < parts.n_parts; i++)
		h->bytes[parts.parts[i].generation] +=
		    parts.parts[i].end - parts.parts[i].start;
}

static void take_pool(struct report_pool *p, struct dbg_stopped at)
{
	struct dbg_pool pool;

	if (dbg_err_drop(dbg_pool_get(at, false, &pool)) || !pool.started)
		return;
	*p = (struct report_pool){
	    .known = true,
	    .workers = pool.workers,
	    .working = pool.working,
	    .max = pool.max,
	};
	for (int i = 0; i < DBG_N_WORK_QUEUES; i++)
		p->queued += pool.queued[i];
}

/* If a signal has ended it within the garbage collector, where the heap is
 * damaged: at the end of the cause. */
static void report_take_damage(struct report *r, struct dbg_stopped at)
{
	struct dbg_heap_parts parts;
	struct dbg_heap_check check;

	if (!r->signal || dbg_err_drop(dbg_heap_parts(at, &parts)) ||
	    !parts.collecting)
		return;
	if (dbg_err_drop(dbg_heap_verify(at, &check)))
		check.n = 0;
	r->cause = arena_printf(
	    r->arena, "%s, in the garbage collector: %s", r->cause,
	    check.n ? check.v[0].text : "the heap is probably damaged");
}

/* Take the totals of the heap and the thread pool. */
static void report_take_totals(struct report *r, struct dbg_stopped at)
{
	take_heap(&r->heap, at);
	take_pool(&r->pool, at);
}

/* Modules, runtime, and what /proc tells of the process. */
static void report_take_surroundings(struct report *r, struct dbg *dbg)
{
	take_modules(r, dbg);
	take_runtime(r);
	if (dbg_can_run(dbg))
		take_process(r);
}

/* ---- Taking ---------------------------------------------------------- */

enum {
	PAGE = 1000,
	WALK_MAX = 400000, /* more than fit on a stack of 8 MiB */
	VARIABLE_FRAMES = 5,
	VARIABLES_MAX = 64, /* of one frame */
	SOURCE_AROUND = 1,  /* lines before and behind the one that counts */
};

/* Parts of names whose values are secret. */
static const char *const secrets[] = {
    "password",   "passwd",     "pwd",       "secret",     "token",
    "apikey",     "api_key",    "api-key",   "credential", "connectionstring",
    "privatekey", "accountkey", "accesskey", "access_key", "sharedaccess",
};

const struct report_limits report_death_limits = {
    .frames = 200,
    .variables = true,
};

const char *report_copy(struct report *r, const char *s)
{
	return s ? arena_strdup(r->arena, s) : NULL;
}

// The frame, whose strings are the stop's, as one of the report's.
static struct report_frame frame_of(const struct dbg_frame *f)
{
	return (struct report_frame){
	    .kind = f->kind,
	    .pc = f->pc,
	    .sp = f->sp,
	    .name = f->name,
	    .params = f->params,
	    .module = f->module,
	    .above = f->above,
	    .path = f->source.path,
	    .line = f->source.line,
	    .column = f->source.column,
	    .token = f->token,
	    .il_offset = f->il_offset,
	    .framework = f->framework || report_runs_tests(f->module),
	};
}

static void keep_frame(struct report *r, struct report_frame *f)
{
	f->name = report_copy(r, f->name);
	f->params = report_copy(r, f->params);
	f->module = report_copy(r, f->module);
	f->above = report_copy(r, f->above);
	f->path = report_copy(r, f->path);
}

/* Does the name look like one whose value is nobody's business? */
static bool report_is_secret(const char *name)
{
	for (size_t i = 0; i < sizeof(secrets) / sizeof(*secrets); i++)
		if (strcasestr(name, secrets[i]))
			return true;
	return false;
}

// Each entry whose key, or value, looks like a secret's without its value.
static const char *data_text(struct report *r, const char *data)
{
	_cleanup_str_ struct str text = {0};

	while (data && *data) {
		size_t n = strcspn(data, "\n");
		const char *entry = arena_strndup(r->arena, data, n);
		const char *equal = strstr(entry, " = ");
		size_t key = equal ? (size_t)(equal - entry) : 0;

		if (report_is_secret(entry))
			str_addf(&text, "%.*s = <redacted>", (int)key, entry);
		else
			str_add(&text, entry);
		data += n;
		if (*data) {
			str_addc(&text, '\n');
			data++;
		}
	}
	return report_copy(r, str_get(&text));
}

// A value whose name, or the name of a part of it, looks like a secret's.
const char *report_value(struct report *r, const struct dbg_value *v)
{
	return report_is_secret(v->name) || report_is_secret(v->text)
		   ? "<redacted>"
		   : report_copy(r, v->text);
}

void report_take_source(struct report *r, struct dbg *dbg,
			struct report_frame *f)
{
	const char *const *lines;
	const char *note;
	size_t n;

	if (dbg_err_drop(dbg_source_lines(dbg, f->path, &lines, &n, &note)) ||
	    !f->line || f->line > n)
		return;
	uint32_t first = f->line > SOURCE_AROUND ? f->line - SOURCE_AROUND : 1;
	size_t last = f->line + SOURCE_AROUND < n ? f->line + SOURCE_AROUND : n;
	f->source_first = first;
	f->n_source = last - first + 1;
	f->source = arena_calloc(r->arena, f->n_source, sizeof(*f->source));
	for (size_t i = 0; i < f->n_source; i++)
		f->source[i] = report_copy(r, lines[first - 1 + i]);
}

static void take_scope(struct report *r, struct dbg_stopped at, dbg_id frame,
		       enum dbg_scope scope, struct report_frame *f)
{
	struct dbg_value *values;
	size_t n;

	struct dbg_error *err = dbg_scope_list(at, frame, scope, &values, &n);
	if (dbg_err_drop(err))
		return;
	for (size_t i = 0; i < n && f->n_vars < VARIABLES_MAX; i++)
		f->vars[f->n_vars++] = (struct report_var){
		    .argument = scope == DBG_SCOPE_ARGS,
		    .name = report_copy(r, values[i].name),
		    .type = report_copy(r, values[i].type),
		    .text = report_value(r, &values[i]),
		};
}

void report_take_variables(struct report *r, struct dbg_stopped at,
			   dbg_id frame, struct report_frame *f)
{
	f->vars = arena_calloc(r->arena, VARIABLES_MAX, sizeof(*f->vars));
	take_scope(r, at, frame, DBG_SCOPE_ARGS, f);
	take_scope(r, at, frame, DBG_SCOPE_LOCALS, f);
}

static void take_variables(struct report *r, struct dbg_stopped at,
			   const struct dbg_frame *from, struct report_frame *f)
{
	report_take_source(r, at.dbg, f);
	// one of which an exception tells has none any more
	if (f->kind != DBG_FRAME_THROWN)
		report_take_variables(r, at, from->id, f);
}

/* The frames of a thread that were listed so far. */
struct walk {
	struct report_frame *v;
	size_t n, cap;
	unsigned int with_variables; /* frames that shall still have them */
};

static bool hurries(const struct report_limits *limits)
{
	return limits->hurries && limits->hurries(limits->arg);
}

// Take one page of frames; *ret_n is how many there were.
static struct dbg_error *take_page(struct report *r, struct dbg_stopped at,
				   struct report_thread *t, struct walk *w,
				   size_t *ret_n)
{
	struct dbg_frame *frames;
	struct dbg_error *err = dbg_frame_list(
	    at, t->number, (uint32_t)t->n_walked, PAGE, &frames, ret_n);

	for (size_t i = 0; !err && i < *ret_n; i++) {
		struct report_frame f = frame_of(&frames[i]);

		if (w->with_variables && report_is_users(&f)) {
			take_variables(r, at, &frames[i], &f);
			w->with_variables--;
		}
		mem_grow(&w->v, &w->cap, w->n, sizeof(*w->v));
		w->v[w->n++] = f;
		w->n = report_fold(w->v, w->n);
	}
	return err;
}

// Is it a frame of the host: native code, or the runtime calling Main?
static bool is_host_frame(const struct report_frame *f)
{
	return f->kind == DBG_FRAME_NATIVE || f->kind == DBG_FRAME_RUNTIME;
}

// The runtime's handler of the signal, in which it waits for createdump: what
// stands above the frame of the signal, and that.
static void fold_handler(struct report *r, struct walk *w)
{
	size_t n = 0;

	while (n < w->n && w->v[n].kind == DBG_FRAME_NATIVE &&
	       strcmp(w->v[n].name, "<signal handler called>"))
		n++;
	if (n + 1 >= w->n || w->v[n].kind != DBG_FRAME_NATIVE)
		return;
	n++;
	w->n -= n;
	memmove(w->v, w->v + n, w->n * sizeof(*w->v));
	w->v->above = arena_printf(r->arena, "[crash handler: %zu frames]", n);
}

// Drop the frames below the oldest managed one, which started the runtime.
static void drop_host(struct walk *w)
{
	size_t n = w->n;

	while (n && is_host_frame(&w->v[n - 1]))
		n--;
	w->n = n ? n : w->n;
}

static void take_stack(struct report *r, struct dbg_stopped at,
		       const struct report_limits *limits,
		       struct report_thread *t)
{
	struct dbg_error *err;
	struct walk w = {0};
	size_t n;

	bool crashed = t->number == r->thread;
	bool native = crashed && r->kind && !strcmp(r->kind, "signal");
	if (limits->variables && crashed)
		w.with_variables = VARIABLE_FRAMES;
	if (native)
		dbg_err_drop(dbg_set(at.dbg, "backtrace native", "on"));
	do {
		// what it died of is told in any case
		bool more = !crashed || t->n_walked;

		err = more && hurries(limits)
			  ? dbg_err(DBG_E_INTERRUPTED,
				    "the command was asked to end twice")
			  : take_page(r, at, t, &w, &n);
		if (err)
			break;
		t->n_walked += n;
	} while (n == PAGE && w.n < limits->frames && t->n_walked < WALK_MAX);
	if (native) {
		dbg_err_drop(dbg_set(at.dbg, "backtrace native", "off"));
		drop_host(&w);
		fold_handler(r, &w);
	}
	t->cut = !err && (n == PAGE || w.n > limits->frames);
	t->n_frames = w.n < limits->frames ? w.n : limits->frames;
	if (err)
		t->error = report_copy(r, err->message);
	dbg_error_destroy(err);
	t->frames = arena_copy(r->arena, w.v, t->n_frames, sizeof(*w.v));
	free(w.v);
	for (size_t i = 0; i < t->n_frames; i++)
		keep_frame(r, &t->frames[i]);
}

// List the managed threads and the one that stopped; with @all, or in a program
// that is not .NET, all threads.
static struct dbg_error *list_threads(struct dbg_stopped at, bool all,
				      struct dbg_thread **ret, size_t *ret_n)
{
	bool managed = false;
	struct dbg_error *err =
	    dbg_set(at.dbg, "runtime-threads", all ? "on" : "off");

	if (!err)
		err = dbg_thread_list(at, ret, ret_n);
	if (err || all)
		return err;
	for (size_t i = 0; i < *ret_n; i++)
		managed = managed || (*ret)[i].managed;
	return managed ? NULL : list_threads(at, true, ret, ret_n);
}

static void take_processor(struct report *r, struct dbg_stopped at)
{
	struct dbg_processor *v;
	size_t n = 0;

	if (dbg_err_drop(dbg_processor_list(at, &v, &n)))
		return;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < r->n_threads; k++)
			if (r->threads[k].number == v[i].thread) {
				r->threads[k].used = v[i].used;
				r->threads[k].runs = !v[i].in_call;
			}
}

// The thread that the report is about comes first.
static struct dbg_error *take_threads(struct report *r, struct dbg_stopped at,
				      const struct report_limits *limits)
{
	struct dbg_thread *threads;
	size_t n, next = 1;

	struct dbg_error *err =
	    list_threads(at, limits->all_threads, &threads, &n);
	if (err)
		return err;
	bool first = false;
	for (size_t i = 0; i < n; i++)
		first = first || threads[i].number == r->thread;
	next = first;
	r->threads = arena_calloc(r->arena, n, sizeof(*r->threads));
	r->n_threads = n;
	for (size_t i = 0; i < n; i++) {
		struct report_thread *t = threads[i].number == r->thread
					      ? r->threads
					      : &r->threads[next++];
		*t = (struct report_thread){
		    .number = threads[i].number,
		    .tid = threads[i].tid,
		    .managed = threads[i].managed,
		    .managed_id = threads[i].managed_id,
		    .name = report_copy(r, threads[i].name),
		};
	}
	for (size_t i = 0; i < n; i++)
		take_stack(r, at, limits, &r->threads[i]);
	take_processor(r, at);
	return NULL;
}

static void take_thrown(struct report *r, struct dbg *dbg,
			const struct report_limits *limits,
			const struct dbg_exception *from,
			struct report_exception *x)
{
	struct report_frame *v = xcalloc(from->n_frames + 1, sizeof(*v));
	bool seen = !limits->variables;
	size_t n = 0;

	for (size_t i = 0; i < from->n_frames; i++) {
		v[n++] = frame_of(&from->frames[i]);
		n = report_fold(v, n);
	}
	x->cut = from->cut || n > limits->frames;
	x->n_frames = n < limits->frames ? n : limits->frames;
	x->frames = arena_copy(r->arena, v, x->n_frames, sizeof(*v));
	free(v);
	for (size_t i = 0; i < x->n_frames; i++) {
		if (!seen && report_is_users(&x->frames[i])) {
			report_take_source(r, dbg, &x->frames[i]);
			seen = true;
		}
		keep_frame(r, &x->frames[i]);
	}
	if (!x->n_frames)
		x->stack = report_copy(r, from->stack);
}

static void take_exceptions(struct report *r, struct dbg_stopped at,
			    const struct report_limits *limits)
{
	struct dbg_exception *v;
	size_t n;

	if (dbg_err_drop(dbg_exception_list(at, &v, &n)))
		return;
	r->exceptions = arena_calloc(r->arena, n, sizeof(*r->exceptions));
	r->n_exceptions = n;
	for (size_t i = 0; i < n; i++) {
		r->exceptions[i] = (struct report_exception){
		    .type = report_copy(r, v[i].type),
		    .message = report_copy(r, v[i].message),
		    .module = report_copy(r, v[i].module),
		    .data = v[i].data ? data_text(r, v[i].data) : NULL,
		    .hresult = v[i].hresult,
		    .depth = v[i].depth,
		};
		take_thrown(r, at.dbg, limits, &v[i], &r->exceptions[i]);
	}
}

// The message of a failed Debug.Assert without the stack in it, which the
// report has anyway.
static const char *without_stack(struct report *r, const char *message)
{
	const char *end = message ? strstr(message, "\n   at ") : NULL;

	return end ? arena_printf(r->arena, "%.*s", (int)(end - message),
				  message)
		   : message;
}

/*
 * The innermost exception is what went wrong: it is named in the cause, as
 * Exception.ToString() does. What the cause says already is not said again.
 */
static void name_innermost(struct report *r)
{
	struct report_culprit v[REPORT_CULPRITS_MAX];
	size_t n = r->cause ? report_culprits(r, v) : 0;

	if (!n || !v[0].exception ||
	    (!v[0].exception->depth && !report_is_fail_fast(r)))
		return;
	const struct report_exception *x = v[0].exception;
	const char *more =
	    n > 1 ? arena_printf(r->arena, " (and %zu more)", n - 1) : "";

	const char *message = without_stack(r, x->message);

	if (message && report_is_fail_fast(r) && strstr(r->cause, message))
		message = NULL;
	r->cause = arena_printf(r->arena, "%s" REPORT_WITHIN "%s%s%s%s",
				r->cause, x->type, message ? ": " : "",
				message ? message : "", more);
}

static void take_cause(struct report *r, const struct dbg_stop *stop)
{
	r->thread = stop->thread;
	r->signal = stop->fatal ? stop->signal : 0;
	if (stop->reason == DBG_STOP_FAIL_FAST) {
		const char *message = without_stack(r, stop->exception_message);

		r->kind = "failfast";
		r->cause =
		    arena_printf(r->arena, "Environment.FailFast%s%s",
				 message ? ": " : "", message ? message : "");
	} else if (stop->exception_type) {
		// what is there tells more than the message that all have
		const char *message =
		    stop->fault ? stop->fault->text : stop->exception_message;

		r->kind = "exception";
		r->cause = arena_printf(
		    r->arena, "%s: %s%s%s",
		    stop->reason == DBG_STOP_THROWN ? "Exception thrown"
						    : "Unhandled exception",
		    stop->exception_type, message ? ": " : "",
		    message ? message : "");
	} else if (stop->fatal) {
		r->kind = "signal";
		r->cause = report_signal_text(r, stop->signal);
		if (stop->fault)
			r->cause = arena_printf(r->arena, "%s: %s", r->cause,
						stop->fault->text);
	}
	if (stop->fault) {
		r->fault = arena_alloc(r->arena, sizeof(*r->fault));
		*r->fault = *stop->fault;
		r->fault->text = report_copy(r, stop->fault->text);
	}
}

// Has nothing happened to it: was it stopped, or dumped, as it is?
static bool is_stuck(const struct dbg_stop *stop)
{
	return (stop->reason == DBG_STOP_PAUSE ||
		stop->reason == DBG_STOP_ATTACH) &&
	       !stop->fatal && !stop->exception_type;
}

// A core need not tell what it is of: it is the module that Main is in, or, if
// that is not in the core either, the first of the user's.
static const char *program_of(const struct report *r)
{
	const struct report_thread *first = r->threads;

	for (size_t i = 1; i < r->n_threads; i++)
		if (r->threads[i].number < first->number)
			first = &r->threads[i];
	for (size_t i = r->n_threads ? first->n_frames : 0; i > 0; i--)
		if (first->frames[i - 1].kind == DBG_FRAME_MANAGED &&
		    first->frames[i - 1].module)
			return first->frames[i - 1].module;
	for (size_t i = 0; i < r->n_modules; i++)
		if (!r->modules[i].framework)
			return r->modules[i].name;
	return "";
}

/* The order in which threads are reported. */
enum rank {
	RANK_SUBJECT,  /* the one that the report is about */
	RANK_DEADLOCK, /* of a circle */
	RANK_HOLDER,   /* has what others wait for */
	RANK_USERS,    /* runs code of the user's */
	RANK_REST,
	N_RANKS,
};

static enum rank rank_of(const struct report *r, const struct report_thread *t,
			 bool about)
{
	enum rank rank = RANK_REST;

	if (about && t->number == r->thread)
		return RANK_SUBJECT;
	for (size_t i = 0; i < t->n_frames && rank == RANK_REST; i++)
		if (report_is_users(&t->frames[i]))
			rank = RANK_USERS;
	for (size_t i = 0; i < r->n_waits; i++) {
		const struct report_wait *wait = &r->waits[i];

		if (wait->deadlock && wait->thread == t->number)
			return RANK_DEADLOCK;
		if (wait->kind->lock && wait->owner == t->number)
			rank = RANK_HOLDER;
	}
	return rank;
}

// Sort the threads by rank, then by number. @happened: something has happened
// to the thread that the report is about; else that becomes a test's thread, or
// the first in this order.
static void rank_threads(struct report *r, bool happened)
{
	bool about = happened || (r->n_tests && r->tests[0].thread &&
				  r->tests[0].thread == r->thread);
	struct report_thread *v =
	    arena_calloc(r->arena, r->n_threads + 1, sizeof(*v));
	size_t n = 0;

	for (int rank = 0; rank < N_RANKS; rank++)
		for (size_t i = 0; i < r->n_threads; i++)
			if (rank_of(r, &r->threads[i], about) ==
			    (enum rank)rank)
				v[n++] = r->threads[i];
	r->threads = v;
	if (r->thread && !about && n)
		r->thread = v[0].number;
}

struct dbg_error *report_take(struct dbg *dbg,
			      const struct report_limits *limits,
			      struct report *ret)
{
	struct dbg_error *err;
	struct dbg_inferior inferior;
	struct dbg_stopped at;
	struct dbg_test *tests;
	size_t n_tests;

	err = dbg_stopped(dbg, &at);
	if (err)
		return err;
	*ret = (struct report){.arena = arena_create()};
	dbg_inferior_get(dbg, &inferior);
	ret->pid = inferior.pid;
	ret->program = report_copy(ret, *inferior.name ? inferior.name : "");
	ret->time = (uint64_t)time(NULL);
	take_cause(ret, dbg_stop_reason(at));
	ret->stuck = limits->variables && is_stuck(dbg_stop_reason(at));
	report_take_tests(ret, at, &tests, &n_tests);
	err = take_threads(ret, at, limits);
	if (err) {
		report_destroy(ret);
		return err;
	}
	take_exceptions(ret, at, limits);
	name_innermost(ret);
	report_take_surroundings(ret, dbg);
	if (!*ret->program)
		ret->program = program_of(ret);
	if (hurries(limits))
		return NULL;
	report_take_waits(ret, at);
	rank_threads(ret, ret->kind);
	report_take_async(ret, at, tests, n_tests);
	report_take_damage(ret, at);
	if (limits->variables)
		report_take_totals(ret, at);
	return NULL;
}
