/*
 * seeds DIR: write the seed corpora of the fuzz targets of the meta room below
 * DIR, from the fixtures of the unit tests. Run by scripts/make-corpus.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "mdfixture.h"
#include "pdbfixture.h"

enum {
	METHODS = 36,
	METHOD_BYTES = 10 + 4 * 5, /* four changes */
};

static void save(const char *dir, const char *target, const char *name,
		 struct bytes b)
{
	char *path = xasprintf("%s/%s", dir, target);

	mkdir(path, 0777);
	free(path);
	path = xasprintf("%s/%s/%s", dir, target, name);
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(b.p, 1, b.n, f) != b.n || fclose(f)) {
		perror(path);
		exit(1);
	}
	free(path);
}

static struct bytes of_str(const struct str *s)
{
	return (struct bytes){(const uint8_t *)s->s, s->len};
}

static void save_text(const char *dir, const char *target, const char *name,
		      const char *text, size_t n)
{
	save(dir, target, name, (struct bytes){(const uint8_t *)text, n});
}

static void save_pe(const char *dir, struct bytes metadata, struct bytes pdb)
{
	_cleanup_str_ struct str embedded = {NULL, 0, 0};
	struct pewriter w;

	pewriter_init(&w, metadata);
	pewriter_codeview(&w, pdbfixture_id, "t.pdb");
	str_add(&embedded, "MPDB");
	put_le(&embedded, pdb.n, 4);
	pdbfixture_deflate(&embedded, pdb.p, pdb.n);
	pewriter_debug(&w, 17, 0, 0x100, &embedded);
	str_add(&w.bodies, "\x0a\x2a\x2a");
	struct bytes image = pewriter_build(&w);
	save(dir, "pe", "pe32", image);
	free((void *)(uintptr_t)image.p);
	w.pe64 = true;
	image = pewriter_build(&w);
	save(dir, "pe", "pe64", image);
	free((void *)(uintptr_t)image.p);
	pewriter_native(&w);
	image = pewriter_build(&w);
	save(dir, "pe", "native", image);
	free((void *)(uintptr_t)image.p);
	pewriter_deinit(&w);
}

// One instruction of each kind of operand, tokens of each table.
static void save_il(const char *dir, const struct mdfixture *f)
{
	static const uint8_t tables[] = {0x01, 0x02, 0x04, 0x06,
					 0x0a, 0x11, 0x1b, 0x2b};
	_cleanup_str_ struct str s = {NULL, 0, 0};
	struct str code = {NULL, 0, 0};

	str_addn(&code, "\x20\x01\x02\x03\x04\x1f\xff\x2b\xfe\xfe\x01", 11);
	str_addn(&code, "\x45\x01\x00\x00\x00\x02\x00\x00\x00\x72", 10);
	put_le(&code, 0x70000000 | f->hello, 4);
	for (size_t i = 0; i < sizeof(tables); i++)
		for (uint32_t rid = 1; rid < 4; rid++) {
			str_addc(&code, 0x28);
			put_le(&code, (uint32_t)tables[i] << 24 | rid, 4);
		}
	put_le(&s, f->bytes.n, 2);
	str_addn(&s, (const char *)f->bytes.p, f->bytes.n);
	put_le(&s, 0x3013, 2);
	put_le(&s, 8, 2);
	put_le(&s, code.len, 4);
	put_le(&s, 0x11000001, 4);
	str_addn(&s, code.s, code.len);
	save(dir, "il", "body", of_str(&s));
	str_deinit(&code);
}

static void save_names(const char *dir)
{
	static const char *const names[] = {
	    "System.Collections.Generic.Dictionary`2+Enumerator[[System."
	    "Int32, System.Private.CoreLib],[A[,][], b]]&",
	    "System.ValueTuple`8[[A],[B],[C],[D],[E],[F],[G],[System."
	    "ValueTuple`1[[H]]]]",
	    "<<Main>$>g__Local|0_0",
	    "$VB$ResumableLocal_i$1",
	};
	char name[16];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(name, sizeof(name), "name%zu", i);
		save_text(dir, "csname", name, names[i], strlen(names[i]));
	}
}

