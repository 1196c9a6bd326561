/* Commands about what the runtime has loaded, and its threads. */
#include "repl/cmd.h"
#include "repl/heap/heapcommands.h"
#include "repl/heap/heapoptions.h"
#include "repl/heap/sheet.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"
#include "repl/show/show.h"

#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/loop.h"
#include "front/plain.h"

enum {
	TOKEN_TEXT = 16
};

/* ---- Properties of one thing --------------------------------------------- */

/*
 * Types and methods by their addresses and names, as SOS's users know them:
 * `dumpmt`, `dumpmd`, `ip2md`, `name2ee`, `dumpil`.
 */

/* ---- Properties of one thing --------------------------------------------- */

enum {
	TITLE_WIDTH = 17
};

static void put_title(struct sheet *s, const char *title)
{
	out(s->r, "%s:%*s", title, TITLE_WIDTH - (int)strlen(title), "");
}

/* 0 and NULL are left out. */
static void property_address(struct sheet *s, const char *title,
			     const char *key, uint64_t addr)
{
	if (!addr)
		return;
	sheet_address(s, key, addr);
	if (s->json)
		return;
	put_title(s, title);
	out(s->r, "0x%" PRIx64 "\n", addr);
}

static void property_text(struct sheet *s, const char *title, const char *key,
			  const char *text)
{
	if (!text)
		return;
	sheet_text(s, key, text);
	if (s->json)
		return;
	put_title(s, title);
	out(s->r, "%s\n", text);
}

static const char *token_text(uint32_t token, char text[TOKEN_TEXT])
{
	snprintf(text, TOKEN_TEXT, "0x%08" PRIx32, token);
	return text;
}

/* A metadata token, 0x and eight digits. */
static void property_token(struct sheet *s, const char *title, const char *key,
			   uint32_t token)
{
	char text[TOKEN_TEXT];

	property_text(s, title, key, token ? token_text(token, text) : NULL);
}

static void property_number(struct sheet *s, const char *title, const char *key,
			    uint64_t n)
{
	sheet_number(s, key, n);
	if (s->json)
		return;
	put_title(s, title);
	out(s->r, "%" PRIu64 "\n", n);
}

/* ---- Types by address ---------------------------------------------------- */

// Parse the options and the address, which must be the only other word.
static struct dbg_error *address_and_options(const struct call *call,
					     struct heap_options *o,
					     uint64_t *ret)
{
	struct dbg_error *err = heap_options_parse(call, 1, o);

	if (err)
		return err;
	if (!o->n_args)
		return dbg_err_arg("Argument required: %.*s %s",
				   (int)cmd_name_len(call->cmd),
				   call->cmd->names, call->cmd->args);
	return heap_address(o->args[0], ret);
}

/* ---- dumpmt ---------------------------------------------------------- */

static const struct sheet_column slot_columns[] = {
    {"Slot", "slot", SHEET_NUMBER, 5},
    {"MethodDesc", "method", SHEET_ADDRESS, 14},
    {"Entry", "entry", SHEET_ADDRESS, 14},
    {"Code", "code", SHEET_TEXT, 12},
    {"Name", "name", SHEET_TEXT, 0},
};

static void show_slots(struct sheet *s, const struct dbg_type_slot *v, size_t n)
{
	sheet_rows(s, "methods", SHEET_COLUMNS(slot_columns));
	for (size_t i = 0; i < n; i++)
		sheet_row(s,
			  (struct sheet_cell[]){
			      {.number = v[i].slot},
			      {.number = v[i].method, .absent = !v[i].method},
			      {.number = v[i].entry, .absent = !v[i].entry},
			      {.text = v[i].kind},
			      {.text = v[i].name}});
	sheet_rows_end(s);
}

