/* ELF files: the C library's as the dynamic linker sees it; broken ones. */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "target/elf.h"
#include "target/elf/imagefile.h"
#include "target/proc.h"
#include "target/symtab.h"
#include "targetfixture.h"

struct libc {
	void *handle;
	uint64_t bias, base;
	char *path;
	struct file file;
	struct elf elf;
};

static int setup(void **state)
{
	struct libc *libc = calloc(1, sizeof(*libc));
	struct link_map *map;

	libc->handle = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
	assert_non_null(libc->handle);
	assert_int_equal(dlinfo(libc->handle, RTLD_DI_LINKMAP, &map), 0);
	libc->path = realpath(map->l_name, NULL);
	must(file_load(libc->path, 1 << 30, &libc->file));
	must(elf_parse(libc->file.bytes, &libc->elf));
	libc->bias = map->l_addr;
	libc->base = libc->bias + elf_base(&libc->elf);
	*state = libc;
	return 0;
}

static uint64_t real_addr(const struct libc *libc, const char *name)
{
	return (uint64_t)dlsym(libc->handle, name);
}

static int teardown(void **state)
{
	struct libc *libc = *state;

	file_unload(&libc->file);
	dlclose(libc->handle);
	free(libc->path);
	free(libc);
	return 0;
}

static void test_symbols(void **state)
{
	static const char *const names[] = {"qsort", "getpid", "stdout",
					    "strtoull", "environ"};
	struct libc *libc = *state;
	struct elf_symbol symbol;
	uint64_t bias = libc->bias;

	assert_int_equal(libc->elf.machine, EM_X86_64);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_true(elf_symbol_find(&libc->elf, names[i], &symbol));
		assert_string_equal(symbol.name, names[i]);
		assert_int_equal(symbol.addr + bias, real_addr(libc, names[i]));
	}
	assert_false(elf_symbol_find(&libc->elf, "no_such_function", &symbol));
	// Imported, not defined.
	assert_false(elf_symbol_find(&libc->elf, "__tls_get_addr", &symbol));
	assert_false(elf_symbol_find(&libc->elf, "", &symbol));
}

static void test_symbol_at(void **state)
{
	struct libc *libc = *state;
	struct elf_symbol symbol;
	struct symtab all = {0};
	uint64_t addr = real_addr(libc, "strtoull") - libc->bias;

	symtab_add(&all, &libc->elf);
	assert_true(elf_symbol_find(&libc->elf, "qsort", &symbol));
	for (uint64_t off = 0; off < symbol.size; off++) {
		const struct elf_symbol *at =
		    symtab_at(&all, symbol.addr + off);

		assert_non_null(at);
		assert_true(at->addr <= symbol.addr + off);
		assert_true(at->addr + at->size > symbol.addr + off);
	}
	const struct elf_symbol *at = symtab_at(&all, addr);
	assert_non_null(at);
	assert_int_equal(at->addr, addr);
	// Of the names of one address the plainest.
	addr = real_addr(libc, "poll") - libc->bias;
	assert_string_equal(symtab_at(&all, addr)->name, "poll");
	assert_null(symtab_at(&all, 0));
	assert_null(symtab_at(&all, UINT64_MAX));
	symtab_deinit(&all);
}

// Symbols without a size, one of them the last.
static void test_symbol_unsized(void **state)
{
	struct elf_symbol v[4] = {{.addr = 0x1000, .size = 0x10},
				  {.addr = 0x1020},
				  {.addr = 0x1020},
				  {.addr = 0x1040}};
	const struct symtab all = {.v = v, .n = 4};
	(void)state;

	assert_ptr_equal(symtab_at(&all, 0x100f), &v[0]);
	assert_null(symtab_at(&all, 0x1010));
	assert_ptr_equal(symtab_at(&all, 0x103f), &v[2]);
	// not that before it either, which has ended there
	assert_null(symtab_at(&all, 0x1050));
}

__attribute__((format(printf, 1, 2))) static void shell(const char *fmt, ...)
{
	va_list ap;
	char *line;

	va_start(ap, fmt);
	assert_true(vasprintf(&line, fmt, ap) > 0);
	va_end(ap);
	assert_int_equal(system(line), 0);
	free(line);
}

static const char *name_of(const struct elf *elf, uint64_t addr)
{
	struct symtab all = {0};

	symtab_add(&all, elf);
	const struct elf_symbol *at = symtab_at(&all, addr);
	const char *name = at ? at->name : NULL;
	symtab_deinit(&all);
	return name;
}

