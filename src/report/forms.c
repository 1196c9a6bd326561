/* The forms that reports are written in, by name. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "front/utf8.h"
#include "report/json.h"
#include "report/report.h"

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
