/* Members of a value or type, by name, for completion. */
#ifndef SESSION_MEMBERS_H
#define SESSION_MEMBERS_H

#include "dbg.h"
#include "view/view.h"

#endif
