#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "repl/cmd.h"
#include "repl/line/parse.h"
#include "base/str.h"
#include "front/cli/words.h"

static void no_error(struct dbg_error *err)
{
	if (err)
		fail_msg("%s", err->message);
}

static void is_error(struct dbg_error *err, const char *part)
{
	assert_non_null(err);
	if (!strstr(err->message, part))
		fail_msg("'%s' lacks '%s'", err->message, part);
	dbg_error_destroy(err);
}

static void test_words(void **state)
{
	(void)state;
	_cleanup_words_ struct words w = {0};

	no_error(
	    words_split(" a 'b c' \"d \\\"e\\\" \\n\" f\\ g '' x'y'z ", &w));
	assert_int_equal(w.n, 6);
	assert_string_equal(w.v[0], "a");
	assert_string_equal(w.v[1], "b c");
	assert_string_equal(w.v[2], "d \"e\" \\n");
	assert_string_equal(w.v[3], "f g");
	assert_string_equal(w.v[4], "");
	assert_string_equal(w.v[5], "xyz");
	assert_null(w.v[6]);
	words_clear(&w);
	no_error(words_split("  ", &w));
	assert_int_equal(w.n, 0);
	is_error(words_split("a 'b", &w), "single quote");
	is_error(words_split("a \"b\\\"", &w), "double quote");
}

// What `dotnet run` makes of these lines of launchSettings.json.
static void test_words_of_dotnet(void **state)
{
	(void)state;
	static const char *const wanted[] = {
	    "--name", "a b",  "'single",    "q'",     "c:\\dir\\", "end\\",
	    "--re",   "\\d+", "say \"hi\"", "a\\\"b", "",          "open end"};
	_cleanup_words_ struct words w = {0};

	words_split_dotnet("  --name \"a b\" 'single q'\tc:\\dir\\ "
			   "\"end\\\\\" --re \\d+ \"say \"\"hi\"\"\" "
			   "a\\\\\\\"b \"\" \"open end",
			   &w);
	assert_int_equal(w.n, sizeof(wanted) / sizeof(*wanted));
	for (size_t i = 0; i < w.n; i++)
		assert_string_equal(w.v[i], wanted[i]);
	words_clear(&w);
	words_split_dotnet(" \t ", &w);
	assert_int_equal(w.n, 0);
}

static void test_redirections(void **state)
{
	(void)state;
	_cleanup_words_ struct words w = {0};
	char *stdio[3] = {NULL, NULL, NULL};

	no_error(words_command("a<in b '<c' 2> 'e r' >out 2", &w, stdio));
	assert_int_equal(w.n, 4);
	assert_string_equal(w.v[0], "a");
	assert_string_equal(w.v[1], "b");
	assert_string_equal(w.v[2], "<c");
	assert_string_equal(w.v[3], "2");
	assert_string_equal(stdio[0], "in");
	assert_string_equal(stdio[1], "out");
	assert_string_equal(stdio[2], "e r");
	no_error(words_command("a >>b 2>&1", &w, stdio));
	assert_string_equal(stdio[1], ">>b");
	assert_string_equal(stdio[2], ">>b");
	no_error(words_command("&> both<'&1'", &w, stdio));
	assert_string_equal(stdio[0], "./&1");
	assert_string_equal(stdio[1], "both");
	assert_string_equal(stdio[2], "both");
	for (int i = 0; i < 3; i++)
		str_set(&stdio[i], NULL);
	// a copy goes where the other stream goes so far
	no_error(words_command("2>&1 >out", &w, stdio));
	assert_string_equal(stdio[1], "out");
	assert_string_equal(stdio[2], "&1");
	is_error(words_command("a << b", &w, stdio), "are served");
	is_error(words_command("a 2>&3", &w, stdio), "are served");
	is_error(words_command("a 2>&1x", &w, stdio), "are served");
	is_error(words_command("a >| b", &w, stdio), "are served");
	is_error(words_command("a <", &w, stdio), "needs the name");
	for (int i = 0; i < 3; i++)
		free(stdio[i]);
}

