/*
 * The runtime's contract descriptor: what a runtime says of its own structures,
 * since .NET 9. DotNetRuntimeContractDescriptor, exported by it, leads to a
 * text of JSON with the fields of types and with globals, of which those that
 * are addresses are numbers of an array of pointers beside it (dotnet/runtime,
 * docs/design/datacontracts/contract-descriptor.md and data_descriptor.md).
 * Cores that createdump writes of .NET 10 and before lack that page of data.
 */
#include "dac/contract.h"

#include <string.h>

#include "dac/dac_priv.h"
#include "meta/jsonvalue.h"

enum {
	TEXT_MAX = 1 << 20,
	POINTERS_MAX = 1 << 12,
};

static const uint64_t magic = 0x0043414443434e44; /* "DNCCDAC\0" */

struct descriptor {
	uint64_t magic;
	uint32_t flags;
	uint32_t size;
	uint64_t text;
	uint32_t n_pointers;
	uint32_t pad;
	uint64_t pointers;
};

/* Leaves an empty text if there is none that can be read. */
void contract_read(struct target *t, const struct target_image *runtime,
		   struct arena *arena, struct contract *ret)
{
	struct descriptor d;
	uint64_t addr = 0;
	struct dbg_error *err =
	    target_symbol(t, runtime, "DotNetRuntimeContractDescriptor", &addr);

	*ret = (struct contract){.target = t, .runtime = *runtime};
	if (dbg_err_drop(err) || !addr ||
	    target_image_data(t, runtime, addr, &d, sizeof(d)) != sizeof(d) ||
	    d.magic != magic || !d.size || d.size > TEXT_MAX ||
	    d.n_pointers > POINTERS_MAX)
		return;

	uint8_t *text = arena_alloc(arena, d.size);

	if (target_image_data(t, runtime, d.text, text, d.size) != d.size)
		return;
	ret->text = jsonvalue_parse((struct bytes){text, d.size});
	ret->pointers = d.pointers;
	ret->n_pointers = d.n_pointers;
}

bool contract_offset(const struct contract *c, const char *type,
		     const char *field, uint64_t *ret)
{
	struct bytes of =
	    jsonvalue_member(jsonvalue_member(c->text, "types"), type);
	struct bytes value = jsonvalue_member(of, field);

	/* The offset, or that and the field's type. */
	return jsonvalue_number(value, ret) ||
	       jsonvalue_number(jsonvalue_element(value, 0), ret);
}

/* Pointer number @i of those beside the text. */
static bool pointer_read(const struct contract *c, uint64_t i, uint64_t *ret)
{
	return i < c->n_pointers &&
	       target_image_data(c->target, &c->runtime,
				 c->pointers + i * sizeof(*ret), ret,
				 sizeof(*ret)) == sizeof(*ret);
}

bool contract_global(const struct contract *c, const char *name, uint64_t *ret)
{
	struct bytes value =
	    jsonvalue_member(jsonvalue_member(c->text, "globals"), name);
	uint64_t i;

	/* That and the global's type. */
	if (jsonvalue_element(value, 1).n)
		value = jsonvalue_element(value, 0);
	return jsonvalue_number(value, ret) ||
	       (jsonvalue_number(jsonvalue_element(value, 0), &i) &&
		pointer_read(c, i, ret));
}

const char *contract_text(const struct contract *c, const char *name,
			  struct arena *arena)
{
	struct bytes value =
	    jsonvalue_member(jsonvalue_member(c->text, "globals"), name);
	struct bytes text = jsonvalue_string(value);

	if (!text.p)
		text = jsonvalue_string(jsonvalue_element(value, 0));
	return text.p ? arena_strndup(arena, (const char *)text.p, text.n)
		      : NULL;
}
