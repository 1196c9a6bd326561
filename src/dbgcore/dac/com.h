/*
 * Calls into the DAC's COM objects from C.
 *
 * An object is a pointer to a table of functions that take it as their first
 * argument; slots 0-2 are QueryInterface, AddRef and Release. On x86-64
 * System V, integers and pointers go the same way to variadic and to fixed
 * functions, so one function type serves every slot: 64-bit parameters must
 * be given as 64-bit values, everything narrower as it is.
 */
#ifndef DAC_COM_H
#define DAC_COM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct com_iid {
	uint32_t a;
	uint16_t b, c;
	uint8_t d[8];
};

typedef int32_t com_fn(void *self, ...);

enum {
	COM_OK = 0,
	COM_E_NOTIMPL = (int32_t)0x80004001,
	COM_E_NOINTERFACE = (int32_t)0x80004002,
	COM_E_FAIL = (int32_t)0x80004005,
	/* E_UNEXPECTED: the callee faulted, see dac/remote/guard.c */
	COM_E_FAULT = (int32_t)0x8000ffff,
	/* ERROR_TIMEOUT: the callee did not end, see dac/remote.h */
	COM_E_TIMEOUT = (int32_t)0x800705b4,
	/* RPC_E_SERVER_DIED: the callee's process crashed, likewise */
	COM_E_DIED = (int32_t)0x80010007,
	COM_E_OUTOFMEMORY = (int32_t)0x8007000e,
	COM_E_INVALIDARG = (int32_t)0x80070057,
};

static inline com_fn *com_slot(void *object, unsigned slot)
{
	com_fn **vtable = *(com_fn ***)object;

	return vtable[slot];
}

/* Release *@p, a COM object or NULL. */
static inline void com_release(void *p)
{
	void **object = p;

	if (*object)
		com_slot(*object, 2)(*object);
	*object = NULL;
}

/* Scope guard: `_cleanup_com_ void *task = NULL;`. */
#define _cleanup_com_ __attribute__((cleanup(com_release)))

#endif