static void show_type(struct sheet *s, const struct dbg_type_facts *t)
{
	property_text(s, "Name", "name", t->name);
	property_address(s, "MethodTable", "methodTable", t->method_table);
	property_address(s, "EEClass", "eeClass", t->eeclass);
	property_text(s, "Parent", "parentName", t->parent_name);
	property_address(s, "Parent's", "parent", t->parent);
	property_text(s, "File", "file", t->file);
	property_address(s, "Module", "module", t->module);
	property_token(s, "Token", "token", t->token);
	property_number(s, "BaseSize", "baseSize", t->base_size);
	property_number(s, "ComponentSize", "componentSize", t->component_size);
	property_number(s, "Methods", "methodCount", t->n_methods);
	// .NET 9 and later do not tell
	if (t->n_virtuals)
		property_number(s, "Virtual", "virtualCount", t->n_virtuals);
	property_text(s, "Collectible", "collectible",
		      t->collectible ? "yes" : NULL);
	property_number(s, "Interfaces", "interfaces", t->n_interfaces);
	property_number(s, "Fields", "fields", t->n_fields);
	property_number(s, "Static fields", "statics", t->n_statics);
}

static struct dbg_error *cmd_dumpmt(struct repl *r, struct dbg_stopped at,
				    const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_type_facts type;
	struct dbg_type_slot *slots = NULL;
	uint64_t addr;
	size_t n = 0;
	struct dbg_error *err = address_and_options(call, &o, &addr);
	struct sheet s;

	if (!err)
		err = dbg_type_facts(at, addr, &type);
	if (!err && o.methods)
		err = dbg_type_slots(at, addr, &slots, &n);
	if (err)
		return err;
	sheet_begin(&s, r, at, o.json);
	show_type(&s, &type);
	if (o.methods)
		show_slots(&s, slots, n);
	sheet_end(&s);
	return NULL;
}

/* ---- dumpmd, ip2md --------------------------------------------------- */

static const struct sheet_column code_columns[] = {
    {"Code", "start", SHEET_ADDRESS, 14}, {"Size", "size", SHEET_NUMBER, 8},
    {NULL, "cold", SHEET_ADDRESS, 0},     {NULL, "coldSize", SHEET_NUMBER, 0},
    {"Kind", "kind", SHEET_TEXT, 0},
};

static void show_method(struct sheet *s, const struct dbg_method_facts *m)
{
	_cleanup_free_ char *place =
	    m->path ? xasprintf("%s:%" PRIu32, m->path, m->line) : NULL;

	property_text(s, "Name", "name", m->name);
	property_address(s, "MethodDesc", "methodDesc", m->method);
	property_address(s, "MethodTable", "methodTable", m->method_table);
	property_text(s, "File", "file", m->file);
	property_address(s, "Module", "module", m->module);
	property_token(s, "Token", "token", m->dynamic ? 0 : m->token);
	property_text(s, "Source", "source", place);
	property_address(s, "Code at", "at", m->at);
	if (m->il_offset != UINT32_MAX)
		property_number(s, "IL offset", "ilOffset", m->il_offset);
	sheet_rows(s, "codes", SHEET_COLUMNS(code_columns));
	for (size_t i = 0; i < m->n_codes; i++) {
		const struct dbg_method_code *c = &m->codes[i];

		sheet_row(s, (struct sheet_cell[]){
				 {.number = c->start},
				 {.number = c->size},
				 {.number = c->cold, .absent = !c->cold},
				 {.number = c->cold_size, .absent = !c->cold},
				 {.text = c->kind}});
	}
	sheet_rows_end(s);
}

typedef struct dbg_error *method_fn(struct dbg_stopped at, uint64_t addr,
				    struct dbg_method_facts *ret);

static struct dbg_error *show_method_of(struct repl *r, struct dbg_stopped at,
					const struct call *call, method_fn *get)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_method_facts method;
	uint64_t addr;
	struct dbg_error *err = address_and_options(call, &o, &addr);
	struct sheet s;

	if (!err)
		err = get(at, addr, &method);
	if (err)
		return err;
	sheet_begin(&s, r, at, o.json);
	show_method(&s, &method);
	sheet_end(&s);
	return NULL;
}

static struct dbg_error *cmd_dumpmd(struct repl *r, struct dbg_stopped at,
				    const struct call *call)
{
	return show_method_of(r, at, call, dbg_method_facts);
}

