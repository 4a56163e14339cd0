// What code tells people: loggers and warnings. Nothing comes of it that an import hangs on, and a handler that fails
// raises nothing.
// Source: CPython 3.11 Doc/library/logging.rst, Handler.handleError, and Doc/library/warnings.rst.
#include "pyimport/known/known_functions.h"

namespace cudald::python {
namespace {

Value says_nothing(const KnownCall&) { return None{}; }
Value asks(const KnownCall&) { return Unknown{}; }

/// What else code has put into a logger of this name is not known.
Value logger(const KnownCall& call) {
  const auto* module = call.python.sys_modules.find_loaded("logging");
  const auto* type = module == nullptr ? nullptr : module->names.find("Logger");
  if (module == nullptr || type == module->names.end() || type->second.get<ObjectRef>() == nullptr) return Unknown{};
  auto instance = call.python.heap.make<Object>();
  instance->name = "logging.Logger";
  instance->is_class = false;
  instance->bases = {type->second, Unknown{}};
  return instance;
}

constexpr KnownFunction message_rows[] = {{"logging.getLogger", logger},
                                          {"logging.Logger.getChild", logger},
                                          {"logging.Logger.debug", says_nothing},
                                          {"logging.Logger.info", says_nothing},
                                          {"logging.Logger.warning", says_nothing},
                                          {"logging.Logger.warn", says_nothing},
                                          {"logging.Logger.error", says_nothing},
                                          {"logging.Logger.exception", says_nothing},
                                          {"logging.Logger.critical", says_nothing},
                                          {"logging.Logger.log", says_nothing},
                                          {"logging.Logger.setLevel", says_nothing},
                                          {"logging.Logger.addHandler", says_nothing},
                                          {"logging.Logger.removeHandler", says_nothing},
                                          {"logging.Filterer.addFilter", says_nothing},
                                          {"logging.Logger.isEnabledFor", asks},
                                          {"logging.Logger.hasHandlers", asks},
                                          {"logging.Logger.getEffectiveLevel", asks},
                                          {"logging.debug", says_nothing},
                                          {"logging.info", says_nothing},
                                          {"logging.warning", says_nothing},
                                          {"logging.error", says_nothing},
                                          {"logging.exception", says_nothing},
                                          {"logging.critical", says_nothing},
                                          {"logging.log", says_nothing},
                                          {"builtins.print", says_nothing},
                                          {"warnings.warn", says_nothing},
                                          {"_warnings.warn", says_nothing}};

}  // namespace

std::span<const KnownFunction> known_messages() { return message_rows; }

}  // namespace cudald::python
