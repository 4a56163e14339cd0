// Messages of Python about a name that a module lacks. A table knows of many names which release has them
// (data/changed-names.json). Of a module that is imported while it is not complete, Python guesses a circular import;
// where its source lies says more: a file of the user's own that is called like the package, sources of the package in
// the current directory, or, in site-packages, a compiled part that is missing. Sources: CPython
// Python/ceval.c, import_from; Doc/library/sys_path_init, the directory of the script comes first;
// github.com/mem0ai/mem0 issues 88 and 1938, mingrammer/diagrams issue 175, citysu/csiread issue 15.
#include "knowledge/named_modules.h"

#include <fmt/format.h>

#include "base/path.h"
#include "base/shell_word.h"

namespace cudald {
namespace {

constexpr std::string_view partially = "partially initialized module";

bool is_about_argument(const MessageReading& message, std::string_view words) {
  return message.text.find(fmt::format("() {} '{}'", words, message.symbol)) != std::string::npos;
}

/// Whether what the message calls its module is a function that does not take an argument.
bool refuses_argument(const MessageReading& message) {
  return is_about_argument(message, "got an unexpected keyword argument");
}

/// Whether it is one that is called without an argument that it needs: a call for a release where it had a default.
bool lacks_argument(const MessageReading& message) {
  return is_about_argument(message, "missing 1 required positional argument:");
}

void add_release(const ChangedName& known, MessageReading& message) {
  message.means += "; " + told_of_change(known, message);
  message.source += "; " + known.source;
  message.fix = fmt::format("use a {} that {} it", known.distribution, known.is_needed ? "works without" : "has");
  if (!known.python.empty()) message.fix += fmt::format(": there are wheels of it up to Python {}", known.python);
  message.command = "pip install " + known.words_for_pip();
}

/// A file of the user's own, and not of a package.
void add_own_file(const std::string& file, MessageReading& message) {
  const std::string folder(parent_path(file)), name(file_name(file));
  if (name != "__init__.py") {
    if (name != message.module + ".py") return;
    message.means = fmt::format("{} is imported as {}, while it runs or is imported itself", file, message.module);
    message.fix = fmt::format("if a package is called {}, and is meant: rename the file, which is found before it",
                              message.module);
    message.command = fmt::format("mv {} {}", shell_word(file), shell_word(folder + "/my_" + name));
    return;
  }
  const std::string project(parent_path(folder));
  message.means = fmt::format(
      "Python was started in {}, or has it in PYTHONPATH, and imports the sources there in place of the installed {}: "
      "they have no {}, which is made when the package is built",
      project, message.module, message.symbol);
  message.fix = "start Python in another directory";
  message.command = "cd " + shell_word(std::string(parent_path(project)));
}

void add_partial_module(MessageReading& message) {
  const auto file = source_in_message(message);
  if (file.empty()) {
    message.fix = fmt::format(
        "if a file or directory of your own is called {}, rename it: it is found before a package", message.module);
    return;
  }
  if (file.find("-packages/") == std::string::npos) return add_own_file(file, message);
  if (!message.symbol.starts_with('_')) return;
  message.means = fmt::format(
      "{} has no {} for this Python: it is compiled, and was installed for another Python or system, or is "
      "gone",
      message.module, message.symbol);
  message.fix = fmt::format("install {} again, with the Python that runs", message.distribution);
  message.command = "pip install --force-reinstall --no-cache-dir " + shell_word(message.distribution);
}

}  // namespace

std::optional<ChangedName> changed_name_of(const MessageReading& message) {
  if (refuses_argument(message)) return changed_argument(message.module + "()", message.symbol, "");
  if (lacks_argument(message)) return changed_argument(message.module + "(...)", message.symbol, "");
  constexpr std::size_t distinctive = 8;  // shorter names are those of several projects
  if (message.module.empty())
    return message.symbol.size() < distinctive || message.text.find("cannot import name") == std::string::npos
               ? std::nullopt
               : changed_name_anywhere(message.symbol);
  if (!message.symbol.empty()) return changed_name(message.module, message.symbol);
  for (auto dot = message.module.find('.'); dot != std::string::npos; dot = message.module.find('.', dot + 1)) {
    const auto next = message.module.find('.', dot + 1);
    if (auto known = changed_name(message.module.substr(0, dot), message.module.substr(dot + 1, next - dot - 1)))
      return known;
  }
  return std::nullopt;
}

std::string told_of_change(const ChangedName& known, const MessageReading& message) {
  const bool removed = known.releases.starts_with('<');
  auto what = message.symbol.empty() ? message.module : message.symbol;
  if (refuses_argument(message)) what = fmt::format("the argument {} of {}()", message.symbol, message.module);
  if (known.is_needed)
    return fmt::format("{} needs the argument {} of {}() since {}", known.distribution, message.symbol, message.module,
                       known.releases.substr(1));
  return fmt::format("{} {} {} {} {}", known.distribution, removed ? "removed" : "has", what, removed ? "in" : "since",
                     known.releases.substr(removed ? 1 : 2));
}

std::string source_in_message(const MessageReading& message) {
  const auto open = message.text.rfind("(/"), close = message.text.find(')', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) return "";
  auto file = message.text.substr(open + 1, close - open - 1);
  return file.ends_with(".py") ? file : "";
}

bool complete_by_names(MessageReading& message) {
  if (const auto known = changed_name_of(message)) {
    add_release(*known, message);
    return true;
  }
  if (message.text.find(partially) == std::string::npos || !message.fix.empty()) return false;
  add_partial_module(message);
  return true;
}

}  // namespace cudald
