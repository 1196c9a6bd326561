/*
 * A report as JSON, in the form of docs/report.md, and the same as SARIF 2.1.0.
 * Numbers are numbers, addresses are strings in hexadecimal.
 */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>

#include "report/report.h"

enum {
	VERSION = 1, /* raised when a field goes or means something else */
};

static const char *const kinds[] = {
    [DBG_FRAME_MANAGED] = "managed",   [DBG_FRAME_NATIVE] = "native",
    [DBG_FRAME_RUNTIME] = "runtime",   [DBG_FRAME_ASYNC] = "async",
    [DBG_FRAME_EXTERNAL] = "external", [DBG_FRAME_THROWN] = "thrown",
};

static void add_text(cJSON *o, const char *name, const char *text)
{
	if (text)
		cJSON_AddStringToObject(o, name, text);
}

static void add_hex(cJSON *o, const char *name, uint64_t n)
{
	char text[19];

	snprintf(text, sizeof(text), "0x%" PRIx64, n);
	cJSON_AddStringToObject(o, name, text);
}

static cJSON *frame_of(const struct report_frame *f)
{
	cJSON *o = cJSON_CreateObject();

	cJSON_AddStringToObject(o, "kind", kinds[f->kind]);
	add_text(o, "name", f->name);
	add_text(o, "parameters", f->params);
	add_text(o, "module", f->module);
	add_text(o, "folded", f->above);
	if (f->path) {
		add_text(o, "file", f->path);
		cJSON_AddNumberToObject(o, "line", f->line);
		cJSON_AddNumberToObject(o, "column", f->column);
	}
	if (f->pc)
		add_hex(o, "pc", f->pc);
	if (f->token) {
		add_hex(o, "token", f->token);
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

		add_text(v, "name", f->vars[i].name);
		add_text(v, "type", f->vars[i].type);
		add_text(v, "value", f->vars[i].text);
		cJSON_AddBoolToObject(v, "argument", f->vars[i].argument);
		cJSON_AddItemToArray(vars, v);
	}
	return o;
}

static cJSON *thread_of(const struct report_thread *t)
{
	cJSON *o = cJSON_CreateObject();

	cJSON_AddNumberToObject(o, "number", t->number);
	cJSON_AddNumberToObject(o, "tid", t->tid);
	cJSON_AddBoolToObject(o, "managed", t->managed);
	if (t->managed)
		cJSON_AddNumberToObject(o, "managedId", t->managed_id);
	add_text(o, "name", t->name);
	cJSON_AddNumberToObject(o, "depth", (double)t->n_walked);
	cJSON_AddBoolToObject(o, "cut", t->cut);
	add_text(o, "error", t->error);
	cJSON *frames = cJSON_AddArrayToObject(o, "frames");
	for (size_t i = 0; i < t->n_frames; i++)
		cJSON_AddItemToArray(frames, frame_of(&t->frames[i]));
	return o;
}

static cJSON *exception_of(const struct report_exception *x)
{
	cJSON *o = cJSON_CreateObject();

	add_text(o, "type", x->type);
	add_text(o, "message", x->message);
	add_text(o, "module", x->module);
	add_text(o, "data", x->data);
	add_hex(o, "hresult", x->hresult);
	cJSON_AddNumberToObject(o, "depth", x->depth);
	return o;
}

static cJSON *test_of(const struct report_test *test)
{
	cJSON *o = cJSON_CreateObject();

	add_text(o, "name", test->name);
	add_text(o, "display", test->text);
	add_text(o, "framework", test->framework);
	cJSON_AddNumberToObject(o, "thread", test->thread);
	if (test->path) {
		add_text(o, "file", test->path);
		cJSON_AddNumberToObject(o, "line", test->line);
	}
	return o;
}

