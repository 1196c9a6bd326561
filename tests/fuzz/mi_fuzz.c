/* A line of a client through the reader of GDB/MI, and back by the writer. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "mi/mi_command.h"
#include "mi/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// What is written in quotes must be read as the same.
static void again(const char *word)
{
	_cleanup_str_ struct str quoted = {0};
	_cleanup_free_ char *got = NULL;

	record_quote(&quoted, word, strlen(word));
	const char *p = str_get(&quoted);
	if (mi_line_argument(&p, &got) || *p || strcmp(got, word))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_words_ struct words words = {0};
	struct mi_line line;

	_cleanup_free_ char *text = xstrndup((const char *)data, size);
	mi_line_parse(text, &line);
	dbg_error_destroy(mi_line_arguments(line.rest, &words));
	for (size_t i = 0; i < words.n; i++)
		again(words.v[i]);
	mi_line_deinit(&line);
	return 0;
}
