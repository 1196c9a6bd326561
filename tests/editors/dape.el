;;; dape.el --- dape drives dndbg -*- lexical-binding: t -*-
;; In the environment: PROGRAM (a dll), SOURCE, LINES_WANTED (numbers of the
;; lines to stop at, in order) and RESULT (a file to write).  The set-up of
;; docs/editors.md is loaded before, dndbg is in PATH.
(require 'cl-lib)
(require 'dape)
(setq confirm-kill-processes nil
      kill-buffer-query-functions nil)

(load (expand-file-name "see" (file-name-directory load-file-name)) nil t)

(defun connection ()
  (dape--live-connection 'last t))

(defun stands ()
  "The line where the session stands."
  (plist-get (dape--current-stack-frame (connection)) :line))

(defun shown (buffer text)
  (with-current-buffer buffer
    (string-match-p text (buffer-string))))

(defun drive ()
  (let ((buffer (find-file-noselect (getenv "SOURCE")))
        (lines (mapcar #'string-to-number
                       (split-string (getenv "LINES_WANTED")))))
    (switch-to-buffer buffer)
    (goto-char (point-min))
    (forward-line (1- (nth 0 lines)))
    (dape-breakpoint-toggle)
    (dape (dape--config-eval 'dndbg (list :program (getenv "PROGRAM"))))
    (see "stopped at the breakpoint" (lambda () (eql (stands) (nth 0 lines))))
    (dape-evaluate-expression (connection) "n + 1")
    (see "an expression" (lambda () (shown "*dape-repl*" "\\b22\\b")))
    (dape-next (connection))
    (see "next" (lambda () (eql (stands) (nth 1 lines))))
    (dape-next (connection))
    (see "what the program prints"
         (lambda () (shown "*dape-repl*" "doubled 42")))
    (dape-quit)
    (see "ended" (lambda () (not (connection))))
    (kill-emacs 0)))
