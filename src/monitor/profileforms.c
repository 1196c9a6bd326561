/* Profiles as files: see monitor.h. */
#include "monitor/monitor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/plain.h"
#include "front/utf8.h"

/* ---- Protocol buffers ------------------------------------------------ */

/* Messages of protocol buffers, and gzip, as far as pprof's files need them. */

enum {
	WIRE_VARINT = 0,
	WIRE_BYTES = 2,
	GZIP_WINDOW = 15 + 16, // of zlib: with the header of gzip
	GZIP_MEMORY = 8,
	GZIP_PART = 1 << 16,
	INPUT_MAX = 1 << 30,
};

/* Append a number of variable length alone. */
static void protobuf_varint(struct str *to, uint64_t n)
{
	for (; n >= 0x80; n >>= 7)
		str_addc(to, (char)((n & 0x7f) | 0x80));
	str_addc(to, (char)n);
}

/* Append a field: a number; a text, a message, or numbers in a row. */
static void protobuf_number(struct str *to, unsigned int field, uint64_t n)
{
	protobuf_varint(to, field << 3 | WIRE_VARINT);
	protobuf_varint(to, n);
}

/* Append a field: a number; a text, a message, or numbers in a row. */
static void protobuf_bytes(struct str *to, unsigned int field,
			   const char *bytes, size_t n)
{
	protobuf_varint(to, field << 3 | WIRE_BYTES);
	protobuf_varint(to, n);
	str_addn(to, bytes, n);
}

/* Append @n bytes, compressed as a file of gzip. */
static void gzip_add(struct str *to, const char *bytes, size_t n)
{
	z_stream z = {.next_in = (Bytef *)(uintptr_t)bytes};
	int done = Z_OK;

	// It fails for want of memory only, which ends us elsewhere as well.
	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW,
			 GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		abort();
	while (done == Z_OK) {
		if (!z.avail_in) {
			z.avail_in = (uInt)(n < INPUT_MAX ? n : INPUT_MAX);
			n -= z.avail_in;
		}
		z.next_out = (Bytef *)str_room(to, GZIP_PART);
		z.avail_out = GZIP_PART;
		done = deflate(&z, n ? Z_NO_FLUSH : Z_FINISH);
		str_end(to, (char *)z.next_out);
	}
	deflateEnd(&z);
}

enum {
	DEPTH_MAX = 1024,
	BEFORE_MAX = 64 << 20, /* bytes of a file that is compared with */
};

typedef void form_fn(const struct profile_writing *w, struct str *out);

// The frames of a node and those above it, the innermost first; how many.
static size_t path_of(const struct dbg_profile *p, size_t node,
		      uint32_t path[DEPTH_MAX])
{
	size_t n = 0;

	for (; node && n < DEPTH_MAX; node = p->nodes[node].parent)
		path[n++] = p->nodes[node].frame;
	return n;
}

/* ---- Folded stacks ----------------------------------------------------- */

// A name has neither ';', which separates, nor line ends.
static void folded_name(const struct dbg_profile *p, uint32_t frame,
			struct str *out)
{
	size_t from = out->len;
	const char *name = p->frames[frame].name;

	plain_add(out, name, strlen(name));
	for (size_t i = from; i < out->len; i++)
		if (out->s[i] == ';')
			out->s[i] = ':';
}

/*
 * Write folded stacks: a line "frame;frame;frame MICROSECONDS" for each stack,
 * as flame graph tools read them.
 */
static void folded(const struct profile_writing *w, struct str *out)
{
	const struct dbg_profile *p = w->profile;
	uint32_t path[DEPTH_MAX];

	for (size_t i = 1; i < p->n_nodes; i++) {
		const struct dbg_sample_node *n = &p->nodes[i];
		uint64_t us = (n->run + n->wait + n->blocked) / 1000;

		if (!us)
			continue;
		size_t depth = path_of(p, i, path);

		while (depth-- > 0) {
			folded_name(p, path[depth], out);
			str_addc(out, depth ? ';' : ' ');
		}
		str_addf(out, "%" PRIu64 "\n", us);
	}
}

