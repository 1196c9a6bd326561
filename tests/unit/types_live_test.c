/*
 * The type system of interpreted code against what reflection says in the
 * program itself (fixture TypeFacts), and over all metadata of the core
 * library, on each runtime.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "types/types_priv.h"
#include "ilfixture.h"
#include "runtimelib.h"
#include "meta/il.h"

static struct ilfixture *fixture(void **state)
{
	// A runtime that is not there.
	if (!*state)
		skip();
	return *state;
}

static struct type *type_at(struct ilfixture *f, uint64_t mt)
{
	struct type *type = type_of_mt(f->types, mt);

	if (!type)
		fail_msg("no type at 0x%" PRIx64, mt);
	return type;
}

typedef void fact_fn(struct ilfixture *f, const uint64_t *words, size_t n);

// Call @fn for each line that begins with @kind; its words as numbers (hex,
// but the last of "size", "ifaces" and "assign").
static size_t each_fact(struct ilfixture *f, const char *kind, bool decimal,
			fact_fn *fn)
{
	size_t n = 0, len = strlen(kind);
	const char *at = str_get(&f->said);

	for (; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		uint64_t words[8] = {0};
		size_t k = 0;
		const char *p = at + len;
		if (strncmp(at, kind, len) || *p != ' ')
			continue;
		while (*p == ' ' && k < 8) {
			char *end;
			words[k] = strtoull(p + 1, &end, 16);
			if (decimal && *end == '\n')
				words[k] = strtoull(p + 1, &end, 10);
			p = end;
			k++;
		}
		fn(f, words, k);
		n++;
	}
	assert_true(n > 0);
	return n;
}

/* ---- Kin ------------------------------------------------------------- */

static void check_base(struct ilfixture *f, const uint64_t *w, size_t n)
{
	struct type *parent;

	assert_int_equal(n, 2);
	must(type_parent(f->types, type_at(f, w[0]), &parent));
	assert_ptr_equal(parent, w[1] ? type_at(f, w[1]) : NULL);
}

static void check_iface(struct ilfixture *f, const uint64_t *w, size_t n)
{
	struct type *const *all;
	size_t n_all, i;

	assert_int_equal(n, 2);
	must(type_interfaces(f->types, type_at(f, w[0]), &all, &n_all));
	struct type *wanted = type_at(f, w[1]);
	for (i = 0; i < n_all && all[i] != wanted; i++)
		;
	if (i == n_all)
		fail_msg("%s is no %s", type_name(f->types, type_at(f, w[0])),
			 type_name(f->types, wanted));
}

static void check_iface_count(struct ilfixture *f, const uint64_t *w, size_t n)
{
	struct type *const *all;
	size_t n_all;

	assert_int_equal(n, 2);
	must(type_interfaces(f->types, type_at(f, w[0]), &all, &n_all));
	assert_int_equal(n_all, w[1]);
}

static void check_assign(struct ilfixture *f, const uint64_t *w, size_t n)
{
	bool fits;

	assert_int_equal(n, 3);
	struct type *from = type_at(f, w[0]), *to = type_at(f, w[1]);
	must(type_assignable(f->types, from, to, &fits));
	if (fits != (w[2] != 0))
		fail_msg("%s to %s: %d", type_name(f->types, from),
			 type_name(f->types, to), fits);
}

static void test_kin(void **state)
{
	struct ilfixture *f = fixture(state);

	each_fact(f, "base", false, check_base);
	each_fact(f, "iface", false, check_iface);
	each_fact(f, "ifaces", true, check_iface_count);
	assert_true(each_fact(f, "assign", true, check_assign) > 3000);
}

/* ---- Identity -------------------------------------------------------- */

static void test_identity(void **state)
{
	struct ilfixture *f = fixture(state);
	struct types *ts = f->types;
	struct type *list = type_core(ts, "System.Collections.Generic.List`1");
	struct type *integer = type_of_elem(ts, ELEM_I4);
	struct type *text = type_of_elem(ts, ELEM_STRING);

	assert_int_equal(list->n_args, 1);
	assert_ptr_equal(list->args[0], type_param(ts, false, 0));
	assert_string_equal(type_name(ts, list),
			    "System.Collections.Generic.List<T>");
	struct type *of_int = type_instance(ts, list, &integer, 1);
	assert_ptr_equal(of_int, type_of_mt(ts, type_mt(ts, of_int)));
	assert_ptr_equal(type_generic(ts, of_int), list);
	assert_string_equal(type_name(ts, of_int),
			    "System.Collections.Generic.List<int>");
	struct type_context ctx = {.class_args = &text, .n_class_args = 1};
	assert_ptr_equal(type_subst(ts, list, &ctx),
			 type_instance(ts, list, &text, 1));
	// What the program has never loaded has a handle all the same.
	struct type *deep = type_instance(ts, list, &of_int, 1);
	assert_int_equal(type_mt(ts, deep), 0);
	assert_ptr_equal(type_of_handle(ts, type_handle(ts, deep)), deep);
	assert_string_equal(
	    type_name(ts, type_array(ts, type_vector(ts, integer), 2)),
	    "int[,][]");
	assert_null(type_core(ts, "System.NoSuchType"));
	assert_non_null(type_named(ts, f->module, "TypeFacts.Point"));
}

