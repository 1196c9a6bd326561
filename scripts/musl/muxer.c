/*
 * The "dotnet" of a DOTNET_ROOT for musl: NuGet has the host's libraries for
 * musl, but no muxer. It loads the newest libhostfxr.so below host/fxr beside
 * it and hands its arguments on.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef int startup_fn(int argc, const char **argv, const char *host,
		       const char *root, const char *app);

int main(int argc, const char **argv)
{
	char self[PATH_MAX], root[PATH_MAX], path[2 * PATH_MAX],
	    app[PATH_MAX + 8];
	char newest[NAME_MAX + 1] = "";

	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n < 0)
		return 1;
	self[n] = '\0';
	strcpy(root, self);
	*strrchr(root, '/') = '\0';
	snprintf(app, sizeof(app), "%s.dll", self);
	snprintf(path, sizeof(path), "%s/host/fxr", root);
	DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));)
		if (e->d_name[0] != '.' && strcmp(e->d_name, newest) > 0)
			strcpy(newest, e->d_name);
	snprintf(path, sizeof(path), "%s/host/fxr/%s/libhostfxr.so", root,
		 newest);
	void *library = dlopen(path, RTLD_LAZY);
	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	startup_fn *start = dlsym(library, "hostfxr_main_startupinfo");
	return start ? start(argc, argv, self, root, app) : 1;
}