static void save_sigs(const char *dir)
{
	static const struct {
		const char *bytes;
		size_t n;
	} sigs[] = {
	    {"\x30\x01\x02\x1e\x00\x1f\x05\x10\x0e\x1d\x1c", 11},
	    {"\x06\x15\x11\x09\x02\x12\x05\x08", 8},
	    {"\x07\x03\x45\x10\x05\x08\x11\x08", 8},
	    {"\x0a\x02\x0e\x13\x01", 5},
	    {"\x14\x08\x03\x01\x05\x02\x7f\x00", 8},
	    {"\x1b\x09\x01\x01\x0f\x01", 6},
	};
	char name[16];

	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++) {
		snprintf(name, sizeof(name), "sig%zu", i);
		save_text(dir, "sig", name, sigs[i].bytes, sigs[i].n);
	}
}

static void save_hosts(const char *dir)
{
	static const char run[] = "dotnet\0exec\0--depsfile\0a.json\0app.dll";
	static const char sdk[] = "dotnet\0/usr/sdk/9.0.1/MSBuild.dll\0-m";
	uint8_t info[112] = "DotNetRuntimeInfo";

	save_text(dir, "program", "exec", run, sizeof(run));
	save_text(dir, "program", "sdk", sdk, sizeof(sdk));
	info[20] = 2;  // version
	info[48] = 20; // length of the DAC's build id
	save(dir, "runtimeinfo", "info", (struct bytes){info, sizeof(info)});
}

static void put_entry(struct str *s, uint64_t size, uint64_t packed,
		      const char *name)
{
	put_le(s, 40, 8);
	put_le(s, size, 8);
	put_le(s, packed, 8);
	str_addc(s, 1); // an assembly
	str_addc(s, (char)strlen(name));
	str_add(s, name);
}

static void save_bundle(const char *dir)
{
	struct str s = {NULL, 0, 0};

	put_le(&s, 6, 4);
	put_le(&s, 0, 4);
	put_le(&s, 2, 4);
	str_addn(&s, "\x02id", 3);
	for (int i = 0; i < 5; i++)
		put_le(&s, 0, 8);
	put_entry(&s, 8, 0, "A.dll");
	put_entry(&s, 16, 6, "B.dll");
	save(dir, "appbundle", "two", of_str(&s));
	str_deinit(&s);
}

/* Any bytes choose a method and changes of it; these are long enough. */
static void save_methods(const char *dir)
{
	uint32_t x = 1;
	char name[16], bytes[METHOD_BYTES];

	for (size_t i = 0; i < METHODS; i++) {
		for (size_t k = 0; k < sizeof(bytes); k++) {
			x = x * 1664525 + 1013904223;
			bytes[k] = (char)(x >> 24);
		}
		snprintf(name, sizeof(name), "method%02zu", i);
		save_text(dir, "method", name, bytes, sizeof(bytes));
	}
}

int main(int argc, char **argv)
{
	struct mdfixture f;

	if (argc != 2)
		return 2;
	mdfixture_init(&f);
	struct bytes pdb = pdbfixture_build();
	save(argv[1], "md", "assembly", f.bytes);
	save(argv[1], "md", "pdb", pdb);
	save(argv[1], "csname", "assembly", f.bytes);
	save(argv[1], "pdb", "pdb", pdb);
	save_pe(argv[1], f.bytes, pdb);
	save_il(argv[1], &f);
	save_names(argv[1]);
	save_sigs(argv[1]);
	save_hosts(argv[1]);
	save_bundle(argv[1]);
	save_methods(argv[1]);
	free((void *)(uintptr_t)pdb.p);
	mdfixture_deinit(&f);
	return 0;
}
