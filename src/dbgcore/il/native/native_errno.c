/*
 * Natives: errors of the system, which the library has by numbers of its own
 * (Interop.Error, the same on each system), and their texts.
 */
#include <errno.h>
#include <netdb.h>
#include <string.h>

#include "il/machine/vm_priv.h"
#include "il/native/native_type.h"

enum {
	ERROR_FIRST = 0x10000,
	ERROR_UNKNOWN = 0x1ffff, // ENONSTANDARD
	// No errors of the system; their numbers there are less than 0.
	ERROR_HOST = 0x20001,   // EHOSTNOTFOUND
	ERROR_SOCKET = 0x20002, // ESOCKETERROR
};

// Indexed by the library's error number minus ERROR_FIRST.
static const int errnos[] = {
    [0x1] = E2BIG,         [0x2] = EACCES,
    [0x3] = EADDRINUSE,    [0x4] = EADDRNOTAVAIL,
    [0x5] = EAFNOSUPPORT,  [0x6] = EAGAIN,
    [0x7] = EALREADY,      [0x8] = EBADF,
    [0x9] = EBADMSG,       [0xa] = EBUSY,
    [0xb] = ECANCELED,     [0xc] = ECHILD,
    [0xd] = ECONNABORTED,  [0xe] = ECONNREFUSED,
    [0xf] = ECONNRESET,    [0x10] = EDEADLK,
    [0x11] = EDESTADDRREQ, [0x12] = EDOM,
    [0x13] = EDQUOT,       [0x14] = EEXIST,
    [0x15] = EFAULT,       [0x16] = EFBIG,
    [0x17] = EHOSTUNREACH, [0x18] = EIDRM,
    [0x19] = EILSEQ,       [0x1a] = EINPROGRESS,
    [0x1b] = EINTR,        [0x1c] = EINVAL,
    [0x1d] = EIO,          [0x1e] = EISCONN,
    [0x1f] = EISDIR,       [0x20] = ELOOP,
    [0x21] = EMFILE,       [0x22] = EMLINK,
    [0x23] = EMSGSIZE,     [0x24] = EMULTIHOP,
    [0x25] = ENAMETOOLONG, [0x26] = ENETDOWN,
    [0x27] = ENETRESET,    [0x28] = ENETUNREACH,
    [0x29] = ENFILE,       [0x2a] = ENOBUFS,
    [0x2c] = ENODEV,       [0x2d] = ENOENT,
    [0x2e] = ENOEXEC,      [0x2f] = ENOLCK,
    [0x30] = ENOLINK,      [0x31] = ENOMEM,
    [0x32] = ENOMSG,       [0x33] = ENOPROTOOPT,
    [0x34] = ENOSPC,       [0x37] = ENOSYS,
    [0x38] = ENOTCONN,     [0x39] = ENOTDIR,
    [0x3a] = ENOTEMPTY,    [0x3b] = ENOTRECOVERABLE,
    [0x3c] = ENOTSOCK,     [0x3d] = ENOTSUP,
    [0x3e] = ENOTTY,       [0x3f] = ENXIO,
    [0x40] = EOVERFLOW,    [0x41] = EOWNERDEAD,
    [0x42] = EPERM,        [0x43] = EPIPE,
    [0x44] = EPROTO,       [0x45] = EPROTONOSUPPORT,
    [0x46] = EPROTOTYPE,   [0x47] = ERANGE,
    [0x48] = EROFS,        [0x49] = ESPIPE,
    [0x4a] = ESRCH,        [0x4b] = ESTALE,
    [0x4d] = ETIMEDOUT,    [0x4e] = ETXTBSY,
    [0x4f] = EXDEV,        [0x5e] = ESOCKTNOSUPPORT,
    [0x60] = EPFNOSUPPORT, [0x6c] = ESHUTDOWN,
    [0x70] = EHOSTDOWN,    [0x71] = ENODATA,
};

enum {
	N_ERRNOS = sizeof(errnos) / sizeof(errnos[0])
};

static enum native_end to_platform(struct native *n)
{
	uint32_t error = (uint32_t)native_i4(n, 0);
	uint32_t at = error - ERROR_FIRST;
	if (!error)
		return native_ret_i4(n, 0);
	if (error == ERROR_HOST || error == ERROR_SOCKET)
		return native_ret_i4(n, -(int32_t)error);
	return native_ret_i4(n, at < N_ERRNOS && errnos[at] ? errnos[at] : -1);
}

static enum native_end to_library(struct native *n)
{
	int32_t error = native_i4(n, 0);
	int32_t found = error ? ERROR_UNKNOWN : 0;
	for (int32_t k = 0; error && k < N_ERRNOS; k++)
		if (errnos[k] == error)
			found = ERROR_FIRST + k;
	return native_ret_i4(n, found);
}

static enum native_end text(struct native *n)
{
	int32_t error = native_i4(n, 0);
	if (error == -ERROR_HOST)
		return native_ret_text(n, gai_strerror(EAI_NONAME));
	if (error == -ERROR_SOCKET)
		return native_ret_text(n, "Unknown socket error");
	return native_ret_text(n, strerror(error));
}

#define SYS "Interop+Sys"

static const struct il_native rows[] = {
    {SYS, "ConvertErrorPalToPlatform", "(i)i", to_platform},
    {SYS, "ConvertErrorPlatformToPal", "(i)i", to_library},
    {SYS, "StrError", "(i)o", text},
};

const struct native_table native_errno = {rows, sizeof(rows) / sizeof(rows[0])};
