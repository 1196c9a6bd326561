/*
 * Addresses of managed code to source, and places to addresses.
 *
 * A code version (one compilation of one method) joins two tables: the IL
 * map (native ranges to IL offsets) and the sequence points (IL offsets to
 * lines). Both are sorted and searched by halves; the join is kept by
 * address for the session, since a code version never changes. Dynamic
 * methods are the exception: theirs is freed and reused at any time, so they
 * have a position without source that is checked on every use.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "code/code_priv.h"
#include "dac/asyncmethod.h"

struct version {
	struct dac_code code;
	struct code_module *module; /* NULL: dynamic or unknown */
	uint32_t token;
	uint32_t version; /* of the IL it was compiled from */
	const struct dac_il_map *map;
	size_t n_map;
	const struct module_points *points;
	struct code_point *code_points; /* made when asked for */
	size_t n_code_points;
};

static bool is_real(const struct dac_il_map *e)
{
	return e->il_offset < DAC_IL_EPILOG;
}

// Is the entry about the program's own code, and not about code that the JIT
// adds for an await?
static bool is_code(const struct dac_il_map *e)
{
	return is_real(e) && e->kind != DAC_IL_AWAIT;
}

/*
 * Optimised code of runtime async without an await may have places for its
 * prolog and epilogs alone: the method's first statement begins at its entry.
 */
static void version_begin(struct code *c, struct version *v)
{
	if (!v->n_map || !v->points->n ||
	    v->map[0].il_offset != DAC_IL_PROLOG ||
	    dac_async_is_thunk(c->dac, v->code.start))
		return;
	for (size_t i = 0; i < v->n_map; i++)
		if (is_code(&v->map[i]))
			return;
	struct dac_il_map *map = arena_calloc(c->cache, v->n_map, sizeof(*map));
	memcpy(map, v->map, v->n_map * sizeof(*map));
	map[0].il_offset = 0;
	v->map = map;
}

static struct dbg_error *version_read(struct code *c, const struct dac_code *dc,
				      struct version **ret)
{
	struct dbg_error *err;
	struct dac_method method;

	err = dac_method_get(c->dac, dc->method, &method);
	if (err)
		return err;
	struct code_module *m =
	    method.dynamic ? NULL : code_module_find(c, method.module);
	*ret = NULL;
	if (!m)
		return NULL;
	struct version *v = arena_alloc(c->cache, sizeof(*v));
	v->code = *dc;
	v->module = m;
	v->token = method.token;
	v->version = update_version_of_code(c, m, method.token, dc);
	v->points = module_points_of(module_of(m), method.token, v->version);
	err = dac_il_map(c->dac, dc->start, &v->map, &v->n_map);
	if (err)
		return err;
	version_begin(c, v);
	map_put(&c->versions, dc->start, v);
	*ret = v;
	return NULL;
}

// The code version that holds @ip; NULL if it is not managed code or of no
// known module; *ret_method (may be NULL) tells the two apart.
static struct dbg_error *version_at(struct code *c, uint64_t ip,
				    struct version **ret, uint64_t *ret_method)
{
	struct dbg_error *err;
	struct dac_code dc;

	err = dac_code_at(c->dac, ip, &dc);
	if (err)
		return err;
	if (ret_method)
		*ret_method = dc.method;
	*ret = dc.method ? map_find(&c->versions, dc.start) : NULL;
	if (!dc.method || *ret)
		return NULL;
	return version_read(c, &dc, ret);
}

