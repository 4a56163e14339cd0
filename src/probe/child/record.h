#pragma once

// What the child tells its parent: one line for each fact, on a file descriptor of its own, as the target may write on
// the others. Fields are separated by tabs; tabs, newlines and % within them are written %09, %0A and %25. A line
// leaves with one write(2), so that nothing is lost when the target crashes after it.

enum Result { result_ok, result_failed, result_not_run };

void record_to(int descriptor);

// Fields up to NULL.
void record(const char* kind, ...) __attribute__((sentinel));

// What is done next: a crash, a hang or an exit is then told with it.
void record_step(const char* format, ...) __attribute__((format(printf, 1, 2)));

// What came of asking a library, in words.
void record_check(const char* library, const char* what, enum Result, const char* format, ...)
    __attribute__((format(printf, 4, 5)));
