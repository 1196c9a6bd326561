/* Processes from outside: bare runs, shots, memory, descriptors. */
#include "bench.h"

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	SHOT_SECONDS = 120, /* a shot that takes longer hangs */
	PATH_BYTES = 4096
};

extern char **environ;

/* The bare program, its first three descriptors from @fds. */
static pid_t run_bare(const struct bench *b, const struct group_spec *g,
		      const int fds[3])
{
	char dll[PATH_BYTES];
	const char *argv[] = {b->dotnet,  dll,        g->argument, g->more[0],
			      g->more[1], g->more[2], g->more[3],  NULL};
	posix_spawn_file_actions_t actions;
	pid_t pid;

	snprintf(dll, sizeof(dll), "%s/%s/%s.dll", b->fixtures, g->fixture,
		 g->fixture);
	posix_spawn_file_actions_init(&actions);
	for (int i = 0; i < 3; i++)
		if (fds[i] < 0)
			posix_spawn_file_actions_addopen(
			    &actions, i, "/dev/null", O_RDWR, 0);
		else
			posix_spawn_file_actions_adddup2(&actions, fds[i], i);

	int failed = posix_spawn(&pid, b->dotnet, &actions, NULL,
				 (char *const *)argv, environ);

	posix_spawn_file_actions_destroy(&actions);
	if (failed) {
		fprintf(stderr, "bench: cannot run '%s': %s\n", b->dotnet,
			strerror(failed));
		return -1;
	}
	return pid;
}

double proc_bare(const struct bench *b, const struct group_spec *g)
{
	static const int nothing[] = {-1, -1, -1};
	int status = -1;
	double began = drive_now();
	pid_t pid = run_bare(b, g, nothing);

	if (pid < 0)
		return -1;
	waitpid(pid, &status, 0);

	double took = drive_now() - began;

	if (status) {
		fprintf(stderr, "bench: %s failed without a debugger\n",
			g->fixture);
		return -1;
	}
	return took;
}

pid_t proc_start(const struct bench *b, const struct group_spec *g, int *ret_in,
		 int *ret_out)
{
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		return -1;

	pid_t pid = run_bare(b, g, (const int[]){in[0], out[1], -1});

	close(in[0]);
	close(out[1]);
	*ret_in = in[1];
	*ret_out = out[0];
	return pid;
}

static void run_shot(const struct bench *b, const struct group_spec *g, int fd)
{
	struct point points[POINTS_MAX] = {0};
	struct drive d = {.bench = b, .group = g};

	alarm(SHOT_SECONDS);
	g->shoot(&d, points);
	if (write(fd, points, sizeof(points)) != sizeof(points))
		_exit(1);
	_exit(0);
}

bool proc_shoot(const struct bench *b, const struct group_spec *g,
		struct point *ret)
{
	struct point points[POINTS_MAX];
	int fds[2], status = -1;

	fflush(NULL);
	if (pipe2(fds, O_CLOEXEC) < 0)
		return false;

	pid_t pid = fork();

	if (!pid) {
		close(fds[0]);
		run_shot(b, g, fds[1]);
	}
	close(fds[1]);

	ssize_t n = pid > 0 ? read(fds[0], points, sizeof(points)) : -1;

	close(fds[0]);
	if (pid > 0)
		waitpid(pid, &status, 0);
	if (n != sizeof(points) || status) {
		if (WIFSIGNALED(status))
			fprintf(stderr,
				"bench: %s: a shot ended by signal %d\n",
				g->name, WTERMSIG(status));
		return false;
	}
	memcpy(ret, points, sizeof(points));
	return true;
}

double proc_memory(pid_t pid, const char *field)
{
	char path[64], line[256];
	size_t n = strlen(field);
	unsigned long kib;
	double ret = -1;

	snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)pid);

	FILE *file = fopen(path, "r");

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, field, n) && line[n] == ':' &&
		    sscanf(line + n + 1, "%lu", &kib) == 1)
			ret = (double)kib * 1024;
	fclose(file);
	return ret;
}

double proc_descriptors(pid_t pid)
{
	char path[64];
	double n = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);

	DIR *dir = opendir(path);

	if (!dir)
		return -1;
	for (struct dirent *e; (e = readdir(dir));)
		n += e->d_name[0] != '.';
	closedir(dir);
	return n;
}