static struct dbg_error *cmd_ip2md(struct repl *r, struct dbg_stopped at,
				   const struct call *call)
{
	return show_method_of(r, at, call, dbg_method_at);
}

/* ---- dumpil ---------------------------------------------------------- */

static struct dbg_error *cmd_dumpil(struct repl *r, struct dbg_stopped at,
				    const struct call *call)
{
	struct dbg_method_facts method;
	struct dbg_il_insn *insns;
	uint64_t addr;
	size_t n = 0;
	struct dbg_error *err = heap_address(call->args, &addr);

	if (!err)
		err = dbg_method_facts(at, addr, &method);
	// no MethodDesc: an address within its code?
	if (err && err->code == DBG_E_MEMORY &&
	    !dbg_err_drop(dbg_method_at(at, addr, &method))) {
		dbg_error_destroy(err);
		err = NULL;
	}
	if (!err)
		err = dbg_method_il(at, method.method, &insns, &n);
	if (err)
		return err;
	out(r, "Dump of IL code for method %s:\n", method.name);
	show_il(r, insns, n, method.il_offset);
	out(r, "End of IL dump.\n");
	return NULL;
}

/* ---- name2ee --------------------------------------------------------- */

static const struct sheet_column named_columns[] = {
    {"Token", "token", SHEET_TEXT, 10},
    {"MethodTable", "methodTable", SHEET_ADDRESS, 14},
    {"MethodDesc", "methodDesc", SHEET_ADDRESS, 14},
    {NULL, "module", SHEET_ADDRESS, 0},
    {"File", "file", SHEET_TEXT, 24},
    {"Name", "name", SHEET_TEXT, 0},
};

static void show_named(struct sheet *s, const struct dbg_named *v, size_t n)
{
	sheet_rows(s, "names", SHEET_COLUMNS(named_columns));
	for (size_t i = 0; i < n; i++) {
		char token[TOKEN_TEXT];

		sheet_row(s,
			  (struct sheet_cell[]){
			      {.text = token_text(v[i].token, token)},
			      {.number = v[i].method_table,
			       .absent = !v[i].method_table},
			      {.number = v[i].method, .absent = !v[i].method},
			      {.number = v[i].module},
			      {.text = v[i].file},
			      {.text = v[i].name}});
	}
	sheet_rows_end(s);
	if (!s->json && n == DBG_NAMED_MAX)
		out(s->r,
		    "(These are the first %zu; a longer name matches fewer.)\n",
		    n);
}

// "MODULE!NAME", "MODULE NAME" or NAME; a module of "*" is any.
static struct dbg_error *parse_name(struct heap_options *o,
				    const char **ret_module,
				    const char **ret_name)
{
	char *mark = o->n_args ? strchr(o->args[0], '!') : NULL;

	if (!o->n_args || (mark && (o->n_args > 1 || !mark[1])))
		return dbg_err_arg("Which name? name2ee MODULE!TYPE.METHOD");
	if (mark)
		*mark = '\0';
	*ret_module = mark || o->n_args > 1 ? o->args[0] : NULL;
	*ret_name = mark ? mark + 1 : o->args[o->n_args - 1];
	if (*ret_module && !strcmp(*ret_module, "*"))
		*ret_module = NULL;
	return NULL;
}

static struct dbg_error *cmd_name2ee(struct repl *r, struct dbg_stopped at,
				     const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	const char *module = NULL, *name = NULL;
	struct dbg_named *v;
	size_t n = 0;
	struct dbg_error *err = heap_options_parse(call, 2, &o);
	struct sheet s;

	if (!err)
		err = parse_name(&o, &module, &name);
	if (!err)
		err = dbg_name_find(at, module, name, &v, &n);
	if (!err && !n)
		err = dbg_err(DBG_E_NOT_FOUND,
			      "no type and no method '%s' in %s", name,
			      module ? module : "the modules that are loaded");
	if (err)
		return err;
	sheet_begin(&s, r, at, o.json);
	show_named(&s, v, n);
	sheet_end(&s);
	return NULL;
}

/* ---- The table ------------------------------------------------------- */

