/*
 * Finding and starting the DAC.
 *
 * The DAC is a library of the runtime's make that runs in our process, so a
 * file that others may have written is not loaded, and none of a container,
 * where the owner of a file is whoever the container says. It is opened,
 * checked by descriptor and loaded through that descriptor: what was checked is
 * what runs. It is never unloaded, as it leaves a destructor of a thread key
 * behind, so its descriptor stays open too; a later session finds it loaded
 * and must not call its DllMain again.
 */
#include "dac/dac_priv.h"
#include "target/hostfile.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"

static const struct com_iid IID_PROCESS = {
    0x5c552ab6,
    0xfc09,
    0x4cb3,
    {0x8e, 0x36, 0x22, 0xfa, 0x03, 0xc7, 0x98, 0xb7}};
static const struct com_iid IID_SOS = {
    0x436f00f2,
    0xb42a,
    0x4b9f,
    {0x87, 0x0c, 0xe7, 0x3d, 0xb6, 0x6a, 0xe9, 0x30}};
static const struct com_iid IID_SOS5 = {
    0x127d6abe,
    0x6c86,
    0x4e48,
    {0x8e, 0x7b, 0x22, 0x07, 0x81, 0xc5, 0x81, 0x01}};
static const struct com_iid IID_SOS6 = {
    0x11206399,
    0x4b66,
    0x4edb,
    {0x98, 0xea, 0x85, 0x65, 0x4e, 0x59, 0xad, 0x45}};
static const struct com_iid IID_SOS8 = {
    0xc12f35a9,
    0xe55c,
    0x4520,
    {0xa8, 0x94, 0xb3, 0xdc, 0x51, 0x65, 0xdf, 0xce}};
static const struct com_iid IID_SOS12 = {
    0x1b93bacc,
    0x8ca4,
    0x432d,
    {0x94, 0x3a, 0x3e, 0x6e, 0x7e, 0xc0, 0xb0, 0xa3}};
static const struct com_iid IID_SOS14 = {
    0x9aa22aca,
    0x6dc6,
    0x4a0c,
    {0xb4, 0xe0, 0x70, 0xd2, 0x41, 0x6b, 0x98, 0x37}};

// New in .NET 10.
static const struct com_iid IID_SOS16 = {
    0x4ba12ff8,
    0xdaac,
    0x4e43,
    {0xac, 0x56, 0x98, 0xcf, 0x8d, 0x5c, 0x59, 0x5d}};

static const char dac_name[] = "libmscordaccore.so";
static const char fd_prefix[] = "/proc/self/fd/";

enum {
	// The runtime has not filled its table of globals yet.
	HR_NOT_STARTED = (int32_t)0x80131c4e,
	// Its table of globals is not of the form that this DAC knows.
	HR_MISMATCH = (int32_t)0x80131c49,
	DLL_PROCESS_ATTACH = 1,
	PRESTUB_MIN = 0x20,
	PRESTUB_MAX = 0x400,
	TABLE_WORDS = 256,
	PATH_SIZE = 64,
};

typedef int32_t dll_main_fn(void *handle, uint32_t reason, void *reserved);

struct dbg_error *dac_err(int32_t hr, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	_cleanup_free_ char *subject = xvasprintf(fmt, ap);
	va_end(ap);
	if (hr == HR_MISMATCH)
		return dbg_err(DBG_E_RUNTIME,
			       "%s: the runtime's DAC belongs to another build",
			       subject);
	if (hr == COM_E_FAULT)
		return dbg_err(DBG_E_RUNTIME,
			       "%s: the runtime was in the midst of a change "
			       "(its DAC failed)",
			       subject);
	if (hr == COM_E_TIMEOUT)
		return dbg_err(DBG_E_RUNTIME,
			       "%s: the runtime's DAC came to no end and was "
			       "stopped (the memory may be damaged)",
			       subject);
	return dbg_err(DBG_E_RUNTIME, "%s: the runtime's DAC says 0x%08x",
		       subject, (unsigned)hr);
}

const char *dac_scratch_text(struct dac *d, uint32_t n, struct arena *arena)
{
	_cleanup_str_ struct str s = {0};

	if (n > DAC_SCRATCH_UNITS)
		n = DAC_SCRATCH_UNITS;
	size_t len = 0;
	while (len < n && d->scratch[len])
		len++;
	str_add_utf16(&s, d->scratch, len);
	return arena_strdup(arena, str_get(&s));
}

