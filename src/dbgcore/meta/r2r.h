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

#endif
