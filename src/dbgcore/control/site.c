/*
 * Sites: an address, a trap, and the purposes that hold it. The trap is
 * armed for the first purpose and lifted with the last.
 */
#include "control/control_priv.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/log.h"

struct site {
	uint64_t addr;
	unsigned int kinds;
};

void addrs_add(uint64_t **addrs, size_t *n, size_t *cap, uint64_t addr)
{
	mem_grow(addrs, cap, *n, sizeof(**addrs));
	(*addrs)[(*n)++] = addr;
}

bool addrs_have(const uint64_t *addrs, size_t n, uint64_t addr)
{
	for (size_t i = 0; i < n; i++)
		if (addrs[i] == addr)
			return true;
	return false;
}

static void log_traps(struct control *c, const char *what, enum site_kind kind,
		      const uint64_t *addrs, size_t n)
{
	const struct log *log = target_log(c->target);

	for (size_t i = 0; i < n && log_on(log, LOG_CONTROL); i++)
		log_line(log, LOG_CONTROL,
			 "trap at 0x%" PRIx64 " %s, kind 0x%x", addrs[i], what,
			 (unsigned int)kind);
}

// Shall the trap yield to vfork children? Not if only our own purposes use it:
// no vfork child comes there, and what they report must not be missed.
static void site_yields(struct control *c, const struct site *site)
{
	const unsigned int users = SITE_BREAK | SITE_STEP | SITE_WATCH;

	target_trap_yield(c->target, site->addr, !(site->kinds & ~users));
}

struct dbg_error *control_site_add(struct control *c, enum site_kind kind,
				   const uint64_t *addrs, size_t n)
{
	struct dbg_error *err;
	_cleanup_free_ uint64_t *fresh = xcalloc(n + 1, sizeof(*fresh));
	size_t n_fresh = 0;

	if (!target_can(c->target, TARGET_RUN))
		return NULL;
	for (size_t i = 0; i < n; i++) {
		struct site *site = map_find(&c->sites, addrs[i]);

		if (!site) {
			site = xcalloc(1, sizeof(*site));
			site->addr = addrs[i];
			map_put(&c->sites, addrs[i], site);
			fresh[n_fresh++] = addrs[i];
		}
		site->kinds |= kind;
	}
	err = target_traps_arm(c->target, fresh, n_fresh);
	log_traps(c, err ? "not armed" : "armed", kind, fresh, n_fresh);
	for (size_t i = 0; i < n; i++)
		site_yields(c, map_find(&c->sites, addrs[i]));
	if (!err)
		return NULL;
	// what could not be armed is no site
	for (size_t i = 0; i < n_fresh; i++)
		if (!target_trap_armed(c->target, fresh[i]))
			free(map_take(&c->sites, fresh[i]));
	return err;
}

struct dbg_error *control_site_remove(struct control *c, enum site_kind kind,
				      const uint64_t *addrs, size_t n)
{
	_cleanup_free_ uint64_t *gone = xcalloc(n + 1, sizeof(*gone));
	size_t n_gone = 0;

	for (size_t i = 0; i < n; i++) {
		struct site *site = map_find(&c->sites, addrs[i]);

		if (!site || !(site->kinds & kind))
			continue;
		site->kinds &= ~(unsigned int)kind;
		if (site->kinds) {
			site_yields(c, site);
			continue;
		}
		gone[n_gone++] = addrs[i];
		free(map_take(&c->sites, addrs[i]));
	}
	if (!n_gone)
		return NULL;
	log_traps(c, "lifted", kind, gone, n_gone);
	return target_traps_lift(c->target, gone, n_gone);
}

unsigned int control_site_kinds(const struct control *c, uint64_t addr)
{
	const struct site *site = map_find(&c->sites, addr);

	return site ? site->kinds : 0;
}

void sites_forget(struct control *c)
{
	map_clear_free(&c->sites);
}
