/* Metadata: every cell as every kind of index, and all that joins tables. */
#include <string.h>

#include "base/err.h"
#include "meta/md.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// A hostile file may claim many rows; a few of each table will do.
enum {
	MAX_ROWS = 40
};

static size_t touch(const struct md *md, uint32_t value)
{
	static uint32_t (*const decode[])(uint32_t) = {
	    md_typedef_or_ref,   md_custom_attribute_type, md_memberref_parent,
	    md_methoddef_or_ref, md_resolution_scope,
	};
	size_t sum = strlen(md_string(md, value));
	struct bytes b = md_blob(md, value);

	for (size_t i = 0; i < b.n; i++)
		sum += b.p[i];
	b = md_user_string(md, value);
	for (size_t i = 0; i < b.n; i++)
		sum += b.p[i];
	const uint8_t *guid = md_guid(md, value);
	for (size_t i = 0; guid && i < 16; i++)
		sum += guid[i];
	for (size_t i = 0; i < sizeof(decode) / sizeof(decode[0]); i++)
		sum += decode[i](value);
	return sum;
}

static size_t touch_table(const struct md *md, unsigned int table)
{
	uint32_t rows = md_rows(md, table), n;
	size_t sum = 0;

	// One row and one column more than there are.
	for (uint32_t rid = 0; rid < MAX_ROWS && rid <= rows + 1; rid++)
		for (unsigned int col = 0; col < 11; col++) {
			uint32_t v = md_col(md, table, rid, col);

			sum += touch(md, v);
			md_find(md, table, col, v, &n);
		}
	return sum;
}

static void join(const struct md *md, uint32_t rid)
{
	uint32_t first, end;

	md_type_methods(md, rid, &first, &end);
	md_type_fields(md, rid, &first, &end);
	md_method_params(md, rid, &first, &end);
	md_method_type(md, rid);
	md_field_type(md, rid);
	md_enclosing(md, rid);
	md_param_name(md, rid, 1);
	md_has_attribute(md, MD_TOKEN(MD_METHODDEF, rid), "System.A", NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dbg_error *err;
	volatile size_t sum = 0;
	struct md md;

	err = md_parse((struct bytes){data, size}, &md);
	if (dbg_err_drop(err))
		return 0;
	for (unsigned int table = 0; table <= MD_N_TABLES; table++)
		sum += touch_table(&md, table);
	for (uint32_t rid = 0; rid < MAX_ROWS; rid++)
		join(&md, rid);
	md_mvid(&md);
	(void)sum;
	return 0;
}
