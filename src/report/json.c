/*
 * A report as JSON, in the form of docs/report.md, and the same as SARIF 2.1.0.
 * Numbers are numbers, addresses are strings in hexadecimal.
 */
#include "report/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "front/utf8.h"

enum {
	VERSION = 1, /* raised when a field goes or means something else */
};

static const char *const kinds[] = {
    [DBG_FRAME_MANAGED] = "managed",   [DBG_FRAME_NATIVE] = "native",
    [DBG_FRAME_RUNTIME] = "runtime",   [DBG_FRAME_ASYNC] = "async",
    [DBG_FRAME_EXTERNAL] = "external", [DBG_FRAME_THROWN] = "thrown",
    [DBG_FRAME_CALLED] = "called",
};

void json_add_text(cJSON *o, const char *name, const char *text)
{
	if (text)
		cJSON_AddStringToObject(o, name, text);
}

void json_add_hex(cJSON *o, const char *name, uint64_t n)
{
	char text[19];

	snprintf(text, sizeof(text), "0x%" PRIx64, n);
	cJSON_AddStringToObject(o, name, text);
}

cJSON *json_frame(const struct report_frame *f)
{
	cJSON *o = cJSON_CreateObject();

	cJSON_AddStringToObject(o, "kind", kinds[f->kind]);
	json_add_text(o, "name", f->name);
	json_add_text(o, "parameters", f->params);
	json_add_text(o, "module", f->module);
	json_add_text(o, "folded", f->above);
	if (f->path) {
		json_add_text(o, "file", f->path);
		cJSON_AddNumberToObject(o, "line", f->line);
		cJSON_AddNumberToObject(o, "column", f->column);
	}
	if (f->pc)
		json_add_hex(o, "pc", f->pc);
	if (f->token) {
		json_add_hex(o, "token", f->token);
		if (f->il_offset != UINT32_MAX)
			cJSON_AddNumberToObject(o, "ilOffset", f->il_offset);
	}
	cJSON_AddBoolToObject(o, "own", f->path && !f->framework);
	if (f->period) {
		cJSON_AddNumberToObject(o, "repeatedFrames", f->period);
		cJSON_AddNumberToObject(o, "times", f->times);
	}
	cJSON *vars = f->n_vars ? cJSON_AddArrayToObject(o, "variables") : NULL;
	for (size_t i = 0; i < f->n_vars; i++) {
		cJSON *v = cJSON_CreateObject();

		json_add_text(v, "name", f->vars[i].name);
		json_add_text(v, "type", f->vars[i].type);
		json_add_text(v, "value", f->vars[i].text);
		cJSON_AddBoolToObject(v, "argument", f->vars[i].argument);
		cJSON_AddItemToArray(vars, v);
	}
	return o;
}

static void add_frames(cJSON *o, const struct report_frame *v, size_t n)
{
	cJSON *frames = cJSON_AddArrayToObject(o, "frames");

	for (size_t i = 0; i < n; i++)
		cJSON_AddItemToArray(frames, json_frame(&v[i]));
}

static cJSON *thread_of(const struct report_thread *t)
{
	cJSON *o = cJSON_CreateObject();

	cJSON_AddNumberToObject(o, "number", t->number);
	cJSON_AddNumberToObject(o, "tid", t->tid);
	cJSON_AddBoolToObject(o, "managed", t->managed);
	if (t->managed)
		cJSON_AddNumberToObject(o, "managedId", t->managed_id);
	if (t->used)
		cJSON_AddNumberToObject(o, "processorMs", (double)t->used);
	json_add_text(o, "name", t->name);
	cJSON_AddNumberToObject(o, "depth", (double)t->n_walked);
	cJSON_AddBoolToObject(o, "cut", t->cut);
	json_add_text(o, "error", t->error);
	add_frames(o, t->frames, t->n_frames);
	return o;
}

static cJSON *exception_of(const struct report_exception *x)
{
	cJSON *o = cJSON_CreateObject();

	json_add_text(o, "type", x->type);
	json_add_text(o, "message", x->message);
	json_add_text(o, "module", x->module);
	json_add_text(o, "data", x->data);
	json_add_hex(o, "hresult", x->hresult);
	cJSON_AddNumberToObject(o, "depth", x->depth);
	add_frames(o, x->frames, x->n_frames);
	cJSON_AddBoolToObject(o, "cut", x->cut);
	json_add_text(o, "stack", x->stack);
	return o;
}

static cJSON *test_of(const struct report_test *test)
{
	cJSON *o = cJSON_CreateObject();

	json_add_text(o, "name", test->name);
	json_add_text(o, "display", test->text);
	json_add_text(o, "framework", test->framework);
	if (test->thread)
		cJSON_AddNumberToObject(o, "thread", test->thread);
	if (test->path) {
		json_add_text(o, "file", test->path);
		cJSON_AddNumberToObject(o, "line", test->line);
	}
	return o;
}

static void add_texts(cJSON *o, const char *name, const char *const *v,
		      size_t n)
{
	cJSON *list = n ? cJSON_AddArrayToObject(o, name) : NULL;

	for (size_t i = 0; i < n; i++)
		cJSON_AddItemToArray(list, cJSON_CreateString(v[i]));
}

static cJSON *wait_of(const struct report_wait *w)
{
	cJSON *o = cJSON_CreateObject();

	cJSON_AddNumberToObject(o, "thread", w->thread);
	if (w->owner)
		cJSON_AddNumberToObject(o, "owner", w->owner);
	json_add_hex(o, "object", w->object);
	json_add_text(o, "type", w->type);
	json_add_text(o, "for", w->kind->word);
	cJSON_AddBoolToObject(o, "deadlock", w->deadlock);
	return o;
}

