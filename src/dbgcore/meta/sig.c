/*
 * Signatures (ECMA-335 II.23.2) parsed to trees: methods, fields, locals,
 * instantiations. Depth and counts are capped; an unknown element is an error,
 * never skipped.
 */
#include "meta/sig.h"

#include "base/err.h"
#include "base/mem.h"
#include "meta/md.h"

enum {
	MAX_DEPTH = 64,
	MAX_TYPES = 0xffff,
	CONV_KIND = 0x0f,
	CONV_FIELD = 0x06,
	CONV_LOCALS = 0x07,
	CONV_GENERICINST = 0x0a,
	CONV_GENERIC = 0x10,
};

struct parser {
	struct reader *r;
	struct arena *arena;
	unsigned int depth;
};

static struct dbg_error *malformed(void)
{
	return dbg_err(DBG_E_FORMAT, "malformed signature");
}

static struct sig_type *read_type(struct parser *p);
static struct sig_method *read_method(struct parser *p);

// II.23.2.8
static uint32_t read_token(struct reader *r)
{
	return md_typedef_or_ref(reader_cuint(r));
}

// A count of things of which each takes a byte at least.
static uint32_t read_count(struct parser *p, uint32_t max)
{
	uint32_t n = reader_cuint(p->r);

	if (n > max || n > reader_left(p->r)) {
		p->r->bad = true;
		return 0;
	}
	return n;
}

static struct sig_type **read_types(struct parser *p, uint32_t n)
{
	struct sig_type **types =
	    n ? arena_calloc(p->arena, n, sizeof(struct sig_type *)) : NULL;

	for (uint32_t i = 0; i < n && !p->r->bad; i++)
		types[i] = read_type(p);
	return types;
}

static void read_array(struct parser *p, struct sig_type *t)
{
	t->inner = read_type(p);
	t->number = reader_cuint(p->r);
	// The CLI allows 32 dimensions.
	if (!t->number || t->number > 32)
		p->r->bad = true;
	uint32_t n = read_count(p, 32);
	for (uint32_t i = 0; i < n; i++)
		reader_cuint(p->r);
	n = read_count(p, 32);
	for (uint32_t i = 0; i < n; i++)
		reader_cint(p->r);
}

static void read_instance(struct parser *p, struct sig_type *t)
{
	uint8_t kind = reader_u8(p->r);

	if (kind == ELEM_INTERNAL)
		t->handle = reader_u64(p->r);
	else if (kind != ELEM_CLASS && kind != ELEM_VALUETYPE)
		p->r->bad = true;
	t->value_type = kind == ELEM_VALUETYPE;
	t->token = t->handle ? 0 : read_token(p->r);
	t->n_args = read_count(p, 1024);
	t->args = read_types(p, t->n_args);
}

static void read_rest(struct parser *p, struct sig_type *t)
{
	switch (t->elem) {
	case ELEM_VOID:
	case ELEM_BOOLEAN:
	case ELEM_CHAR:
	case ELEM_I1:
	case ELEM_U1:
	case ELEM_I2:
	case ELEM_U2:
	case ELEM_I4:
	case ELEM_U4:
	case ELEM_I8:
	case ELEM_U8:
	case ELEM_R4:
	case ELEM_R8:
	case ELEM_STRING:
	case ELEM_TYPEDBYREF:
	case ELEM_I:
	case ELEM_U:
	case ELEM_OBJECT:
		break;
	case ELEM_PTR:
	case ELEM_BYREF:
	case ELEM_SZARRAY:
		t->inner = read_type(p);
		break;
	case ELEM_ARRAY:
		read_array(p, t);
		break;
	case ELEM_CLASS:
	case ELEM_VALUETYPE:
		t->token = read_token(p->r);
		t->value_type = t->elem == ELEM_VALUETYPE;
		break;
	case ELEM_VAR:
	case ELEM_MVAR:
		t->number = reader_cuint(p->r);
		break;
	case ELEM_GENERICINST:
		read_instance(p, t);
		break;
	case ELEM_FNPTR:
		t->method = read_method(p);
		break;
	case ELEM_INTERNAL:
		// A type handle of the runtime, in dynamic methods.
		t->handle = reader_u64(p->r);
		break;
	default:
		p->r->bad = true;
	}
}

