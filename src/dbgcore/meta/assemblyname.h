/* The name of an assembly as the runtime displays it. */
#ifndef META_ASSEMBLYNAME_H
#define META_ASSEMBLYNAME_H

#include "base/str.h"
#include "meta/md.h"

/* The simple name; "": @md is of no assembly. */
const char *assembly_simple_name(const struct md *md);
/* "Lib, Version=1.2.3.4, Culture=neutral, PublicKeyToken=null" */
void assembly_display_name(const struct md *md, struct str *out);
/*
 * Does its public key say that it is one of .NET's own? Only the key's owner
 * could have signed it, but the runtime checks no signature: it keeps names
 * apart, not enemies.
 */
bool assembly_is_framework(const struct md *md);

#endif
