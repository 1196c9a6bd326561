"""A terminal with a program in it that draws whole screens: tmux."""
import os
import re
import shlex
import subprocess
import time

from drive import TIME, Failure


class Screen:
    """What a person sees and types."""
    number = 0

    def __init__(self, test, words, env=None, cwd=None, width=150, height=45):
        Screen.number += 1
        self.name = f"dndbg-{os.getpid()}-{Screen.number}"
        self.env = {**test.env, **(env or {}), "TERM": "xterm-256color"}
        self.pid = 0
        # The server's own folder: nothing of the user's tmux is met.
        self.env["TMUX_TMPDIR"] = test.dir
        self.env.pop("TMUX", None)
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(width),
                  "-y", str(height), "-c", cwd or test.dir,
                  shlex.join(words))
        self.pid = int(self.tmux("display-message", "-p", "#{pid}"))

    def tmux(self, *words):
        done = subprocess.run(["tmux", "-L", self.name, *words], text=True,
                              capture_output=True, env=self.env,
                              timeout=30 * TIME)
        if done.returncode:
            raise Failure(f"tmux {' '.join(words)}: {done.stderr}\n")
        return done.stdout

    def text(self):
        """The lines on the screen."""
        return self.tmux("capture-pane", "-p")

    def keys(self, *names):
        """Keys by tmux' names: C-x, M-x, Enter, Escape."""
        self.tmux("send-keys", *names)

    def type(self, text, enter=True):
        self.tmux("send-keys", "-l", "--", text)
        if enter:
            self.keys("Enter")

    def wait(self, pattern, timeout=30):
        """Wait until the pattern is on the screen; the match."""
        deadline = time.monotonic() + timeout * TIME
        while True:
            text = self.text()
            found = re.search(pattern, text, re.M)
            if found:
                return found
            if time.monotonic() > deadline:
                raise Failure(f"/{pattern}/ does not come; the screen:\n{text}")
            time.sleep(0.05)

    def close(self):
        try:
            self.tmux("kill-server")
        except (Failure, subprocess.TimeoutExpired):
            pass