/* ---- Layouts --------------------------------------------------------- */

static void check_size(struct ilfixture *f, const uint64_t *w, size_t n)
{
	const struct type_layout *l;

	assert_int_equal(n, 2);
	must(type_layout(f->types, type_at(f, w[0]), &l));
	if (l->size != w[1])
		fail_msg("%s: %u bytes, not %" PRIu64,
			 type_name(f->types, type_at(f, w[0])), l->size, w[1]);
}

// What is computed of a type must be what the runtime has made of it.
static size_t check_computed(struct ilfixture *f, struct type *type)
{
	struct type_layout l;
	struct type_field *const *fields;
	const struct dac_field *raw;
	const struct dac_type *dt;
	size_t n, n_raw, faults = 0;
	uint64_t mt = type_mt(f->types, type);

	if (!mt || type->open || type->kind == TYPE_KIND_INTERFACE ||
	    type->kind == TYPE_KIND_PRIM || type->kind == TYPE_KIND_ENUM ||
	    type->special == TYPE_SPECIAL_STRING)
		return 0;
	must(type_layout_compute(f->types, type, &l));
	must(dac_type_get(f->d, mt, &dt));
	must(dac_fields(f->d, mt, &raw, &n_raw));
	if (type->is_value && l.size != dt->value_size) {
		faults++;
		printf("%s: %u bytes, not %u\n", type_name(f->types, type),
		       l.size, dt->value_size);
	}
	type_fields(f->types, type, &fields, &n);
	for (size_t i = 0; i < n; i++) {
		for (size_t r = 0; r < n_raw; r++) {
			if (raw[r].token != fields[i]->token ||
			    raw[r].is_static ||
			    raw[r].offset == fields[i]->offset)
				continue;
			faults++;
			printf("%s.%s: at %u, not %u\n",
			       type_name(f->types, type), fields[i]->name,
			       fields[i]->offset, raw[r].offset);
		}
	}
	return faults;
}

static void test_layout(void **state)
{
	struct ilfixture *f = fixture(state);
	struct code_module *core = types_core(f->types);
	size_t faults = 0, loaded = 0;

	for (uint32_t i = 1; i <= md_rows(&core->md, MD_TYPEDEF); i++) {
		struct type *type =
		    type_def(f->types, core, MD_TOKEN(MD_TYPEDEF, i));
		loaded += type_mt(f->types, type) != 0;
		faults += check_computed(f, type);
	}
	for (uint32_t i = 1; i <= md_rows(&f->module->md, MD_TYPEDEF); i++)
		faults += check_computed(
		    f, type_def(f->types, f->module, MD_TOKEN(MD_TYPEDEF, i)));
	assert_true(loaded > 100);
	assert_int_equal(faults, 0);
	each_fact(f, "size", true, check_size);
}

/* ---- Methods --------------------------------------------------------- */

static void check_virtual(struct ilfixture *f, const uint64_t *w, size_t n)
{
	struct type_method *found;

	assert_int_equal(n, 5);
	struct type *type = type_at(f, w[0]);
	struct type_method *m = type_method_get(f->types, type_at(f, w[1]),
						(uint32_t)w[2], NULL, 0);
	struct type_method *wanted = type_method_get(f->types, type_at(f, w[3]),
						     (uint32_t)w[4], NULL, 0);
	must(type_method_virtual(f->types, m, type, &found));
	if (found != wanted)
		fail_msg("%s: %s runs %s, not %s", type_name(f->types, type),
			 type_method_name(f->types, m),
			 type_method_name(f->types, found),
			 type_method_name(f->types, wanted));
}

static void check_desc(struct ilfixture *f, const uint64_t *w, size_t n)
{
	struct type_method *m;

	assert_int_equal(n, 3);
	must(type_method_of_desc(f->types, w[0], NULL, &m));
	assert_int_equal(m->token, w[1]);
	assert_int_equal(m->n_args, 1);
	struct type *arg = type_at(f, w[2]);
	if (!arg->is_reference)
		assert_ptr_equal(m->args[0], arg);
}

static void test_dispatch(void **state)
{
	struct ilfixture *f = fixture(state);

	assert_true(each_fact(f, "virtual", false, check_virtual) > 1000);
	each_fact(f, "desc", false, check_desc);
}

struct count {
	size_t methods, tokens, faults;
};

static struct dbg_error *resolve(struct types *ts,
				 const struct type_context *ctx,
				 const struct il_insn *insn)
{
	struct type *type;
	struct type_method *method;
	struct type_field *field;
	const struct type_sig *sig;
	uint32_t token = (uint32_t)insn->value;

	switch (MD_TOKEN_TABLE(token)) {
	case MD_TYPEDEF:
	case MD_TYPEREF:
	case MD_TYPESPEC:
		return type_of_token(ts, ctx, token, &type);
	case MD_FIELD:
		return type_field_of_token(ts, ctx, token, &field);
	case MD_STANDALONESIG:
		return type_sig_of_token(ts, ctx, token, &sig);
	case MD_MEMBERREF:
		if (strstr(insn->op->name, "fld"))
			return type_field_of_token(ts, ctx, token, &field);
		if (!strcmp(insn->op->name, "ldtoken"))
			return NULL;
		return type_method_of_token(ts, ctx, token, &method);
	case MD_METHODDEF:
	case MD_METHODSPEC:
		return type_method_of_token(ts, ctx, token, &method);
	default:
		return NULL;
	}
}

