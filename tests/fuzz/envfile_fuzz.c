/* Files of variables, and launchSettings.json. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "dap/launch/envfile.h"
#include "dap/launch/setup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take_profile(const char *path, const char *name)
{
	struct setup s = {.settings_file = xstrdup(path),
			  .profile = xstrdup(name)};

	dbg_error_destroy(profile_take(&s));
	setup_deinit(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_words_ struct words env = {0};
	char path[32];
	int fd = memfd_create("settings", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	struct envfile_odd odd = {0};
	struct dbg_error *err = envfile_read(path, &env, &odd);
	// Every variable has a name.
	for (size_t i = 0; !err && i < env.n; i++)
		if (!strchr(env.v[i], '=') || *env.v[i] == '=')
			abort();
	dbg_error_destroy(err);
	take_profile(path, "");
	take_profile(path, "web");
	close(fd);
	return 0;
}
