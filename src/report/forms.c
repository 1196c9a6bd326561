/* The forms that reports are written in, by name. */
#include <string.h>

#include "report/report.h"

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
