/*
 * Updates that the program was given before it was seen here (hot reload): the
 * program's own record of them.
 */
#ifndef INSPECT_UPDATERECORD_H
#define INSPECT_UPDATERECORD_H

struct inspect;

/*
 * Find in the program's memory the updates that its modules lack, and have the
 * modules be as of these. What was found or not is said to the user. Nothing is
 * looked at if no module lacks any.
 */
void update_record_read(struct inspect *in);

#endif
