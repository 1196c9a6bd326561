/* The names of SOS's commands: see sosnames.h. */
#include "repl/command/sosnames.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "repl/cmd.h"

enum {
	FRAMES_MAX = 4096, // no object has its address below
};

#define BY_NAME                                                                \
	"an object's elements and fields are shown by \"print NAME\", by its " \
	"address by \"heap object ADDRESS\""
#define NO_STRESS_LOG                                                          \
	"dndbg does not read the runtime's stress log; \"log\" records what "  \
	"the debugger does (\"help log\")"
#define GC_INFO                                                                \
	"what code tells the collector is not shown; \"dumpstackobjects\" "    \
	"lists what a stack refers to"
#define HEAP_QUERY                                                             \
	"references between generations are not listed by themselves; \"heap " \
	"list --refs --json\" has all references, with the generation of each"

/*
 * The words that a line begins with, what is carried out in their place, or
 * the sentence that is printed. Of words that begin alike the longer ones stand
 * first. The rest of the line becomes the arguments. Words that begin with the
 * name of a command here are looked for only if they have an option.
 */
static const struct {
	const char *words, *to, *says;
} names[] = {
    {"clrstack -all", "thread apply all backtrace", NULL},
    {"clrstack -a", "backtrace full", NULL},
    {"clrstack -l", "backtrace full", NULL},
    {"clrstack -p", "backtrace", NULL},
    {"clrstack -f", "backtrace -native", NULL},
    {"clrstack", "backtrace", NULL},
    {"dumpstack", "backtrace -native", NULL},
    {"eestack", "thread apply all backtrace -native", NULL},
    {"clru", "disassemble", NULL},
    {"clrmodules", "info sharedlibrary", NULL},
    {"modules", "info sharedlibrary", NULL},
    {"lm", "info sharedlibrary", NULL},
    {"crashinfo", "info exception", NULL},
    {"printexception -nested", "info exception", NULL},
    {"printexception", "info exception", NULL},
    {"pe -nested", "info exception", NULL},
    {"pe", "info exception", NULL},
    {"registers", "info registers", NULL},
    {"threads", "info threads", NULL},
    {"setthread", "thread", NULL},
    {"do", "heap object", NULL},
    {"dumpdelegate", "heap object", NULL},
    {"dumpobjgcrefs", "heap object", NULL},
    {"listnearobj", "heap object", NULL},
    {"lno", "heap object", NULL},
    {"gcwhere", "heap object", NULL},
    {"dumpgen", "heap stat --gen", NULL},
    {"dg", "heap stat --gen", NULL},
    {"dumpruntimetypes", "heap list --type ^System.RuntimeType$", NULL},
    {"dumphttp", "heap list --type Http(Request|Response)Message$", NULL},
    {"dumprequests", "heap list --type DefaultHttpContext$", NULL},
    {"dumpheap -strings", "heap strings", NULL},
    {"strings", "heap strings", NULL},
    {"eeheap -gc", "heap segments", NULL},
    {"eeheap -loader", "memory", NULL},
    {"maddress -summary", "memory", NULL},
    {"gcheapstat", "heap stat --by-gen", NULL},
    {"sizestats", "heap stat --by-gen", NULL},
    {"notreachableinrange", "heap list --dead", NULL},
    {"gchandles -stat", "handles", NULL},
    {"finalizequeue -detail", "finalizequeue", NULL},
    {"clrthreads -special", "clrthreads", NULL},
    {"pstacks -a", "pstacks", NULL},
    {"parallelstacks -a", "pstacks", NULL},
    {"findroots", "gcroot", NULL},
    {"threadpoolqueue", "threadpool", NULL},
    {"tpq", "threadpool", NULL},
    {"ti", "timers", NULL},
    {"taskstate", "tasks", NULL},
    {"tks", "tasks", NULL},
    {"thinlock", "syncblk", NULL},
    {"da", "x/s", NULL},
    {"db", "x/128xb", NULL},
    {"dc", "x/32xw", NULL},
    {"dd", "x/32xw", NULL},
    {"dw", "x/64xh", NULL},
    {"dp", "x/16xg", NULL},
    {"dq", "x/16xg", NULL},
    {"soshelp", "help", NULL},
    {"setclrpath", "set core-search-path", NULL},
    {"setsymbolserver -directory", "set core-search-path", NULL},
    {"setsymbolserver", NULL,
     "dndbg asks no server; \"set core-search-path DIR:DIR\" names the "
     "directories in which programs, runtimes and symbols are looked for"},
    {"loadsymbols", NULL,
     "symbols are loaded when they are wanted; \"info sharedlibrary\" says "
     "which are, and where they come from"},
    {"sethostruntime", NULL, "dndbg is native code and needs no runtime"},
    {"sosstatus", NULL,
     "\"eeversion\" shows the runtime, \"info sharedlibrary\" the symbols, "
     "\"show version\" the debugger"},
    {"sosflush", NULL, "nothing is to be flushed: each stop is looked at anew"},
    {"bpmd", NULL,
     "breakpoints are set by \"break TYPE.METHOD\" or \"break FILE:LINE\", "
     "also before the code is loaded"},
    {"stoponexception", NULL,
     "\"catch throw TYPE\" stops at exceptions of a type"},
    {"soe", NULL, "\"catch throw TYPE\" stops at exceptions of a type"},
    {"dumpvc", NULL,
     "a value type is shown by \"print NAME\"; one within an object by \"heap "
     "object ADDRESS\""},
    {"dumpconcurrentdictionary", NULL, BY_NAME},
    {"dcd", NULL, BY_NAME},
    {"dumpconcurrentqueue", NULL, BY_NAME},
    {"dcq", NULL, BY_NAME},
    {"dumpcollection", NULL, BY_NAME},
    {"pathto", NULL,
     "\"heap roots ADDRESS\" shows the paths from roots to an object"},
    {"findpointersin", NULL,
     "\"memory\" says what each region of the address space is; pointers from "
     "one to another are not looked for"},
    {"gctonative", NULL,
     "\"handles\" lists what native code keeps; pointers to native memory are "
     "not looked for"},
    {"findappdomain", NULL,
     "there is one application domain: \"appdomains\"; the load context of "
     "a module is in \"dumpassembly\""},
    {"verifyobj", NULL,
     "\"heap object ADDRESS\" describes an object, \"heap verify\" checks all "
     "of them"},
    {"analyzeoom", NULL,
     "\"doctor\" and \"heap stat\" say what fills the heap, \"memory\" what "
     "fills the rest"},
    {"traverseheap", NULL,
     "\"heap list --refs --json\" writes all objects and their references"},
    {"ephrefs", NULL, HEAP_QUERY},
    {"ephtoloh", NULL, HEAP_QUERY},
    {"dumpgcdata", NULL, GC_INFO},
    {"gcinfo", NULL, GC_INFO},
    {"ehinfo", NULL,
     "handlers are shown by \"disassemble/il\"; \"catch throw\" stops where an "
     "exception is thrown"},
    {"dumpsig", NULL,
     "\"ptype TYPE\" and \"info functions REGEX\" show signatures as C#"},
    {"dumpsigelem", NULL,
     "\"ptype TYPE\" and \"info functions REGEX\" show signatures as C#"},
    {"enummem", NULL, "\"dndbg dump --type mini PID\" writes a small core"},
    {"watsonbuckets", NULL,
     "\"dndbg core FILE --report\" gives each crash a fingerprint"},
    {"dumplog", NULL, NO_STRESS_LOG},
    {"histinit", NULL, NO_STRESS_LOG},
    {"histobj", NULL, NO_STRESS_LOG},
    {"histobjfind", NULL, NO_STRESS_LOG},
    {"histroot", NULL, NO_STRESS_LOG},
    {"histstats", NULL, NO_STRESS_LOG},
    {"histclear", NULL, NO_STRESS_LOG},
    {"logging", NULL, "\"set log\" says what the debugger does"},
    {"logopen", NULL,
     "\"pipe COMMAND | tee FILE\" keeps what a command prints"},
    {"logclose", NULL,
     "\"pipe COMMAND | tee FILE\" keeps what a command prints"},
};

