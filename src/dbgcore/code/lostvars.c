/*
 * Variables that an await loses (.NET 11, runtime async). A call that waits
 * keeps what is needed behind the await, which the JIT's debug information
 * lists. The frame of the call that goes on has all others as its prolog left
 * them, zero, while the same information still tells their places. So from an
 * await on, wherever the IL leads, what it does not keep has no value, until it
 * is stored anew.
 *
 * This is a data flow over the method's IL: for each instruction the set of
 * variables, arguments first, that have none before it. It begins empty and
 * grows until no instruction adds to another's.
 */
#include <string.h>

#include "base/mem.h"
#include "code/code_priv.h"
#include "dac/asyncmethod.h"
#include "meta/il.h"
#include "meta/sig.h"

enum {
	LOST_ROUNDS_MAX = 20,
	LOST_WORDS_MAX = 1 << 20, // of all sets
	LOST_BITS = 64,
	METHOD_SIGNATURE = 4, // column, II.22.26
	SIG_HASTHIS = 0x20,
	CLAUSE_FILTER = 1,
};

struct lost {
	const struct debug_info *info;
	const struct il_body *body;
	uint32_t n_args, n_vars;
	size_t words;   // of a set
	uint64_t *sets; // by offset in the code
	bool *reached;  // by offset
	uint64_t *out;  // a set, scratch
	bool grew;
};

static uint64_t *lost_set(const struct lost *l, uint32_t il)
{
	return l->sets + (size_t)il * l->words;
}

static void set_put(uint64_t *set, uint32_t var, bool on)
{
	uint64_t bit = UINT64_C(1) << var % LOST_BITS;

	set[var / LOST_BITS] =
	    on ? set[var / LOST_BITS] | bit : set[var / LOST_BITS] & ~bit;
}

/*
 * The variable that @insn stores to, or whose address it takes, so that it may
 * be stored to; UINT32_MAX: none.
 */
static uint32_t lost_stored(const struct lost *l, const struct il_insn *insn)
{
	uint32_t code = insn->op ? insn->op->code : UINT32_MAX;
	uint32_t value = (uint32_t)insn->value;

	switch (code) {
	case IL_OP_LDARGA:
	case IL_OP_LDARGA_S:
	case IL_OP_STARG:
	case IL_OP_STARG_S:
		return value;
	case IL_OP_LDLOCA:
	case IL_OP_LDLOCA_S:
	case IL_OP_STLOC:
	case IL_OP_STLOC_S:
		return l->n_args + value;
	default:
		if (code >= IL_OP_STLOC_0 && code <= IL_OP_STLOC_3)
			return l->n_args + (code - IL_OP_STLOC_0);
		return UINT32_MAX;
	}
}

// The IL offset of the await that is suspended at @native; UINT32_MAX: none.
static uint32_t await_offset(const struct debug_info *info, uint32_t native)
{
	for (size_t i = 0; i < info->n_bounds; i++) {
		const struct debug_bound *b = &info->bounds[i];

		if (b->native == native && b->source & DEBUG_BOUND_ASYNC)
			return b->il;
	}
	return UINT32_MAX;
}

/*
 * Does an await wait at @il? Then make @out what it does not keep. The JIT may
 * have several pieces of code for one, of which any may have run.
 */
static bool lost_at_await(const struct lost *l, uint32_t il, uint64_t *out)
{
	bool found = false;

	for (size_t i = 0; i < l->info->n_awaits; i++) {
		const struct debug_await *a = &l->info->awaits[i];

		if (await_offset(l->info, a->native) != il)
			continue;
		for (uint32_t v = 0; v < l->n_vars && !found; v++)
			set_put(out, v, true);
		found = true;
		for (size_t k = 0; k < a->n_kept; k++) {
			int32_t number = a->kept[k].number;

			if (number >= 0 && (uint32_t)number < l->n_vars)
				set_put(out, (uint32_t)number, false);
		}
	}
	return found;
}

static void lost_flow(struct lost *l, const uint64_t *set, int64_t to)
{
	if (to < 0 || (uint64_t)to >= l->body->code.n)
		return;
	uint64_t *at = lost_set(l, (uint32_t)to);
	l->grew |= !l->reached[to];
	l->reached[to] = true;
	for (size_t i = 0; i < l->words; i++) {
		l->grew |= set[i] & ~at[i];
		at[i] |= set[i];
	}
}

static bool falls_through(const struct il_insn *insn)
{
	switch (insn->op ? insn->op->code : UINT16_MAX) {
	case IL_OP_BR:
	case IL_OP_BR_S:
	case IL_OP_LEAVE:
	case IL_OP_LEAVE_S:
	case IL_OP_RET:
	case IL_OP_THROW:
	case IL_OP_RETHROW:
	case IL_OP_ENDFINALLY:
	case IL_OP_ENDFILTER:
	case IL_OP_JMP:
		return false;
	default:
		return true;
	}
}

static int32_t case_target(const struct il_insn *insn, uint32_t i)
{
	int32_t ret;

	memcpy(&ret, insn->cases + i * sizeof(ret), sizeof(ret));
	return ret;
}

