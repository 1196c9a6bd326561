/* Types and members of metadata by their names. */
#include "meta/md.h"

#include <string.h>

enum {
	TYPEDEF_NAME = 1, /* II.22.37 */
	TYPEDEF_SPACE = 2,
	METHODDEF_NAME = 3,     /* II.22.26 */
	FIELD_NAME = 1,         /* II.22.15 */
	FIELDLAYOUT_OFFSET = 0, /* II.22.16 */
	FIELDLAYOUT_FIELD = 1,
};

static bool is_text(const char *text, const char *name, size_t n)
{
	return !strncmp(text, name, n) && !text[n];
}

/* The class @name of @n bytes, directly within @outer, 0: within none. */
static uint32_t find_type(const struct md *md, uint32_t outer, const char *name,
			  size_t n)
{
	uint32_t rows = md_rows(md, MD_TYPEDEF);
	const char *dot = outer ? NULL : memrchr(name, '.', n);
	size_t space = dot ? (size_t)(dot - name) : 0;
	size_t begin = dot ? space + 1 : 0;

	for (uint32_t rid = 1; rid <= rows; rid++)
		if (is_text(md_col_string(md, MD_TYPEDEF, rid, TYPEDEF_NAME),
			    name + begin, n - begin) &&
		    is_text(md_col_string(md, MD_TYPEDEF, rid, TYPEDEF_SPACE),
			    name, space) &&
		    md_enclosing(md, rid) == outer)
			return rid;
	return 0;
}

uint32_t md_type_named(const struct md *md, const char *name)
{
	uint32_t rid = 0;

	for (;; name++) {
		size_t n = strcspn(name, "+");

		rid = find_type(md, rid, name, n);
		name += n;
		if (!rid || !*name)
			return rid;
	}
}

uint32_t md_method_named(const struct md *md, uint32_t typedef_rid,
			 const char *name)
{
	uint32_t first, end;

	md_type_methods(md, typedef_rid, &first, &end);
	for (uint32_t i = first; i < end; i++) {
		uint32_t rid = md_member(md, MD_LIST_METHODS, i);

		if (!strcmp(
			md_col_string(md, MD_METHODDEF, rid, METHODDEF_NAME),
			name))
			return rid;
	}
	return 0;
}

uint32_t md_field_named(const struct md *md, uint32_t typedef_rid,
			const char *name)
{
	uint32_t first, end;

	md_type_fields(md, typedef_rid, &first, &end);
	for (uint32_t i = first; i < end; i++) {
		uint32_t rid = md_member(md, MD_LIST_FIELDS, i);

		if (!strcmp(md_col_string(md, MD_FIELD, rid, FIELD_NAME), name))
			return rid;
	}
	return 0;
}

bool md_field_offset(const struct md *md, uint32_t field_rid, uint32_t *ret)
{
	uint32_t n,
	    row = md_find(md, MD_FIELDLAYOUT, FIELDLAYOUT_FIELD, field_rid, &n);

	if (!field_rid || !row)
		return false;
	*ret = md_col(md, MD_FIELDLAYOUT, row, FIELDLAYOUT_OFFSET);
	return true;
}
