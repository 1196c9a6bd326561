/* Habits of netcoredbg: see netcoredbg.h. */
#include "front/cli/netcoredbg.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* Which of the compiler's errors netcoredbg reports, and in which form. */
enum telling {
	BY_NUMBER = 1, /* "error CS0019: ..." */
	BY_HRESULT,    /* "Error: 0x80070057 ..." */
	BY_CALL,       /* the same, if it is about a call */
};

static const struct {
	unsigned int cs;
	enum telling how;
} tellings[] = {
    {19, BY_NUMBER},    {23, BY_NUMBER},    {120, BY_CALL},
    {208, BY_HRESULT},  {1003, BY_NUMBER},  {1026, BY_NUMBER},
    {1501, BY_HRESULT}, {1503, BY_HRESULT}, {1525, BY_NUMBER},
    {1061, BY_CALL},    {7036, BY_HRESULT}, {411, BY_HRESULT},
    {1002, BY_NUMBER},
};

struct dbg_error *netcoredbg_error(struct dbg_error *err, const char *fault,
				   const char *expr)
{
	size_t n = expr ? strlen(expr) : 0;
	bool calls = n && expr[n - 1] == ')';
	enum telling how = 0;

	for (size_t i = 0; i < sizeof(tellings) / sizeof(*tellings); i++)
		if (tellings[i].cs == err->cs)
			how = tellings[i].how;
	unsigned int number = err->cs;
	if (how != BY_NUMBER) {
		char *text = dbg_err_text(err);

		free(err->message);
		err->message = text;
	}
	err->cs = 0;
	if (how == BY_NUMBER)
		return dbg_err_prefix(err, "error CS%04u", number);
	if (how == BY_HRESULT || (how == BY_CALL && calls))
		return dbg_err_prefix(err, "%s: 0x80070057", fault);
	*err->message = (char)toupper((unsigned char)*err->message);
	return dbg_err_prefix(err, "error");
}