/* ---- The library ----------------------------------------------------- */

struct dbg_error *dac_check_owner(const char *path, int fd)
{
	static const char remedy[] =
	    "only a runtime installed by root or by you is trusted (\"set "
	    "trust-dac on\" loads it all the same)";
	struct stat st;

	if (fstat(fd, &st))
		return dbg_err_errno(DBG_E_RUNTIME, errno,
				     "cannot examine '%s'", path);
	if (!S_ISREG(st.st_mode))
		return dbg_err(DBG_E_RUNTIME,
			       "'%s' is not loaded: it is no regular file",
			       path);
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return dbg_err(DBG_E_RUNTIME,
			       "'%s' is not loaded: it belongs to user %u; %s",
			       path, (unsigned)st.st_uid, remedy);
	// A group named like the user (the same number) is the user alone.
	if ((st.st_mode & S_IWOTH) ||
	    ((st.st_mode & S_IWGRP) && st.st_gid != 0 &&
	     st.st_gid != st.st_uid))
		return dbg_err(DBG_E_RUNTIME,
			       "'%s' is not loaded: others may write it; %s",
			       path, remedy);
	return NULL;
}

// A library loaded through a descriptor of ours that is the same file.
struct loaded {
	struct stat file;
	char name[PATH_SIZE]; /* "" if there is none */
};

static int compare_loaded(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct loaded *l = arg;
	struct stat st;

	(void)size;
	if (!info->dlpi_name || !str_starts(info->dlpi_name, fd_prefix) ||
	    stat(info->dlpi_name, &st) || st.st_dev != l->file.st_dev ||
	    st.st_ino != l->file.st_ino)
		return 0;
	snprintf(l->name, sizeof(l->name), "%s", info->dlpi_name);
	return 1;
}

/*
 * What the DAC changes in its process when it starts, as if it were the
 * runtime: programs that we start later would inherit it.
 */
struct inherited {
	struct sigaction pipe;
	struct rlimit files;
};

static void inherited_save(struct inherited *in)
{
	sigaction(SIGPIPE, NULL, &in->pipe);
	getrlimit(RLIMIT_NOFILE, &in->files);
}

static void inherited_restore(const struct inherited *in)
{
	sigaction(SIGPIPE, &in->pipe, NULL);
	setrlimit(RLIMIT_NOFILE, &in->files);
}

// Where a library's code is.
static int find_code(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct link_map *map = arg;

	(void)size;
	if (info->dlpi_addr != map->l_addr)
		return 0;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *ph = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + ph->p_vaddr;

		if (ph->p_type == PT_LOAD && (ph->p_flags & PF_X))
			guard_code(start, start + ph->p_memsz);
	}
	return 1;
}

static struct dbg_error *load_fresh(const char *path, int fd, void **ret)
{
	char link[PATH_SIZE];
	struct inherited inherited;

	snprintf(link, sizeof(link), "%s%d", fd_prefix, fd);
	void *handle = dlopen(link, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return dbg_err(DBG_E_RUNTIME, "cannot load '%s': %s", path,
			       dlerror());
	struct link_map *map;
	if (!dlinfo(handle, RTLD_DI_LINKMAP, &map))
		dl_iterate_phdr(find_code, map);
	if (dac_is_of(path, "9."))
		dac_keep_table(handle);
	dll_main_fn *dll_main = (dll_main_fn *)dlsym(handle, "DllMain");
	inherited_save(&inherited);
	bool started = !dll_main || dll_main(handle, DLL_PROCESS_ATTACH, NULL);
	inherited_restore(&inherited);
	if (!started)
		return dbg_err(DBG_E_RUNTIME, "'%s' cannot start", path);
	*ret = handle;
	return NULL;
}

static struct dbg_error *load(const char *path, bool trust, void **ret)
{
	struct dbg_error *err;
	struct loaded loaded = {0};
	_cleanup_close_ int fd = -1;

