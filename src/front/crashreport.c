/*
 * Reports of our own crashes: see crashreport.h.
 *
 * Nothing may be relied on in the handler: it runs on a stack of its own and
 * allocates nothing. The unwinder is linked in (-static-libgcc): backtrace() of
 * glibc would load libgcc_s, which a signal amid dlopen() forbids and which
 * takes longer than all else of a start. Names of functions come from the
 * symbols of our own file, if it has any; without them the offsets say the same
 * to addr2line.
 */
#include "front/crashreport.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unwind.h>

#include "base/mem.h"
#include "base/str.h"
#include "front/statefile.h"

enum {
	ALT_STACK = 65536, /* as dac/remote/guard.c wants it */
	FRAMES_MAX = 64,
	LINE_SIZE = 1024,
	SECONDS_MAX = 2,
	HANDLER_FRAMES = 4, /* ours, and the return from the handler */
};

// The beginning of our own file in memory, from the linker.
extern const char __executable_start[];

static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/*
 * A signal handler gets no argument from us: these are the variables it needs.
 */
static const char *crash_version = "";
static char *crash_path; /* without the process id and the end; or NULL */

/* Our own file, for its symbols. */
struct own_file {
	const uint8_t *p; /* NULL: none */
	size_t n;
};

/* ---- Names ------------------------------------------------------------- */

static struct own_file own_file_map(void)
{
	struct own_file f = {0};
	struct stat st;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return f;
	if (!fstat(fd, &st) && st.st_size > 0) {
		void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE,
			       fd, 0);
		if (p != MAP_FAILED)
			f = (struct own_file){p, (size_t)st.st_size};
	}
	close(fd);
	return f;
}

/* The @count entries of @size bytes at @offset; NULL: the file is shorter. */
static const void *own_file_part(const struct own_file *f, uint64_t offset,
				 uint64_t count, uint64_t size)
{
	return f->p && count <= f->n / size && offset <= f->n - count * size
		   ? f->p + offset
		   : NULL;
}

/*
 * The section of symbols, and in *ret_names that of their names; NULL:
 * stripped.
 */
static const Elf64_Shdr *own_file_symbols(const struct own_file *f,
					  const Elf64_Shdr **ret_names)
{
	const Elf64_Ehdr *h = own_file_part(f, 0, 1, sizeof(*h));
	const Elf64_Shdr *all =
	    h ? own_file_part(f, h->e_shoff, h->e_shnum, sizeof(*all)) : NULL;

	for (size_t i = 0; all && i < h->e_shnum; i++) {
		if (all[i].sh_type != SHT_SYMTAB ||
		    all[i].sh_link >= h->e_shnum)
			continue;
		*ret_names = &all[all[i].sh_link];
		return &all[i];
	}
	return NULL;
}

/* The function at @offset of our own file; NULL: not known. */
static const char *own_name(const struct own_file *f, uint64_t offset)
{
	const Elf64_Shdr *names, *s = own_file_symbols(f, &names);
	uint64_t n = s ? s->sh_size / sizeof(Elf64_Sym) : 0;
	const Elf64_Sym *all =
	    s ? own_file_part(f, s->sh_offset, n, sizeof(*all)) : NULL;
	const char *text =
	    s ? own_file_part(f, names->sh_offset, names->sh_size, 1) : NULL;

	for (uint64_t i = 0; all && text && i < n; i++) {
		uint64_t at = all[i].st_name;

		if (ELF64_ST_TYPE(all[i].st_info) == STT_FUNC &&
		    offset - all[i].st_value < all[i].st_size &&
		    at < names->sh_size &&
		    memchr(text + at, 0, names->sh_size - at))
			return text + at;
	}
	return NULL;
}

/* ---- The report -------------------------------------------------------- */

/* Write a line to stderr and, if @fd >= 0, to the file. */
static void __attribute__((format(printf, 2, 3)))
report_line(int fd, const char *fmt, ...)
{
	char line[LINE_SIZE];
	va_list ap;

	va_start(ap, fmt);
	int n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	size_t len = n < 0                   ? 0
		     : n < (int)sizeof(line) ? (size_t)n
					     : sizeof(line) - 1;
	ssize_t done = write(STDERR_FILENO, line, len);
	if (fd >= 0)
		done = write(fd, line, len);
	(void)done;
}

static void report_frame(int fd, const struct own_file *own, size_t level,
			 void *addr)
{
	Dl_info at = {0};
	uint64_t ip = (uintptr_t)addr;

	if (!dladdr(addr, &at) || !at.dli_fname) {
		report_line(fd, "#%-2zu %#llx\n", level,
			    (unsigned long long)ip);
		return;
	}

	uint64_t offset = ip - (uintptr_t)at.dli_fbase;
	const char *name = at.dli_sname;
	// the call is in front of the address that it returns to
	if (at.dli_fbase == (const void *)__executable_start)
		name = own_name(own, offset - (level ? 1 : 0));
	report_line(fd, "#%-2zu %s+%#llx%s%s\n", level,
		    str_basename(at.dli_fname), (unsigned long long)offset,
		    name ? " " : "", name ? name : "");
}

