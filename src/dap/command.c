#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dap_priv.h"
#include "fault.h"

enum {
	PRINTED_MAX_BYTES = 4 << 20
};

const char *command_of(const char *line)
{
	static const char exec[] = "-exec";
	size_t n = sizeof(exec) - 1;

	line += strspn(line, " \t");
	if (*line == '`')
		return line + 1;
	if (!strncmp(line, exec, n) && (line[n] == ' ' || !line[n]))
		return line + n;
	return NULL;
}

static void take_printed(int fd, struct text *ret)
{
	char buf[4096];
	ssize_t n;
	off_t at = 0;

	while (at < PRINTED_MAX_BYTES &&
	       (n = pread(fd, buf, sizeof(buf), at)) > 0) {
		text_addn(ret, buf, (size_t)n);
		at += n;
	}
}

struct dbg_error *command_run(struct dap *d, const char *command,
			      const struct command_place *place,
			      struct text *ret)
{
	const struct command_ops *ops = d->options->commands;

	if (!d->host)
		d->host = ops->create(d->dbg, d->loop);
	int file = memfd_create("printed", MFD_CLOEXEC);
	int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	fflush(stdout);
	if (file < 0 || kept < 0 || dup2(file, STDOUT_FILENO) < 0) {
		int saved = errno;
		if (file >= 0)
			close(file);
		if (kept >= 0)
			close(kept);
		return fault(DBG_E_FILE, "cannot redirect: %s",
			     strerror(saved));
	}
	struct dbg_error *err = ops->line(d->host, command, place);
	fflush(stdout);
	dup2(kept, STDOUT_FILENO);
	take_printed(file, ret);
	close(kept);
	close(file);
	return err;
}
