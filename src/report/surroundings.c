/*
 * What a program runs in: its command line, what of its environment has a say
 * in how it runs, its system and its modules. Of a core only the modules are
 * known.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "report/take.h"

enum {
	TEXT_MAX = 1 << 16, /* of a file of /proc that is looked at */
	WORDS_MAX = 200,
	WORD_MAX = 1000, /* characters that are kept */
};

/* How the names begin of variables that are told, or the whole name and "=". */
static const char *const chosen[] = {
    "DOTNET_", "COMPlus_", "CORECLR_", "ASPNETCORE_", "LANG=",
    "LC_",     "TZ=",      "CI=",      "HOSTNAME=",
};

static const char redacted[] = "<redacted>";

/* What stands between a name, or an option, and its value. */
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

// Is it the key of a secret? "key" and "sig" are in many harmless names.
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

void report_take_damage(struct report *r, struct dbg_stopped at)
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

void report_take_totals(struct report *r, struct dbg_stopped at)
{
	take_heap(&r->heap, at);
	take_pool(&r->pool, at);
}

void report_take_surroundings(struct report *r, struct dbg *dbg)
{
	take_modules(r, dbg);
	take_runtime(r);
	if (dbg_can_run(dbg))
		take_process(r);
}