/* ---- JSON --------------------------------------------------------------- */

// Foreign text as a string, which may stand within HTML.
static void put_text(struct str *out, const char *text)
{
	_cleanup_str_ struct str valid = {0};

	utf8_add(&valid, text, strlen(text));
	str_addc(out, '"');
	for (const char *p = str_get(&valid); *p; p++) {
		if ((unsigned char)*p < ' ' || strchr("<>&\"\\\x7f", *p))
			str_addf(out, "\\u%04x", (unsigned char)*p);
		else
			str_addc(out, *p);
	}
	str_addc(out, '"');
}

static void put_title(struct str *out, const struct watch_result *r)
{
	char time[WATCH_TIME_MAX];

	str_addf(out, "Process %d, .NET %" PRIu32 "%s", r->pid, r->version,
		 watch_time(r, time));
}

/* ---- Flame graphs ------------------------------------------------------- */

typedef uint64_t node_fn(const struct dbg_sample_node *n);

static uint64_t node_parent(const struct dbg_sample_node *n)
{
	return n->parent;
}

static uint64_t node_frame(const struct dbg_sample_node *n)
{
	return n->frame;
}

// Microseconds.
static uint64_t node_run(const struct dbg_sample_node *n)
{
	return n->run / 1000;
}

static uint64_t node_wait(const struct dbg_sample_node *n)
{
	return n->wait / 1000;
}

static uint64_t node_blocked(const struct dbg_sample_node *n)
{
	return n->blocked / 1000;
}

static void put_nodes(struct str *out, const struct dbg_profile *p,
		      const char *name, node_fn *fn)
{
	str_addf(out, ",\"%s\":[", name);
	for (size_t i = 0; i < p->n_nodes; i++) {
		if (i)
			str_addc(out, ',');
		str_addu(out, fn(&p->nodes[i]));
	}
	str_addc(out, ']');
}

// "[["thread;caller;callee", MICROSECONDS], ...]" of a folded file.
static void put_before(struct str *out, const char *text)
{
	const char *between = "";

	str_add(out, ",\"before\":[");
	while (*text) {
		size_t n = strcspn(text, "\n");
		_cleanup_free_ char *line = xmalloc(n + 1);
		char *number, *end;

		memcpy(line, text, n);
		line[n] = 0;
		text += n + (text[n] == '\n');
		number = strrchr(line, ' ');
		if (!number)
			continue;
		*number++ = 0;
		unsigned long long us = strtoull(number, &end, 10);
		if (*end || end == number)
			continue;
		str_addf(out, "%s[", between);
		put_text(out, line);
		str_addf(out, ",%llu]", us);
		between = ",";
	}
	str_addc(out, ']');
}

static void flame(const struct profile_writing *w, struct str *out)
{
	const struct dbg_profile *p = w->profile;

	str_add(out, flame_page_head);
	str_add(out, "{\"title\":\"");
	put_title(out, w->result);
	str_addf(out,
		 "\",\"quality\":\"%" PRIu64 " samples, %" PRIu64
		 " lost; %" PRIu64 " looks at blocked threads; %" PRIu64
		 " stacks cut off\",\"frames\":[",
		 p->samples, p->lost, p->looks, p->broken);
	for (size_t i = 0; i < p->n_frames; i++) {
		str_add(out, i ? ",[" : "[");
		put_text(out, p->frames[i].name);
		str_addc(out, ',');
		put_text(out, p->frames[i].module);
		str_addf(out, ",%d,%d]", (int)p->frames[i].kind,
			 p->frames[i].own);
	}
	str_addc(out, ']');
	put_nodes(out, p, "parent", node_parent);
	put_nodes(out, p, "frame", node_frame);
	put_nodes(out, p, "run", node_run);
	put_nodes(out, p, "wait", node_wait);
	put_nodes(out, p, "blocked", node_blocked);
	if (w->before.len)
		put_before(out, w->before.s);
	str_addc(out, '}');
	str_add(out, flame_page_tail);
}