	err = dbg_open_file(path, O_RDONLY, false, &fd);
	if (err)
		return dbg_err_prefix(err, "cannot load the runtime's DAC");
	if (fstat(fd, &loaded.file))
		return dbg_err_errno(DBG_E_RUNTIME, errno,
				     "cannot examine '%s'", path);
	err = trust ? NULL : dac_check_owner(path, fd);
	if (err)
		return err;
	if (dl_iterate_phdr(compare_loaded, &loaded)) {
		*ret = dlopen(loaded.name, RTLD_NOW | RTLD_NOLOAD);
		if (*ret)
			return NULL;
	}
	err = load_fresh(path, fd, ret);
	if (err)
		return err;
	// The loader knows the library by the descriptor's number, which must
	// not come to mean another file.
	fd = -1;
	return NULL;
}

/* ---- The runtime's table --------------------------------------------- */

/*
 * g_dacTable holds the addresses of the runtime's globals, then of five
 * functions, then of vtables. The runtime fills it in this order, early in its
 * start; the DAC reads it whole, once, and takes what it finds.
 */
struct table {
	uint64_t addr; /* 0: there is none */
	uint64_t words[TABLE_WORDS];
	size_t n;
};

static struct dbg_error *table_read(struct target *t,
				    const struct target_image *image,
				    struct table *ret)
{
	struct dbg_error *err;
	uint64_t size;

	err = target_object(t, image, "g_dacTable", &ret->addr, &size);
	if (err)
		return err;
	if (size > sizeof(ret->words))
		size = sizeof(ret->words);
	if (!ret->addr)
		size = 0;
	ret->n = target_read_some(t, ret->addr, ret->words, size) / 8;
	return NULL;
}

struct dbg_error *dac_table_hole(struct target *t,
				 const struct target_image *image,
				 uint64_t *ret)
{
	struct dbg_error *err;
	struct table table;

	err = table_read(t, image, &table);
	if (err)
		return err;
	size_t filled = table.n;
	while (filled && !table.words[filled - 1])
		filled--;
	*ret = filled < table.n ? table.addr + filled * 8 : 0;
	return NULL;
}

/* ---- Open and close -------------------------------------------------- */

static struct dbg_error *start(struct dac *d, com_fn *create)
{
	const uint64_t args[DAC_MAX_ARGS] = {
	    (uintptr_t)&d->data_target,
	    (uintptr_t)&d->process,
	};
	struct com_iid iid = IID_PROCESS;

	int32_t hr = dac_call_fn(d, create, &iid, args);
	if (hr == HR_NOT_STARTED) {
		d->process = NULL;
		return NULL;
	}
	if (hr < 0 || !d->process) {
		d->process = NULL;
		return dac_err(hr, "cannot inspect the runtime '%s'",
			       d->runtime_path);
	}
	d->sos = com_query(d->process, &IID_SOS);
	d->sos5 = com_query(d->process, &IID_SOS5);
	d->sos6 = com_query(d->process, &IID_SOS6);
	d->sos8 = com_query(d->process, &IID_SOS8);
	d->sos12 = com_query(d->process, &IID_SOS12);
	d->sos14 = com_query(d->process, &IID_SOS14);
	_cleanup_com_ void *sos16 = com_query(d->process, &IID_SOS16);
	d->learned.old_gc_info = !sos16;
	if (!d->sos)
		return dbg_err(DBG_E_RUNTIME,
			       "the DAC of '%s' lacks ISOSDacInterface",
			       d->runtime_path);
	return NULL;
}

static struct dbg_error *choose(struct target *t, const struct dac_runtime *rt,
				char **ret)
{
	const char *runtime;

	if (rt->dac) {
		*ret = xstrdup(rt->dac);
		return NULL;
	}
	struct dbg_error *err = target_image_place(t, rt->path, &runtime);
	if (err)
		return err;
	if (hostfile_is_foreign(t) && !rt->trust)
		return dac_find_ours(runtime, rt->hint, ret);
	*ret = xasprintf("%.*s%s", (int)(str_basename(runtime) - runtime),
			 runtime, dac_name);
	return dac_check_build(runtime, *ret);
}

static struct dbg_error *find_create(struct target *t,
				     const struct dac_runtime *rt, com_fn **ret)
{
	struct dbg_error *err;
	_cleanup_free_ char *path = NULL;
	void *handle = NULL;

	err = choose(t, rt, &path);
	if (!err)
		err = load(path, rt->trust, &handle);
	if (err)
		return err;
	*ret = (com_fn *)dlsym(handle, "CLRDataCreateInstance");
	return *ret ? NULL : dbg_err(DBG_E_RUNTIME, "'%s' is no DAC", path);
}

void dac_prepare(struct target *t, const struct dac_runtime *rt)
{
	com_fn *create;

	dbg_error_destroy(find_create(t, rt, &create));
}

struct dbg_error *dac_open(struct target *t, const struct dac_runtime *rt,
			   struct dac **ret, bool *ret_ready)
{
	struct dbg_error *err;
	const struct target_image image = {.path = rt->path, .base = rt->base};
	uint64_t hole;
	com_fn *create;