// What is quoted for the screen is read back the same.
static void test_quote(void **state)
{
	static const char *const all[] = {"a",  "",   "a b", "it's", "\"",
					  "\\", "<x", "$y",  "\n",   "*"};
	(void)state;
	_cleanup_str_ struct str line = {0};
	_cleanup_words_ struct words w = {0};
	size_t n = sizeof(all) / sizeof(*all);

	for (size_t i = 0; i < n; i++) {
		words_quote(all[i], &line);
		str_addc(&line, ' ');
	}
	no_error(words_split(str_get(&line), &w));
	assert_int_equal(w.n, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(w.v[i], all[i]);
}

static void test_format(void **state)
{
	struct parse_format f;

	(void)state;
	no_error(parse_format("", &f));
	assert_int_equal(f.count, 1);
	assert_int_equal(f.letter, 0);
	assert_int_equal(f.size, 0);
	no_error(parse_format("16xb", &f));
	assert_int_equal(f.count, 16);
	assert_int_equal(f.letter, 'x');
	assert_int_equal(f.size, 'b');
	no_error(parse_format("gd", &f));
	assert_int_equal(f.letter, 'd');
	assert_int_equal(f.size, 'g');
	no_error(parse_format("3i", &f));
	assert_int_equal(f.letter, 'i');
	is_error(parse_format("q", &f), "'q'");
	is_error(parse_format("x4", &f), "'4'");
	is_error(parse_format("99999999999999999999x", &f), "too large");
}

static void check_place(const struct parse_place *p, const char *file,
			const char *name, uint64_t line)
{
	assert_int_equal(!p->file, !file);
	if (file)
		assert_string_equal(p->file, file);
	assert_int_equal(!p->name, !name);
	if (name)
		assert_string_equal(p->name, name);
	assert_int_equal(p->line, line);
}

static void test_list_one(void **state)
{
	static const struct {
		const char *text, *file, *name;
		uint64_t line;
	} cases[] = {
	    {"12", NULL, NULL, 12},
	    {" 12 ", NULL, NULL, 12},
	    {"F.cs:7", "F.cs", NULL, 7},
	    {"a b/F.cs:7", "a b/F.cs", NULL, 7},
	    {"\"a b.cs\":7", "a b.cs", NULL, 7},
	    {"Main", NULL, "Main", 0},
	    {"N.T<int, string>.M(int, long)", NULL,
	     "N.T<int, string>.M(int, long)", 0},
	    {"M2", NULL, "M2", 0},
	    {"*0x1234", NULL, "*0x1234", 0},
	};
	struct parse_list list;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		no_error(parse_list(cases[i].text, &list));
		assert_int_equal(list.kind, PARSE_LIST_CENTER);
		check_place(&list.first, cases[i].file, cases[i].name,
			    cases[i].line);
		parse_list_deinit(&list);
	}
	is_error(parse_list("0", &list), "out of range");
	is_error(parse_list("F.cs:0", &list), "out of range");
	is_error(parse_list("99999999999999999999", &list), "out of range");
}

static void test_list_ranges(void **state)
{
	struct parse_list list;

	(void)state;
	no_error(parse_list("", &list));
	assert_int_equal(list.kind, PARSE_LIST_NEXT);
	no_error(parse_list("+", &list));
	assert_int_equal(list.kind, PARSE_LIST_NEXT);
	no_error(parse_list(" -", &list));
	assert_int_equal(list.kind, PARSE_LIST_BACK);
	no_error(parse_list("3,F.cs:9", &list));
	assert_int_equal(list.kind, PARSE_LIST_RANGE);
	check_place(&list.first, NULL, NULL, 3);
	check_place(&list.last, "F.cs", NULL, 9);
	parse_list_deinit(&list);
	no_error(parse_list("F.cs:9,", &list));
	assert_int_equal(list.kind, PARSE_LIST_FROM);
	check_place(&list.first, "F.cs", NULL, 9);
	parse_list_deinit(&list);
	no_error(parse_list(", 20", &list));
	assert_int_equal(list.kind, PARSE_LIST_TO);
	check_place(&list.last, NULL, NULL, 20);
	parse_list_deinit(&list);
	is_error(parse_list(",", &list), "missing");
}

static void test_ranges(void **state)
{
	const char *p = "1 3-5, 7";
	uint64_t first, last;
	bool any;

	(void)state;
	no_error(parse_range(&p, &first, &last, &any));
	assert_true(any && first == 1 && last == 1);
	no_error(parse_range(&p, &first, &last, &any));
	assert_true(any && first == 3 && last == 5);
	no_error(parse_range(&p, &first, &last, &any));
	assert_true(any && first == 7 && last == 7);
	no_error(parse_range(&p, &first, &last, &any));
	assert_false(any);
	p = "5-3";
	is_error(parse_range(&p, &first, &last, &any), "ends before");
	p = "1x";
	is_error(parse_range(&p, &first, &last, &any), "1x");
	p = "-1";
	is_error(parse_range(&p, &first, &last, &any), "-1");
}

static void test_numbers(void **state)
{
	uint64_t n;
	bool on;

	(void)state;
	assert_true(parse_u64("0x7fffFFFF", &n) && n == 0x7fffffff);
	assert_true(parse_u64("18446744073709551615", &n) && n == UINT64_MAX);
	assert_false(parse_u64("18446744073709551616", &n));
	assert_false(parse_u64("0x10000000000000000", &n));
	assert_false(parse_u64("0x", &n));
	assert_false(parse_u64("", &n));
	assert_false(parse_u64("12a", &n));
	no_error(parse_count("", 4, &n));
	assert_int_equal(n, 4);
	is_error(parse_count("0", 1, &n), "not a count");
	no_error(dbg_parse_switch("off", &on));
	assert_false(on);
	no_error(dbg_parse_switch("", &on));
	assert_true(on);
	is_error(dbg_parse_switch("maybe", &on), "on or off");
	const char *p = "12  i > 3";
	uint32_t number;
	no_error(parse_number(&p, &number));
	assert_int_equal(number, 12);
	assert_string_equal(p, "i > 3");
	p = "x 3";
	is_error(parse_number(&p, &number), "'x'");
	p = "4294967296";
	is_error(parse_number(&p, &number), "Bad breakpoint number");
}

