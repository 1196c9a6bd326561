/* The table of the DAC's methods: see dacmethods.h. */
#include "dac/dacmethods.h"

#include "dac/compound.h"

#define ARG(kind, count, size)                                                 \
	{                                                                      \
		DAC_ARG_##kind, (count), (size)                                \
	}
#define V ARG(VALUE, 0, 0)
#define NONE V
#define OBJECT ARG(OBJECT, 0, 0)
#define LOCAL ARG(LOCAL, 0, 0)
#define NEW ARG(NEW, 0, sizeof(uint64_t))
#define NAME ARG(NAME, 0, sizeof(uint16_t))
#define READ(type) ARG(READ, 0, sizeof(type))
#define ONE(type) ARG(DATA, 0, sizeof(type))
#define MANY(type, n) ARG(DATA, 1 + (n), sizeof(type))
#define TEXT(n) ARG(TEXT, 1 + (n), sizeof(uint16_t))
#define U32 ONE(uint32_t)
#define U64 ONE(uint64_t)
#define BY_SLOT(name, slot, ...) {#name, NULL, slot, {__VA_ARGS__}},
#define BY_FN(name, fn, ...)                                                   \
	{#name, (com_fn *)(void (*)(void))fn, 0, {__VA_ARGS__}},

const struct dac_method_info dac_methods[DAC_N_METHODS] = {
    DAC_METHODS(BY_SLOT, BY_FN)};