static cJSON *report_of(const struct report *r)
{
	char fingerprint[17];
	cJSON *o = cJSON_CreateObject();

	cJSON_AddNumberToObject(o, "version", VERSION);
	cJSON_AddNumberToObject(o, "time", (double)r->time);
	cJSON_AddNumberToObject(o, "pid", r->pid);
	add_text(o, "program", r->program);
	add_text(o, "runtime", r->runtime);
	add_text(o, "kind", r->kind);
	add_text(o, "cause", r->cause);
	if (r->signal)
		cJSON_AddNumberToObject(o, "signal", r->signal);
	if (r->cause) {
		report_fingerprint(r, fingerprint);
		add_text(o, "fingerprint", fingerprint);
	}
	if (r->thread)
		cJSON_AddNumberToObject(o, "thread", r->thread);
	cJSON *list = cJSON_AddArrayToObject(o, "exceptions");
	for (size_t i = 0; i < r->n_exceptions; i++)
		cJSON_AddItemToArray(list, exception_of(&r->exceptions[i]));
	list = cJSON_AddArrayToObject(o, "tests");
	for (size_t i = 0; i < r->n_tests; i++)
		cJSON_AddItemToArray(list, test_of(&r->tests[i]));
	list = cJSON_AddArrayToObject(o, "threads");
	for (size_t i = 0; i < r->n_threads; i++)
		cJSON_AddItemToArray(list, thread_of(&r->threads[i]));
	return o;
}

static void print(cJSON *o, FILE *out, bool indent)
{
	char *text = indent ? cJSON_Print(o) : cJSON_PrintUnformatted(o);

	if (text)
		fprintf(out, "%s\n", text);
	cJSON_free(text);
	cJSON_Delete(o);
}

void report_json_one(const struct report *r, FILE *out)
{
	print(report_of(r), out, true);
}

void report_json(const struct report *const *v, size_t n, FILE *out)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < n; i++)
		cJSON_AddItemToArray(list, report_of(v[i]));
	print(list, out, true);
}

void report_jsonl(const struct report *const *v, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++)
		print(report_of(v[i]), out, false);
}

static cJSON *location_of(const struct report_frame *f)
{
	cJSON *o = cJSON_CreateObject();
	cJSON *physical = cJSON_AddObjectToObject(o, "physicalLocation");
	cJSON *artifact = cJSON_AddObjectToObject(physical, "artifactLocation");
	cJSON *region = cJSON_AddObjectToObject(physical, "region");

	add_text(artifact, "uri", f->path);
	cJSON_AddNumberToObject(region, "startLine", f->line ? f->line : 1);
	return o;
}

static cJSON *result_of(const struct report *r)
{
	char fingerprint[17];
	cJSON *o = cJSON_CreateObject();
	const struct report_frame *f = report_culprit(r);

	report_fingerprint(r, fingerprint);
	add_text(o, "ruleId", r->kind ? r->kind : "stop");
	add_text(o, "level", "error");
	add_text(cJSON_AddObjectToObject(o, "message"), "text",
		 r->cause ? r->cause : "stopped");
	cJSON *locations = cJSON_AddArrayToObject(o, "locations");
	if (f)
		cJSON_AddItemToArray(locations, location_of(f));
	add_text(cJSON_AddObjectToObject(o, "partialFingerprints"), "crash/v1",
		 fingerprint);
	return o;
}

void report_sarif(const struct report *const *v, size_t n, FILE *out)
{
	cJSON *o = cJSON_CreateObject();
	cJSON *run = cJSON_CreateObject();

	add_text(o, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	add_text(o, "version", "2.1.0");
	cJSON_AddItemToArray(cJSON_AddArrayToObject(o, "runs"), run);
	cJSON *tool = cJSON_AddObjectToObject(run, "tool");
	add_text(cJSON_AddObjectToObject(tool, "driver"), "name", "dndbg");
	cJSON *results = cJSON_AddArrayToObject(run, "results");
	for (size_t i = 0; i < n; i++)
		cJSON_AddItemToArray(results, result_of(v[i]));
	print(o, out, true);
}
