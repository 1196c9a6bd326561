/* The prompt's commands on a further terminal: `new-ui console TERMINAL`. */
#ifndef FRONT_CONSOLE_UI_H
#define FRONT_CONSOLE_UI_H

struct ui_ops;

extern const struct ui_ops console_ui;

#endif
