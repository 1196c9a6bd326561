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
 * All code of an image is functions (RUNTIME_FUNCTION), by address: a method's
 * first, then those of its exception handlers. False: it has none in this
 * image.
 */
bool r2r_method(const struct pe *pe, uint32_t rid, uint32_t *ret_function);
/* How many there are; 0 if the image is IL only. */
uint32_t r2r_functions(const struct pe *pe);
/* From where to where (RVAs); false: it has no code. */
bool r2r_function(const struct pe *pe, uint32_t function, uint32_t *ret_begin,
		  uint32_t *ret_end);

#endif
