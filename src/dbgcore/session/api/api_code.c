/*
 * The part of dbg.h that shows code: modules and their symbols, disassembly of
 * native code and of IL.
 */
#include "session/session.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "code/disasm.h"

/* Has another module the same name? */
static bool is_ambiguous(struct code_module *const *modules, size_t n, size_t i)
{
	for (size_t k = 0; k < n; k++)
		if (k != i && !strcmp(modules[k]->name, modules[i]->name))
			return true;
	return false;
}

/* Read the version (II.22.2: columns 1 to 4 of the one row). */
static const char *version_of(const struct code_module *m, struct arena *arena)
{
	if (!md_rows(&m->md, MD_ASSEMBLY))
		return NULL;
	return arena_printf(arena, "%u.%u.%u.%u",
			    md_col(&m->md, MD_ASSEMBLY, 1, 1),
			    md_col(&m->md, MD_ASSEMBLY, 1, 2),
			    md_col(&m->md, MD_ASSEMBLY, 1, 3),
			    md_col(&m->md, MD_ASSEMBLY, 1, 4));
}

struct dbg_error *dbg_module_list(struct dbg *dbg, struct arena *arena,
				  struct dbg_module **ret, size_t *ret_n)
{
	struct dbg_error *err = session_need_modules(dbg, false);
	size_t n;

	if (err)
		return err;
	struct code_module *const *modules =
	    code_modules(dbg->inspect.code, &n);
	struct dbg_module *list = arena_calloc(arena, n, sizeof(*list));

	for (size_t i = 0; i < n; i++) {
		struct code_module *m = modules[i];

		list[i] = (struct dbg_module){
		    .number = m->number,
		    .name = m->name,
		    .path = m->path,
		    .version = version_of(m, arena),
		    .mvid = m->mvid,
		    .base = m->base,
		    .size = m->pe.image_size,
		    .optimized = m->optimized,
		    .framework = m->framework,
		    .user = code_module_is_user(dbg->inspect.code, m),
		    .symbols = m->symbols,
		    .symbols_note = m->symbols_note,
		};
		if (is_ambiguous(modules, n, i))
			list[i].context =
			    inspect_load_context(&dbg->inspect, m->addr, arena);
	}
	*ret = list;
	*ret_n = n;
	return NULL;
}

struct dbg_error *dbg_disassemble(struct dbg_stopped at, uint64_t addr,
				  uint32_t count, struct dbg_insn **ret,
				  size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err = session_need_runtime(at);

	return err ? err
		   : disasm_native(dbg->inspect.code, addr, count,
				   dbg->inspect.arena, ret, ret_n);
}

struct dbg_error *dbg_disassemble_il(struct dbg_stopped at, dbg_id frame,
				     struct dbg_il_insn **ret, size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err = session_need_runtime(at);
	const struct frame *f;

	if (!err)
		err = session_frame_or_newest(at, frame, &f);
	if (err)
		return err;
	if (!f->pos || !f->pos->module)
		return dbg_err(DBG_E_NOT_FOUND,
			       "the frame has no IL: it is not managed code");
	return disasm_il(dbg->inspect.code, f->pos->module, f->pos->token,
			 dbg->inspect.arena, ret, ret_n);
}