static void check_body(struct ilfixture *f, struct type_method *m,
		       struct count *c)
{
	const struct type_method_body *body;
	const struct type_sig *sig;
	struct il_insn insn;
	struct type_context ctx = type_method_context(m);
	struct dbg_error *err = type_method_sig(f->types, m, &sig);

	if (!err && !m->rva)
		return;
	if (!err)
		err = type_method_body(f->types, m, &body);
	for (uint32_t at = 0; !err && il_decode(body->code, at, &insn);
	     at += insn.size) {
		assert_non_null(insn.op);
		if (insn.op->operand != IL_TOKEN)
			continue;
		err = resolve(f->types, &ctx, &insn);
		c->tokens++;
	}
	c->methods++;
	if (!err)
		return;
	c->faults++;
	printf("%s: %s\n", type_method_name(f->types, m), err->message);
	dbg_error_destroy(err);
}

// Every token of the core library, and of the fixture, means something.
static void test_tokens(void **state)
{
	struct ilfixture *f = fixture(state);
	struct code_module *modules[] = {types_core(f->types), f->module};
	struct count c = {0};

	for (size_t k = 0; k < 2; k++) {
		const struct md *md = &modules[k]->md;
		for (uint32_t i = 1; i <= md_rows(md, MD_TYPEDEF); i++) {
			struct type_method *const *methods;
			size_t n;
			type_methods(f->types,
				     type_def(f->types, modules[k],
					      MD_TOKEN(MD_TYPEDEF, i)),
				     &methods, &n);
			for (size_t j = 0; j < n; j++)
				check_body(f, methods[j], &c);
		}
	}
	printf("%zu methods, %zu tokens\n", c.methods, c.tokens);
	assert_true(c.methods > 20000);
	assert_int_equal(c.faults, 0);
}

/* ---- Members --------------------------------------------------------- */

static bool count_extension(void *arg, struct type_method *m)
{
	assert_true(m->flags & TYPE_METHOD_STATIC);
	++*(size_t *)arg;
	return true;
}

static void test_members(void **state)
{
	struct ilfixture *f = fixture(state);
	struct types *ts = f->types;
	struct type *text = type_of_elem(ts, ELEM_STRING);
	const struct type_property *properties;
	struct type_generic_param gp;
	struct type_param p;
	size_t n, found = 0;

	type_properties(ts, text, &properties, &n);
	for (size_t i = 0; i < n; i++)
		found += !strcmp(properties[i].name, "Length") &&
			 properties[i].getter && !properties[i].setter;
	assert_int_equal(found, 1);
	struct type *program = type_named(ts, f->module, "TypeFacts.Program");
	struct type_method *m = type_method_named(ts, program, "Generic", 2);
	type_method_param(m, 1, &p);
	assert_string_equal(p.name, "name");
	must(type_generic_param(ts, NULL, m, 0, &gp));
	assert_string_equal(gp.name, "T");
	assert_string_equal(type_method_name(ts, m),
			    "TypeFacts.Program.Generic<T>(T, string)");
	found = 0;
	type_extension_each(ts, "AsSpan", count_extension, &found);
	assert_true(found > 5);
	// Linq is loaded, since the program has used it.
	found = 0;
	type_extension_each(ts, "Select", count_extension, &found);
	assert_int_equal(found, 2);
}

/* ---- Groups ---------------------------------------------------------- */

static int set_up(void **state, const char *major)
{
	struct arena *arena = arena_create();
	const char *host = dacfixture_host(major, arena);

	*state = host ? ilfixture_create(host, "Debug/TypeFacts") : NULL;
	arena_destroy(arena);
	return 0;
}

static int set_up_8(void **state)
{
	return set_up(state, "8");
}

static int set_up_9(void **state)
{
	return set_up(state, "9");
}

static int set_up_10(void **state)
{
	return set_up(state, "10");
}

static int tear_down(void **state)
{
	if (*state)
		ilfixture_destroy(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_identity), cmocka_unit_test(test_kin),
	    cmocka_unit_test(test_layout),   cmocka_unit_test(test_dispatch),
	    cmocka_unit_test(test_members),  cmocka_unit_test(test_tokens),
	};
	int failed = 0;

	failed +=
	    cmocka_run_group_tests_name(".NET 8", tests, set_up_8, tear_down);
	failed +=
	    cmocka_run_group_tests_name(".NET 9", tests, set_up_9, tear_down);
	failed +=
	    cmocka_run_group_tests_name(".NET 10", tests, set_up_10, tear_down);
	return failed;
}
