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
 * Has the assembly a public key of .NET's own? Only the key's owner could have
 * signed it, but the runtime does not verify signatures: the key keeps names
 * apart, and is no protection.
 */
bool assembly_is_framework(const struct md *md);

#endif
