;;; emacs.el --- dap-mode drives dndbg -*- lexical-binding: t -*-
;; In the environment: SETUP (what docs/editors.md says to put into one's init
;; file), PROGRAM (a dll), SOURCE, LINES_WANTED (numbers of the lines to stop at,
;; in order) and RESULT (a file to write).  HOME must be a scratch folder.
(setq native-comp-deferred-compilation nil
      native-comp-async-report-warnings-errors nil)
(package-initialize)
(require 'cl-lib)
(load (getenv "SETUP") nil t)
(setq dap-breakpoints-file (expand-file-name "breakpoints" (getenv "HOME"))
      dap-auto-configure-features '(sessions)
      dap-auto-show-output nil
      confirm-kill-processes nil)

(load (expand-file-name "see" (file-name-directory load-file-name)) nil t)

(defun stands ()
  "The line where the session stands."
  (let ((frame (dap--debug-session-active-frame (dap--cur-session))))
    (and frame (gethash "line" frame))))

(defun buffer-has (name text)
  (let ((buffer (get-buffer name)))
    (and buffer (with-current-buffer buffer
                  (string-match-p text (buffer-string))))))

(defun drive ()
  (let ((buffer (find-file-noselect (getenv "SOURCE")))
        (lines (mapcar #'string-to-number
                       (split-string (getenv "LINES_WANTED")))))
    (switch-to-buffer buffer)
    (prog-mode)
    (dap-mode 1)
    (goto-char (point-min))
    (forward-line (1- (nth 0 lines)))
    (dap-breakpoint-add)
    (dap-debug (list :type "coreclr" :request "launch" :mode "launch"
                     :name "console" :program (getenv "PROGRAM")))
    (see "stopped at the breakpoint" (lambda () (eql (stands) (nth 0 lines))))
    (switch-to-buffer buffer)
    (dap-eval "n + 1")
    (see "an expression" (lambda () (buffer-has "*Messages*" "\\b22\\b")))
    (dap-next (dap--cur-session))
    (see "next" (lambda () (eql (stands) (nth 1 lines))))
    (dap-disconnect (dap--cur-session))
    (see "disconnected" (lambda () (not (dap--session-running
                                         (dap--cur-session)))))
    (kill-emacs 0)))
