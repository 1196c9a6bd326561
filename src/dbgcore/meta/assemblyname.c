/*
 * Names of assemblies. The token of a public key is the end of its SHA-1
 * (II.6.2.1.3), read backwards.
 */
#include "meta/assemblyname.h"

#include <inttypes.h>
#include <string.h>

enum {
	COLUMN_MAJOR = 1,
	N_VERSION = 4,
	COLUMN_KEY = 6,
	COLUMN_NAME = 7,
	COLUMN_CULTURE = 8,
	TOKEN_SIZE = 8,
	HASH_SIZE = 20,
	BLOCK_SIZE = 64,
	LENGTH_SIZE = 8,
	N_ROUNDS = 80,
};

/* ---- SHA-1, FIPS 180-4 ------------------------------------------------- */

static uint32_t rotate(uint32_t v, int by)
{
	return v << by | v >> (32 - by);
}

static uint32_t round_value(int k, uint32_t b, uint32_t c, uint32_t d)
{
	static const uint32_t constants[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc,
					     0xca62c1d6};
	uint32_t mixed = b ^ c ^ d;
	if (k < 20)
		mixed = (b & c) | (~b & d);
	else if (k >= 40 && k < 60)
		mixed = (b & c) | (b & d) | (c & d);
	return mixed + constants[k / 20];
}

static void hash_block(uint32_t h[5], const uint8_t *p)
{
	uint32_t w[N_ROUNDS], v[5];
	for (int k = 0; k < 16; k++)
		w[k] = (uint32_t)p[4 * k] << 24 | (uint32_t)p[4 * k + 1] << 16 |
		       (uint32_t)p[4 * k + 2] << 8 | p[4 * k + 3];
	for (int k = 16; k < N_ROUNDS; k++)
		w[k] = rotate(w[k - 3] ^ w[k - 8] ^ w[k - 14] ^ w[k - 16], 1);
	memcpy(v, h, sizeof(v));
	for (int k = 0; k < N_ROUNDS; k++) {
		uint32_t next = rotate(v[0], 5) +
				round_value(k, v[1], v[2], v[3]) + v[4] + w[k];
		memmove(v + 1, v, 4 * sizeof(*v));
		v[0] = next;
		v[2] = rotate(v[2], 30);
	}
	for (int k = 0; k < 5; k++)
		h[k] += v[k];
}

static void sha1(struct bytes data, uint8_t ret[HASH_SIZE])
{
	uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476,
			 0xc3d2e1f0};
	uint8_t end[2 * BLOCK_SIZE] = {0};
	size_t whole = data.n - data.n % BLOCK_SIZE, rest = data.n - whole;
	size_t size =
	    rest + 1 + LENGTH_SIZE > BLOCK_SIZE ? 2 * BLOCK_SIZE : BLOCK_SIZE;
	for (size_t at = 0; at < whole; at += BLOCK_SIZE)
		hash_block(h, data.p + at);
	if (rest)
		memcpy(end, data.p + whole, rest);
	end[rest] = 0x80;
	for (size_t k = 0; k < LENGTH_SIZE; k++)
		end[size - 1 - k] = (uint8_t)((uint64_t)data.n * 8 >> 8 * k);
	for (size_t at = 0; at < size; at += BLOCK_SIZE)
		hash_block(h, end + at);
	for (size_t k = 0; k < HASH_SIZE; k++)
		ret[k] = (uint8_t)(h[k / 4] >> (24 - 8 * (k % 4)));
}

/* ---- Names ------------------------------------------------------------- */

const char *assembly_simple_name(const struct md *md)
{
	return md_rows(md, MD_ASSEMBLY)
		   ? md_col_string(md, MD_ASSEMBLY, 1, COLUMN_NAME)
		   : "";
}

/* The token as it is written, a big-endian number; 0: there is no key. */
static uint64_t key_token(const struct md *md)
{
	uint8_t hash[HASH_SIZE];
	uint64_t token = 0;
	struct bytes key = {0};
	if (md_rows(md, MD_ASSEMBLY))
		key = md_col_blob(md, MD_ASSEMBLY, 1, COLUMN_KEY);
	if (!key.n)
		return 0;
	sha1(key, hash);
	for (size_t k = 1; k <= TOKEN_SIZE; k++)
		token = token << 8 | hash[HASH_SIZE - k];
	return token;
}

void assembly_display_name(const struct md *md, struct str *out)
{
	str_add(out, assembly_simple_name(md));
	if (!md_rows(md, MD_ASSEMBLY))
		return;
	for (int k = 0; k < N_VERSION; k++)
		str_addf(out, "%s%u", k ? "." : ", Version=",
			 md_col(md, MD_ASSEMBLY, 1, COLUMN_MAJOR + k));
	const char *culture = md_col_string(md, MD_ASSEMBLY, 1, COLUMN_CULTURE);
	str_addf(out, ", Culture=%s, PublicKeyToken=",
		 *culture ? culture : "neutral");
	uint64_t token = key_token(md);
	if (token)
		str_addf(out, "%016" PRIx64, token);
	else
		str_add(out, "null");
}

bool assembly_is_framework(const struct md *md)
{
	// Arcade's StrongName.targets: the keys that .NET's repositories use
	static const uint64_t tokens[] = {
	    0xb77a5c561934e089, // of the standard: ECMA-335, II.6.2.1.3
	    0x7cec85d7bea7798e, // System.Private.CoreLib and its kin
	    0xb03f5f7f11d50a3a, // Microsoft
	    0xcc7b13ffcd2ddd51, // Open
	    0xadb9793829ddae60, // ASP.NET Core and its libraries
	    0x31bf3856ad364e35, // Microsoft, shared
	};
	uint64_t token = key_token(md);
	for (size_t k = 0; k < sizeof(tokens) / sizeof(tokens[0]); k++)
		if (token == tokens[k])
			return true;
	return false;
}
