/*
 * The files behind a program's mappings, each opened once: for the symbols of
 * an image, and, of a core, for memory that is not in it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "target/elf/debugfile.h"
#include "target/target_priv.h"

enum {
	FILES_MAX = 4096,
};

static void image_file_destroy(struct image_file *f)
{
	symtab_deinit(&f->functions);
	file_unload(&f->debug);
	file_unload(&f->file);
	free(f->path);
	free(f->place);
	free(f->why);
	free(f);
}

void images_clear(struct images *images)
{
	for (size_t i = 0; i < images->n_files; i++)
		image_file_destroy(images->files[i]);
	images->n_files = 0;
}

void images_deinit(struct images *images)
{
	images_clear(images);
	free(images->files);
	proc_maps_deinit(&images->maps);
	free(images->ranges);
}

static struct image_file *find(const struct images *images, const char *path)
{
	for (size_t i = 0; i < images->n_files; i++)
		if (!strcmp(images->files[i]->path, path))
			return images->files[i];
	return NULL;
}

static void keep(struct images *images, struct image_file *f)
{
	if (images->n_files < FILES_MAX) {
		mem_grow(&images->files, &images->cap_files, images->n_files,
			 sizeof(*images->files));
		images->files[images->n_files++] = f;
		return;
	}
	images->victim = (images->victim + 1) % FILES_MAX;
	image_file_destroy(images->files[images->victim]);
	images->files[images->victim] = f;
}

struct dbg_error *image_file_find(struct target *t, const char *path,
				  struct image_file **ret)
{
	struct hostfile_id id = {.check = NULL};
	struct dbg_error *err;
	struct image_file *f = find(&t->images, path);

	if (!f) {
		f = xcalloc(1, sizeof(*f));
		f->path = xstrdup(path);
		if (t->ops->identify)
			t->ops->identify(t, path, &id);
		err = hostfile_open(t, path, &id, &f->file, &f->place);
		if (err && target_can(t, TARGET_RUN)) {
			image_file_destroy(f);
			return err;
		}
		if (err)
			f->why = xstrdup(err->message);
		else
			dbg_error_destroy(elf_parse(f->file.bytes, &f->elf));
		dbg_error_destroy(err);
		keep(&t->images, f);
	}
	if (f->why)
		return dbg_err(DBG_E_FILE, "%s", f->why);
	*ret = f;
	return NULL;
}

struct dbg_error *image_file_elf(struct target *t, const char *path,
				 struct image_file **ret)
{
	struct dbg_error *err = image_file_find(t, path, ret);

	if (err || (*ret)->elf.n_segments)
		return err;
	err = elf_parse((*ret)->file.bytes, &(*ret)->elf);
	return err ? dbg_err_prefix(err, "'%s'", path) : NULL;
}

// One of the directories that the user names may have it by its build id.
static bool debugfile_searched(struct target *t, struct image_file *f,
			       struct elf *ret)
{
	struct arena *arena = arena_create();
	size_t n;
	const char *const *list = str_split(hostfile_dirs(t), ':', arena, &n);
	bool found = false;

	for (size_t i = 0; i < n && !found; i++)
		found = debugfile_in(&f->elf, list[i], &f->debug, ret);
	arena_destroy(arena);
	return found;
}

const struct elf_symbol *
image_file_function(struct target *t, struct image_file *f, uint64_t linked)
{
	const char *root = t->ops->root(t);
	struct elf debug;

	if (!f->named) {
		f->named = true;
		symtab_add(&f->functions, &f->elf);
		if (!str_starts(f->place, root))
			root = "";
		if (!f->elf.all_symbols.n &&
		    (debugfile_find(&f->elf, root, f->place + strlen(root),
				    &f->debug, &debug) ||
		     debugfile_searched(t, f, &debug)))
			symtab_add(&f->functions, &debug);
	}
	return symtab_at(&f->functions, linked);
}