static void test_debug_file(void **state)
{
	char dir[] = "/tmp/dndbg-elf-XXXXXX";
	uint64_t addr = 0;
	struct file file, debug_file;
	struct elf elf, debug;
	char *path;
	(void)state;

	assert_non_null(mkdtemp(dir));
	shell("objcopy --only-keep-debug %s %s/full.debug", run_self(), dir);
	shell("cd %s && objcopy -S --add-gnu-debuglink=full.debug %s bare", dir,
	      run_self());
	assert_true(asprintf(&path, "%s/bare", dir) > 0);
	must(file_load(run_self(), 1 << 30, &file));
	must(elf_parse(file.bytes, &elf));
	// A static function: only .symtab knows it.
	addr = (uint64_t)name_of - (uint64_t)getauxval(AT_PHDR) +
	       elf.segments[0].addr;
	assert_string_equal(name_of(&elf, addr), "name_of");
	file_unload(&file);
	must(file_load(path, 1 << 30, &file));
	must(elf_parse(file.bytes, &elf));
	assert_int_equal(elf.all_symbols.n, 0);
	assert_string_equal(elf.debug_link, "full.debug");
	assert_true(debugfile_find(&elf, "", path, &debug_file, &debug));
	assert_string_equal(name_of(&debug, addr), "name_of");
	file_unload(&debug_file);
	// Another build's file is not taken.
	shell("cp /bin/true %s/full.debug", dir);
	assert_false(debugfile_find(&elf, "", path, &debug_file, &debug));
	file_unload(&file);
	shell("rm -r %s", dir);
	free(path);
}

static void test_text(void **state)
{
	struct libc *libc = *state;
	uint64_t bias = libc->bias;
	uint64_t start, end, addr = real_addr(libc, "qsort");

	assert_true(elf_text(&libc->elf, &start, &end));
	assert_true(addr >= start + bias && addr < end + bias);
}

// What the linker has mapped of the notes, for comparison.
static int find_id(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct libc *libc = arg;

	(void)size;
	if (info->dlpi_addr != libc->bias)
		return 0;
	struct bytes id = elf_build_id(&libc->elf);
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type == PT_NOTE &&
		    memmem((void *)(info->dlpi_addr + ph->p_vaddr), ph->p_memsz,
			   id.p, id.n))
			return 1;
	}
	return 0;
}

static void test_build_id(void **state)
{
	struct libc *libc = *state;

	assert_int_equal(elf_build_id(&libc->elf).n, 20);
	assert_int_equal(dl_iterate_phdr(find_id, libc), 1);
}

// By its sections alone, as a file stripped of PT_DYNAMIC would be.
static void test_sections(void **state)
{
	struct libc *libc = *state;
	struct elf elf;
	struct elf_symbol a, b;
	size_t n = libc->file.bytes.n;
	uint8_t *copy = malloc(n);

	memcpy(copy, libc->file.bytes.p, n);
	Elf64_Ehdr *header = (Elf64_Ehdr *)copy;
	Elf64_Phdr *ph = (Elf64_Phdr *)(copy + header->e_phoff);
	for (size_t i = 0; i < header->e_phnum; i++)
		if (ph[i].p_type == PT_DYNAMIC)
			ph[i].p_type = PT_NULL;
	must(elf_parse((struct bytes){copy, n}, &elf));
	assert_int_equal(elf.symbols.n, libc->elf.symbols.n);
	assert_true(elf_symbol_find(&elf, "qsort", &a));
	assert_true(elf_symbol_find(&libc->elf, "qsort", &b));
	assert_int_equal(a.addr, b.addr);
	header->e_shoff = 0;
	must(elf_parse((struct bytes){copy, n}, &elf));
	assert_false(elf_symbol_find(&elf, "qsort", &a));
	free(copy);
}

static void exercise(struct bytes file)
{
	struct elf elf;
	struct elf_symbol symbol;
	uint64_t start, end;
	struct dbg_error *err = elf_parse(file, &elf);

	if (dbg_err_drop(err))
		return;
	elf_symbol_find(&elf, "qsort", &symbol);
	struct symtab all = {0};
	symtab_add(&all, &elf);
	symtab_at(&all, 0x30000);
	symtab_deinit(&all);
	elf_text(&elf, &start, &end);
	elf_build_id(&elf);
}

// Cut off anywhere: the bytes behind are not ours to read.
static void test_truncated(void **state)
{
	struct libc *libc = *state;
	size_t whole = libc->file.bytes.n;

	for (size_t n = 0; n < whole; n += n < 1024 ? 1 : n / 7) {
		uint8_t *copy = malloc(n ? n : 1);

		memcpy(copy, libc->file.bytes.p, n);
		exercise((struct bytes){copy, n});
		free(copy);
	}
}

