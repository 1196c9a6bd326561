/* Calls of the DAC's objects by method, and what they may cost. */
#ifndef DAC_DACCALL_H
#define DAC_DACCALL_H

#include "dac/dac.h"
#include "dac/dacmethods.h"

enum {
	DAC_FATAL_MAX = 32
};

/* What calls to a core's DAC have cost, and may cost. */
struct dac_limits {
	unsigned int n_ended; /* calls that did not end by themselves */
	unsigned int lost;    /* ticks that went into them */
	bool circle_told;     /* that the list of threads has no end */
	bool given_up;        /* nothing is asked any more */
	uint64_t fatal[DAC_FATAL_MAX]; /* hashes of calls it did not survive */
	size_t n_fatal;
	uint64_t told_at;  /* n_calls when it was told of a crash */
	uint64_t began_at; /* n_calls when its process began */
	dac_tell_fn *tell; /* NULL: nobody */
	void *arg;
};

/* Tell that the list of threads leads in a circle, of a core. */
void dac_tell_circle(struct dac *d);
/*
 * If the process of a core's DAC has ended between two calls, start another
 * one; its objects are gone then, as after dac_drop. False: it has none.
 */
bool dac_renew(struct dac *d);
/* Call a method of an object with @n arguments, and count it. */
int32_t dac_call(struct dac *d, void *object, enum dac_method_id method,
		 unsigned n, ...);
/* Ask @object for another interface; NULL if it has none such. */
void *dac_query(struct dac *d, void *object, const struct com_iid *iid);

/* Call a method of a COM object of the DAC. */
#define DAC_CALL(d, object, method, ...)                                       \
	dac_call((d), (object), (method), DAC_COUNT(__VA_ARGS__), ##__VA_ARGS__)
#define DAC_COUNT(...) DAC_EIGHTH(0, ##__VA_ARGS__, 7, 6, 5, 4, 3, 2, 1, 0)
#define DAC_EIGHTH(skip, a, b, c, d, e, f, g, n, ...) n

#endif
