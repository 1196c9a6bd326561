/*
 * A page that draws a profile as a flame graph: one file, without a network.
 * Between these two stands the profile, as JSON without '<'.
 */
#ifndef MONITOR_FLAMEPAGE_H
#define MONITOR_FLAMEPAGE_H

extern const char flame_page_head[], flame_page_tail[];

#endif
