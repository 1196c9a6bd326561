/*
 * Finds the test that a thread runs.
 *
 * The frameworks mark tests by attributes of the method, and let users derive
 * their own: all are called ...FactAttribute, ...TestAttribute and so on. A
 * thread that a test has started may run a lambda of the test; the compiler has
 * put the test's name into the lambda's, "<Adds>b__0", and the lambda's class
 * into the test's class.
 */
#include "inspect/testcase.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "inspect/inspect.h"
#include "meta/csname.h"
#include "tasks/tasks.h"

/* Endings of the attributes' class names. */
static const char *const marks[] = {
    "FactAttribute",     "TheoryAttribute",         "TestAttribute",
    "TestCaseAttribute", "TestCaseSourceAttribute", "TestMethodAttribute",
};

/* Frameworks by how the attributes' namespaces begin. */
static const struct {
	const char *space, *framework;
} frameworks[] = {
    {"Xunit", "xunit"},
    {"NUnit", "NUnit"},
    {"Microsoft.VisualStudio.TestTools", "MSTest"},
    {"TUnit", "TUnit"},
};

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && !strcmp(name + n - m, end);
}

static const char *framework_of(const char *space)
{
	for (size_t i = 0; i < sizeof(frameworks) / sizeof(*frameworks); i++)
		if (str_starts(space, frameworks[i].space))
			return frameworks[i].framework;
	return "";
}

// The framework whose test the method is: "" for an unknown one; NULL: it is no
// test.
static const char *mark_of(const struct md *md, uint32_t method_rid)
{
	uint32_t rid = 0, class, token = MD_TOKEN(MD_METHODDEF, method_rid);

	while ((rid = md_attribute_after(md, token, rid, &class))) {
		enum md_table table = MD_TOKEN_TABLE(class);
		uint32_t row = MD_TOKEN_RID(class);

		if (table != MD_TYPEDEF && table != MD_TYPEREF)
			continue;
		// Name and namespace are columns 1 and 2 of both.
		const char *name = md_col_string(md, table, row, 1);
		for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
			if (ends_in(name, marks[i]))
				return framework_of(
				    md_col_string(md, table, row, 2));
	}
	return NULL;
}

/*
 * A method that may be a test, or that the compiler has made of a part of one.
 */
struct candidate {
	const struct md *md;
	uint32_t rid;
	bool inside; /* a part */
	const char *framework;
};

// Find the test that a compiler-made method belongs to (its name holds the
// test's), among the methods of the classes around it.
static bool find_around(struct candidate *c)
{
	const char *name = md_col_string(c->md, MD_METHODDEF, c->rid, 3);
	uint32_t type = md_method_type(c->md, c->rid), first, end;

	if (*name != '<')
		return false;
	name += strspn(name, "<");
	size_t len = strcspn(name, ">");
	while (type && *md_col_string(c->md, MD_TYPEDEF, type, 1) == '<')
		type = md_enclosing(c->md, type);
	if (!type)
		return false;
	md_type_methods(c->md, type, &first, &end);
	for (uint32_t i = first; i < end; i++) {
		uint32_t rid = md_member(c->md, MD_LIST_METHODS, i);

		const char *other = md_col_string(c->md, MD_METHODDEF, rid, 3);

		if (strncmp(other, name, len) || other[len])
			continue;
		c->framework = mark_of(c->md, rid);
		c->rid = rid;
		c->inside = true;
		if (c->framework)
			return true;
	}
	return false;
}

static bool is_test(const struct code_pos *pos, struct candidate *ret)
{
	const struct code_module *m = pos->module;
	uint32_t rid = MD_TOKEN_RID(pos->token);
	uint32_t kickoff = m->pdb ? pdb_kickoff_of(m->pdb, rid) : 0;

	if (!kickoff)
		kickoff = csname_kickoff(&m->md, rid);
	*ret = (struct candidate){
	    .md = &m->md,
	    .rid = kickoff ? kickoff : rid,
	};
	ret->framework = mark_of(ret->md, ret->rid);
	return ret->framework || find_around(ret);
}

// The object that stands for the call of an async method; 0: there is none.
static uint64_t call_of(struct inspect *in, const struct value *machine)
{
	struct value call;
	uint64_t addr;

	return stack_call(in->stack, machine, &call) &&
		       value_pointer(in->values, &call, &addr)
		   ? addr
		   : 0;
}

static void describe(struct inspect *in, const struct frame *f,
		     const struct candidate *c, struct dbg_test *ret)
{
	struct code_name name;

	code_token_names(f->pos->module, MD_TOKEN(MD_METHODDEF, c->rid), NULL,
			 in->arena, &name);
	*ret = (struct dbg_test){
	    .thread = f->thread,
	    .call = f->machine ? call_of(in, f->machine) : 0,
	    .framework = c->framework,
	    .name = name.plain,
	    .inside = c->inside,
	    .path = f->pos->path,
	    .line = f->pos->path ? f->pos->point.line : 0,
	    .frame = inspect_frame_id(in, f),
	};
}

bool testcase_find(struct inspect *in, uint32_t thread, struct dbg_test *ret)
{
	const struct frame *f, *found = NULL;
	const struct code_pos *last = NULL;
	struct candidate c, best = {0};

	for (uint32_t level = 0;; level++) {
		if (dbg_err_drop(stack_display(in->stack, thread, level, &f)) ||
		    !f)
			break;
		if (!f->pos || !f->pos->module || f->pos->module->framework)
			continue;
		// Recursion without end has one method.
		if (last && last->module == f->pos->module &&
		    last->token == f->pos->token && found == NULL)
			continue;
		last = f->pos;
		if (!is_test(f->pos, &c))
			continue;
		found = f;
		best = c;
	}
	if (found)
		describe(in, found, &best, ret);
	return found;
}

bool testcase_of_task(struct inspect *in, const struct tasks *t,
		      const struct task *task, struct dbg_test *ret)
{
	struct candidate c;
	struct value call;

	if (!tasks_call(t, task, &call))
		return false;
	struct frame *f = stack_suspended_frame(in->stack, &call);
	if (!f || !f->pos->module || f->pos->module->framework ||
	    !is_test(f->pos, &c) || c.inside)
		return false;
	stack_frame_number(in->stack, f);
	describe(in, f, &c, ret);
	ret->call = task->addr;
	return true;
}