static void test_headers(void **state)
{
	uint8_t head[64] = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1};
	struct bytes file = {head, sizeof(head)};
	uint16_t machine;
	struct elf elf;

	(void)state;
	head[18] = EM_AARCH64;
	must(elf_machine(file, &machine));
	assert_int_equal(machine, EM_AARCH64);
	must(elf_parse(file, &elf));
	head[5] = ELFDATA2MSB;
	head[18] = 0;
	head[19] = EM_S390;
	must(elf_machine(file, &machine));
	assert_int_equal(machine, EM_S390);
	must_fail(elf_parse(file, &elf), DBG_E_FORMAT, "not a 64-bit");
	head[4] = ELFCLASS32;
	head[5] = ELFDATA2LSB;
	must_fail(elf_parse(file, &elf), DBG_E_FORMAT, "not a 64-bit");
	head[4] = ELFCLASS64;
	head[56] = 200; // program headers
	head[54] = 56;
	must_fail(elf_parse(file, &elf), DBG_E_FORMAT, "program headers");
	head[56] = 2;
	must_fail(elf_parse(file, &elf), DBG_E_FORMAT, "program headers");
	head[0] = '#';
	must_fail(elf_machine(file, &machine), DBG_E_FORMAT, "not an ELF");
	must_fail(elf_machine((struct bytes){head, 3}, &machine), DBG_E_FORMAT,
		  "not an ELF");
}

/* ---- Mappings -------------------------------------------------------- */

static void test_maps(void **state)
{
	struct proc_maps maps;
	char *text =
	    xstrdup("7f0000001000-7f0000002000 r-xs 00020000 00:01 1234     "
		    "               /memfd:doublemapper (deleted)\n"
		    "garbage\n"
		    "7f0000002000-7f0000003000 r-xp 00000000 08:01 7 "
		    "/lib/libc.so.6 (deleted)\n"
		    "7f0000003000-7f0000002000 r-xp 00000000 00:00 0 \n"
		    "7f0000004000-7f0000005000 rw-p 00000000 00:00 0 \n"
		    "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 "
		    "                 [vsyscall]");

	(void)state;
	proc_maps_parse(text, &maps);
	assert_int_equal(maps.n, 4);
	assert_true(maps.v[0].shared && maps.v[0].exec && !maps.v[0].write);
	assert_int_equal(maps.v[0].offset, 0x20000);
	assert_int_equal(maps.v[0].inode, 1234);
	assert_string_equal(maps.v[0].path, "/memfd:doublemapper (deleted)");
	assert_string_equal(maps.v[1].path, "/lib/libc.so.6");
	assert_true(maps.v[1].deleted && !maps.v[0].deleted);
	assert_string_equal(maps.v[2].path, "");
	assert_string_equal(maps.v[3].path, "[vsyscall]");
	assert_ptr_equal(proc_maps_find(&maps, 0x7f0000004fff), &maps.v[2]);
	assert_null(proc_maps_find(&maps, 0x7f0000005000));
	assert_null(proc_maps_find(&maps, 0));
	proc_maps_deinit(&maps);
}

static void test_own_maps(void **state)
{
	struct proc_maps maps;
	struct libc *libc = *state;

	must(proc_maps_load(getpid(), &maps));
	const struct proc_map *map = proc_maps_find(&maps, libc->base);
	assert_non_null(map);
	assert_string_equal(map->path, libc->path);
	assert_int_equal(map->start, libc->base);
	proc_maps_deinit(&maps);
}

/* ---- Images of a process --------------------------------------------- */

static void test_images(void **state)
{
	struct bytes file;
	struct libc *libc = *state;
	struct arena *arena = arena_create();
	struct target_image image, same;
	struct run run;
	uint64_t addr, start, end, off;
	const char *name;
	bool found;

	run_start(&run, "exit", "4");
	must(target_image_main(run.t, arena, &image));
	assert_string_equal(image.path, run_self());
	must(target_r_brk(run.t, &addr));
	assert_int_equal(addr, 0);
	must(target_image_find(run.t, "libc.so.6", arena, &image, &found));
	assert_false(found);
	must(target_entry(run.t, &addr));
	run_arm(&run, addr);
	must(target_resume_all(run.t));
	run_until(&run, TARGET_TRAP);
	assert_int_equal(run.last.addr, addr);
	must(target_image_main(run.t, arena, &image));
	must(target_image_text(run.t, &image, &start, &end));
	assert_true(addr >= start && addr < end);
	assert_true(start >= image.base && end <= image.end);
	must(target_r_brk(run.t, &addr));
	must(target_image_at(run.t, addr, arena, &image, &name, &off, &found));
	assert_true(found);
	assert_string_equal(name, "_dl_debug_state");
	assert_int_equal(off, 0);
	must(target_image_find(run.t, "libc.so", arena, &image, &found));
	assert_true(found);
	must(target_symbol(run.t, &image, "strtoull", &addr));
	assert_int_equal(addr - image.base,
			 real_addr(libc, "strtoull") - libc->base);
	must(target_image_at(run.t, addr + 1, arena, &same, &name, &off,
			     &found));
	assert_true(found);
	assert_int_equal(off, 1);
	assert_int_equal(same.base, image.base);
	assert_int_equal(same.end, image.end);
	must(target_symbol(run.t, &image, "no_such_function", &addr));
	assert_int_equal(addr, 0);
	must(target_image_at(run.t, 16, arena, &same, &name, &off, &found));
	assert_false(found);
	must(target_image_place(run.t, image.path, &name, &file));
	assert_string_equal(name, image.path);
	assert_true(file.n > 64 && !memcmp(file.p, ELFMAG, SELFMAG));
	run_to_exit(&run, 4);
	run_end(&run);
	arena_destroy(arena);
}