/* ---- speedscope --------------------------------------------------------- */

static void speedscope_samples(const struct dbg_profile *p, node_fn *us,
			       struct str *out)
{
	uint32_t path[DEPTH_MAX];
	bool any = false;

	str_add(out, "\"samples\":[");
	for (size_t i = 1; i < p->n_nodes; i++) {
		if (!us(&p->nodes[i]))
			continue;
		size_t n = path_of(p, i, path);

		str_add(out, any ? ",[" : "[");
		any = true;
		while (n-- > 0)
			str_addf(out, n ? "%" PRIu32 "," : "%" PRIu32 "]",
				 path[n]);
	}
}

static void speedscope_profile(const struct dbg_profile *p, const char *name,
			       node_fn *us, struct str *out)
{
	uint64_t sum = 0;
	bool any = false;

	str_addf(out, "{\"type\":\"sampled\",\"name\":\"%s\",", name);
	speedscope_samples(p, us, out);
	str_add(out, "],\"weights\":[");
	for (size_t i = 1; i < p->n_nodes; i++) {
		uint64_t n = us(&p->nodes[i]);

		if (!n)
			continue;
		str_addf(out, "%s%" PRIu64, any ? "," : "", n);
		any = true;
		sum += n;
	}
	str_addf(out,
		 "],\"unit\":\"microseconds\",\"startValue\":0,"
		 "\"endValue\":%" PRIu64 "}",
		 sum);
}

static void speedscope(const struct profile_writing *w, struct str *out)
{
	const struct dbg_profile *p = w->profile;

	str_add(out, "{\"$schema\":\"https://www.speedscope.app/"
		     "file-format-schema.json\",\"exporter\":\"dndbg\","
		     "\"name\":\"");
	put_title(out, w->result);
	str_add(out, "\",\"shared\":{\"frames\":[");
	for (size_t i = 0; i < p->n_frames; i++) {
		str_add(out, i ? ",{\"name\":" : "{\"name\":");
		put_text(out, p->frames[i].name);
		str_add(out, ",\"file\":");
		put_text(out, p->frames[i].module);
		str_addc(out, '}');
	}
	str_add(out, "]},\"profiles\":[");
	speedscope_profile(p, "running", node_run, out);
	str_addc(out, ',');
	speedscope_profile(p, "waiting for a processor", node_wait, out);
	str_addc(out, ',');
	speedscope_profile(p, "blocked", node_blocked, out);
	str_add(out, "]}\n");
}

/* ---- pprof: profile.proto ----------------------------------------------- */

enum {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE = 2,
	PPROF_LOCATION = 4,
	PPROF_FUNCTION = 5,
	PPROF_STRING = 6,
	PPROF_DURATION = 10,
};

// Strings are numbered: these first, then of each frame its name and module.
static const char *const pprof_strings[] = {"", "running", "waiting", "blocked",
					    "nanoseconds"};

enum {
	PPROF_NS = 4,
	PPROF_NAMES = sizeof(pprof_strings) / sizeof(*pprof_strings),
};

static void pprof_sample(const struct dbg_profile *p, size_t node,
			 struct str *out)
{
	_cleanup_str_ struct str sample = {0}, ids = {0}, values = {0};
	const struct dbg_sample_node *n = &p->nodes[node];