static cJSON *async_of(const struct report_async *a)
{
	cJSON *o = cJSON_CreateObject();

	cJSON_AddNumberToObject(o, "count", (double)a->count);
	json_add_text(o, "awaited", a->what);
	cJSON_AddBoolToObject(o, "circle", a->circle);
	add_frames(o, a->frames, a->n_frames);
	return o;
}

static cJSON *module_of(const struct report_module *m)
{
	cJSON *o = cJSON_CreateObject();

	json_add_text(o, "name", m->name);
	json_add_text(o, "version", m->version);
	json_add_text(o, "path", m->path);
	json_add_text(o, "mvid", m->mvid);
	cJSON_AddBoolToObject(o, "own", !m->framework);
	cJSON_AddBoolToObject(o, "symbols", m->symbols);
	return o;
}

static void add_totals(cJSON *o, const struct report *r)
{
	static const char *const names[] = {
	    [DBG_GEN_0] = "gen0",        [DBG_GEN_1] = "gen1",
	    [DBG_GEN_2] = "gen2",        [DBG_GEN_LARGE] = "large",
	    [DBG_GEN_PINNED] = "pinned", [DBG_GEN_FROZEN] = "frozen",
	};
	cJSON *heap = r->heap.known ? cJSON_AddObjectToObject(o, "heap") : NULL;

	for (int i = 0; heap && i < DBG_N_GENS; i++)
		cJSON_AddNumberToObject(heap, names[i],
					(double)r->heap.bytes[i]);
	if (!r->pool.known)
		return;
	cJSON *pool = cJSON_AddObjectToObject(o, "threadPool");
	cJSON_AddNumberToObject(pool, "workers", r->pool.workers);
	cJSON_AddNumberToObject(pool, "working", r->pool.working);
	cJSON_AddNumberToObject(pool, "max", r->pool.max);
	cJSON_AddNumberToObject(pool, "queued", (double)r->pool.queued);
}

static cJSON *fault_of(const struct dbg_fault *f)
{
	cJSON *o = cJSON_CreateObject();

	cJSON_AddNumberToObject(o, "signal", f->signal);
	json_add_hex(o, "address", f->addr);
	json_add_text(o, "access", f->access);
	json_add_text(o, "text", f->text);
	return o;
}

static cJSON *report_of(const struct report *r)
{
	char fingerprint[17];
	cJSON *o = cJSON_CreateObject();

	cJSON_AddNumberToObject(o, "version", VERSION);
	cJSON_AddNumberToObject(o, "time", (double)r->time);
	cJSON_AddNumberToObject(o, "pid", r->pid);
	json_add_text(o, "program", r->program);
	json_add_text(o, "runtime", r->runtime);
	json_add_text(o, "system", r->system);
	add_texts(o, "commandLine", r->args, r->n_args);
	add_texts(o, "environment", r->env, r->n_env);
	if (r->output.lines)
		add_texts(o, "output", r->output.lines, r->output.n);
	json_add_text(o, "kind", r->kind);
	json_add_text(o, "cause", r->cause);
	if (r->signal)
		cJSON_AddNumberToObject(o, "signal", r->signal);
	if (r->fault)
		cJSON_AddItemToObject(o, "fault", fault_of(r->fault));
	if (r->cause) {
		report_fingerprint(r, fingerprint);
		json_add_text(o, "fingerprint", fingerprint);
		report_fingerprint_outermost(r, fingerprint);
		json_add_text(o, "fingerprintOutermost", fingerprint);
	}
	if (r->thread)
		cJSON_AddNumberToObject(o, "thread", r->thread);
	cJSON *list = cJSON_AddArrayToObject(o, "exceptions");
	for (size_t i = 0; i < r->n_exceptions; i++)
		cJSON_AddItemToArray(list, exception_of(&r->exceptions[i]));
	list = cJSON_AddArrayToObject(o, "tests");
	for (size_t i = 0; i < r->n_tests; i++)
		cJSON_AddItemToArray(list, test_of(&r->tests[i]));
	list = cJSON_AddArrayToObject(o, "waits");
	for (size_t i = 0; i < r->n_waits; i++)
		cJSON_AddItemToArray(list, wait_of(&r->waits[i]));
	list = r->stuck ? cJSON_AddArrayToObject(o, "async") : NULL;
	for (size_t i = 0; i < r->n_asyncs; i++)
		cJSON_AddItemToArray(list, async_of(&r->asyncs[i]));
	list = cJSON_AddArrayToObject(o, "threads");
	for (size_t i = 0; i < r->n_threads; i++)
		cJSON_AddItemToArray(list, thread_of(&r->threads[i]));
	add_totals(o, r);
	list = cJSON_AddArrayToObject(o, "modules");
	for (size_t i = 0; i < r->n_modules; i++)
		cJSON_AddItemToArray(list, module_of(&r->modules[i]));
	return o;
}

void json_print(cJSON *o, FILE *out, bool indent)
{
	_cleanup_str_ struct str valid = {0};
	char *text = indent ? cJSON_Print(o) : cJSON_PrintUnformatted(o);

	// what is no UTF-8 can only be within strings
	if (text)
		utf8_add(&valid, text, strlen(text));
	if (text)
		fprintf(out, "%s\n", str_get(&valid));
	cJSON_free(text);
	cJSON_Delete(o);
}

void report_json_one(const struct report *r, FILE *out)
{
	json_print(report_of(r), out, true);
}

void report_json(const struct report *const *v, size_t n, FILE *out)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < n; i++)
		cJSON_AddItemToArray(list, report_of(v[i]));
	json_print(list, out, true);
}

void report_jsonl(const struct report *const *v, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++)
		json_print(report_of(v[i]), out, false);
}
