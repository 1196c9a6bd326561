/*
 * Thread groups and threads as the client knows them. A group is an inferior,
 * i1 the program and i2 and so on the children that are followed. The engine
 * numbers the threads of each program from 1; a client's ids are for all of
 * them: the engine's numbers until the first child is followed, then the next
 * one that is free.
 */
#ifndef MI_GROUP_H
#define MI_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct dbg;
struct dbg_event;
struct dbg_inferior;
struct mi;
struct str;

struct mi_group {
	uint32_t number; /* of the inferior */
	pid_t pid;       /* told as started; 0: there is none */
};

struct mi_thread {
	uint32_t id;            /* the client's */
	uint32_t group, number; /* the engine's */
};

struct mi_groups {
	struct mi_group *v;
	size_t n, cap;
	struct mi_thread *threads;
	size_t n_threads, cap_threads;
	uint32_t last_id;
	bool several; /* there was a second one */
};

void groups_deinit(struct mi_groups *g);

/* Make commands be about @dbg, and the engine's current inferior. */
void groups_use(struct mi *m, struct dbg *dbg);
/* ... about the selected group again. */
void groups_back(struct mi *m);
/* Look at the engine's current inferior, if that is another one now. */
void groups_look(struct mi *m);

/* Tell which groups and programs there are that were not told. */
void groups_started(struct mi *m);
/* ... and which are no more, without an event that says so. */
void groups_left(struct mi *m);
/* A program has ended. */
void groups_exited(struct mi *m, const struct dbg_inferior *inf,
		   const struct dbg_event *e);
/* Tell what threads of the stopped programs were not told. */
void groups_see_threads(struct mi *m);
/* A thread of the present group has ended. */
void groups_thread_gone(struct mi *m, uint32_t number);

/* The id of a thread of the present group, which is told if it is new. */
uint32_t groups_thread_id(struct mi *m, uint32_t number);
/* Find the thread with an id; false: none is known. */
bool groups_thread_find(struct mi *m, uint32_t id, struct dbg **ret,
			uint32_t *ret_number);
/* The session of group "i2", NULL: there is none. */
struct dbg *groups_find(struct mi *m, const char *id);

/* Put all groups, as members of a list. */
void groups_put(const struct mi *m, struct str *t);
/* groups=[...]: programs that could be attached to (mi_os.c). */
void groups_put_available(struct str *t);
/* The present group as member @name. */
void groups_put_present(const struct mi *m, struct str *t, const char *name);

#endif
