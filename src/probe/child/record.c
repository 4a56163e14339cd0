#include "record.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { longest_line = 16384, longest_text = 4096 };

static int output = -1;

void record_to(int descriptor) { output = descriptor; }

static size_t add_field(char* line, size_t used, const char* text) {
  for (; *text != '\0' && used + 8 < longest_line; ++text) {
    const unsigned char c = (unsigned char)*text;
    if (c < ' ' || c == '%')
      used += (size_t)snprintf(line + used, 4, "%%%02X", c);
    else
      line[used++] = *text;
  }
  return used;
}

static void write_line(char* line, size_t used) {
  line[used++] = '\n';
  for (size_t done = 0; done < used;) {
    const ssize_t written = write(output, line + done, used - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(120);  // the parent is gone
    done += (size_t)written;
  }
}

void record(const char* kind, ...) {
  char line[longest_line];
  size_t used = add_field(line, 0, kind);
  va_list fields;
  va_start(fields, kind);
  for (const char* field = va_arg(fields, const char*); field != NULL; field = va_arg(fields, const char*)) {
    line[used++] = '\t';
    used = add_field(line, used, field);
  }
  va_end(fields);
  write_line(line, used);
}

void record_step(const char* format, ...) {
  char text[longest_text];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  record("step", text, NULL);
}

void record_check(const char* library, const char* what, enum Result result, const char* format, ...) {
  static const char* const words[] = {"ok", "failed", "not-run"};
  char text[longest_text];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  record("check", library, what, words[result], text, NULL);
}