// The rest of @line behind the words that it begins with; NULL: it begins
// otherwise.
static const char *behind(const char *line, const char *words)
{
	while (isspace((unsigned char)*line))
		line++;
	while (*words) {
		size_t n = strcspn(words, " ");

		if (strncasecmp(line, words, n) || !strchr(" \t", line[n]))
			return NULL;
		line += n + strspn(line + n, " \t");
		words += n + strspn(words + n, " ");
	}
	return line;
}

// Is the first word the whole name of a command here?
static bool is_command(const char *line)
{
	line += strspn(line, " \t");
	size_t n = strcspn(line, " \t");
	const struct repl_cmd *cmd;
	struct cmd_iter it = {0};

	while ((cmd = cmd_iterate(&it))) {
		const char *name = cmd->names;
		size_t len = 0;

		while (cmd_name_next(&name, &len))
			if (len == n && !strncmp(name, line, n))
				return true;
	}
	return false;
}

/* Is the line gdb's `do [N]`, short for `down`, and not SOS's `do ADDRESS`? */
static bool is_down(const char *line, struct sos_answer *ret)
{
	const char *args = behind(line, "do");
	char *end = NULL;
	if (!args)
		return false;
	unsigned long n = strtoul(args, &end, 10);
	end += strspn(end, " \t");
	if (*end || n >= FRAMES_MAX)
		return false;
	*ret = (struct sos_answer){.to = "down", .args = args};
	return true;
}

bool sos_find(const char *line, struct sos_answer *ret)
{
	bool is_ours = is_command(line);

	if (is_down(line, ret))
		return true;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *args = behind(line, names[i].words);

		if (!args || (is_ours && !strchr(names[i].words, ' ')))
			continue;
		*ret = (struct sos_answer){
		    .to = names[i].to,
		    .args = args,
		    .says = names[i].says,
		};
		return true;
	}
	return false;
}
