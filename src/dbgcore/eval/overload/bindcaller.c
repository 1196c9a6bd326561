/*
 * Optional parameters that the compiler fills in with facts about the caller
 * ([CallerMemberName] and its like): here the method of the frame, the line
 * where it stands, and the text of the expression.
 */
#include "eval/overload/bindcaller.h"

#include <string.h>

#include "base/mem.h"
#include "base/reader.h"
#include "base/str.h"
#include "code/code.h"
#include "eval/bind/bindmade.h"
#include "meta/csname.h"
#include "stack/stack.h"

#define SERVICES "System.Runtime.CompilerServices."

/* "<Main>b__0_1" is in Main; nested ones are "<<Main>b__0>..." */
static const char *author_method(struct arena *arena, const char *name)
{
	size_t depth = 0, n = 0;
	if (name[0] != '<' || str_starts(name, "<Main>$"))
		return name;
	do {
		depth += name[n] == '<';
		depth -= name[n] == '>';
		n++;
	} while (depth && name[n]);
	const char *inner = arena_strndup(arena, name + 1, n > 2 ? n - 2 : 0);
	return author_method(arena, inner);
}

/*
 * The name of the member that a method belongs to: the property of get_Name, M
 * of I.M.
 */
static const char *member_name(struct arena *arena, const char *name)
{
	static const char *const accessors[] = {"get_", "set_", "add_",
						"remove_"};
	const char *dot = strrchr(name, '.');
	name = author_method(arena, name);
	if (dot && dot > name)
		name = dot + 1;
	for (size_t i = 0; i < sizeof(accessors) / sizeof(accessors[0]); i++) {
		if (str_starts(name, accessors[i]))
			return name + strlen(accessors[i]);
	}
	return name;
}

/* The method at @pos; of a state machine the method that it was made from. */
static const char *method_at(const struct code_pos *pos)
{
	uint32_t rid = MD_TOKEN_RID(pos->token);
	uint32_t of = csname_kickoff(&pos->module->md, rid);
	return code_method_def_name(pos->module,
				    MD_TOKEN(MD_METHODDEF, of ? of : rid));
}

const char *caller_method(struct binder *b)
{
	const struct frame *f = b->e->scope->frame;
	return f && f->pos && f->pos->module
		   ? author_method(b->arena, method_at(f->pos))
		   : NULL;
}

static struct bound *caller_member(struct binder *b, const struct code_pos *pos,
				   const struct expr *x)
{
	return bound_text(b, member_name(b->arena, method_at(pos)), x);
}

/* The text of the argument for the parameter that the attribute names. */
static struct bound *argument_text(struct binder *b, const struct call *c,
				   const struct candidate *k, struct bytes blob,
				   const struct expr *x)
{
	struct reader r;
	reader_init(&r, blob.p, blob.n);
	reader_u16(&r); // prolog
	size_t n = reader_cuint(&r);
	struct bytes name = reader_bytes(&r, n);
	for (uint32_t p = 0; !r.bad && p < k->sig->n_params; p++) {
		struct type_param of;
		type_method_param(k->method, p, &of);
		if (strlen(of.name) != n || memcmp(of.name, name.p, n) ||
		    k->map[p] == NOT_GIVEN)
			continue;
		const struct bound *v = c->args[k->map[p]];
		return bound_text(b, bind_source(b, v->syntax), x);
	}
	return NULL;
}

struct bound *caller_argument(struct binder *b, const struct call *c,
			      const struct candidate *k,
			      const struct type_param *p)
{
	struct bytes blob;
	const struct frame *f = b->e->scope->frame;
	const struct code_pos *pos = f ? f->pos : NULL;
	const struct md *md = &k->method->owner->module->md;
	if (!p->token)
		return NULL;
	if (md_has_attribute(md, p->token,
			     SERVICES "CallerArgumentExpressionAttribute",
			     &blob))
		return argument_text(b, c, k, blob, c->x);
	if (!pos || !pos->module)
		return NULL;
	if (md_has_attribute(md, p->token, SERVICES "CallerMemberNameAttribute",
			     NULL))
		return caller_member(b, pos, c->x);
	if (pos->point.line &&
	    md_has_attribute(md, p->token, SERVICES "CallerLineNumberAttribute",
			     NULL))
		return bound_int(b, ELEM_I4, pos->point.line, c->x);
	if (pos->path &&
	    md_has_attribute(md, p->token, SERVICES "CallerFilePathAttribute",
			     NULL))
		return bound_text(b, pos->path, c->x);
	return NULL;
}
