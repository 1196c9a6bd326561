/* The forms that reports are written in, by name. */
#include "report/forms.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "front/utf8.h"

/* ---- Helpers shared by the forms that are JSON --------------------------- */

/*
 * A report as JSON, in the form of docs/report.md, and the same as SARIF 2.1.0.
 * Numbers are numbers, addresses are strings in hexadecimal.
 */

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

static void json_add_frames(cJSON *o, const struct report_frame *v, size_t n)
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
	json_add_frames(o, t->frames, t->n_frames);
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
	json_add_frames(o, x->frames, x->n_frames);
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
	json_add_frames(o, a->frames, a->n_frames);
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
	json_add_text(o, "lacking", r->lacking);
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

/* ---- Interchange formats --------------------------------------------- */

/*
 * Reports in the JSON of other tools: SARIF (static analysis results
 * interchange format) for code scanning, GitLab's code quality, and what
 * createdump writes beside a dump.
 */

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

/* SARIF 2.1.0 with one result for each report. */
static void report_sarif(const struct report *const *v, size_t n, FILE *out)
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

/* GitLab's code quality, one finding for each report. */
static void report_gitlab(const struct report *const *v, size_t n, FILE *out)
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

// Add a boolean, as a string, like all values of this form.
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

/*
 * Write the JSON crash report as createdump does. The format has room for one
 * program: the first report's.
 */
static void report_crashreport(const struct report *const *v, size_t n,
			       FILE *out)
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

/* ---- Annotations ----------------------------------------------------- */

/*
 * Reports for systems that run tests: commands that they find in the output of
 * a job, a summary in Markdown, and JUnit's XML, which most of them show.
 */

static const char *title_of(const struct report *r)
{
	return r->n_tests    ? r->tests[0].text
	       : *r->program ? r->program
			     : "crash";
}

/* How a CI system's commands escape characters that would end them. */
struct escapes {
	const char *special;
	const char *const *written;
};

// As UTF-8, whatever the program has put there.
static void write_escaped(FILE *out, const struct escapes *e, const char *text)
{
	_cleanup_str_ struct str valid = {0};

	utf8_add(&valid, text, strlen(text));
	for (const char *s = str_get(&valid); *s; s++) {
		const char *found = strchr(e->special, *s);

		if (found)
			fputs(e->written[found - e->special], out);
		else
			fputc(*s, out);
	}
}

// A line for each exception that another one is about.
static void write_culprits(const struct report *const *v, size_t n,
			   void (*write)(const struct report *r,
					 const struct report_culprit *c,
					 FILE *out),
			   FILE *out)
{
	struct report_culprit list[REPORT_CULPRITS_MAX];

	for (size_t i = 0; i < n; i++) {
		size_t count = report_culprits(v[i], list);

		for (size_t k = 0; k < count; k++)
			write(v[i], &list[k], out);
	}
}

/* ---- GitHub Actions --------------------------------------------------- */

static const char *const github_written[] = {"%25", "%0D", "%0A", "%3A", "%2C"};
static const struct escapes github_text = {"%\r\n", github_written};
static const struct escapes github_property = {"%\r\n:,", github_written};

static void write_github(const struct report *r, const struct report_culprit *c,
			 FILE *out)
{
	fputs("::error ", out);
	if (c->frame) {
		fputs("file=", out);
		write_escaped(out, &github_property,
			      report_path(c->frame->path));
		fprintf(out, ",line=%" PRIu32 ",", c->frame->line);
	}
	fputs("title=", out);
	write_escaped(out, &github_property, title_of(r));
	fputs("::", out);
	write_escaped(out, &github_text, c->text);
	fputc('\n', out);
}

/* Commands of GitHub Actions that mark the lines in the change. */
static void report_github(const struct report *const *v, size_t n, FILE *out)
{
	write_culprits(v, n, write_github, out);
}

/* ---- Azure Pipelines -------------------------------------------------- */

static const char *const azure_written[] = {"%AZP25", "%0D", "%0A", "%5D",
					    "%3B"};
static const struct escapes azure_text = {"%\r\n", azure_written};
static const struct escapes azure_property = {"%\r\n];", azure_written};

static void write_azure(const struct report *r, const struct report_culprit *c,
			FILE *out)
{
	fputs("##vso[task.logissue type=error;", out);
	if (c->frame) {
		fputs("sourcepath=", out);
		write_escaped(out, &azure_property,
			      report_path(c->frame->path));
		fprintf(out, ";linenumber=%" PRIu32 ";", c->frame->line);
	}
	fputc(']', out);
	write_escaped(out, &azure_text, title_of(r));
	fputs(": ", out);
	write_escaped(out, &azure_text, c->text);
	fputc('\n', out);
}

/* Commands of Azure Pipelines and of TeamCity that show each as a problem. */
static void report_azure(const struct report *const *v, size_t n, FILE *out)
{
	write_culprits(v, n, write_azure, out);
}

/* ---- TeamCity --------------------------------------------------------- */

static const char *const teamcity_written[] = {"||", "|'", "|n",
					       "|r", "|[", "|]"};
