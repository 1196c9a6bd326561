#include "pdbfixture.h"

#include <string.h>
#include <zlib.h>

#include "base/mem.h"
#include "meta/md.h"

#define SIG(s) (s), sizeof(s) - 1

const uint8_t pdbfixture_id[20] = "0123456789abcdefSTMP";

static const uint8_t sha256[16] = {0x0f, 0xd0, 0x29, 0x88, 0xb8, 0x11,
				   0x13, 0x42, 0x87, 0x8b, 0x77, 0x0e,
				   0x85, 0x97, 0xac, 0x16};
// {0E8A571B-6926-466E-B4AD-8AB04611F5FE}
static const uint8_t source_kind[16] = {0x1b, 0x57, 0x8a, 0x0e, 0x26, 0x69,
					0x6e, 0x46, 0xb4, 0xad, 0x8a, 0xb0,
					0x46, 0x11, 0xf5, 0xfe};
// {6DA9A61E-F8C7-4874-BE62-68BC5630DF71}
static const uint8_t hoisted_kind[16] = {0x1e, 0xa6, 0xa9, 0x6d, 0xc7, 0xf8,
					 0x74, 0x48, 0xbe, 0x62, 0x68, 0xbc,
					 0x56, 0x30, 0xdf, 0x71};
// {54FD2AC5-E925-401A-9C2A-F94F171072F8}
static const uint8_t async_kind[16] = {0xc5, 0x2a, 0xfd, 0x54, 0x25, 0xe9,
				       0x1a, 0x40, 0x9c, 0x2a, 0xf9, 0x4f,
				       0x17, 0x10, 0x72, 0xf8};
// {ED9FDF71-8879-4747-8ED3-FE5EDE3CE710}
static const uint8_t tuple_kind[16] = {0x71, 0xdf, 0x9f, 0xed, 0x79, 0x88,
				       0x47, 0x47, 0x8e, 0xd3, 0xfe, 0x5e,
				       0xde, 0x3c, 0xe7, 0x10};

void pdbfixture_deflate(struct str *out, const void *p, size_t n)
{
	z_stream z = {.zalloc = NULL};
	char buf[65536];

	if (deflateInit2(&z, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY))
		return;
	z.next_in = (Bytef *)(uintptr_t)p;
	z.avail_in = (uInt)n;
	z.next_out = (Bytef *)buf;
	z.avail_out = sizeof(buf);
	if (deflate(&z, Z_FINISH) == Z_STREAM_END)
		str_addn(out, buf, sizeof(buf) - z.avail_out);
	deflateEnd(&z);
}

// A name of parts joined by '/'.
static uint32_t add_document(struct mdwriter *w, const char *dir,
			     const char *file, uint32_t algorithm)
{
	_cleanup_str_ struct str name = {NULL, 0, 0};

	str_addc(&name, '/');
	put_cuint(&name, 0);
	put_cuint(&name, mdwriter_blob(w, dir, strlen(dir)));
	put_cuint(&name, mdwriter_blob(w, file, strlen(file)));
	return mdwriter_row(w, MD_DOCUMENT, "2222",
			    mdwriter_blob(w, str_get(&name), name.len),
			    algorithm, mdwriter_blob(w, "HASH", 4), 0);
}

static void add_points(struct mdwriter *w)
{
	_cleanup_str_ struct str s = {NULL, 0, 0};

	// Method 1: no document of its own.
	put_cuint(&s, 0);
	put_cuint(&s, 1);
	// IL 0, 10:5-10:20
	put_cuint(&s, 0);
	put_cuint(&s, 0);
	put_cuint(&s, 15);
	put_cuint(&s, 10);
	put_cuint(&s, 5);
	// to document 2
	put_cuint(&s, 0);
	put_cuint(&s, 2);
	// IL 6, 300:9-302:3
	put_cuint(&s, 6);
	put_cuint(&s, 2);
	put_cint(&s, -6);
	put_cint(&s, 290);
	put_cint(&s, 4);
	mdwriter_row(w, MD_METHODDEBUGINFORMATION, "22", 0,
		     mdwriter_blob(w, str_get(&s), s.len));
	str_clear(&s);
	// Method 2: hidden, 20:1-20:2, hidden, 18:1-18:9
	put_cuint(&s, 3);
	put_cuint(&s, 0);
	put_cuint(&s, 0);
	put_cuint(&s, 0);
	put_cuint(&s, 1);
	put_cuint(&s, 0);
	put_cuint(&s, 1);
	put_cuint(&s, 20);
	put_cuint(&s, 1);
	put_cuint(&s, 200);
	put_cuint(&s, 0);
	put_cuint(&s, 0);
	put_cuint(&s, 4);
	put_cuint(&s, 0);
	put_cuint(&s, 8);
	put_cint(&s, -2);
	put_cint(&s, 0);
	mdwriter_row(w, MD_METHODDEBUGINFORMATION, "22", 1,
		     mdwriter_blob(w, str_get(&s), s.len));
	mdwriter_row(w, MD_METHODDEBUGINFORMATION, "22", 0, 0);
}

