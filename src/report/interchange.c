/*
 * Reports in the JSON of other tools: SARIF (static analysis results
 * interchange format) for code scanning, GitLab's code quality, and what
 * createdump writes beside a dump.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "report/json.h"

// GitHub and GitLab refuse a whole file for one finding without a place: what
// has no line of the user's is told of the program.
static const char *path_of(const struct report *r, const struct report_frame *f)
{
	return f ? report_path(f->path) : *r->program ? r->program : "unknown";
}

static uint32_t line_of(const struct report_frame *f)
{
	return f && f->line ? f->line : 1;
}

/* ---- SARIF ------------------------------------------------------------ */

static cJSON *location_of(const struct report *r, const struct report_frame *f)
{
	cJSON *o = cJSON_CreateObject();
	cJSON *physical = cJSON_AddObjectToObject(o, "physicalLocation");
	cJSON *artifact = cJSON_AddObjectToObject(physical, "artifactLocation");
	cJSON *region = cJSON_AddObjectToObject(physical, "region");

	json_add_text(artifact, "uri", path_of(r, f));
	cJSON_AddNumberToObject(region, "startLine", line_of(f));
	return o;
}

// The other exceptions of an AggregateException.
static void add_related(cJSON *o, const struct report *r,
			const struct report_culprit *v, size_t n)
{
	cJSON *list = n ? cJSON_AddArrayToObject(o, "relatedLocations") : NULL;

	for (size_t i = 0; i < n; i++) {
		cJSON *location = location_of(r, v[i].frame);

		json_add_text(cJSON_AddObjectToObject(location, "message"),
			      "text", v[i].text);
		cJSON_AddItemToArray(list, location);
	}
}

static cJSON *result_of(const struct report *r)
{
	struct report_culprit v[REPORT_CULPRITS_MAX];
	size_t n = report_culprits(r, v);
	char fingerprint[17], outermost[17];
	cJSON *o = cJSON_CreateObject();

	report_fingerprint(r, fingerprint);
	report_fingerprint_outermost(r, outermost);
	json_add_text(o, "ruleId", r->kind ? r->kind : "stop");
	json_add_text(o, "level", "error");
	json_add_text(cJSON_AddObjectToObject(o, "message"), "text", v[0].text);
	cJSON_AddItemToArray(cJSON_AddArrayToObject(o, "locations"),
			     location_of(r, v[0].frame));
	add_related(o, r, v + 1, n - 1);
	cJSON *prints = cJSON_AddObjectToObject(o, "partialFingerprints");
	json_add_text(prints, "crash/v1", outermost);
	json_add_text(prints, "crash/v2", fingerprint);
	return o;
}

void report_sarif(const struct report *const *v, size_t n, FILE *out)
{
	cJSON *o = cJSON_CreateObject();
	cJSON *run = cJSON_CreateObject();

	json_add_text(o, "$schema",
		      "https://json.schemastore.org/sarif-2.1.0.json");
	json_add_text(o, "version", "2.1.0");
	cJSON_AddItemToArray(cJSON_AddArrayToObject(o, "runs"), run);
	cJSON *tool = cJSON_AddObjectToObject(run, "tool");
	json_add_text(cJSON_AddObjectToObject(tool, "driver"), "name", "dndbg");
	cJSON *results = cJSON_AddArrayToObject(run, "results");
	for (size_t i = 0; i < n; i++)
		cJSON_AddItemToArray(results, result_of(v[i]));
	json_print(o, out, true);
}

/* ---- GitLab ----------------------------------------------------------- */

// @i: of how many of the report; each needs a fingerprint of its own.
static cJSON *finding_of(const struct report *r, const struct report_culprit *c,
			 size_t i)
{
	char fingerprint[17], own[40];
	cJSON *o = cJSON_CreateObject();

	report_fingerprint(r, fingerprint);
	if (i)
		snprintf(own, sizeof(own), "%s-%zu", fingerprint, i);
	else
		snprintf(own, sizeof(own), "%s", fingerprint);
	json_add_text(o, "description", c->text);
	json_add_text(o, "check_name", r->kind ? r->kind : "stop");
	json_add_text(o, "fingerprint", own);
	json_add_text(o, "severity", "blocker");
	cJSON *location = cJSON_AddObjectToObject(o, "location");
	json_add_text(location, "path", path_of(r, c->frame));
	cJSON_AddNumberToObject(cJSON_AddObjectToObject(location, "lines"),
				"begin", line_of(c->frame));
	return o;
}

