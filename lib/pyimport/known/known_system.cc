#include "base/path.h"
#include "pyimport/environment/environment_files.h"
#include "pyimport/known/known_functions.h"

namespace cudald::python {
namespace {

Value get_variable(const KnownCall& call) {
  const auto* name = call.text(0);
  const auto* otherwise = call.argument(1, "default");
  // Few variables are set: one whose name is not known is taken for one that is not, if the code says what then holds.
  if (name == nullptr) return otherwise == nullptr ? Value(Unknown{}) : *otherwise;
  const auto* text = call.python.host.variable(*name);
  if (call.python.host.is_unsure_variable(*name)) return Unknown{};
  if (text != nullptr) return *text;
  const bool is_none = otherwise == nullptr || (otherwise->get<None>() != nullptr && !otherwise->doubtful);
  return is_none ? Value(None{*name}) : *otherwise;
}

Value set_default(const KnownCall& call) {
  const auto* name = call.text(0);
  const auto* value = call.argument(1);
  if (name == nullptr || value == nullptr) return Unknown{};
  const auto* text = call.python.host.variable(*name);
  if (call.python.host.is_unsure_variable(*name)) return Unknown{};
  if (text != nullptr) return *text;
  call.python.host.set_variable(call.frame, *name, *value);
  return *value;
}

Value take_variable(const KnownCall& call) {
  auto value = get_variable(call);
  if (const auto* name = call.text(0)) call.python.host.unset_variable(call.frame, *name);
  return value;
}

Value update_variables(const KnownCall& call) {
  const auto* given = call.argument(0) == nullptr ? nullptr : call.argument(0)->get<Dict>();
  if (given == nullptr) return None{};
  for (const auto& [key, value, may_lack] : call.python.heap.copy(*given))
    if (const auto* name = key.get<std::string>()) call.python.host.set_variable(call.frame, *name, value);
  return None{};
}

Value machine(const KnownCall& call) { return call.python.environment.machine; }
Value linux_name(const KnownCall&) { return std::string("Linux"); }
Value implementation(const KnownCall&) { return std::string("CPython"); }
Value text_encoding(const KnownCall&) { return std::string("utf-8"); }

Value architecture(const KnownCall& call) {
  return call.python.heap.list({std::string(call.python.environment.narrow ? "32bit" : "64bit"), std::string("ELF")});
}

/// "P" alone, by which code asks how wide a process is.
Value size_of_format(const KnownCall& call) {
  const auto* format = call.text(0);
  return format != nullptr && *format == "P" ? Value(call.python.environment.narrow ? 4LL : 8LL) : Value();
}

/// Of the system what is known of it; its release and the name of the machine are not.
Value system_facts(const KnownCall& call) {
  auto facts = call.python.heap.make<Object>();
  facts->name = "platform.uname_result";
  facts->is_class = false;
  for (const auto* name : {"system", "machine"})
    facts->names.emplace(
        name, call.python.calls.call_known(call.frame, std::string("platform.") + name, {}).value_or(Value()));
  for (const auto* name : {"node", "release", "version", "processor"}) facts->names.emplace(name, Unknown{});
  return facts;
}

Value python_version(const KnownCall& call) {
  const auto& version = call.python.environment.version;
  return version.empty() ? Value() : Value(version + "." + std::to_string(call.python.environment.micro));
}

/// Of what Python was built with, the folders and the endings of extension modules.
Value config_variable(const KnownCall& call) {
  const auto* name = call.text(0);
  const auto& environment = call.python.environment;
  if (name == nullptr) return Unknown{};
  if (*name == "EXT_SUFFIX" && !environment.extension_suffixes.empty()) return environment.extension_suffixes.front();
  if (*name == "prefix" || *name == "exec_prefix") return call.python.host.spelled(environment.prefix);
  if (*name == "base" || *name == "installed_base") return call.python.host.spelled(environment.base_prefix);
  if (*name == "Py_GIL_DISABLED" || *name == "Py_DEBUG") return 0LL;
  return Unknown{};
}

Value site_folders(const KnownCall& call) {
  std::vector<Value> folders;
  for (const auto& folder : call.python.environment.path)
    if (is_site_folder(folder)) folders.push_back(call.python.host.spelled(folder));
  return call.python.heap.list(std::move(folders));
}

Value install_path(const KnownCall& call) {
  const auto* name = call.text(0);
  const auto& environment = call.python.environment;
  if (name == nullptr || call.arguments.size() > 1) return Unknown{};
  if (*name == "data") return call.python.host.spelled(environment.prefix);
  if (*name == "scripts") return call.python.host.spelled(environment.prefix + "/bin");
  if (*name != "purelib" && *name != "platlib") return Unknown{};
  for (const auto& folder : environment.path)
    if (is_site_folder(folder) && folder.starts_with(environment.prefix + "/")) return call.python.host.spelled(folder);
  return Unknown{};
}

/// Each codec but the few of the core is a module.
Value look_up_codec(const KnownCall& call) {
  const auto* name = call.text(0);
  if (name != nullptr) call.python.importer.import_codec(call.frame, *name);
  return Unknown{};
}

/// It imports nothing, and following its code takes longer than most of an import.
/// Source: CPython 3.6 Lib/re.py and Lib/sre_compile.py to 3.14 Lib/re/__init__.py and Lib/re/_compiler.py
Value compile_expression(const KnownCall&) { return Unknown{}; }

/// `sys.exit("the library is missing")`: the program ends, and says that it failed.
/// Source: CPython 3.11 Python/pythonrun.c, handle_system_exit.
Value exit_program(const KnownCall& call) {
  const auto* status = call.argument(0);
  const auto* number = status == nullptr ? nullptr : status->get<long long>();
  const auto* text = status == nullptr ? nullptr : status->get<std::string>();
  const bool fails = (number != nullptr && *number != 0) || (text != nullptr && !text->empty());
  if (fails)
    call.python.doubt.raise_if_certain(
        call.frame, {"SystemExit", text != nullptr ? RaiseStatements::first_line(*status) : std::to_string(*number)});
  return call.python.escapes.opaque_call(call.arguments);
}

constexpr KnownFunction system_rows[] = {{"sys.exit", exit_program},
                                         {"builtins.exit", exit_program},
                                         {"builtins.quit", exit_program},
                                         {"os.getenv", get_variable},
                                         {"os.environ.get", get_variable},
                                         {"os.environ.setdefault", set_default},
                                         {"os.environ.pop", take_variable},
                                         {"os.environ.update", update_variables},
                                         {"platform.system", linux_name},
                                         {"platform.machine", machine},
                                         {"platform.python_implementation", implementation},
                                         {"platform.python_version", python_version},
                                         {"platform.architecture", architecture},
                                         {"platform.uname", system_facts},
                                         {"struct.calcsize", size_of_format},
                                         {"_struct.calcsize", size_of_format},
                                         {"sys.getfilesystemencoding", text_encoding},
                                         {"sys.getdefaultencoding", text_encoding},
                                         {"sysconfig.get_config_var", config_variable},
                                         {"sysconfig.get_path", install_path},
                                         {"site.getsitepackages", site_folders},
                                         {"codecs.lookup", look_up_codec},
                                         {"re._compile", compile_expression},
                                         {"re._compiler.compile", compile_expression},
                                         {"sre_compile.compile", compile_expression}};

}  // namespace

std::span<const KnownFunction> known_system() { return system_rows; }

}  // namespace cudald::python
