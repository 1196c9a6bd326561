"""Emacs (M-x gdb), Vim and Neovim (Termdebug) at real terminals."""
import os
import re


def source_path(t):
    """Where the symbols say that the source is: what an editor opens."""
    c = t.mi("-i=mi", *t.program("Hello"))
    path = c.go("-exec-run --start")["frame"]["fullname"]
    t.check_equal(0, c.quit())
    return path


def line_with(t, mark, sign):
    """A line of the source with a sign in front."""
    with open(t.source("Hello")) as file:
        text = file.read().split("\n")[t.line("Hello", mark) - 1]
    return f"^{sign} *{re.escape(text.strip()[:24])}"


# What a hand with a mouse does, as events that are made here: a click in the
# margin of a line, a rest over a word; and a value edited in its window.
EMACS = r"""
;; hints of shorter names are searched for while the next key is typed
(setq gud-tooltip-echo-area t suggest-key-bindings nil
      extended-command-suggest-shorter nil)
;; the Emacs of terminals has no fringe: the sign is text in the margin
(unless (fboundp 'fringe-bitmaps-at-pos)
  (defun fringe-bitmaps-at-pos (&rest _)))
(defun drive-event (file pattern &optional sign)
  (let* ((buffer (get-file-buffer file))
         (window (get-buffer-window buffer))
         (pos (with-current-buffer buffer
                (save-excursion (goto-char (point-min))
                                (re-search-forward pattern)
                                (match-beginning 1)))))
    (list 'mouse-1 (list window pos '(0 . 0) 0 sign pos '(0 . 0) nil
                         '(0 . 0) '(1 . 1)))))
(defun drive-click ()
  (interactive)
  (gdb-mouse-set-clear-breakpoint
   (drive-event "%(path)s" "\\( *return sum\\)")))
(defun drive-click-sign ()
  (interactive)
  (gdb-mouse-set-clear-breakpoint
   (drive-event "%(path)s" "\\( *return sum\\)" '("B" . 0))))
(defun drive-rest ()
  (interactive)
  (gud-tooltip-mode 1)
  (gud-tooltip-tips (drive-event "%(path)s" "return \\(sum\\)")))
(defun drive-edit ()
  (interactive)
  (with-selected-window (get-buffer-window (gdb-get-buffer 'gdb-locals-buffer))
    (goto-char (point-min))
    (re-search-forward "sum")
    (gdb-edit-locals-value)))
"""


def test_emacs(t):
    path = source_path(t)
    script = os.path.join(t.dir, "drive.el")
    with open(script, "w") as file:
        file.write(EMACS % {"path": path})
    e = t.screen(["emacs", "-nw", "-Q", "-l", script, "--eval",
                  "(setq gdb-many-windows t gdb-debuginfod-enable-setting nil"
                  " inhibit-startup-screen t gdb-show-main t)", path],
                 width=170, height=52, cwd=os.path.dirname(path))
    e.wait("static int Main")
    e.keys("M-x")
    e.type("gdb")
    e.wait("Run gdb")
    e.keys("C-a", "C-k")
    e.type(f"{t.dndbg} -i=mi {t.program('Hello')[0]}")
    e.wait(r"^\(gdb\)")
    e.wait(r"Breakpoints")
    e.type(f"break {t.at('Hello', 'add')}")
    e.wait("Breakpoint 1 ")
    e.type("run")
    # the arrow and the breakpoint in the source, all windows
    e.wait(line_with(t, "add", "B *=>"))
    e.wait(r"int +sum +0")
    e.wait(r"in Hello\.Program\.Add of Hello\.cs:19")
    e.wait(r"in Hello\.Program\.Main of Hello\.cs:11")
    e.wait(r"1 +breakpoint +keep y +0x[0-9a-f]+ +1 +in Hello.Program.Add")
    e.keys("C-x", "C-a", "C-n")
    e.wait(line_with(t, "add-return", " *=>"))
    e.wait(r"int +sum +5")
    for click, sign in ("", "B *=>"), ("-sign", " *=>"):
        e.keys("M-x")
        e.type("drive-click" + click)
        e.wait(line_with(t, "add-return", sign))
    e.keys("M-x")
    e.type("drive-rest")
    e.wait(r"^sum = 5")
    e.keys("M-x")
    e.type("drive-edit")
    e.wait(r"New value \(sum\):")
    e.type("7")
    e.wait(r"int +sum +7")
    e.type("print sum - 1")
    e.wait(r"\$1 = 6")
    for buffer, shows in (("disassembly", r"=>[0-9a-f]+ <Hello\.Program\.Add\+\d+>: +mov"),
                          ("threads", r"Thread \d+ \(Main Thread\) stopped in Hello"),
                          ("registers", r"^rax +0x[0-9a-f]+")):
        e.keys("M-x")
        e.type(f"gdb-display-{buffer}-buffer")
        e.wait(shows)
    e.keys("M-x")
    e.type("gdb-display-gdb-buffer")
    e.wait(r"\$1 = 6")
    e.type("up")
    e.wait(r"^=>in Hello\.Program\.Main of Hello\.cs:11")
    e.wait(r"string +who +\"world\"")
    e.keys("M-x")
    e.type("gud-cont")
    e.wait("exited-normally|exited normally")
    e.keys("M-x")
    e.type("gdb-display-io-buffer")
    e.wait(r"hello world 7 *\n.*\|ok")
    e.close()


