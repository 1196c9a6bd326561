/* Frames that pcs stand for: see pcnames.h. */
#include "sample/pcnames.h"

#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "code/code.h"
#include "dac/dac.h"
#include "target/target.h"
#include "target/unwind.h"

enum {
	PCS_MAX = 1 << 18,
	SPENT_NS = 30000000, // for reading anew, and of the time since
	SPENT_SHARE = 50,
};

void pc_names_init(struct pc_names *p, struct target *t,
		   struct stack_tree *tree)
{
	*p = (struct pc_names){.target = t, .tree = tree};
	p->arena = arena_create();
}

void pc_names_deinit(struct pc_names *p)
{
	map_clear_free(&p->by_pc);
	map_deinit(&p->by_pc);
	arena_destroy(p->arena);
}

void pc_names_tick(struct pc_names *p)
{
	p->tick = clock_ns();
	if (!p->began)
		p->began = p->tick;
}

// A program that compiles many methods would be read again and again.
bool pc_names_anew(struct pc_names *p)
{
	uint64_t now = clock_ns();

	if (p->read >= p->tick ||
	    p->spent > SPENT_NS + (now - p->began) / SPENT_SHARE)
		return false;
	const struct proc_maps *maps;
	uint64_t used = clock_used_ns();

	target_observe_again(p->target);
	dbg_err_drop(target_maps(p->target, &maps));
	if (p->dac)
		dac_flush(p->dac);
	p->read = now;
	p->spent += clock_used_ns() - used;
	return true;
}

static void name_native(struct pc_names *p, uint64_t pc, struct pc_frame *ret)
{
	struct target_image image;
	const char *symbol = NULL;
	struct code_name name = {.plain = ""};
	uint64_t offset;
	bool found = false;
	struct dbg_error *err = target_image_at(p->target, pc, p->arena, &image,
						&symbol, &offset, &found);
	const char *module =
	    !dbg_err_drop(err) && found ? str_basename(image.path) : "";

	if (symbol) {
		const char *full = target_demangle(symbol, p->arena);

		code_name_split(full, code_name_list(full), p->arena, &name);
	}
	ret->image = !symbol;
	ret->frame = stack_tree_frame(
	    p->tree, &(struct dbg_sample_frame){.name = symbol    ? name.plain
							: *module ? module
								  : "[vdso]",
						.module = module,
						.kind = DBG_SAMPLE_NATIVE});
}

// Read a method. While the program runs the DAC may find it between two of its
// states.
static bool method_read(struct pc_names *p, uint64_t method,
			struct dac_method *ret)
{
	return !dbg_err_drop(dac_method_get(p->dac, method, ret));
}

// The module of a method; it may have been loaded since.
static const struct code_module *module_of(struct pc_names *p,
					   const struct dac_method *m)
{
	const struct code_module *module = code_module_find(p->code, m->module);

	if (!module && !m->dynamic) {
		dbg_err_drop(code_modules_read(p->code));
		module = code_module_find(p->code, m->module);
	}
	return module;
}

// Name the method of @code; false: it cannot be read now.
static bool name_managed(struct pc_names *p, const struct dac_code *code,
			 struct pc_frame *ret)
{
	struct dac_method m;
	bool known = method_read(p, code->method, &m) ||
		     (pc_names_anew(p) && method_read(p, code->method, &m));
	const struct code_module *module = known ? module_of(p, &m) : NULL;
	enum code_method_kind kind = code_method_kind(p->code, code->method);
	struct code_name name;

	code_method_names(p->code, code->method, p->arena, &name);
	ret->method = code->method;
	ret->start = code->start;
	ret->osr = !code->precompiled && dac_code_is_osr(p->dac, code);
	if (p->async)
		ret->async = p->async->part(p->async->arg, code->method);
	ret->frame = stack_tree_frame(
	    p->tree,
	    &(struct dbg_sample_frame){.name = name.full,
				       .module = module ? module->name : "",
				       .kind = DBG_SAMPLE_MANAGED,
				       .own = kind == CODE_METHOD_DYNAMIC ||
					      (kind == CODE_METHOD_PLAIN &&
					       module && !module->framework)});
	return known;
}

static bool code_find(struct pc_names *p, uint64_t pc, struct dac_code *ret)
{
	struct dbg_error *err = NULL;

	*ret = (struct dac_code){0};
	if (p->dac)
		err = dac_code_at(p->dac, pc, ret);
	return !dbg_err_drop(err) && ret->method;
}

// Name a stub of the runtime. The DAC's name ends in "@address", which is cut
// off so that equal stubs are one frame.
static void name_stub(struct pc_names *p, uint64_t pc, struct pc_frame *ret)
{
	const char *name =
	    p->dac ? dac_address_name(p->dac, pc, p->arena) : NULL;

	if (!name)
		name = "[stub of the runtime]";
	ret->image = true;
	ret->frame = stack_tree_frame(
	    p->tree,
	    &(struct dbg_sample_frame){
		.name = arena_strndup(p->arena, name, strcspn(name, "@")),
		.module = "",
		.kind = DBG_SAMPLE_NATIVE});
}

// False: what the program has may be newer than what was read of it.
static bool name_find(struct pc_names *p, uint64_t pc, struct pc_frame *ret)
{
	struct dac_code code;

	if (unwind_is_native(p->target, pc)) {
		name_native(p, pc, ret);
		return true;
	}
	if (!code_find(p, pc, &code)) {
		if (!pc_names_anew(p) || !code_find(p, pc, &code)) {
			name_stub(p, pc, ret);
			return p->read >= p->tick;
		}
	}
	return name_managed(p, &code, ret);
}

const struct pc_frame *pc_name(struct pc_names *p, uint64_t pc, bool leaf)
{
	uint64_t at = pc - !leaf;
	struct pc_frame *f = map_find(&p->by_pc, at);

	if (f)
		return f;
	if (p->by_pc.n >= PCS_MAX)
		map_clear_free(&p->by_pc);
	arena_reset(p->arena);
	p->doubtful = (struct pc_frame){0};
	if (!name_find(p, at, &p->doubtful)) {
		p->doubted = true;
		return &p->doubtful;
	}
	f = xcalloc(1, sizeof(*f));
	*f = p->doubtful;
	map_put(&p->by_pc, at, f);
	return f;
}