static const struct escapes teamcity_value = {"|'\n\r[]", teamcity_written};

/* Commands of Azure Pipelines and of TeamCity that show each as a problem. */
static void report_teamcity(const struct report *const *v, size_t n, FILE *out)
{
	char fingerprint[17];

	for (size_t i = 0; i < n; i++) {
		const struct report_culprit c = report_culprit(v[i]);

		report_fingerprint(v[i], fingerprint);
		fputs("##teamcity[buildProblem description='", out);
		write_escaped(out, &teamcity_value, title_of(v[i]));
		fputs(": ", out);
		write_escaped(out, &teamcity_value, c.text);
		if (c.frame) {
			fputs(" at ", out);
			write_escaped(out, &teamcity_value,
				      report_path(c.frame->path));
			fprintf(out, ":%" PRIu32, c.frame->line);
		}
		// An identity has to begin as a name does.
		fprintf(out, "' identity='crash_%s']\n", fingerprint);
	}
}

/* ---- Markdown and JUnit ----------------------------------------------- */

// The report as text, for the caller to free; NULL: there is no memory.
static char *text_of(const struct report *r)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (stream) {
		report_text(&r, 1, stream);
		fclose(stream);
	}
	return text;
}

// A block of code needs more backquotes in a row than there are in it.
static size_t fence_of(const char *text)
{
	size_t longest = 2;

	for (; *text; text++) {
		size_t n = strspn(text, "`");

		longest = n > longest ? n : longest;
		text += n ? n - 1 : 0;
	}
	return longest + 1;
}

static void write_block(FILE *out, const char *text)
{
	size_t n = fence_of(text);

	for (size_t i = 0; i < n; i++)
		fputc('`', out);
	fprintf(out, "\n%s", text);
	for (size_t i = 0; i < n; i++)
		fputc('`', out);
	fputs("\n\n", out);
}

/* Write Markdown for the summaries of CI jobs. */
static void report_markdown(const struct report *const *v, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++) {
		char *text = text_of(v[i]);

		fputs("### dndbg run\n\n", out);
		write_block(out, text ? text : "");
		free(text);
	}
}

// XML 1.0 has no place for these, not even escaped: control characters, U+FFFE
// and U+FFFF. The length of one at @s, 0: it is another.
static size_t no_xml(const char *s)
{
	if (!strncmp(s, "\xef\xbf\xbe", 3) || !strncmp(s, "\xef\xbf\xbf", 3))
		return 3;
	return (unsigned char)*s < ' ' && !strchr("\t\n\r", *s);
}

static void write_xml(FILE *out, const char *text)
{
	static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
	static const struct escapes xml = {"<>&\"", names};
	_cleanup_str_ struct str some = {0};

	for (size_t n; *text; text += n ? n : 1) {
		n = no_xml(text);
		str_addc(&some, n ? '?' : *text);
	}
	write_escaped(out, &xml, str_get(&some));
}

static void write_case(const struct report *r, FILE *out)
{
	const struct report_culprit c = report_culprit(r);
	char *text = text_of(r);

	fputs("  <testcase classname=\"", out);
	write_xml(out, *r->program ? r->program : "program");
	fputs("\" name=\"", out);
	write_xml(out, r->n_tests ? r->tests[0].text : "dndbg run");
	fputs("\">\n    <failure type=\"", out);
	write_xml(out, c.exception ? c.exception->type
		       : r->kind   ? r->kind
				   : "stop");
	fputs("\" message=\"", out);
	write_xml(out, c.text);
	fputs("\">", out);
	write_xml(out, text ? text : "");
	fputs("</failure>\n  </testcase>\n", out);
	free(text);
}

/* A test suite with one test case for each report, which failed. */
static void report_junit(const struct report *const *v, size_t n, FILE *out)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
	fprintf(out,
		"<testsuite name=\"dndbg run\" tests=\"%zu\" "
		"failures=\"%zu\">\n",
		n, n);
	for (size_t i = 0; i < n; i++)
		write_case(v[i], out);
	fputs("</testsuite>\n", out);
}

/* ---- Forms ----------------------------------------------------------- */

const struct report_form report_forms[REPORT_N_FORMS] = {
    {"text", REPORT_EACH, report_text},
    {"json", REPORT_ALL, report_json},
    {"jsonl", REPORT_EACH, report_jsonl},
    {"junit", REPORT_ALL, report_junit},
    {"sarif", REPORT_ALL, report_sarif},
    {"gitlab", REPORT_ALL, report_gitlab},
    {"crashreport", REPORT_ALL, report_crashreport},
    {"markdown", REPORT_EACH, report_markdown},
    {"github", REPORT_LOG, report_github},
    {"azure", REPORT_LOG, report_azure},
    {"teamcity", REPORT_LOG, report_teamcity},
};

const struct report_form *report_form_find(const char *name)
{
	for (size_t i = 0; i < REPORT_N_FORMS; i++)
		if (!strcmp(report_forms[i].name, name))
			return &report_forms[i];
	return NULL;
}