// The index of the IL map's entry that contains @addr; n_map if @addr is before
// the first one.
static size_t map_at(const struct version *v, uint64_t addr)
{
	size_t low = 0, high = v->n_map;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (v->map[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return v->n_map;
	// Of several that begin at one address the shortest is the one.
	size_t i = low - 1;
	while (i && v->map[i - 1].start == v->map[i].start &&
	       v->map[i - 1].end > addr)
		i--;
	return i;
}

// The last sequence point at or before @il_offset; NULL if there is none.
static const struct seq_point *point_at(const struct module_points *p,
					uint32_t il_offset)
{
	size_t low = 0, high = p->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (p->points[middle].il_offset <= il_offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &p->points[low - 1] : NULL;
}

// A visible point to show for @sp: itself, else the one before, else after.
static const struct seq_point *visible(const struct module_points *p,
				       const struct seq_point *sp)
{
	const struct seq_point *end = p->points + p->n;

	for (const struct seq_point *s = sp; s && s >= p->points; s--)
		if (s->line)
			return s;
	for (const struct seq_point *s = sp ? sp : p->points; s < end; s++)
		if (s->line)
			return s;
	return NULL;
}

// The first real entry at or behind @i; n_map if there is none.
static size_t next_real(const struct version *v, size_t i)
{
	while (i < v->n_map && !is_real(&v->map[i]))
		i++;
	return i;
}

// The last real entry at or before @i; n_map if there is none.
static size_t last_real(const struct version *v, size_t i)
{
	while (i < v->n_map && !is_real(&v->map[i]))
		i = i ? i - 1 : v->n_map;
	return i;
}

// Find the IL offset of an address. Code without a mapping belongs to the
// mapping before it; a prolog, of the method or of a handler, to the one after
// it.
static void find_il(const struct version *v, uint64_t addr,
		    struct code_pos *pos)
{
	const size_t at = map_at(v, addr);
	size_t i = at;

	pos->il_offset = UINT32_MAX;
	if (!v->n_map)
		return;
	pos->in_epilog = i < v->n_map && v->map[i].il_offset == DAC_IL_EPILOG;
	while (i < v->n_map && !is_real(&v->map[i]) &&
	       v->map[i].il_offset != DAC_IL_PROLOG)
		i = i ? i - 1 : v->n_map;
	pos->in_prolog = i == v->n_map || !is_real(&v->map[i]);
	if (pos->in_prolog)
		i = next_real(v, i == v->n_map ? 0 : i);
	// An empty prolog is listed behind the line that begins at the same
	// address.
	if (pos->in_prolog && i == v->n_map) {
		i = last_real(v, at);
		pos->in_prolog = false;
	}
	if (i < v->n_map)
		pos->il_offset = v->map[i].il_offset;
}

// Find the instruction whose table entry tells the places of variables at
// @addr. No variable has a place in an epilog or in the probe behind a prolog.
static void find_vars(const struct version *v, uint64_t addr,
		      struct code_pos *pos)
{
	size_t i = map_at(v, addr);
	uint32_t il = i < v->n_map ? v->map[i].il_offset : DAC_IL_NO_MAPPING;

	pos->vars_ip = addr;
	pos->enters = addr == v->code.start;
	if (i == v->n_map || pos->enters)
		return;
	if (il == DAC_IL_PROLOG && pos->region == CODE_REGION_BODY) {
		pos->vars_ip = v->code.start;
		pos->enters = true;
	} else if (il == DAC_IL_EPILOG && v->map[i].start > v->code.start) {
		pos->vars_ip = v->map[i].start - 1;
	} else if (pos->in_prolog && next_real(v, i) < v->n_map) {
		pos->vars_ip = v->map[next_real(v, i)].start;
	}
}

static void find_point(struct code *c, const struct module_points *p,
		       struct code_pos *pos)
{
	const struct seq_point *sp;

	if (!p->n || pos->il_offset == UINT32_MAX)
		return;
	sp = visible(p, point_at(p, pos->il_offset));
	if (!sp)
		return;
	pos->point = *sp;
	pos->path = module_document(c, module_of(pos->module), sp->document);
}

uint32_t pos_il_end(struct code *c, uint64_t ip, uint32_t il_offset)
{
	struct dbg_error *err;
	struct version *v = NULL;
	uint32_t end = UINT32_MAX;

	err = version_at(c, ip, &v, NULL);
	if (dbg_err_drop(err) || !v)
		return end;
	for (size_t i = 0; i < v->n_map; i++) {
		uint32_t il = v->map[i].il_offset;
		if (is_real(&v->map[i]) && il > il_offset && il < end)
			end = il;
	}
	return end;
}

uint64_t code_body_start(struct code *c, uint64_t ip)
{
	struct version *v = NULL;
	struct dbg_error *err = version_at(c, ip, &v, NULL);

	if (dbg_err_drop(err) || !v)
		return 0;
	size_t i = next_real(v, 0);
	return i < v->n_map ? v->map[i].start : 0;
}

void code_pos_of(struct code *c, struct code_module *m, uint32_t token,
		 uint32_t il_offset, struct code_pos *ret)
{
	*ret = (struct code_pos){
	    .module = m,
	    .token = token,
	    .version = code_method_version(m, token),
	};
	pos_set_il(c, il_offset, ret);
}

void pos_set_il(struct code *c, uint32_t il_offset, struct code_pos *pos)
{
	*pos = (struct code_pos){
	    .module = pos->module,
	    .token = pos->token,
	    .version = pos->version,
	    .il_offset = il_offset,
	};
	find_point(
	    c,
	    module_points_of(module_of(pos->module), pos->token, pos->version),
	    pos);
}

struct pdb_method code_pos_method(const struct code_pos *pos)
{
	return (struct pdb_method){MD_TOKEN_RID(pos->token), pos->version};
}

static bool is_in(uint32_t il, uint32_t start, uint32_t length)
{
	return il - start < length;
}

// Which region @il is in: the innermost handler or filter around it, or the
// body.
static enum code_region region_of(const struct il_body *body, uint32_t il)
{
	enum {
		FILTER = 1
	};
	enum code_region region = CODE_REGION_BODY;
	uint32_t innermost = UINT32_MAX;

	for (size_t i = 0; i < body->n_clauses; i++) {
		const struct il_clause *c = &body->clauses[i];
		uint32_t filter = c->token_or_filter;

		if (is_in(il, c->handler_offset, c->handler_length) &&
		    c->handler_length < innermost) {
			innermost = c->handler_length;
			region = CODE_REGION_HANDLER;
		}
		// II.25.4.6: a filter ends where its handler begins.
		if (c->flags == FILTER &&
		    is_in(il, filter, c->handler_offset - filter) &&
		    c->handler_offset - filter < innermost) {
			innermost = c->handler_offset - filter;
			region = CODE_REGION_FILTER;
		}
	}
	return region;
}

static void find_region(struct code_pos *pos)
{
	struct arena *arena = arena_create();
	struct il_body body;

	module_body_at(pos, arena, &body);
	if (pos->il_offset != UINT32_MAX)
		pos->region = region_of(&body, pos->il_offset);
	arena_destroy(arena);
}

static void pos_fill(struct code *c, const struct version *v, uint64_t method,
		     uint64_t addr, struct code_pos *pos)
{
	*pos = (struct code_pos){.method = method, .il_offset = UINT32_MAX};
	if (!v)
		return;
	pos->module = v->module;
	pos->start = v->code.start;
	pos->token = v->token;
	pos->version = v->version;
	find_il(v, addr, pos);
	find_region(pos);
	find_vars(v, addr, pos);
	find_point(c, v->points, pos);
}

// Positions stay valid; their paths are made anew by the new rules.
void code_renew_paths(struct code *c)
{
	unsigned int age = source_age(c);

	if (age == c->path_age)
		return;
	c->path_age = age;
	for (size_t i = 0; i < c->positions.cap; i++) {
		struct code_pos *pos = c->positions.slots[i].value;

		if (pos && pos->path)
			pos->path = module_document(c, module_of(pos->module),
						    pos->point.document);
	}
}

struct dbg_error *code_pos_at(struct code *c, uint64_t ip, bool leaf,
			      const struct code_pos **ret, bool *ret_any)
{
	struct dbg_error *err;
	struct version *v;
	uint64_t method;
	uint64_t addr = leaf ? ip : ip - 1;

	code_renew_paths(c);
	struct code_pos *pos = map_find(&c->positions, addr);
	if (!pos || !pos->module) {
		err = version_at(c, addr, &v, &method);
		if (err)
			return err;
		*ret_any = method != 0;
		if (!method)
			return NULL;
		if (!pos) {
			pos = arena_alloc(c->cache, sizeof(*pos));
			map_put(&c->positions, addr, pos);
		}
		pos_fill(c, v, method, addr, pos);
	}
	*ret = pos;
	*ret_any = true;
	return NULL;
}

/* ---- Places to addresses --------------------------------------------- */

// The IL offset whose code is @il_offset's: itself if it is in the map, else
// the first in the map that belongs to the same statement (optimised code
// drops what has no instructions); UINT32_MAX if the statement has no code.
static uint32_t mapped_offset(const struct version *v, uint32_t il_offset)
{
	uint32_t end = UINT32_MAX, best = UINT32_MAX, before = UINT32_MAX;

	for (size_t i = 0; i < v->points->n; i++) {
		end = v->points->points[i].il_offset;
		if (end > il_offset)
			break;
		end = UINT32_MAX;
	}
	for (size_t i = 0; i < v->n_map; i++) {
		uint32_t il = v->map[i].il_offset;

		if (!is_code(&v->map[i]))
			continue;
		if (il < il_offset && (before == UINT32_MAX || il > before))
			before = il;
		// A statement does not begin behind its own await.
		if (il >= il_offset && il < end && il < best &&
		    (v->map[i].kind != DAC_IL_BEHIND || il == il_offset))
			best = il;
	}
	// Optimised code may have nothing of a statement that begins with
	// values on the stack: it is entered where the one before is.
	return best == UINT32_MAX && v->module->optimized ? before : best;
}

/*
 * Does entry @i begin the code of its offset, or go on with it? The JIT maps
 * an offset anew behind a call that it spilled (`new`: allocation, then the
 * constructor).
 */
static bool begins_offset(const struct version *v, size_t i)
{
	uint32_t il = v->map[i].il_offset;

	while (i-- > 0)
		if (v->map[i].il_offset != DAC_IL_NO_MAPPING &&
		    v->map[i].kind != DAC_IL_AWAIT)
			return v->map[i].il_offset != il;
	return true;
}

struct dbg_error *code_addresses(struct code *c, const struct code_place *p,
				 uint64_t ip, struct arena *arena,
				 uint64_t **ret, size_t *ret_n)
{
	struct dbg_error *err;
	struct version *v;

	err = version_at(c, ip, &v, NULL);
	if (err)
		return err;
	*ret = NULL;
	*ret_n = 0;
	if (!v || v->module != p->module || v->token != p->token ||
	    v->version != p->version)
		return NULL;
	uint64_t *addrs = arena_calloc(arena, v->n_map + 1, sizeof(*addrs));
	size_t n = 0;
	uint32_t il = mapped_offset(v, p->il_offset);
	for (size_t i = 0; i < v->n_map && il != UINT32_MAX; i++)
		if (v->map[i].il_offset == il && is_code(&v->map[i]) &&
		    begins_offset(v, i) &&
		    (!n || addrs[n - 1] != v->map[i].start))
			addrs[n++] = v->map[i].start;
	// Code without a map, or whose map begins later (fully optimized code
	// maps little), has its entry at least.
	if (!n && !p->il_offset)
		addrs[n++] = v->code.start;
	*ret = addrs;
	*ret_n = n;
	return NULL;
}

/* ---- All points ------------------------------------------------------ */

/*
 * The sequence point that the code at @e belongs to. The hidden point behind an
 * await counts as the statement's if optimised code has no other code for it.
 */
static const struct seq_point *point_of(const struct version *v,
					const struct dac_il_map *e)
{
	const struct seq_point *sp = point_at(v->points, e->il_offset);

	if (!sp || sp->line || e->kind != DAC_IL_BEHIND)
		return sp;
	const struct seq_point *of = visible(v->points, sp);
	for (size_t i = 0; of && of < sp && i < v->n_map; i++)
		if (is_code(&v->map[i]) &&
		    v->map[i].il_offset >= of->il_offset &&
		    v->map[i].il_offset < sp->il_offset)
			return sp;
	return of && of < sp ? of : sp;
}

// Make the list of points with code. A point begins where the map has its exact
// offset, and where the JIT placed a piece of it behind the code of another
// point.
static void join(struct code *c, struct version *v)
{
	struct code_point *points =
	    arena_calloc(c->cache, v->n_map, sizeof(*points));
	const struct seq_point *last = NULL;
	size_t n = 0;

	for (size_t i = 0; i < v->n_map; i++) {
		const struct dac_il_map *e = &v->map[i];

		if (!is_code(e)) {
			if (e->kind != DAC_IL_AWAIT &&
			    e->il_offset != DAC_IL_NO_MAPPING)
				last = NULL;
			continue;
		}
		const struct seq_point *sp = point_of(v, e);
		if (sp && (sp != last || sp->il_offset == e->il_offset) &&
		    !(n && points[n - 1].addr == e->start &&
		      points[n - 1].point.il_offset == sp->il_offset))
			points[n++] = (struct code_point){e->start, *sp};
		last = sp;
	}
	v->code_points = points;
	v->n_code_points = n;
}

struct dbg_error *code_points(struct code *c, uint64_t ip,
			      const struct code_point **ret, size_t *ret_n)
{
	struct dbg_error *err;
	struct version *v;

	err = version_at(c, ip, &v, NULL);
	if (err)
		return err;
	*ret = NULL;
	*ret_n = 0;
	if (!v || !v->points->n || !v->n_map)
		return NULL;
	if (!v->code_points)
		join(c, v);
	*ret = v->code_points;
	*ret_n = v->n_code_points;
	return NULL;
}
