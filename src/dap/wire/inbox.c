/*
 * Messages that have come whole and wait for their turn. They are parsed at
 * once, so that a `cancel` is seen while an earlier request is carried out; one
 * of too many values is refused before a tree is built of it.
 */
#include "dap/wire/inbox.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "dap/request/args.h"

enum {
	WAITING_MAX = 256,
	LARGE_BYTES = 1 << 20,
};

// Does a value stand behind @s[0]?
static bool is_before_value(const char *s)
{
	switch (s[0]) {
	case ',':
		return true;
	case '[':
		return s[1] != ']';
	case '{':
		return s[1] != '}';
	default:
		return false;
	}
}

// The last byte of a message is before none.
static bool has_too_many_values(const char *s, size_t n)
{
	size_t values = 1;
	bool quoted = false;

	for (size_t i = 0; i + 1 < n && values <= INBOX_VALUES_MAX; i++) {
		if (quoted && s[i] == '\\')
			i++;
		else if (s[i] == '"')
			quoted = !quoted;
		else if (!quoted)
			values += is_before_value(s + i);
	}
	return values > INBOX_VALUES_MAX;
}

void inbox_deinit(struct inbox *b)
{
	for (size_t i = b->first; i < b->n; i++)
		cJSON_Delete(b->v[i]);
	free(b->v);
	framing_deinit(&b->in);
	*b = (struct inbox){0};
}

bool inbox_parse(struct inbox *b, inbox_record_fn *record, void *arg)
{
	const char *body;
	size_t n;

	if (b->first == b->n)
		b->first = b->n = 0;
	while (b->n < WAITING_MAX) {
		enum framing_state state = framing_next(&b->in, &body, &n);
		if (state != FRAMING_MESSAGE)
			return state == FRAMING_MORE;
		record(arg, body, n);
		mem_grow(&b->v, &b->cap, b->n, sizeof(cJSON *));
		// each takes more memory than the two bytes of its text
		b->v[b->n++] = has_too_many_values(body, n)
				   ? NULL
				   : cJSON_ParseWithLength(body, n);
		b->large = b->large || n > LARGE_BYTES;
	}
	return true;
}

bool inbox_next(struct inbox *b, inbox_may_fn *may, void *arg, cJSON **ret)
{
	size_t i = b->first;

	while (may && i < b->n && !may(arg, b->v[i]))
		i++;
	if (i == b->n)
		return false;
	*ret = b->v[i];
	// those that are passed keep their order
	memmove(&b->v[b->first + 1], &b->v[b->first],
		(i - b->first) * sizeof(cJSON *));
	b->first++;
	return true;
}

bool inbox_waits(const struct inbox *b)
{
	return b->first < b->n;
}

static bool is_cancel(const cJSON *message, int64_t seq)
{
	const cJSON *command = args_get(message, "command");
	const cJSON *args = args_get(message, "arguments");
	const cJSON *id = args_get(args, "requestId");
	const cJSON *progress = args_get(args, "progressId");
	char name[24];

	if (!cJSON_IsString(command) || strcmp(command->valuestring, "cancel"))
		return false;
	// the work of a request is named by its number
	snprintf(name, sizeof(name), "%" PRId64, seq);
	return (cJSON_IsNumber(id) && id->valuedouble == (double)seq) ||
	       (cJSON_IsString(progress) &&
		!strcmp(progress->valuestring, name));
}

bool inbox_cancels(const struct inbox *b, int64_t seq)
{
	for (size_t i = b->first; i < b->n; i++)
		if (is_cancel(b->v[i], seq))
			return true;
	return false;
}