// Never returns NULL; once the reader is bad the type is meaningless.
static struct sig_type *read_type(struct parser *p)
{
	struct sig_type *t = arena_alloc(p->arena, sizeof(*t));

	if (p->depth >= MAX_DEPTH) {
		p->r->bad = true;
		return t;
	}
	p->depth++;
	uint8_t elem = reader_u8(p->r);
	while (elem == ELEM_CMOD_REQD || elem == ELEM_CMOD_OPT ||
	       elem == ELEM_PINNED || elem == ELEM_SENTINEL) {
		if (elem == ELEM_PINNED)
			t->pinned = true;
		else if (elem != ELEM_SENTINEL)
			reader_cuint(p->r);
		elem = reader_u8(p->r);
	}
	t->elem = elem;
	read_rest(p, t);
	p->depth--;
	return t;
}

static struct sig_method *read_method(struct parser *p)
{
	struct sig_method *m = arena_alloc(p->arena, sizeof(*m));

	m->convention = reader_u8(p->r);
	uint8_t kind = m->convention & CONV_KIND;
	if (kind == CONV_FIELD || kind == CONV_LOCALS ||
	    kind == CONV_GENERICINST)
		p->r->bad = true;
	if (m->convention & CONV_GENERIC)
		m->n_generic = reader_cuint(p->r);
	m->n_params = read_count(p, MAX_TYPES);
	m->ret = read_type(p);
	m->params = read_types(p, m->n_params);
	return m;
}

struct dbg_error *sig_parse_method(struct bytes blob, struct arena *arena,
				   struct sig_method **ret)
{
	struct reader r;
	struct parser p = {&r, arena, 0};

	reader_init(&r, blob.p, blob.n);
	struct sig_method *m = read_method(&p);
	if (r.bad)
		return malformed();
	*ret = m;
	return NULL;
}

struct dbg_error *sig_parse_field(struct bytes blob, struct arena *arena,
				  struct sig_type **ret)
{
	struct reader r;

	reader_init(&r, blob.p, blob.n);
	if ((reader_u8(&r) & CONV_KIND) != CONV_FIELD)
		return malformed();
	return sig_read_type(&r, arena, ret);
}

// Parse what signatures of locals and of method instantiations have in common:
// a kind, a count, types.
static struct dbg_error *parse_list(struct bytes blob, uint8_t kind,
				    struct arena *arena, struct sig_type ***ret,
				    uint32_t *ret_n)
{
	struct reader r;
	struct parser p = {&r, arena, 0};

	reader_init(&r, blob.p, blob.n);
	if (reader_u8(&r) != kind)
		return malformed();
	uint32_t n = read_count(&p, MAX_TYPES);
	struct sig_type **types = read_types(&p, n);
	if (r.bad)
		return malformed();
	*ret = types;
	*ret_n = n;
	return NULL;
}

struct dbg_error *sig_parse_locals(struct bytes blob, struct arena *arena,
				   struct sig_type ***ret, uint32_t *ret_n)
{
	return parse_list(blob, CONV_LOCALS, arena, ret, ret_n);
}

struct dbg_error *sig_parse_methodspec(struct bytes blob, struct arena *arena,
				       struct sig_type ***ret, uint32_t *ret_n)
{
	return parse_list(blob, CONV_GENERICINST, arena, ret, ret_n);
}

struct dbg_error *sig_parse_type(struct bytes blob, struct arena *arena,
				 struct sig_type **ret)
{
	struct reader r;

	reader_init(&r, blob.p, blob.n);
	return sig_read_type(&r, arena, ret);
}

struct dbg_error *sig_read_type(struct reader *r, struct arena *arena,
				struct sig_type **ret)
{
	struct parser p = {r, arena, 0};
	struct sig_type *t = read_type(&p);

	if (r->bad)
		return malformed();
	*ret = t;
	return NULL;
}