static void check_if(const char *s, const char *expected)
{
	const char *found = parse_if(s);

	if (!expected) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_string_equal(found, expected);
}

static void test_if(void **state)
{
	(void)state;
	check_if("F.cs:3 if x > 3", "if x > 3");
	check_if("if x", "if x");
	check_if("M(int)if(x)", "if(x)");
	check_if("Elif.iffy", NULL);
	check_if("Notify if", NULL);
	check_if("\"a if b.cs\":3", NULL);
	check_if("M(T if U)", NULL);
}

static void check_line(const char *line, const char *name, const char *format,
		       const char *args)
{
	struct cmd_line parts;

	cmd_parse(line, &parts);
	assert_int_equal(parts.n_name, strlen(name));
	assert_memory_equal(parts.name, name, parts.n_name);
	assert_int_equal(parts.n_format, strlen(format));
	assert_memory_equal(parts.format, format, parts.n_format);
	assert_string_equal(parts.args, args);
}

static void test_line(void **state)
{
	struct cmd_line parts;

	(void)state;
	check_line("print x", "print", "", "x");
	check_line("  p/x  a + b", "p", "x", "a + b");
	check_line("x/4xb 0x10", "x", "4xb", "0x10");
	check_line("p*q", "p", "", "*q");
	check_line("!ls -l", "!", "", "ls -l");
	check_line("cd /tmp", "cd", "", "/tmp");
	check_line("# a comment", "", "", "");
	check_line("", "", "", "");
	cmd_parse("x /3i $pc", &parts);
	assert_int_equal(parts.n_format, 0);
	cmd_parse_format(&parts);
	assert_int_equal(parts.n_format, 2);
	assert_string_equal(parts.args, "$pc");
}

static const char *found(const char *name)
{
	const struct repl_cmd *cmd;

	no_error(cmd_find(NULL, name, strlen(name), &cmd));
	return cmd->names;
}

static void test_abbreviations(void **state)
{
	const struct repl_cmd *cmd;
	static const char *const whole[][2] = {
	    {"b", "break "},
	    {"br", "break "},
	    {"c", "continue "},
	    {"cont", "continue "},
	    {"s", "step "},
	    {"n", "next "},
	    {"si", "stepi "},
	    {"ni", "nexti "},
	    {"fin", "finish "},
	    {"bt", "backtrace "},
	    {"where", "backtrace "},
	    {"i", "info "},
	    {"p", "print "},
	    {"l", "list "},
	    {"d", "delete "},
	    {"dis", "disable "},
	    {"disas", "disassemble "},
	    {"tb", "tbreak"},
	    {"r", "run "},
	    {"u", "until "},
	    {"f", "frame "},
	    {"h", "help "},
	    {"q", "quit "},
	    {"x", "x"},
	    {"k", "kill "},
	    {"adv", "advance"},
	    {"cond", "condition"},
	    {"undis", "undisplay"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++)
		assert_memory_equal(found(whole[i][0]), whole[i][1],
				    strlen(whole[i][1]));
	is_error(cmd_find(NULL, "st", 2, &cmd), "Ambiguous");
	is_error(cmd_find(NULL, "frob", 4, &cmd), "Undefined");
}

// No name of a command hides another's, and each can say what it is.
static void test_table(void **state)
{
	const struct repl_cmd *cmd;
	const struct repl_cmd *other;
	struct cmd_iter it = {0};

	(void)state;
	while ((cmd = cmd_iterate(&it))) {
		const char *name = cmd->names;
		size_t n = 0;

		assert_non_null(cmd->help);
		assert_true(cmd->run || cmd->stopped || cmd->sub);
		while (cmd_name_next(&name, &n)) {
			no_error(cmd_find(NULL, name, n, &other));
			assert_ptr_equal(other, cmd);
		}
		for (other = cmd->sub; other && other->names; other++)
			assert_true(
			    other->help &&
			    (other->run || other->stopped || other->sub));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_words),
	    cmocka_unit_test(test_words_of_dotnet),
	    cmocka_unit_test(test_redirections),
	    cmocka_unit_test(test_quote),
	    cmocka_unit_test(test_format),
	    cmocka_unit_test(test_list_one),
	    cmocka_unit_test(test_list_ranges),
	    cmocka_unit_test(test_ranges),
	    cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_if),
	    cmocka_unit_test(test_line),
	    cmocka_unit_test(test_abbreviations),
	    cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
