/*
 * Reports for systems that run tests: an annotation of GitHub Actions, and
 * JUnit's XML, which most of them show.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/report.h"

// The commands of Actions escape these: '%', line ends, and in properties
// ':' and ',', too.
static void write_github(FILE *out, const char *s, bool property)
{
	for (; *s; s++) {
		if (strchr("%\r\n", *s) || (property && strchr(":,", *s)))
			fprintf(out, "%%%02X", (unsigned char)*s);
		else
			fputc(*s, out);
	}
}

static void annotate(const struct report *r, FILE *out)
{
	const struct report_frame *f = report_culprit(r);

	fputs("::error ", out);
	if (f) {
		fputs("file=", out);
		write_github(out, f->path, true);
		fprintf(out, ",line=%" PRIu32 ",", f->line);
	}
	fputs("title=", out);
	write_github(out,
		     r->n_tests    ? r->tests[0].text
		     : *r->program ? r->program
				   : "crash",
		     true);
	fputs("::", out);
	write_github(out, r->cause ? r->cause : "stopped", false);
	fputc('\n', out);
}

void report_github(const struct report *const *v, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++)
		annotate(v[i], out);
}

// XML 1.0 has no place for control characters, not even escaped.
static void write_xml(FILE *out, const char *s)
{
	static const char special[] = "<>&\"";
	static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;"};

	for (; *s; s++) {
		const char *found = strchr(special, *s);

		if (found)
			fputs(names[found - special], out);
		else if ((unsigned char)*s < ' ' && !strchr("\t\n\r", *s))
			fputc('?', out);
		else
			fputc(*s, out);
	}
}

static void write_case(const struct report *r, FILE *out)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	if (stream) {
		report_text(&r, 1, stream);
		fclose(stream);
	}
	fputs("  <testcase classname=\"", out);
	write_xml(out, *r->program ? r->program : "program");
	fputs("\" name=\"", out);
	write_xml(out, r->n_tests ? r->tests[0].text : "dndbg run");
	fputs("\">\n    <failure type=\"", out);
	write_xml(out, r->n_exceptions ? r->exceptions[0].type
		       : r->kind       ? r->kind
				       : "stop");
	fputs("\" message=\"", out);
	write_xml(out, r->cause ? r->cause : "stopped");
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
