#!/usr/bin/env python3
"""The test runner tried on a stand-in for dndbg: what fits passes, and each
way to be wrong fails."""
import concurrent.futures
import os
import sys
import tempfile
import textwrap
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import drive
import run

FAKE = r'''#!/usr/bin/env python3
import os, select, signal, subprocess, sys, time
def do(line):
    if line == "bt":
        print("#0  0x00007f00 in Main () at Hello.cs:9\n#1  more")
    elif line.startswith("echo "):
        print(line[5:])
    elif line == "hang":
        sys.stdout.flush()
        time.sleep(60)
    elif line == "die":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif line == "exit":
        sys.exit(3)
    elif line == "leave":
        subprocess.Popen(["sleep", "60"], stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL)
if "-x" in sys.argv:
    for line in open(sys.argv[sys.argv.index("-x") + 1]).read().split("\n")[1:]:
        if line:
            print("+" + line)
            do(line)
else:
    # Ctrl-C comes through a pipe: none is lost between prompt and reading.
    news, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told)
    signal.signal(signal.SIGINT, lambda *_: None)
    while True:
        sys.stdout.write("(dndbg) ")
        sys.stdout.flush()
        if news in select.select([0, news], [], [])[0]:
            os.read(news, 1)
            print("\nQuit")
            continue
        line = sys.stdin.readline()
        if not line:
            break
        do(line.strip())
'''


class Runner(unittest.TestCase):
    def setUp(self):
        # What is to fail here fails by its time.
        drive.TIME = 1
        self.dir = tempfile.TemporaryDirectory()
        self.fake = os.path.join(self.dir.name, "dndbg")
        with open(self.fake, "w") as file:
            file.write(FAKE)
        os.chmod(self.fake, 0o755)

    def tearDown(self):
        self.dir.cleanup()

    def transcript(self, text):
        """Run a transcript; return the fault, or nothing."""
        path = os.path.join(self.dir.name, "case.t")
        with open(path, "w") as file:
            file.write(textwrap.dedent(text))
        script = run.Transcript(path)
        job = run.Job("case", "10", lambda test: run.Run(
            script, "Debug", "10", test).run())
        return job(self.fake)[0]

    def script(self, function):
        return run.Job("case", "10", function)(self.fake)[0]

    def test_fits(self):
        self.assertIsNone(self.transcript("""\
            #! fixture=Hello runtimes=8,10
            ## a comment
            +bt
            \\#0  {addr} in Main () at Hello.cs:{n}
            {8}only on 8
            {10}#1  {...}
            +echo one
            ...
            +echo @add
            Hello.cs:{@add}
            """))

    def test_differs(self):
        fault = self.transcript("+echo one\ntwo\n")
        self.assertIn("-two", fault)
        self.assertIn("+one", fault)

    def test_line_too_many(self):
        self.assertIn("+#1  more", self.transcript("+bt\n#0{...}\n"))

    def test_line_too_few(self):
        self.assertIn("-two", self.transcript("+echo one\none\ntwo\n"))

    def test_number_is_no_text(self):
        self.assertIn("-{n}", self.transcript("+echo one\n{n}\n"))

    def test_unknown_mark(self):
        self.assertIn("no mark", self.transcript(
            "#! fixture=Hello\n+echo @nowhere\n"))

    def test_unknown_key(self):
        with self.assertRaises(drive.Failure):
            self.transcript("#! fixtrue=Hello\n+bt\n")

    def test_hang(self):
        fault = self.transcript("#! time=0.5\n+hang\n")
        self.assertIn("hang: killed", fault)

    def test_crash(self):
        self.assertIn("SIGSEGV", self.transcript("+die\n"))

    def test_exit(self):
        self.assertIsNone(self.transcript("#! exit=3\n+exit\n"))
        self.assertIn("exit status 3", self.transcript("#! exit=0\n+exit\n"))

    def test_left_behind(self):
        self.assertIn("left behind: sleep", self.transcript("+leave\n"))

    def test_skipped(self):
        def body(test):
            raise drive.Skip("not here")
        self.assertEqual((None, "not here"),
                         run.Job("case", "10", body)(self.fake))

    def test_session(self):
        def body(test):
            session = test.start()
            test.check_equal("two\n", session.cmd("echo two"))
            session.interrupt()
            session.expect("Quit")
            session.signal(9)
            test.check_equal(-9, session.wait())
        self.assertIsNone(self.script(body))

    def test_session_waits_in_vain(self):
        def body(test):
            test.start().expect("never", timeout=0.3)
        self.assertIn("time is up", self.script(body))

    def test_session_ends(self):
        def body(test):
            session = test.start()
            session.line("exit")
            session.expect("never")
        self.assertIn("dndbg ended", self.script(body))

    def test_hanging_script(self):
        """What waits for ever for a process is ended with that."""
        def body(test):
            with drive.Process(["sleep", "60"], env=test.env,
                               stdout=-1) as process:
                process.stdout.read()
        run.LIMIT, before = 0.5, run.LIMIT
        try:
            self.assertIn("hang: killed after 0.5 s", self.script(body))
        finally:
            run.LIMIT = before

    def test_failing_script(self):
        """A process that a test waits for goes with its failure."""
        def body(test):
            with drive.Process(["sleep", "60"], env=test.env):
                test.check(False, "it is so")
        self.assertIn("it is so", self.script(body))

    def test_error_in_script(self):
        self.assertIn("ZeroDivisionError", self.script(lambda test: 1 / 0))

    def test_tags_differ(self):
        """Tests made by several threads at once: each has its own tag."""
        def make(_):
            test = drive.Test("x", self.fake, "8")
            test.close()
            return test.tag

        before = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        try:
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                tags = list(pool.map(make, range(300)))
        finally:
            sys.setswitchinterval(before)
        self.assertEqual(300, len(set(tags)))


if __name__ == "__main__":
    unittest.main()
