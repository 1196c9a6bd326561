/* Reports written to where they were asked for: report.h. */
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

/* A form of some reports, as it goes to a file. */
struct text {
	const char *path;
	char *bytes;
	size_t n;
};

/* ---- Files ------------------------------------------------------------ */

static bool write_all(int fd, const struct text *t)
{
	for (size_t done = 0; done < t->n;) {
		ssize_t n = write(fd, t->bytes + done, t->n - done);

		if (n < 0 && errno != EINTR)
			return false;
		done += n > 0 ? (size_t)n : 0;
	}
	return true;
}

static void complain(const struct text *t, const char *what)
{
	fprintf(stderr, "dndbg: the report %s '%s': %s\n", what, t->path,
		strerror(errno));
}

static void write_to(const struct text *t, int flags)
{
	int fd = open(t->path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);

	if (fd < 0) {
		complain(t, "cannot be written to");
		return;
	}
	if (!write_all(fd, t))
		complain(t, "is not whole in");
	close(fd);
}

// May the file have another take its place, without a difference to anybody?
static bool is_replaceable(const char *path, mode_t *ret_mode)
{
	struct stat st;

	*ret_mode = 0;
	if (lstat(path, &st))
		return true;
	*ret_mode = st.st_mode & 0777;
	return S_ISREG(st.st_mode) && st.st_nlink == 1 &&
	       st.st_uid == geteuid();
}

/*
 * Put a file in the place of what is there: who reads it, also when we are
 * killed, finds one of them whole. False: that cannot be done here.
 */
static bool replace(const struct text *t)
{
	_cleanup_free_ char *fresh = xasprintf("%s.%d.tmp", t->path, getpid());
	bool whole = false, done = false;
	mode_t mode;

	if (!is_replaceable(t->path, &mode))
		return false;
	int fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return false;
	if (!mode || !fchmod(fd, mode)) {
		whole = write_all(fd, t);
		if (!whole)
			complain(t, "cannot be written to");
	}
	close(fd);
	done = whole && !rename(fresh, t->path);
	if (!done)
		unlink(fresh);
	return done || !whole;
}

/* ---- Forms ------------------------------------------------------------ */

static bool render(size_t form, const struct report *const *v, size_t n,
		   struct text *t)
{
	FILE *out = open_memstream(&t->bytes, &t->n);

	if (!out) {
		complain(t, "cannot be written to");
		return false;
	}
	report_forms[form].write(v, n, out);
	fclose(out);
	return true;
}

// Commands of a job's log stand on lines of their own; the last that the
// program has written may have no end.
static void write_log(size_t form, const struct report *const *v, size_t n,
		      FILE *log)
{
	if (log == stdout && n)
		fputc('\n', log);
	report_forms[form].write(v, n, log);
	fflush(log);
}

// Write one report, to a file or stdout that has each report by itself.
static void write_each(const struct publish *p, size_t form,
		       const struct report *report)
{
	struct text t = {.path = p->paths[form]};
	bool first = !form && p->n == 1;

	if (!t.path || !*t.path) {
		write_log(form, &report, 1, t.path ? stdout : stderr);
		return;
	}
	if (!render(form, &report, 1, &t))
		return;
	if (!first)
		write_to(&t, O_APPEND);
	else if (!replace(&t))
		write_to(&t, O_TRUNC);
	free(t.bytes);
}

// Write all reports so far together. Before the @end only to a file that can be
// replaced later.
static void write_together(const struct publish *p, size_t form, bool end)
{
	struct text t = {.path = p->paths[form]};
	_cleanup_free_ const struct report **list =
	    xcalloc(p->n, sizeof(*list));

	for (size_t i = 0; i < p->n; i++)
		list[i] = &p->reports[i];
	if (!*t.path && end)
		write_log(form, list, p->n, stdout);
	if (!*t.path || !render(form, list, p->n, &t))
		return;
	if (!replace(&t) && end)
		write_to(&t, O_TRUNC);
	free(t.bytes);
}

static void write_all_together(const struct publish *p, bool end)
{
	for (size_t i = 0; i < REPORT_N_FORMS; i++)
		if (report_forms[i].manner == REPORT_ALL && p->paths[i])
			write_together(p, i, end);
}

void publish_add(struct publish *p, const struct report *report)
{
	mem_grow(&p->reports, &p->cap, p->n, sizeof(*p->reports));
	p->reports[p->n++] = *report;
	for (size_t i = 0; i < REPORT_N_FORMS; i++)
		if (report_forms[i].manner != REPORT_ALL && (p->paths[i] || !i))
			write_each(p, i, report);
	// A crashing program may take long to die, and dndbg may be killed
	// meanwhile: write the files that hold all reports now.
	if (report->kind && strcmp(report->kind, "thrown"))
		write_all_together(p, false);
}

void publish_end(struct publish *p)
{
	write_all_together(p, true);
	for (size_t i = 0; i < p->n; i++)
		report_destroy(&p->reports[i]);
	free(p->reports);
	*p = (struct publish){0};
}