test_emacs.runtimes = ("10",)


def rest_over(v, t, word):
    """Move the mouse to a word of the line of @add-return."""
    with open(t.source("Hello")) as file:
        text = file.read().split("\n")[t.line("Hello", "add-return") - 1]
    lines = v.text().split("\n")
    row = next(i for i, line in enumerate(lines) if text.strip() in line)
    column = lines[row].index(word) + 2
    for x in column - 1, column:
        v.type(f"\x1b[<35;{x};{row + 1}M", enter=False)


def termdebug(t, words, setting, to_command, balloon=False):
    """The same session in both."""
    path = source_path(t)
    script = os.path.join(t.dir, "drive.vim")
    with open(script, "w") as file:
        file.write(f"""
set nocp nomore shortmess+=atTW noswapfile
{setting}
packadd termdebug
func! Src(cmd)
  Source
  exe a:cmd
  redraw
endfunc
func! At()
  let signs = copy(sign_getplaced(bufnr('Hello.cs'), {{'group': '*'}})[0].signs)
  return get(get(filter(signs, 'v:val.id == 12'), 0, {{}}), 'lnum', 0)
endfunc
set laststatus=2 statusline=%f\\ stands\\ at\\ %{{At()}}.
""")
    v = t.screen([*words, "-u", "NONE", "-i", "NONE", "-n", path],
                 cwd=os.path.dirname(path))
    v.wait("static int Main")
    v.type(f":source {script}")
    v.type(f":Termdebug {t.program('Hello')[0]}")
    v.wait("New UI allocated")
    v.wait(r"^\(dndbg\)")

    def do(command):
        to_command(v)
        v.type(f":call Src('{command}')")

    def stands(mark):
        v.wait(rf"stands at {t.line('Hello', mark)}\.")

    do(f"{t.line('Hello', 'add')} | Break")
    v.wait(line_with(t, "add", r"\W*(1|01|>>)\W"))
    do("Run")
    stands("add")
    do("Over")
    stands("add-return")
    do("Evaluate sum")
    v.wait('"sum": 5')
    if balloon:
        rest_over(v, t, "sum")
        v.wait("sum: 5")
    do("Finish")
    stands("call")
    do("Step")
    stands("print")
    do("Continue")
    v.wait("hello world 5")
    v.close()


def test_vim(t):
    def to_command(v):
        v.keys("C-\\", "C-n")

    termdebug(t, ["vim.nox"],
              f"let g:termdebug_config = {{'command': '{t.dndbg}'}}\n"
              f"let g:termdebugger = '{t.dndbg}'\n"
              "set mouse=a ttymouse=sgr balloondelay=1", to_command, True)


test_vim.runtimes = ("10",)


def test_neovim(t):
    def to_command(v):
        v.keys("C-\\", "C-n")

    termdebug(t, ["nvim"], f"let g:termdebugger = '{t.dndbg}'", to_command)


test_neovim.runtimes = ("10",)
