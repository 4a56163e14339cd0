#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/at_end.h"
#include "pyimport/run/frame.h"
#include "pyimport/run/part.h"
#include "pyimport/run/python_error.h"

namespace cudald::python {

/// Whose exceptions a handler is there for: those of modules that are imported meanwhile as well, or not.
enum class Reach { all, this_module };

/// Who catches what: the handlers around the code that runs, and the exceptions that are being handled.
class Handlers : Part {
 public:
  explicit Handlers(Interpreter& python) : Part(python) {}

  /// An exception whose handler runs, and how deep that is in calls and imports.
  struct Handled {
    PythonError error;
    int call_depth, import_depth;
  };

  /// Whether any handler around the code that runs catches an exception of this kind.
  bool caught(std::string_view kind) const;
  /// The same, but for what has imported the module whose code runs now and may as well not run, or only looks whether
  /// a name is there: others may import that module as well, for whom nobody catches it.
  bool caught_for_all(std::string_view kind) const;
  bool caught_for_all(const PythonError&) const;
  /// Whether a handler of the module that runs may not run itself, or code in it that is not followed may have left it.
  bool may_be_left() const;
  /// The exception that is being handled; null if none is.
  const Handled* handled() const { return handled_.empty() ? nullptr : &handled_.back(); }
  /// It is handled as long as the result lives.
  [[nodiscard]] auto handling(const PythonError& error) {
    begin(error);
    return AtEnd([this] { handled_.pop_back(); });
  }

 private:
  friend class Handler;
  void begin(const PythonError&);
  struct Catcher {
    std::vector<std::string> kinds;
    int import_depth;             ///< of its own code
    bool unsure;                  ///< it is of what may as well not run
    std::size_t possible_raises;  ///< when it began
    Reach reach;
  };
  std::vector<Catcher> handlers_;
  std::vector<Handled> handled_;
};

/// While it lives, exceptions of these kinds are caught somewhere; an empty list is all of them.
class Handler {
 public:
  Handler(Interpreter&, std::vector<std::string> kinds, Reach = Reach::all);
  /// Nobody catches any, but what raises one may as well not run.
  explicit Handler(Interpreter&);
  ~Handler() { handlers_.handlers_.pop_back(); }
  Handler(const Handler&) = delete;
  Handler& operator=(const Handler&) = delete;

 private:
  Handlers& handlers_;
};

/// Does what may as well not happen; false if it raises something.
template <typename Work>
bool run_unsure(Interpreter& python, Frame& frame, const Work& work) {
  const bool before = std::exchange(frame.maybe, true), own_before = std::exchange(frame.own_maybe, true);
  const AtEnd restore([&frame, before, own_before] { frame.maybe = before, frame.own_maybe = own_before; });
  const Handler handler(python);
  try {
    work();
  } catch (const PythonError&) {
    return false;
  }
  return true;
}

}  // namespace cudald::python
