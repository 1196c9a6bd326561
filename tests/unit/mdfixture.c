#include "mdfixture.h"

#include <stdlib.h>
#include <string.h>

#include "meta/md.h"

// Signature bytes as a string literal.
#define SIG(s) (s), sizeof(s) - 1

static uint32_t typeref(struct mdwriter *w, uint32_t scope, const char *space,
			const char *name)
{
	return mdwriter_row(w, MD_TYPEREF, "222", scope,
			    mdwriter_string(w, name),
			    mdwriter_string(w, space));
}

static uint32_t add_type(struct mdwriter *w, const char *space,
			 const char *name, uint32_t outer)
{
	uint32_t rid =
	    mdwriter_row(w, MD_TYPEDEF, "422222", 0, mdwriter_string(w, name),
			 mdwriter_string(w, space), 0, w->n_rows[MD_FIELD] + 1,
			 w->n_rows[MD_METHODDEF] + 1);

	if (outer)
		mdwriter_row(w, MD_NESTEDCLASS, "22", rid, outer);
	return rid;
}

static uint32_t add_method(struct mdwriter *w, uint32_t flags, const char *name,
			   const char *sig, size_t n)
{
	return mdwriter_row(w, MD_METHODDEF, "422222", 0, 0, flags,
			    mdwriter_string(w, name), mdwriter_blob(w, sig, n),
			    w->n_rows[MD_PARAM] + 1);
}

static void add_param(struct mdwriter *w, uint32_t flags, uint32_t seq,
		      const char *name)
{
	mdwriter_row(w, MD_PARAM, "222", flags, seq, mdwriter_string(w, name));
}

struct generic {
	uint32_t owner, number; /* owner: rid << 1, + 1 for methods */
	const char *name;
};

