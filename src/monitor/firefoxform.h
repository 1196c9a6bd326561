/* A profile for the Firefox Profiler, which is a page: profiler.firefox.com. */
#ifndef MONITOR_FIREFOXFORM_H
#define MONITOR_FIREFOXFORM_H

#include "monitor/profileforms.h"

/* Append it, as JSON. */
void firefox_profile_add(struct str *out, const struct profile_writing *w);

#endif
