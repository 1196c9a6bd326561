/*
 * Finds the debug file with the symbols of a stripped ELF file, as gdb does: by
 * build id, and by the name in .gnu_debuglink.
 */
#ifndef TARGET_IMAGEFILE_H
#define TARGET_IMAGEFILE_H

#include "base/file.h"
#include "target/elf.h"

/*
 * Load the debug file of @elf, which the process knows as @path, below
 * @root. False if there is none that fits; else the caller unloads @ret_file.
 */
bool debugfile_find(const struct elf *elf, const char *root, const char *path,
		    struct file *ret_file, struct elf *ret);

#endif
