/*
 * Separate debug files of native libraries: by build id below /usr/lib/debug,
 * else by .gnu_debuglink and its checksum.
 */
#include "target/elf/debugfile.h"

#include <string.h>
#include <zlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

#define FILE_MAX (UINT64_C(4) << 30)

enum {
	ID_MIN = 2,
	ID_MAX = 64,
};

static const char debug_dir[] = "/usr/lib/debug";

// Does the debug file belong to the image? Files of one build have one id;
// without ids, the link's checksum decides.
static bool fits(const struct elf *elf, const struct elf *debug)
{
	struct bytes a = elf_build_id(elf), b = elf_build_id(debug);

	if (a.n && b.n)
		return a.n == b.n && !memcmp(a.p, b.p, a.n);
	return elf->debug_link &&
	       elf->debug_crc == crc32_z(0, debug->file.p, debug->file.n);
}

static bool try_file(const struct elf *elf, const char *path,
		     struct file *ret_file, struct elf *ret)
{
	struct dbg_error *err;
	struct file file;

	err = file_load(path, FILE_MAX, &file);
	if (dbg_err_drop(err))
		return false;
	err = elf_parse(file.bytes, ret);
	if (err || !fits(elf, ret)) {
		dbg_error_destroy(err);
		file_unload(&file);
		return false;
	}
	*ret_file = file;
	return true;
}

bool debugfile_in(const struct elf *elf, const char *dir, struct file *ret_file,
		  struct elf *ret)
{
	struct bytes id = elf_build_id(elf);
	_cleanup_str_ struct str path = {0};

	if (id.n < ID_MIN || id.n > ID_MAX)
		return false;
	str_addf(&path, "%s/.build-id/%02x/", dir, id.p[0]);
	for (size_t i = 1; i < id.n; i++)
		str_addf(&path, "%02x", id.p[i]);
	str_add(&path, ".debug");
	return try_file(elf, str_get(&path), ret_file, ret);
}

bool debugfile_find(const struct elf *elf, const char *root, const char *path,
		    struct file *ret_file, struct elf *ret)
{
	static const struct {
		const char *before, *behind;
	} places[] = {{"", ""}, {"", ".debug/"}, {debug_dir, ""}};
	_cleanup_free_ char *below = xasprintf("%s%s", root, debug_dir);
	bool found = debugfile_in(elf, below, ret_file, ret);
	int dir = (int)(str_basename(path) - path);

	// The link is a name, not a way out of the directory.
	if (!elf->debug_link || strchr(elf->debug_link, '/'))
		return found;
	for (size_t i = 0; !found && i < sizeof(places) / sizeof(*places);
	     i++) {
		_cleanup_free_ char *file =
		    xasprintf("%s%s%.*s%s%s", root, places[i].before, dir, path,
			      places[i].behind, elf->debug_link);
		found = try_file(elf, file, ret_file, ret);
	}
	return found;
}
