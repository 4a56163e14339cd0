#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <cudald/result.h>

namespace cudald {

// Unread is unknown. Whoever asks the system for a file notes here what it refused, beyond what a loader itself takes
// for an answer (no such file, no permission). Readers may go on with what they have: whoever gives an answer asks here
// whether all that it needed was read. One log for the process, so that no layer in between can lose an error.

/// For many threads.
void note_refusal(Error);
/// Of a folder or file whose names or bytes an answer cannot do without, whatever the reason.
template <typename T>
void note_if_refused(const Result<T>& asked) {
  if (!asked) note_refusal(asked.error());
}

/// Whether an errno is an answer of its own: the file is not there, or is not for us. Source: glibc elf/dl-load.c,
/// open_path, and CPython importlib/_bootstrap_external.py, which go on with these.
bool is_answer(int system_error);

/// What was refused since it was made.
class Refusals {
 public:
  Refusals();
  bool any() const;
  /// The first of them, each once.
  std::vector<Error> all() const { return errors(false); }
  /// The same, which count as told.
  std::vector<Error> take() const { return errors(true); }

 private:
  std::vector<Error> errors(bool told) const;

  std::size_t begin_;
};

/// What no answer has told of, since the process began.
std::vector<Error> untold_refusals();

/// "/lib/libx.so cannot be read: Input/output error"
std::string text_of_refusal(const Error&);

}  // namespace cudald