void report_gitlab(const struct report *const *v, size_t n, FILE *out)
{
	struct report_culprit list[REPORT_CULPRITS_MAX];
	cJSON *o = cJSON_CreateArray();

	for (size_t i = 0; i < n; i++) {
		size_t count = report_culprits(v[i], list);

		for (size_t k = 0; k < count; k++)
			cJSON_AddItemToArray(o, finding_of(v[i], &list[k], k));
	}
	json_print(o, out, true);
}

/* ---- createdump's crashreport.json ------------------------------------ */

// All of its values are strings.
static void add_bool(cJSON *o, const char *name, bool value)
{
	json_add_text(o, name, value ? "true" : "false");
}

static cJSON *dumped_frame(const struct report_frame *f)
{
	cJSON *o = cJSON_CreateObject();
	bool managed = f->token;

	add_bool(o, "is_managed", managed);
	json_add_hex(o, "stack_pointer", f->sp);
	json_add_hex(o, "native_address", f->pc);
	if (managed) {
		json_add_hex(o, "token", f->token);
		json_add_hex(o, "il_offset", f->il_offset);
	}
	json_add_text(o, managed ? "method_name" : "unmanaged_name", f->name);
	json_add_text(o, managed ? "filename" : "native_module", f->module);
	return o;
}

// A run of frames that repeat is one item, with them inside.
static void add_frames(cJSON *list, const struct report_thread *t)
{
	cJSON *into = list;
	size_t left = 0;

	for (size_t i = 0; i < t->n_frames; i++) {
		const struct report_frame *f = &t->frames[i];

		if (f->period) {
			cJSON *run = cJSON_CreateObject();

			json_add_hex(run, "repeated", f->times);
			cJSON_AddItemToArray(list, run);
			into = cJSON_AddArrayToObject(run, "repeated_frames");
			left = f->period;
		}
		cJSON_AddItemToArray(into, dumped_frame(f));
		if (left && !--left)
			into = list;
	}
}

static cJSON *dumped_thread(const struct report *r,
			    const struct report_thread *t)
{
	cJSON *o = cJSON_CreateObject();
	bool crashed = r->thread && t->number == r->thread;
	const struct report_exception *x =
	    crashed && r->n_exceptions ? r->exceptions : NULL;

	add_bool(o, "is_managed", t->managed);
	add_bool(o, "crashed", crashed);
	if (x) {
		json_add_text(o, "managed_exception_type", x->type);
		json_add_hex(o, "managed_exception_hresult", x->hresult);
	}
	json_add_hex(o, "native_thread_id", (uint64_t)t->tid);
	cJSON *ctx = cJSON_AddObjectToObject(o, "ctx");
	json_add_hex(ctx, "IP", t->n_frames ? t->frames[0].pc : 0);
	json_add_hex(ctx, "SP", t->n_frames ? t->frames[0].sp : 0);
	add_frames(cJSON_AddArrayToObject(o, "stack_frames"), t);
	return o;
}

void report_crashreport(const struct report *const *v, size_t n, FILE *out)
{
	cJSON *o = cJSON_CreateObject();
	cJSON *payload = cJSON_AddObjectToObject(o, "payload");

	json_add_text(payload, "protocol_version", "1.0.0");
	cJSON *configuration =
	    cJSON_AddObjectToObject(payload, "configuration");
	json_add_text(configuration, "architecture", "amd64");
	const char *runtime = n ? v[0]->runtime : "";
	json_add_text(configuration, "version",
		      runtime + (str_starts(runtime, ".NET ") ? 5 : 0));
	if (n)
		json_add_text(payload, "process_name", v[0]->program);
	cJSON *threads = cJSON_AddArrayToObject(payload, "threads");
	for (size_t i = 0; n && i < v[0]->n_threads; i++)
		cJSON_AddItemToArray(threads,
				     dumped_thread(v[0], &v[0]->threads[i]));
	json_print(o, out, true);
}
