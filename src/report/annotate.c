/*
 * Reports for systems that run tests: commands that they find in the output of
 * a job, a summary in Markdown, and JUnit's XML, which most of them show.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "front/utf8.h"
#include "report/report.h"

static const char *title_of(const struct report *r)
{
	return r->n_tests    ? r->tests[0].text
	       : *r->program ? r->program
			     : "crash";
}

/* How a system's commands write what would end them. */
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

void report_github(const struct report *const *v, size_t n, FILE *out)
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

void report_azure(const struct report *const *v, size_t n, FILE *out)
{
	write_culprits(v, n, write_azure, out);
}

/* ---- TeamCity --------------------------------------------------------- */

static const char *const teamcity_written[] = {"||", "|'", "|n",
					       "|r", "|[", "|]"};
static const struct escapes teamcity_value = {"|'\n\r[]", teamcity_written};

void report_teamcity(const struct report *const *v, size_t n, FILE *out)
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

void report_markdown(const struct report *const *v, size_t n, FILE *out)
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

void report_junit(const struct report *const *v, size_t n, FILE *out)
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
