/* Declarations shared by the files that make C# names. */
#ifndef META_CSNAME_PRIV_H
#define META_CSNAME_PRIV_H

#include "meta/csname.h"

struct arena;

/*
 * The longest name that is made: longer ones, which only hostile metadata has,
 * are cut off.
 */
enum {
	CSNAME_MAX = 8192
};

struct namer {
	const struct md *md;
	uint32_t context; /* MethodDef or TypeDef that names VAR, MVAR */
	const struct csname_args *args; /* never NULL */
	struct arena *tmp;
	struct str *out;
	size_t limit; /* of out->len */
};

/* An arena of the namer's own: pair with namer_deinit. */
void namer_init(struct namer *n, const struct md *md, uint32_t context,
		const struct csname_args *args, struct str *out);
void namer_deinit(struct namer *n);

bool namer_full(const struct namer *n);
void namer_put(struct namer *n, const char *text);
void namer_putn(struct namer *n, const char *text, size_t len);

/*
 * Append the C# form of the type with metadata name @full ("Ns.A`1+B`1").
 * @args are printed in order; without them the brackets stay empty. @sugar:
 * write int? and (int, string).
 */
void namer_put_instance(struct namer *n, const char *full,
			const char *const *args, size_t n_args, bool sugar);
void namer_put_sig(struct namer *n, const struct sig_type *type);
/* TypeDef, TypeRef or TypeSpec. */
void namer_put_type(struct namer *n, uint32_t token, bool sugar);
/* "<a, b>", nothing for none. */
void namer_put_list(struct namer *n, const char *const *args, size_t n_args);

/* Number of generic parameters of a TypeDef or MethodDef. */
uint32_t csname_n_generic(const struct md *md, uint32_t owner);

/*
 * The pieces of a compiler-made name "<inner>Krest": kind K, what follows.
 * False for a name of another form.
 */
struct made_name {
	const char *inner;
	size_t inner_len;
	char kind;
	const char *rest;
};

#endif