static int compare(const void *a, const void *b)
{
	const struct generic *x = a, *y = b;

	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

static void add_generics(struct mdfixture *f)
{
	struct generic list[] = {
	    {f->outer << 1, 0, "T"},
	    {f->closure << 1, 0, "T"},
	    {f->generic_closure << 1, 0, "T"},
	    {f->generic_closure << 1, 1, "U"},
	    {f->overload_machine << 1, 0, "T"},
	    {f->inner << 1, 0, "T"},
	    {f->machine << 1, 0, "T"},
	    {f->machine << 1, 1, "V"},
	    {f->plain << 1, 0, "T"},
	    {f->swap << 1 | 1, 0, "S"},
	    {f->kickoff << 1 | 1, 0, "V"},
	};
	size_t n = sizeof(list) / sizeof(list[0]);

	qsort(list, n, sizeof(list[0]), compare);
	for (size_t i = 0; i < n; i++)
		mdwriter_row(&f->w, MD_GENERICPARAM, "2222", list[i].number, 0,
			     list[i].owner,
			     mdwriter_string(&f->w, list[i].name));
}

static void add_attribute(struct mdwriter *w, uint32_t method,
			  uint32_t memberref, const char *type)
{
	_cleanup_str_ struct str value = {NULL, 0, 0};

	put_le(&value, 1, 2);
	put_cuint(&value, (uint32_t)strlen(type));
	str_add(&value, type);
	put_le(&value, 0, 2);
	mdwriter_row(w, MD_CUSTOMATTRIBUTE, "222", method << 5,
		     memberref << 3 | 3,
		     mdwriter_blob(w, str_get(&value), value.len));
}

static void add_refs(struct mdfixture *f)
{
	struct mdwriter *w = &f->w;
	// ResolutionScope: AssemblyRef is tag 2, TypeRef 3.
	uint32_t runtime = 1 << 2 | 2;

	mdwriter_row(w, MD_ASSEMBLYREF, "222242222", 10, 0, 0, 0, 0, 0,
		     mdwriter_string(w, "System.Runtime"), 0, 0);
	f->object_ref = typeref(w, runtime, "System", "Object");
	f->list_ref =
	    typeref(w, runtime, "System.Collections.Generic", "List`1");
	f->dictionary_ref =
	    typeref(w, runtime, "System.Collections.Generic", "Dictionary`2");
	typeref(w, f->dictionary_ref << 2 | 3, "", "Enumerator");
	typeref(w, runtime, "System", "Nullable`1");
	typeref(w, runtime, "System", "ValueTuple`2");
	typeref(w, runtime, "System.Runtime.CompilerServices",
		"AsyncStateMachineAttribute");
	typeref(w, runtime, "System", "Console");
	mdwriter_row(w, MD_MODULE, "22222", 0, mdwriter_string(w, "t.dll"),
		     mdwriter_guid(w, (const uint8_t *)"0123456789abcdef"), 0,
		     0);
	// GENERICINST CLASS List<1> of int
	f->list_spec = mdwriter_row(
	    w, MD_TYPESPEC, "2", mdwriter_blob(w, SIG("\x15\x12\x09\x01\x08")));
	// MemberRefParent: TypeRef is tag 1, TypeSpec 4.
	mdwriter_row(w, MD_MEMBERREF, "222", 7 << 3 | 1,
		     mdwriter_string(w, ".ctor"),
		     mdwriter_blob(w, SIG("\x20\x01\x01\x1c")));
	f->list_add =
	    mdwriter_row(w, MD_MEMBERREF, "222", f->list_spec << 3 | 4,
			 mdwriter_string(w, "Add"),
			 mdwriter_blob(w, SIG("\x20\x01\x01\x13\x00")));
	f->write_line = mdwriter_row(w, MD_MEMBERREF, "222", 8 << 3 | 1,
				     mdwriter_string(w, "WriteLine"),
				     mdwriter_blob(w, SIG("\x00\x01\x01\x0e")));
	f->hello = mdwriter_us(w, "hello\n\"");
	f->vararg_sig = mdwriter_row(w, MD_STANDALONESIG, "2",
				     mdwriter_blob(w, SIG("\x00\x01\x08\x0e")));
}

// class Ns.Type
static void add_plain(struct mdfixture *f)
{
	struct mdwriter *w = &f->w;

	f->type = add_type(w, "Ns", "Type", 0);
	f->count_field =
	    mdwriter_row(w, MD_FIELD, "222", 1, mdwriter_string(w, "count"),
			 mdwriter_blob(w, SIG("\x06\x08")));
	f->ctor = add_method(w, 0x1806, ".ctor", SIG("\x20\x01\x01\x08"));
	add_param(w, 0, 1, "count");
	f->cctor = add_method(w, 0x1811, ".cctor", SIG("\x00\x00\x01"));
	f->main = add_method(w, 0x16, "<Main>$", SIG("\x00\x01\x01\x1d\x0e"));
	add_param(w, 0, 1, "args");
	f->accessor = add_method(w, 0x0806, "get_Count", SIG("\x20\x00\x08"));
	f->indexer =
	    add_method(w, 0x0806, "set_Item", SIG("\x20\x02\x01\x08\x0e"));
	f->operator_plus = add_method(w, 0x0816, "op_CheckedAddition",
				      SIG("\x00\x02\x12\x08\x12\x08\x12\x08"));
	f->to_int =
	    add_method(w, 0x0816, "op_Explicit", SIG("\x00\x01\x08\x12\x08"));
	f->finalizer = add_method(w, 0x00c4, "Finalize", SIG("\x20\x00\x01"));
	f->explicit_get =
	    add_method(w, 0x09e1,
		       "System.Collections.Generic.IReadOnlyList<System.Int32,"
		       "T>.get_Item",
		       SIG("\x20\x01\x08\x08"));
	// void Swap<T>(ref T, out T, in T)
	f->swap = add_method(
	    w, 0x16, "Swap",
	    SIG("\x10\x01\x03\x01\x10\x1e\x00\x10\x1e\x00\x10\x1e\x00"));
	add_param(w, 0, 1, "a");
	add_param(w, 2, 2, "b");
	add_param(w, 1, 3, "c");
	// VAR 0 of Outer`1 has no name here: T0.
	f->all_types =
	    add_method(w, 0x16, "All",
		       SIG("\x00\x0b\x01"
			   "\x14\x1d\x08\x02\x00\x00" // ARRAY of SZARRAY int
			   "\x15\x12\x0d\x02\x0e\x15\x12\x09\x01\x1d\x0d"
			   "\x15\x11\x15\x01\x08"     // Nullable<int>
			   "\x15\x11\x19\x02\x08\x0e" // ValueTuple<int, string>
			   "\x0f\x0f\x01"             // void **
			   "\x1b\x00\x01\x01\x08"     // FNPTR void (int)
			   "\x15\x11\x11\x02\x08\x1c" // nested TypeRef
			   "\x18\x16"
			   "\x13\x00"
			   "\x1f\x05\x10\x19"));
}

static void add_closures(struct mdfixture *f)
{
	struct mdwriter *w = &f->w;

	f->outer = add_type(w, "Ns", "Outer`1", 0);
	f->overload_1 = add_method(w, 6, "Load", SIG("\x20\x01\x12\x05\x08"));
	f->overload_2 = add_method(w, 6, "Load", SIG("\x20\x01\x12\x05\x0e"));
	f->local = add_method(w, 0x13, "<Load>g__Helper|1_0",
			      // ref to TypeDef 4, the closure, comes last
			      SIG("\x00\x02\x01\x08\x10\x11\x10"));
	f->closure = add_type(w, "", "<>c__DisplayClass1_0", f->outer);
	f->lambda = add_method(w, 3, "<.ctor>b__0", SIG("\x20\x01\x08\x0e"));
	f->generic_closure = add_type(w, "", "<>c__2`1", f->outer);
	f->generic_lambda =
	    add_method(w, 3, "<Run>b__2_0", SIG("\x20\x01\x01\x13\x01"));
	f->overload_machine = add_type(w, "", "<Load>d__1", f->outer);
	f->move_next_overload =
	    add_method(w, 0x1e1, "MoveNext", SIG("\x20\x00\x01"));
}

static void add_machines(struct mdfixture *f)
{
	struct mdwriter *w = &f->w;

	f->inner = add_type(w, "", "Inner", f->outer);
	f->kickoff = add_method(w, 6, "System.IFoo.Go",
				SIG("\x30\x01\x01\x12\x05\x1e\x00"));
	f->machine = add_type(w, "", "<System-IFoo-Go>d__3`1", f->inner);
	f->move_next = add_method(w, 0x1e1, "MoveNext", SIG("\x20\x00\x01"));
	f->finally = add_method(w, 1, "<>m__Finally1", SIG("\x20\x00\x01"));
	f->plain = add_type(w, "", "Plain", f->inner);
	f->move_next_other =
	    add_method(w, 0x1e6, "MoveNext", SIG("\x20\x00\x02"));
}

void mdfixture_init(struct mdfixture *f)
{
	struct mdwriter *w = &f->w;

	memset(f, 0, sizeof(*f));
	mdwriter_init(w);
	add_refs(f);
	f->module_type = add_type(w, "", "<Module>", 0);
	add_plain(f);
	add_closures(f);
	add_machines(f);
	add_generics(f);
	add_attribute(w, f->overload_1, 1, "Ns.Outer`1+<Load>d__0");
	add_attribute(w, f->overload_2, 1, "Ns.Outer`1+<Load>d__1, t");
	// MethodSpec Swap<string>: MethodDefOrRef of a MethodDef is tag 0.
	f->swap_string = mdwriter_row(w, MD_METHODSPEC, "22", f->swap << 1,
				      mdwriter_blob(w, SIG("\x0a\x01\x0e")));
	w->sorted = UINT64_C(1) << MD_NESTEDCLASS |
		    UINT64_C(1) << MD_GENERICPARAM |
		    UINT64_C(1) << MD_CUSTOMATTRIBUTE;
	f->bytes = mdwriter_build(w);
}

void mdfixture_deinit(struct mdfixture *f)
{
	free((void *)(uintptr_t)f->bytes.p);
	mdwriter_deinit(&f->w);
}