	err = dac_table_hole(t, &image, &hole);
	*ret_ready = false;
	if (err || hole)
		return err;
	err = find_create(t, rt, &create);
	if (err)
		return err;

	struct dac *d = xcalloc(1, sizeof(*d));
	d->target = t;
	d->runtime_path = xstrdup(rt->path);
	d->runtime_base = rt->base;
	d->scratch = xcalloc(DAC_SCRATCH_UNITS, sizeof(*d->scratch));
	d->facts = arena_create();
	d->threads.arena = arena_create();
	code_cache_init(&d->code);
	code_cache_init(&d->dynamic);
	data_target_init(&d->data_target, t, rt->base);
	d->limits.on = !target_memory_of(t);
	guard_install();
	err = start(d, create);
	if (err || !d->process) {
		dac_close(d);
		return err;
	}
	*ret_ready = true;
	*ret = d;
	return NULL;
}

void dac_close(struct dac *d)
{
	if (!d)
		return;
	com_release(&d->type_instance);
	com_release(&d->sos12);
	com_release(&d->sos8);
	com_release(&d->sos6);
	com_release(&d->sos14);
	com_release(&d->sos5);
	com_release(&d->sos);
	com_release(&d->process);
	code_cache_deinit(&d->dynamic);
	code_cache_deinit(&d->code);
	map_deinit(&d->types);
	map_deinit(&d->methods);
	dac_instances_deinit(&d->instances);
	map_deinit(&d->threads.by_tid);
	arena_destroy(d->threads.arena);
	map_deinit(&d->frame_kinds);
	map_deinit(&d->static_places);
	arena_destroy(d->facts);
	free(d->scratch);
	free(d->runtime_path);
	free(d);
}

uint64_t dac_word(struct dac *d, uint64_t addr)
{
	uint64_t word;

	return target_read_some(d->target, addr, &word, sizeof(word)) ==
		       sizeof(word)
		   ? word
		   : 0;
}

void dac_drop(struct dac *d)
{
	com_release(&d->type_instance);
	DAC_CALL(d, d->process, PROCESS_FLUSH);
	d->n_drops++;
}

void dac_flush(struct dac *d)
{
	dac_drop(d);
	code_cache_clear(&d->dynamic);
	d->instances.current = false;
	dac_threads_reset(&d->threads);
}

void dac_forget(struct dac *d)
{
	dac_flush(d);
	code_cache_clear(&d->code);
	map_clear(&d->types);
	map_clear(&d->methods);
	map_clear(&d->static_places);
	dac_instances_clear(&d->instances);
	arena_reset(d->facts);
}

uint64_t dac_calls(const struct dac *d)
{
	return d->n_calls;
}

/* ---- ThePreStub ------------------------------------------------------ */

/*
 * The first word of the table inside the executable segment is
 * DACNotifyCompilationFinished, the second ThePreStub, the third a label
 * behind its end (8.0.31, 9.0.20, 10.0.12).
 */
static uint64_t prestub_find(struct dac *d)
{
	const struct target_image image = {
	    .path = d->runtime_path,
	    .base = d->runtime_base,
	};
	uint64_t start, end;
	struct table table;
	struct dbg_error *err;

	err = table_read(d->target, &image, &table);
	if (!err && table.n)
		err = target_image_text(d->target, &image, &start, &end);
	if (err || !table.n) {
		dbg_error_destroy(err);
		return 0;
	}
	for (size_t i = 0; i + 2 < table.n; i++) {
		uint64_t stub = table.words[i + 1], label = table.words[i + 2];

		if (table.words[i] < start || table.words[i] >= end)
			continue;
		if (stub < start || stub >= end || label < stub + PRESTUB_MIN ||
		    label > stub + PRESTUB_MAX)
			return 0;
		return stub;
	}
	return 0;
}

uint64_t dac_prestub(struct dac *d)
{
	if (!d->learned.prestub_known) {
		d->learned.prestub = prestub_find(d);
		d->learned.prestub_known = true;
	}
	return d->learned.prestub;
}
