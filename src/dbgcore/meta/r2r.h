/*
 * Code compiled ahead of time (ReadyToRun; the format is described in the
 * runtime's docs/design/coreclr/botr/readytorun-format.md): where a method's
 * begins. The runtime itself knows that only when the method is first called.
 */
#ifndef META_R2R_H
#define META_R2R_H

#include "meta/pe.h"

/*
 * RVA of the code of the method with row @rid of MethodDef; 0: it has none in
 * this image, or only instantiations of it have.
 */
uint32_t r2r_entry(const struct pe *pe, uint32_t rid);

/*
 * Find a method's first function. All code of an image is functions
 * (RUNTIME_FUNCTION), by address: a method's main body, followed by its
 * exception handlers. False: the method has no code in this image.
 */
bool r2r_method(const struct pe *pe, uint32_t rid, uint32_t *ret_function);
/* How many functions the image has; 0: it is IL only. */
uint32_t r2r_functions(const struct pe *pe);
/* Get the RVAs where a function begins and ends; false: it has no code. */
bool r2r_function(const struct pe *pe, uint32_t function, uint32_t *ret_begin,
		  uint32_t *ret_end);

#endif