static void test_file_machine(void **state)
{
	uint16_t machine;

	(void)state;
	must(target_file_machine(run_self(), &machine));
	assert_int_equal(machine, EM_X86_64);
	must_fail(target_file_machine("/nonexistent", &machine), DBG_E_FILE,
		  "cannot open '/nonexistent'");
	must_fail(target_file_machine("/etc/passwd", &machine), DBG_E_FORMAT,
		  "not an ELF file");
	must_fail(target_file_machine("/usr", &machine), DBG_E_FILE, "'/usr'");
}

static int alone(int n)
{
	return n + 41;
}

static int folded(int n)
{
	return n * 3;
}

static const struct named_function {
	const char *name;
	int (*fn)(int);
} functions[] = {
    {"TableAlone", alone},
    {"TableFirst", folded},
    {"TableSecond", folded},
    {"TableAlone", alone},
};

static void test_table(void **state)
{
	(void)state;
	const struct named_function *volatile table = functions;
	uint64_t found[TARGET_OVERLOADS];
	struct file file;
	struct elf_table all;
	struct elf elf;

	assert_int_equal(table[0].fn(1) + table[1].fn(1), 45);
	must(file_load("/proc/self/exe", 1 << 30, &file));
	must(elf_parse(file.bytes, &elf));
	elf_table_read(&elf, &all);
	elf_table_find(&elf, &all, "TableAlone", found);
	assert_true(found[0] && found[0] == found[1] && !found[2]);
	elf_table_find(&elf, &all, "TableFirst", found);
	assert_false(found[0]);
	elf_table_find(&elf, &all, "TableSecond", found);
	assert_false(found[0]);
	elf_table_deinit(&all);
	file_unload(&file);
}

/* Data of a file as the linker has it in memory, and none behind its end. */
static void test_data(void **state)
{
	(void)state;
	static const char constant[] = "one of this test's constants";
	struct named_function read[sizeof(functions) / sizeof(*functions)];
	struct file file;
	struct elf elf;

	must(file_load("/proc/self/exe", 1 << 30, &file));
	must(elf_parse(file.bytes, &elf));
	uint64_t bias = getauxval(AT_ENTRY) - elf.entry;
	uint64_t linked = (uintptr_t)functions - bias;

	assert_int_equal(elf_data_read(&elf, linked, bias, read, sizeof(read)),
			 sizeof(read));
	assert_memory_equal(read, functions, sizeof(read));
	assert_non_null(memmem(elf.constants.p, elf.constants.n, constant,
			       sizeof(constant)));
	/* a pointer that is cut off is not filled in beyond that */
	memset(read, 0, sizeof(read));
	assert_int_equal(elf_data_read(&elf, linked, bias, read, 7), 7);
	assert_int_equal(((const char *)read)[7], 0);
	assert_null(read[0].fn);
	assert_int_equal(elf_data_read(&elf, UINT64_MAX - 8, bias, read, 16),
			 0);
	file_unload(&file);
}

int main(int argc, char **argv)
{
	fixture_enter(argc, argv);
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_table),
	    cmocka_unit_test(test_data),
	    cmocka_unit_test(test_symbols),
	    cmocka_unit_test(test_symbol_at),
	    cmocka_unit_test(test_symbol_unsized),
	    cmocka_unit_test(test_debug_file),
	    cmocka_unit_test(test_text),
	    cmocka_unit_test(test_build_id),
	    cmocka_unit_test(test_sections),
	    cmocka_unit_test(test_truncated),
	    cmocka_unit_test(test_headers),
	    cmocka_unit_test(test_maps),
	    cmocka_unit_test(test_own_maps),
	    cmocka_unit_test(test_images),
	    cmocka_unit_test(test_file_machine),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
