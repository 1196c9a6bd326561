/*
 * Members of JSON objects with their types checked: absent leaves the result
 * untouched, null is absent, a wrong type is an error that names the member.
 */
#include "dap/request/args.h"

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"

const cJSON *args_get(const cJSON *obj, const char *name)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(obj, name);

	return cJSON_IsNull(item) ? NULL : item;
}

struct dbg_error *args_str(const cJSON *obj, const char *name, const char **ret)
{
	const cJSON *item = args_get(obj, name);

	if (item && !cJSON_IsString(item))
		return dbg_err_arg("'%s' must be a string", name);
	if (item)
		*ret = item->valuestring;
	return NULL;
}

// Get a member; an empty string counts as absent.
static const cJSON *filled(const cJSON *obj, const char *name)
{
	const cJSON *item = args_get(obj, name);

	return cJSON_IsString(item) && !*item->valuestring ? NULL : item;
}

static const cJSON *filled_or_false(const cJSON *obj, const char *name)
{
	const cJSON *item = filled(obj, name);

	return cJSON_IsFalse(item) ? NULL : item;
}

struct dbg_error *args_word(const cJSON *obj, const char *name,
			    const char **ret)
{
	return filled(obj, name) ? args_str(obj, name, ret) : NULL;
}

struct dbg_error *args_bool(const cJSON *obj, const char *name, bool *ret)
{
	const cJSON *item = filled(obj, name);

	if (item && !cJSON_IsBool(item))
		return dbg_err_arg("'%s' must be true or false", name);
	if (item)
		*ret = cJSON_IsTrue(item);
	return NULL;
}

struct dbg_error *args_i64(const cJSON *obj, const char *name, int64_t *ret)
{
	const cJSON *item = filled(obj, name);
	const double limit = 9007199254740992.0; // doubles are exact up to here

	if (!item)
		return NULL;
	if (!cJSON_IsNumber(item) || !(item->valuedouble <= limit) ||
	    !(item->valuedouble >= -limit) ||
	    (double)(int64_t)item->valuedouble != item->valuedouble)
		return dbg_err_arg("'%s' must be a whole number", name);
	*ret = (int64_t)item->valuedouble;
	return NULL;
}

struct dbg_error *args_u64(const cJSON *obj, const char *name, uint64_t *ret)
{
	int64_t n = 0;

	if (!filled(obj, name))
		return NULL;
	struct dbg_error *err = args_i64(obj, name, &n);
	if (!err && n < 0)
		err = dbg_err_arg("'%s' must not be negative", name);
	if (!err)
		*ret = (uint64_t)n;
	return err;
}

struct dbg_error *args_u32(const cJSON *obj, const char *name, uint32_t *ret)
{
	uint64_t n = *ret;
	struct dbg_error *err = args_u64(obj, name, &n);

	if (!err && n > UINT32_MAX)
		err = dbg_err_arg("'%s' is too large", name);
	if (!err)
		*ret = (uint32_t)n;
	return err;
}

struct dbg_error *args_array(const cJSON *obj, const char *name,
			     const cJSON **ret)
{
	const cJSON *item = filled_or_false(obj, name);

	if (item && !cJSON_IsArray(item))
		return dbg_err_arg("'%s' must be an array", name);
	if (item)
		*ret = item;
	return NULL;
}

struct dbg_error *args_object(const cJSON *obj, const char *name,
			      const cJSON **ret)
{
	const cJSON *item = filled_or_false(obj, name);

	if (item && !cJSON_IsObject(item))
		return dbg_err_arg("'%s' must be an object", name);
	if (item)
		*ret = item;
	return NULL;
}

struct dbg_error *args_need(const cJSON *obj, const char *name)
{
	if (args_get(obj, name))
		return NULL;
	return dbg_err_arg("'%s' is missing", name);
}

bool args_parse_addr(const char *s, uint64_t *ret)
{
	char *end;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	// no octal numbers: a leading zero is only padding
	uint64_t n = strtoull(s, &end, s[1] == 'x' || s[1] == 'X' ? 16 : 10);
	if (*end || errno)
		return false;
	*ret = n;
	return true;
}