// Pass the state on to all instructions that may follow @insn.
static void lost_leave(struct lost *l, const struct il_insn *insn)
{
	int64_t end = (int64_t)insn->offset + insn->size;

	if (falls_through(insn))
		lost_flow(l, l->out, end);
	if (insn->op &&
	    (insn->op->operand == IL_BR1 || insn->op->operand == IL_BR4))
		lost_flow(l, l->out, insn->value);
	for (uint32_t i = 0; i < insn->n_cases; i++)
		lost_flow(l, l->out, end + case_target(insn, i));
	for (size_t i = 0; i < l->body->n_clauses; i++) {
		const struct il_clause *c = &l->body->clauses[i];

		if (insn->offset - c->try_offset >= c->try_length)
			continue;
		lost_flow(l, l->out, c->handler_offset);
		if (c->flags == CLAUSE_FILTER)
			lost_flow(l, l->out, c->token_or_filter);
	}
}

static void lost_round(struct lost *l)
{
	struct il_insn insn;

	for (uint32_t at = 0; il_decode(l->body->code, at, &insn);
	     at += insn.size) {
		uint32_t var = lost_stored(l, &insn);

		if (!l->reached[at])
			continue;
		memcpy(l->out, lost_set(l, at), l->words * sizeof(*l->out));
		if (!lost_at_await(l, at, l->out) && var < l->n_vars)
			set_put(l->out, var, false);
		lost_leave(l, &insn);
	}
}

// Allocate for @n_vars variables; false: the method is too large.
static bool lost_init(struct lost *l, uint32_t n_vars, struct arena *arena)
{
	size_t n = l->body->code.n;

	l->n_vars = n_vars;
	l->words = n_vars / LOST_BITS + 1;
	if (!n || n > LOST_WORDS_MAX / l->words)
		return false;
	l->sets = arena_calloc(arena, n * l->words, sizeof(*l->sets));
	l->out = arena_calloc(arena, l->words, sizeof(*l->out));
	l->reached = arena_calloc(arena, n, sizeof(*l->reached));
	l->reached[0] = true;
	return true;
}

uint32_t code_count_args(const struct code_pos *pos)
{
	struct arena *arena = arena_create();
	struct sig_method *sig;
	struct bytes blob =
	    md_col_blob(&pos->module->md, MD_METHODDEF,
			MD_TOKEN_RID(pos->token), METHOD_SIGNATURE);
	struct dbg_error *err = sig_parse_method(blob, arena, &sig);
	uint32_t ret =
	    err ? 0 : sig->n_params + !!(sig->convention & SIG_HASTHIS);

	dbg_error_destroy(err);
	arena_destroy(arena);
	return ret;
}

static bool lost_all(bool *lost, uint32_t n_vars)
{
	memset(lost, true, n_vars * sizeof(*lost));
	return true;
}

// Is @native in code that resumes, which brings the variables back?
static bool resumes(const struct debug_info *info, uint64_t native)
{
	const struct debug_bound *in = NULL;

	for (size_t i = 0; i < info->n_bounds; i++)
		if (info->bounds[i].native <= native)
			in = &info->bounds[i];
	if (!in || !(in->source & DEBUG_BOUND_ASYNC))
		return false;
	for (size_t i = 0; i < info->n_awaits; i++)
		if (info->awaits[i].native == in->native)
			return false;
	return true;
}

bool code_lost_vars(struct code *c, const struct code_pos *pos, uint64_t at,
		    bool *lost, uint32_t n_args, uint32_t n_vars)
{
	struct il_body body;
	struct il_insn insn;
	_cleanup_arena_ struct arena *arena = NULL;
	const struct debug_info *info =
	    pos->module && pos->start && pos->il_offset != UINT32_MAX
		? dac_debug_info(c->dac, pos->start)
		: NULL;

	if (!info || !info->n_awaits)
		return false;
	// what failed is thrown again when all is back
	bool thrown = dac_await_throws(c->dac, at);
	if (!thrown && resumes(info, at - pos->start))
		return lost_all(lost, n_vars);
	arena = arena_create();
	module_body_at(pos, arena, &body);
	struct lost l = {.info = info, .body = &body, .n_args = n_args};
	if (pos->il_offset >= body.code.n)
		return false;
	if (!lost_init(&l, n_vars, arena))
		return lost_all(lost, n_vars);
	int rounds = 0;
	do {
		l.grew = false;
		lost_round(&l);
	} while (l.grew && ++rounds < LOST_ROUNDS_MAX);
	if (l.grew)
		return lost_all(lost, n_vars);
	if (!l.reached[pos->il_offset] ||
	    !il_decode(body.code, pos->il_offset, &insn))
		return false;
	// what the await results in is stored where its code goes on
	uint64_t *set = lost_set(&l, pos->il_offset);
	uint32_t stored = lost_stored(&l, &insn);
	if (thrown)
		lost_at_await(&l, pos->il_offset, set);
	else if (stored < n_vars)
		set_put(set, stored, false);
	for (uint32_t v = 0; v < n_vars; v++)
		lost[v] = set[v / LOST_BITS] >> v % LOST_BITS & 1;
	return true;
}
