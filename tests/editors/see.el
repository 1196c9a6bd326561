;;; see.el --- what the tests of debuggers in Emacs share -*- lexical-binding: t -*-
;; In the environment: RESULT (a file to write).

(defun see (what test)
  "Wait until TEST is true; write down whether it came to be."
  (let ((end (+ (float-time) 60)) seen)
    (while (and (not (setq seen (ignore-errors (funcall test))))
                (< (float-time) end))
      (accept-process-output nil 0.05)
      (redisplay))
    (write-region (format "%s  %s\n" (if seen "ok  " "FAIL") what)
                  nil (getenv "RESULT") t 'quiet)))
