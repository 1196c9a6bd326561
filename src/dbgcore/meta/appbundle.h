/*
 * Programs in a single file (dotnet publish -p:PublishSingleFile): the manifest
 * of what is inside, dotnet/designs "bundler.md", versions 1 to 6.
 */
#ifndef META_APPBUNDLE_H
#define META_APPBUNDLE_H

#include "base/reader.h"
#include "dbg.h"

struct app_entry {
	char path[512];      /* relative, "Hello.dll" */
	bool assembly;       /* managed; else a library, a file of settings */
	struct bytes stored; /* in the file */
	uint64_t size;       /* 0: as stored; else inflated */
};

typedef void app_entry_fn(void *arg, const struct app_entry *entry);

/*
 * Call @fn for what the manifest of the executable @file names. False: it has
 * none, or a broken one, of which @fn may have had a part.
 */
bool app_bundle_each(struct bytes file, app_entry_fn *fn, void *arg);
/* The entry's own bytes, *ret_n of them, which the caller frees; or NULL. */
uint8_t *app_entry_take(const struct app_entry *entry, size_t *ret_n);

#endif