static const struct repl_cmd type_cmds[] = {
    {
	.names = "dumpmt dumpclass",
	.args = "ADDRESS [-md] [--json]",
	.help = "describe a type by its MethodTable or EEClass",
	.more = "-md: with the methods of its objects, by slot.",
	.flags = CMD_NEEDS_ARGS,
	.stopped = cmd_dumpmt,
    },
    {
	.names = "dumpmd",
	.args = "ADDRESS [--json]",
	.help = "describe a method by its MethodDesc",
	.more = "With all its compiled code and what kind that is.",
	.flags = CMD_NEEDS_ARGS,
	.stopped = cmd_dumpmd,
    },
    {
	.names = "ip2md",
	.args = "ADDRESS [--json]",
	.help = "describe the method whose code holds an address",
	.flags = CMD_NEEDS_ARGS,
	.stopped = cmd_ip2md,
    },
    {
	.names = "dumpil",
	.args = "ADDRESS",
	.help = "show the IL of a method by its MethodDesc or code",
	.more = "\"disassemble/il\" shows that of the selected frame.",
	.flags = CMD_NEEDS_ARGS,
	.stopped = cmd_dumpil,
    },
    {
	.names = "name2ee",
	.args = "[MODULE!]NAME [--json]",
	.help = "find types and methods of a name",
	.more = "Their tokens, and the MethodTables and MethodDescs that the "
		"runtime has made.",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_LOCATIONS,
	.stopped = cmd_name2ee,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_types = {
    "types", "The runtime's types and methods", type_cmds};

/* ---- Commands about what the runtime has loaded, and its threads --------- */

/* ---- dumpmodule, dumpassembly ---------------------------------------- */

static const struct sheet_column assembly_columns[] = {
    {"Module", "module", SHEET_ADDRESS, 14},
    {"Assembly", "assembly", SHEET_ADDRESS, 14},
    {NULL, "loaderAllocator", SHEET_ADDRESS, 0},
    {NULL, "base", SHEET_ADDRESS, 0},
    {NULL, "metadata", SHEET_ADDRESS, 0},
    {NULL, "metadataSize", SHEET_NUMBER, 0},
    {NULL, "dynamic", SHEET_BOOL, 0},
    {"Context", "context", SHEET_TEXT, 16},
    {"Name", "name", SHEET_TEXT, 0},
    {NULL, "path", SHEET_TEXT, 0},
};

static void show_assemblies(struct sheet *s, const struct dbg_assembly *v,
			    size_t n)
{
	sheet_rows(s, "assemblies", SHEET_COLUMNS(assembly_columns));
	for (size_t i = 0; i < n; i++)
		sheet_row(
		    s,
		    (struct sheet_cell[]){
			{.number = v[i].module},
			{.number = v[i].assembly},
			{.number = v[i].allocator, .absent = !v[i].allocator},
			{.number = v[i].base, .absent = !v[i].base},
			{.number = v[i].md_addr, .absent = !v[i].md_addr},
			{.number = v[i].md_size},
			{.number = v[i].dynamic},
			{.text = v[i].context},
			{.text = v[i].name},
			{.text = v[i].path}});
	sheet_rows_end(s);
}

static void show_module(struct sheet *s, const struct dbg_assembly *a)
{
	property_text(s, "Name", "name", a->name);
	property_text(s, "Path", "path", *a->path ? a->path : NULL);
	property_address(s, "Module", "module", a->module);
	property_address(s, "Assembly", "assembly", a->assembly);
	property_address(s, "LoaderAllocator", "loaderAllocator", a->allocator);
	property_text(s, "Context", "context", a->context);
	property_address(s, "Context's object", "contextObject",
			 a->context_object);
	property_address(s, "Base", "base", a->base);
	property_address(s, "Metadata", "metadata", a->md_addr);
	property_number(s, "Metadata size", "metadataSize", a->md_size);
}

// Show all assemblies, or the one whose Module or Assembly is at the given
// address.
static struct dbg_error *cmd_dumpassembly(struct repl *r, struct dbg_stopped at,
					  const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_assembly *v;
	uint64_t addr = 0;
	size_t n = 0, i = 0;
	struct dbg_error *err = heap_options_parse(call, 1, &o);
	struct sheet s;

	if (!err && o.n_args)
		err = heap_address(o.args[0], &addr);
	if (!err)
		err = dbg_assembly_list(at, &v, &n);
	if (err)
		return err;
	while (o.n_args && i < n && v[i].module != addr &&
	       v[i].assembly != addr)
		i++;
	if (o.n_args && i == n)
		return dbg_err(DBG_E_NOT_FOUND,
			       "no Module and no Assembly at 0x%" PRIx64, addr);
	sheet_begin(&s, r, at, o.json);
	if (o.n_args)
		show_module(&s, &v[i]);
	else
		show_assemblies(&s, v, n);
	sheet_end(&s);
	return NULL;
}

/* ---- appdomains ------------------------------------------------------ */

static const struct sheet_column domain_columns[] = {
    {"AppDomain", "address", SHEET_ADDRESS, 14},
    {"Id", "id", SHEET_NUMBER, 4},
    {"Assemblies", "assemblies", SHEET_NUMBER, 10},
    {"System", "system", SHEET_BOOL, 6},
    {"Name", "name", SHEET_TEXT, 0},
};

static struct dbg_error *cmd_appdomains(struct repl *r, struct dbg_stopped at,
					const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_domain *v;
	size_t n = 0;
	struct dbg_error *err = heap_options_parse(call, 0, &o);
	struct sheet s;

	if (!err)
		err = dbg_domain_list(at, &v, &n);
	if (err)
		return err;
	sheet_begin(&s, r, at, o.json);
	sheet_rows(&s, "domains", SHEET_COLUMNS(domain_columns));
	for (size_t i = 0; i < n; i++)
		sheet_row(&s, (struct sheet_cell[]){
				  {.number = v[i].addr},
				  {.number = v[i].id, .absent = v[i].system},
				  {.number = v[i].n_assemblies},
				  {.number = v[i].system},
				  {.text = v[i].name}});
	sheet_rows_end(&s);
	sheet_end(&s);
	return NULL;
}

/* ---- loadcontexts ---------------------------------------------------- */

static const struct sheet_column context_columns[] = {
    {"Object", "address", SHEET_ADDRESS, 14},
    {"Assemblies", "assemblies", SHEET_NUMBER, 10},
    {"Collectible", "collectible", SHEET_BOOL, 11},
    {"Unloading", "unloading", SHEET_BOOL, 9},
    {"Name", "name", SHEET_TEXT, 20},
    {"Type", "type", SHEET_TEXT, 40},
    {NULL, "loaderAllocator", SHEET_ADDRESS, 0},
    {"Kept by", "keptBy", SHEET_TEXT, 0},
};

static struct dbg_error *cmd_loadcontexts(struct repl *r, struct dbg_stopped at,
					  const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_load_context *v;
	size_t n = 0;
	struct dbg_error *err = heap_options_parse(call, 0, &o);
	struct sheet s;

	if (!err)
		err = dbg_load_context_list(at, &v, &n);
	if (err)
		return err;
	sheet_begin(&s, r, at, o.json);
	sheet_rows(&s, "contexts", SHEET_COLUMNS(context_columns));
	for (size_t i = 0; i < n; i++) {
		_cleanup_str_ struct str kept = {0};

		if (v[i].unloading && v[i].allocator)
			heap_way_add(at, v[i].allocator, &kept, NULL);
		sheet_row(
		    &s,
		    (struct sheet_cell[]){
			{.number = v[i].object, .absent = !v[i].object},
			{.number = v[i].n_assemblies},
			{.number = v[i].collectible},
			{.number = v[i].unloading},
			{.text = v[i].name},
			{.text = v[i].type},
			{.number = v[i].allocator, .absent = !v[i].allocator},
			{.text = kept.len ? str_get(&kept) : NULL}});
	}
	sheet_rows_end(&s);
	sheet_end(&s);
	return NULL;
}

/* ---- eeversion ------------------------------------------------------- */

static const struct dbg_module *core_library(struct repl *r,
					     struct arena *arena)
{
	struct dbg_module *v;
	size_t n = 0;
	struct dbg_error *err = dbg_module_list(r->dbg, arena, &v, &n);

	for (size_t i = 0; !err && i < n; i++)
		if (!strcmp(v[i].name, "System.Private.CoreLib.dll"))
			return &v[i];
	dbg_error_destroy(err);
	return NULL;
}

static struct dbg_error *cmd_eeversion(struct repl *r, struct dbg_stopped at,
				       const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_heap_parts heap;
	struct dbg_error *err = heap_options_parse(call, 0, &o);
	struct sheet s;

	if (err)
		return err;
	const struct dbg_module *core = core_library(r, arena);

	if (!core)
		return dbg_err(DBG_E_RUNTIME, "the .NET runtime is not up");
	err = dbg_heap_parts(at, &heap);
	bool known = !err;

	dbg_error_destroy(err);
	char version[DBG_VERSION_MAX];
	bool shared = dbg_framework_version(core->path, version);

	sheet_begin(&s, r, at, o.json);
	property_text(&s, "Runtime", "runtime", shared ? version : NULL);
	property_text(&s, "Core library", "coreLibrary", core->version);
	property_text(&s, "File", "file", core->path);
	if (known) {
		property_text(&s, "Collector", "kind",
			      heap.server ? "server" : "workstation");
		property_number(&s, "Heaps", "heaps", heap.n_heaps);
	}
	sheet_end(&s);
	return NULL;
}

/* ---- clrthreads ------------------------------------------------------ */

static const struct sheet_column thread_columns[] = {
    {"Thread", "thread", SHEET_NUMBER, 6},
    {"Managed", "managedId", SHEET_NUMBER, 7},
    {"LWP", "lwp", SHEET_NUMBER, 8},
    {"Address", "address", SHEET_ADDRESS, 14},
    {NULL, "object", SHEET_ADDRESS, 0},
    {"Mode", "mode", SHEET_TEXT, 11},
    {NULL, "flags", SHEET_NUMBER, 0},
    {NULL, "dead", SHEET_BOOL, 0},
    {NULL, "finalizer", SHEET_BOOL, 0},
    {NULL, "collecting", SHEET_BOOL, 0},
    {NULL, "name", SHEET_TEXT, 0},
    {NULL, "state", SHEET_TEXT, 0},
    {NULL, "exception", SHEET_ADDRESS, 0},
    {NULL, "exceptionType", SHEET_TEXT, 0},
    {"State", NULL, SHEET_TEXT, 0},
};

static void add_part(struct str *text, const char *part)
{
	if (part && *part)
		str_addf(text, "%s%s", *str_get(text) ? ", " : "", part);
}

static void show_runtime_thread(struct sheet *s,
				const struct dbg_runtime_thread *t)
{
	_cleanup_str_ struct str text = {0};

	if (t->name)
		str_addf(&text, "\"%s\"", t->name);
	add_part(&text, t->states);
	add_part(&text, t->finalizer ? "finalizer" : NULL);
	add_part(&text, t->collecting ? "collects" : NULL);
	add_part(&text, t->thrown);
	sheet_row(s,
		  (struct sheet_cell[]){
		      {.number = t->number, .absent = !t->number},
		      {.number = t->managed_id, .absent = !t->managed_id},
		      {.number = (uint64_t)t->tid, .absent = !t->tid},
		      {.number = t->addr},
		      {.number = t->object, .absent = !t->object},
		      {.text = t->cooperative ? "cooperative" : "preemptive"},
		      {.number = t->state},
		      {.number = t->dead},
		      {.number = t->finalizer},
		      {.number = t->collecting},
		      {.text = t->name},
		      {.text = t->states},
		      {.number = t->exception, .absent = !t->exception},
		      {.text = t->thrown},
		      {.text = s->json ? NULL : str_get(&text)}});
}

static struct dbg_error *cmd_clrthreads(struct repl *r, struct dbg_stopped at,
					const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_runtime_thread *v;
	size_t n = 0, dead = 0;
	struct dbg_error *err = heap_options_parse(call, 0, &o);
	struct sheet s;

	if (!err)
		err = dbg_runtime_thread_list(at, &v, &n);
	if (err)
		return err;
	sheet_begin(&s, r, at, o.json);
	sheet_rows(&s, "threads", SHEET_COLUMNS(thread_columns));
	for (size_t i = 0; i < n; i++) {
		show_runtime_thread(&s, &v[i]);
		dead += v[i].dead;
	}
	sheet_rows_end(&s);
	sheet_number(&s, "dead", dead);
	if (!o.json)
		out(r, "%zu thread%s, of which %zu %s ended\n", n,
		    n == 1 ? "" : "s", dead, dead == 1 ? "has" : "have");
	sheet_end(&s);
	return NULL;
}

/* ---- dumpstackobjects ------------------------------------------------ */

static const struct sheet_column object_columns[] = {
    {"Object", "object", SHEET_ADDRESS, 14},
    {"Kept at", "address", SHEET_ADDRESS, 14},
    {"Type", "type", SHEET_TEXT, 40},
    {"Variable", "name", SHEET_TEXT, 0},
};

static struct dbg_error *cmd_dumpstackobjects(struct repl *r,
					      struct dbg_stopped at,
					      const struct call *call)
{
	_cleanup_heap_options_ struct heap_options o;
	struct dbg_heap_root *v;
	size_t n = 0;
	struct dbg_error *err = heap_options_parse(call, 0, &o);
	struct sheet s;

	if (!err)
		err = dbg_heap_root_list(at, &v, &n);
	if (err)
		return err;
	sheet_begin(&s, r, at, o.json);
	sheet_rows(&s, "objects", SHEET_COLUMNS(object_columns));
	for (size_t i = 0; i < n && !loop_interrupted(r->loop); i++) {
		if (v[i].kind != DBG_ROOT_STACK || v[i].thread != r->thread)
			continue;
		const char *type = dbg_heap_object_type(at, v[i].object);

		sheet_row(&s, (struct sheet_cell[]){
				  {.number = v[i].object},
				  {.number = v[i].addr, .absent = !v[i].addr},
				  {.text = type},
				  {.text = v[i].text}});
	}
	sheet_rows_end(&s);
	sheet_end(&s);
	return loop_interrupted(r->loop) ? dbg_err(DBG_E_INTERRUPTED, "Quit")
					 : NULL;
}

/* ---- The table ------------------------------------------------------- */

static const struct repl_cmd cmds[] = {
    {
	.names = "dumpassembly dumpmodule assemblies",
	.args = "[ADDRESS] [--json]",
	.help = "list assemblies, or describe one by its Module or Assembly",
	.stopped = cmd_dumpassembly,
    },
    {
	.names = "appdomains dumpdomain",
	.args = "[--json]",
	.help = "list the application domains",
	.more = ".NET has one, beside the runtime's own.",
	.stopped = cmd_appdomains,
    },
    {
	.names = "loadcontexts dumpalc",
	.args = "[--json]",
	.help = "list the AssemblyLoadContexts",
	.more = "Also those that were told to unload and are still there: "
		"\"heap roots ADDRESS\"\nsays what keeps one alive.",
	.stopped = cmd_loadcontexts,
    },
    {
	.names = "eeversion runtimes",
	.args = "[--json]",
	.help = "show the runtime's version and collector",
	.stopped = cmd_eeversion,
    },
    {
	.names = "clrthreads threadstate",
	.args = "[--json]",
	.help = "list threads as the runtime knows them",
	.more =
	    "Also those that have not begun, and those that have ended but "
	    "that the program\nstill refers to. \"info threads\" lists what "
	    "runs, with where it is.",
	.stopped = cmd_clrthreads,
    },
    {
	.names = "dumpstackobjects dso",
	.args = "[--json]",
	.help = "list objects that the selected thread's stack refers to",
	.more = "As the collector would find them, by variable.",
	.stopped = cmd_dumpstackobjects,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_assemblies = {
    "assemblies", "What the runtime has loaded", cmds};
