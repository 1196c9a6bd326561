/*
 * Lines read byte by byte, so that what follows a line stays in the descriptor
 * for the program: see lines.h.
 */
#include "front/lines.h"

#include <errno.h>
#include <unistd.h>

enum {
	LINE_MAX_BYTES = 1 << 20
};

enum lines_state lines_read(int fd, struct str *line)
{
	char c;
	ssize_t n = read(fd, &c, 1);

	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? LINES_MORE
							 : LINES_END;
	if (n == 0)
		return line->len ? LINES_LINE : LINES_END;
	if (c == '\n')
		return LINES_LINE;
	if (c && line->len < LINE_MAX_BYTES)
		str_addc(line, c);
	return LINES_MORE;
}
