/*
 * Natives: which culture is the user's. The runtime asks ICU, which goes by the
 * environment, when the program needs a culture for the first time. Before that
 * the environment alone tells it here. That of C is the invariant culture. What
 * is compared or cased by one of the others is so as by the invariant one, if
 * native_culture.c knows it at all; how it writes numbers and dates is not
 * known before the program has read its data.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "il/machine/vm_priv.h"
#include "il/native/native_type.h"
#include "target/proc.h"
#include "target/target.h"

#define SPACE "System.Globalization."
#define CULTURE SPACE "CultureInfo"
#define INVARIANT "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT"

/* ---- The environment ----------------------------------------------------- */

/* The variables that the program began with; NULL: not known. To be freed. */
static char *environment(struct native *n, size_t *ret_n)
{
	char path[32];
	const struct target *t = values_target(n->vm->values);
	if (!t || !target_can(t, TARGET_RUN))
		return NULL;
	snprintf(path, sizeof(path), "/proc/%d/environ", target_pid(t));
	return proc_read(path, ret_n);
}

/*
 * The value of the variable @name in an environment block of @n bytes; NULL: it
 * is not set.
 */
static const char *variable(const char *text, size_t n, const char *name)
{
	size_t len = strlen(name);
	for (size_t at = 0; text && at < n; at += strlen(text + at) + 1) {
		if (!strncmp(text + at, name, len) && text[at + len] == '=')
			return text + at + len + 1;
	}
	return NULL;
}

/*
 * Environment.GetEnvironmentVariable of what the library asks when it chooses
 * how it treats cultures. Others the program may have set meanwhile.
 */
static enum native_end get_variable(struct native *n)
{
	char name[128];
	size_t size = 0;

	if (!native_ascii(n, native_ref(n, 0), name, sizeof(name)) ||
	    !str_starts(name, "DOTNET_SYSTEM_GLOBALIZATION_"))
		return NATIVE_IL;
	_cleanup_free_ char *text = environment(n, &size);
	if (!text)
		return native_refuse(n, "the program's environment is not "
					"known here");
	const char *value = variable(text, size, name);
	return value ? native_ret_text(n, value) : native_ret_ref(n, 0);
}

/* ---- The user's culture -------------------------------------------------- */

/* Has the program one already? */
static bool has_culture(struct native *n)
{
	struct type *type = type_core(n->types, CULTURE);
	struct type_field *f = NULL;
	uint64_t addr = 0, object = 0;
	return type &&
	       !dbg_err_drop(type_field_find(n->types, type,
					     "s_userDefaultCulture", &f)) &&
	       f &&
	       !dbg_err_drop(type_field_static(n->types, f, NULL, &addr)) &&
	       addr && vm_read(n->vm, addr, &object, sizeof(object)) && object;
}

/*
 * Does the program run in globalization-invariant mode? By its own setting if
 * it has read that, else by the environment.
 */
static bool is_invariant(struct native *n, const char *text, size_t size)
{
	struct type *type =
	    type_core(n->types, SPACE "GlobalizationMode+Settings");
	struct type_field *f = NULL;
	uint64_t addr = 0;
	uint8_t yes = 0;
	if (type && type_is_initialized(n->types, type) &&
	    !dbg_err_drop(type_field_find(n->types, type,
					  "<Invariant>k__BackingField", &f)) &&
	    f && !dbg_err_drop(type_field_static(n->types, f, NULL, &addr)) &&
	    addr && vm_read(n->vm, addr, &yes, sizeof(yes)))
		return yes != 0;
	const char *told = variable(text, size, INVARIANT);
	return told && (!strcmp(told, "1") || !strcasecmp(told, "true"));
}

/*
 * The locale by which ICU would choose the user's culture, "de_DE.UTF-8"; "":
 * the invariant one. NULL: not known. @text is the environment.
 */
static const char *user_locale(struct native *n, const char *text, size_t size)
{
	static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
	if (!text)
		return NULL;
	if (is_invariant(n, text, size))
		return "";
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = variable(text, size, names[i]);
		if (!value || !*value)
			continue;
		bool none = !strcmp(value, "C") || str_starts(value, "C.") ||
			    str_starts(value, "POSIX");
		return none ? "" : value;
	}
	return "";
}

static enum native_end not_known(struct native *n, const char *locale)
{
	return native_refuse(n,
			     "the program has used no culture yet, and that of "
			     "'%s' is not known here: pass "
			     "CultureInfo.InvariantCulture",
			     locale ? locale : "?");
}

/* Do its rules for letters, upper and lower case leave what is of the root? */
static bool is_like_root(const char *locale)
{
	static const char *const all[] = {"en", "de", "fr", "it", "nl", "pt"};
	for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
		if (str_starts(locale, all[k]) &&
		    (locale[2] == '_' || locale[2] == '.' || !locale[2]))
			return !str_starts(locale, "fr_CA");
	}
	return false;
}

/* CultureInfo.InitializeUserDefaultCulture: the program has used none yet. */
static enum native_end user_culture(struct native *n)
{
	size_t size = 0;
	_cleanup_free_ char *text = environment(n, &size);
	const char *locale = user_locale(n, text, size);
	struct type_method *m = type_method_named(n->types, n->method->owner,
						  "get_InvariantCulture", 0);
	if (!locale || (*locale && !is_like_root(locale)))
		return not_known(n, locale);
	return m ? native_call(n, m, NULL, 0) : NATIVE_IL;
}

/*
 * For an operation that depends on the user's culture: refuse it unless that is
 * the invariant one.
 */
static enum native_end own_of_culture(struct native *n)
{
	size_t size = 0;
	if (has_culture(n))
		return NATIVE_IL;
	_cleanup_free_ char *text = environment(n, &size);
	const char *locale = user_locale(n, text, size);
	return locale && !*locale ? NATIVE_IL : not_known(n, locale);
}

/* CurrentCulture: of code of the library only what it compares is known. */
static enum native_end current_culture(struct native *n)
{
	const struct vm *vm = n->vm;
	const struct compiled *by =
	    vm->n_frames ? vm->frames[vm->n_frames - 1].code : NULL;
	bool is_library =
	    by && by->method && by->method->owner &&
	    str_starts(type_namespace(by->method->owner), "System");
	return is_library ? NATIVE_IL : own_of_culture(n);
}

static const struct il_native rows[] = {
    {CULTURE, "InitializeUserDefaultCulture", "()o", user_culture},
    {CULTURE, "InitializeUserDefaultUICulture", "()o", user_culture},
    {CULTURE, "get_CurrentCulture", "()o", current_culture},
    {CULTURE, "get_CurrentUICulture", "()o", current_culture},
    {SPACE "NumberFormatInfo", "get_CurrentInfo", "()o", own_of_culture},
    {SPACE "DateTimeFormatInfo", "get_CurrentInfo", "()o", own_of_culture},
    {"Interop+Globalization", "LoadICU", "()i", native_true},
    {"System.Environment", "GetEnvironmentVariable", "(o)o", get_variable},
};

const struct native_table native_locale = {rows,
					   sizeof(rows) / sizeof(rows[0])};
