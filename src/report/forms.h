/* Helpers shared by the forms that are JSON. */
#ifndef REPORT_FORMS_H
#define REPORT_FORMS_H

#include <cjson/cJSON.h>

#include "report/report.h"

/* @text may be NULL: then there is no such member. */
void json_add_text(cJSON *o, const char *name, const char *text);
void json_add_hex(cJSON *o, const char *name, uint64_t n);
/* A frame, as docs/report.md has it. */
cJSON *json_frame(const struct report_frame *f);
/* Write @o as UTF-8 and destroy it; @indent: in lines, else in one. */
void json_print(cJSON *o, FILE *out, bool indent);

#endif
