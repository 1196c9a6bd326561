/* Tables that grow on a terminal, and events as lines of JSON: see monitor.h.
 */
#include "monitor/monitor.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "report/forms.h"

enum {
	SHOW_NS = 250000000,
	ROWS = 24, // of a terminal that does not tell
	ROWS_LEAST = 5,
};

cJSON *json_line(uint64_t time, uint64_t origin)
{
	cJSON *o = cJSON_CreateObject();

	cJSON_AddNumberToObject(o, "time",
				(double)(int64_t)(time - origin) / 1e9);
	return o;
}

void json_line_print(cJSON *o)
{
	json_print(o, stdout, false);
	fflush(stdout);
}

bool live_shows(struct live_table *t, uint64_t now, size_t *ret_rows)
{
	struct winsize size = {0};

	if (!t->on || now < t->next)
		return false;
	t->next = now + (t->every ? t->every : SHOW_NS);
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row)
		size.ws_row = ROWS;
	*ret_rows = size.ws_row > ROWS_LEAST ? size.ws_row : ROWS_LEAST;
	// without the wrapping of lines
	fputs("\033[?7l\033[H\033[J", stdout);
	return true;
}

void live_shown(void)
{
	fputs("\033[?7h", stdout);
	fflush(stdout);
}

void live_end(const struct live_table *t)
{
	if (t->on)
		fputs("\033[H\033[J", stdout);
}