	if (!n->run && !n->wait && !n->blocked)
		return;
	// The innermost first; ids begin with 1.
	for (size_t at = node; at; at = p->nodes[at].parent)
		protobuf_varint(&ids, p->nodes[at].frame + UINT64_C(1));
	protobuf_varint(&values, n->run);
	protobuf_varint(&values, n->wait);
	protobuf_varint(&values, n->blocked);
	protobuf_bytes(&sample, 1, str_get(&ids), ids.len);
	protobuf_bytes(&sample, 2, str_get(&values), values.len);
	protobuf_bytes(out, PPROF_SAMPLE, str_get(&sample), sample.len);
}

// A frame is a function, and a location with that as its only line.
static void pprof_frame(size_t i, struct str *out)
{
	_cleanup_str_ struct str function = {0}, line = {0}, location = {0};

	protobuf_number(&function, 1, i + 1);
	protobuf_number(&function, 2, PPROF_NAMES + 2 * i);
	protobuf_number(&function, 3, PPROF_NAMES + 2 * i);
	protobuf_number(&function, 4, PPROF_NAMES + 2 * i + 1);
	protobuf_bytes(out, PPROF_FUNCTION, str_get(&function), function.len);
	protobuf_number(&line, 1, i + 1);
	protobuf_number(&location, 1, i + 1);
	protobuf_bytes(&location, 4, str_get(&line), line.len);
	protobuf_bytes(out, PPROF_LOCATION, str_get(&location), location.len);
}

static void pprof_string(struct str *out, const char *text)
{
	_cleanup_str_ struct str valid = {0};

	utf8_add(&valid, text, strlen(text));
	protobuf_bytes(out, PPROF_STRING, str_get(&valid), valid.len);
}

static void pprof(const struct profile_writing *w, struct str *out)
{
	const struct dbg_profile *p = w->profile;
	_cleanup_str_ struct str raw = {0};

	for (uint64_t i = 1; i < PPROF_NS; i++) {
		_cleanup_str_ struct str type = {0};

		protobuf_number(&type, 1, i);
		protobuf_number(&type, 2, PPROF_NS);
		protobuf_bytes(&raw, PPROF_SAMPLE_TYPE, str_get(&type),
			       type.len);
	}
	for (size_t i = 1; i < p->n_nodes; i++)
		pprof_sample(p, i, &raw);
	for (size_t i = 0; i < p->n_frames; i++)
		pprof_frame(i, &raw);
	for (size_t i = 0; i < PPROF_NAMES; i++)
		pprof_string(&raw, pprof_strings[i]);
	for (size_t i = 0; i < p->n_frames; i++) {
		pprof_string(&raw, p->frames[i].name);
		pprof_string(&raw, p->frames[i].module);
	}
	protobuf_number(&raw, PPROF_DURATION, p->ended - p->began);
	gzip_add(out, str_get(&raw), raw.len);
}

static void firefox(const struct profile_writing *w, struct str *out)
{
	firefox_profile_add(out, w);
}

/* ---- Files ------------------------------------------------------------- */

static form_fn *const forms[N_PROFILE_FORMS] = {
    [PROFILE_FOLDED] = folded,         [PROFILE_FLAME] = flame,
    [PROFILE_SPEEDSCOPE] = speedscope, [PROFILE_PPROF] = pprof,
    [PROFILE_FIREFOX] = firefox,
};

struct dbg_error *profile_before(struct profile_writing *w, const char *path)
{
	struct file file;
	struct dbg_error *err = file_load(path, BEFORE_MAX, &file);

	if (err)
		return err;
	str_addn(&w->before, (const char *)file.bytes.p, file.bytes.n);
	file_unload(&file);
	if (w->before.len && strlen(w->before.s) == w->before.len &&
	    strchr(w->before.s, ';'))
		return NULL;
	return dbg_err(DBG_E_FORMAT,
		       "'%s' has no stacks: --folded writes such a file", path);
}

struct dbg_error *profile_write(enum profile_form form,
				const struct profile_writing *w,
				const char *path)
{
	_cleanup_str_ struct str text = {0};

	forms[form](w, &text);
	return outfile_write(path, &text);
}