/* The directory of the file, which nobody may have made yet, and its parent. */
static void make_directories(char *path)
{
	char *last = strrchr(path, '/'), *before;

	*last = 0;
	before = strrchr(path, '/');
	*before = 0;
	mkdir(path, 0700);
	*before = '/';
	mkdir(path, 0700);
	*last = '/';
}

/*
 * Create the report's file. Returns its descriptor, negative: it cannot be
 * created. @path is set to its path.
 */
static int report_open(char path[PATH_MAX])
{
	int n = crash_path ? snprintf(path, PATH_MAX, "%s%d.txt", crash_path,
				      (int)getpid())
			   : -1;

	if (n < 0 || n >= PATH_MAX)
		return -1;
	make_directories(path);
	return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0600);
}

#ifdef DLFO_EH_SEGMENT_TYPE /* the C library has this function */
/* The image of @pc into @arg, if it is this one. */
static int image_find(struct dl_phdr_info *image, size_t size, void *arg)
{
	struct dl_find_object *ret = arg;
	uintptr_t pc = (uintptr_t)ret->dlfo_map_start;
	void *tables = NULL;
	bool found = false;

	(void)size;
	for (size_t i = 0; i < image->dlpi_phnum; i++) {
		const Elf64_Phdr *p = &image->dlpi_phdr[i];
		uintptr_t at = image->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_GNU_EH_FRAME)
			tables = (void *)at;
		found |= p->p_type == PT_LOAD && pc - at < p->p_memsz;
	}
	if (!found || !tables)
		return 0;
	ret->dlfo_eh_frame = tables;
	return 1;
}

/*
 * The unwinder asks glibc 2.35 for the tables of an address by this, which
 * would bind us to that version. This one, which only what is linked in sees,
 * does as much by what every version has. Returns 0, or -1: there are none.
 */
__attribute__((visibility("hidden"))) int
_dl_find_object(void *pc, struct dl_find_object *ret)
{
	*ret = (struct dl_find_object){.dlfo_map_start = pc};
	return dl_iterate_phdr(image_find, ret) ? 0 : -1;
}
#endif

/* The addresses of the frames of a stack, the innermost first. */
struct frames {
	void *addrs[FRAMES_MAX];
	size_t n;
};

static _Unwind_Reason_Code frames_add(struct _Unwind_Context *context,
				      void *arg)
{
	struct frames *frames = arg;

	frames->addrs[frames->n++] = (void *)_Unwind_GetIP(context);
	return frames->n < FRAMES_MAX ? _URC_NO_REASON : _URC_END_OF_STACK;
}

/* Not inlined: HANDLER_FRAMES counts it. */
static __attribute__((noinline)) struct frames frames_take(void)
{
	struct frames frames = {.n = 0};

	_Unwind_Backtrace(frames_add, &frames);
	return frames;
}

static __attribute__((noinline)) void report_write(const siginfo_t *info)
{
	char path[PATH_MAX];
	struct own_file own = own_file_map();
	int fd = report_open(path);
	struct frames frames = frames_take();
	const char *name = sigabbrev_np(info->si_signo);

	report_line(fd, "dndbg %s was ended by SIG%s (code %d", crash_version,
		    name ? name : "?", info->si_code);
	if (info->si_code > 0)
		report_line(fd, ", address %p", info->si_addr);
	report_line(fd, "); a program that was attached goes on.\n");
	for (size_t i = HANDLER_FRAMES; i < frames.n; i++)
		report_frame(fd, &own, i - HANDLER_FRAMES, frames.addrs[i]);
	if (fd < 0)
		return;
	close(fd);
	report_line(
	    -1, "This is also in %s: please report it with that file.\n", path);
}

static void crash_handle(int signal, siginfo_t *info, void *context)
{
	sigset_t clock;

	(void)context;
	// What hangs here dies of the clock.
	sigemptyset(&clock);
	sigaddset(&clock, SIGALRM);
	sigaction(SIGALRM, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	sigprocmask(SIG_UNBLOCK, &clock, NULL);
	alarm(SECONDS_MAX);
	report_write(info);
	alarm(0);
	// SA_RESETHAND: it is taken when this returns, and ends us
	raise(signal);
}

void crash_report_install(const char *version)
{
	struct sigaction action = {
	    .sa_sigaction = crash_handle,
	    .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND,
	};
	// only the kernel would know it, and it would count as lost
	static stack_t alt = {.ss_size = ALT_STACK};

#ifdef __SANITIZE_ADDRESS__
	return;
#endif
	crash_version = version;
	crash_path = state_file_path("crash-");
	alt.ss_sp = xmap(ALT_STACK);
	sigaltstack(&alt, NULL);
	for (size_t i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
		sigaction(crashes[i], &action, NULL);
}