static void add_local(struct mdwriter *w, uint32_t attributes, uint32_t slot,
		      const char *name)
{
	mdwriter_row(w, MD_LOCALVARIABLE, "222", attributes, slot,
		     mdwriter_string(w, name));
}

static void add_scopes(struct mdwriter *w)
{
	// Method 2: a scope with x and a constant, in it one with y, z.
	mdwriter_row(w, MD_LOCALSCOPE, "222244", 2, 0, 1, 1, 0, 100);
	mdwriter_row(w, MD_LOCALSCOPE, "222244", 2, 0, 2, 2, 10, 20);
	mdwriter_row(w, MD_LOCALSCOPE, "222244", 3, 0, 4, 2, 0, 50);
	add_local(w, 0, 0, "x");
	add_local(w, 0, 3, "y");
	add_local(w, 1, 4, "z");
	add_local(w, 0, 0, "w");
	mdwriter_row(w, MD_LOCALCONSTANT, "22", mdwriter_string(w, "Limit"),
		     mdwriter_blob(w, SIG("\x08\x2a\0\0\0")));
	mdwriter_row(w, MD_STATEMACHINEMETHOD, "22", 3, 1);
}

static void add_custom(struct mdwriter *w)
{
	static const char text[] = "class C { }";
	_cleanup_str_ struct str s = {NULL, 0, 0};
	uint32_t source = mdwriter_guid(w, source_kind);
	uint32_t hoisted = mdwriter_guid(w, hoisted_kind);
	uint32_t async = mdwriter_guid(w, async_kind);
	uint32_t tuple = mdwriter_guid(w, tuple_kind);

	put_le(&s, 0, 4);
	put_le(&s, 50, 4);
	put_le(&s, 7, 4);
	put_le(&s, 9, 4);
	mdwriter_row(w, MD_CUSTOMDEBUGINFORMATION, "222", 3 << 5, hoisted,
		     mdwriter_blob(w, str_get(&s), s.len));
	str_clear(&s);
	put_le(&s, 0, 4);
	put_le(&s, 20, 4);
	put_le(&s, 24, 4);
	put_cuint(&s, 3);
	put_le(&s, 60, 4);
	put_le(&s, 64, 4);
	put_cuint(&s, 200);
	mdwriter_row(w, MD_CUSTOMDEBUGINFORMATION, "222", 3 << 5, async,
		     mdwriter_blob(w, str_get(&s), s.len));
	// Documents are tag 22: one source packed, one as it is.
	str_clear(&s);
	put_le(&s, sizeof(text) - 1, 4);
	pdbfixture_deflate(&s, text, sizeof(text) - 1);
	mdwriter_row(w, MD_CUSTOMDEBUGINFORMATION, "222", 1 << 5 | 22, source,
		     mdwriter_blob(w, str_get(&s), s.len));
	str_clear(&s);
	put_le(&s, 0, 4);
	str_add(&s, "plain");
	mdwriter_row(w, MD_CUSTOMDEBUGINFORMATION, "222", 2 << 5 | 22, source,
		     mdwriter_blob(w, str_get(&s), s.len));
	// LocalVariable 2
	mdwriter_row(w, MD_CUSTOMDEBUGINFORMATION, "222", 2 << 5 | 24, tuple,
		     mdwriter_blob(w, SIG("first\0\0third")));
}

struct bytes pdbfixture_build(void)
{
	struct mdwriter w;

	mdwriter_init(&w);
	w.pdb = true;
	memcpy(w.pdb_id, pdbfixture_id, 20);
	w.external[MD_METHODDEF] = 3;
	uint32_t algorithm = mdwriter_guid(&w, sha256);
	add_document(&w, "home/me", "a.cs", algorithm);
	add_document(&w, "home/me", "b.cs", 0);
	add_points(&w);
	add_scopes(&w);
	add_custom(&w);
	w.sorted = UINT64_C(1) << MD_LOCALSCOPE | UINT64_C(1)
						      << MD_STATEMACHINEMETHOD;
	struct bytes b = mdwriter_build(&w);
	mdwriter_deinit(&w);
	return b;
}
