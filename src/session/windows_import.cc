#include "session/windows_import.h"

#include <algorithm>

#include "base/path.h"
#include "base/windows_path.h"
#include "session/import_module.h"

namespace cudald {
namespace {

constexpr int file_not_found = 2, path_not_found = 3, invalid_parameter = 87;

/// "OSError" and the rest of "OSError: [WinError 193] ...".
LoadAnswer failure(int code, const std::string& line) {
  const auto colon = line.find(": ");
  const bool kind = colon != std::string::npos && line.substr(0, colon).ends_with("Error");
  return {false, kind ? line.substr(colon + 2) : line, kind ? line.substr(0, colon) : "", code};
}

class WindowsRequests {
 public:
  explicit WindowsRequests(WindowsProcess& process) : process_(process) {}

  LoadAnswer answer(const LoadStep& step) {
    switch (step.kind) {
      case LoadStep::Kind::dll_directory: return add_folder(step.path);
      case LoadStep::Kind::dll_directory_instead: process_.set_dll_directory(step.path); return {true, ""};
      case LoadStep::Kind::path_variable: process_.set_path(step.path); return {true, ""};
      default: return load(step);
    }
  }

  bool mapped(const std::string& part) const {
    const auto& objects = process_.resolution().objects;
    return std::any_of(objects.begin(), objects.end(), [&](const Object& object) {
      return !object.unmapped && object.load_name.find(part) != std::string::npos;
    });
  }

  void note(const SoftLibrary& soft) {
    if (soft.basis == "rule") {
      DlopenRequest call;
      call.traits.optional = true;
      call.traits.when = RequestTime::later;
      call.traits.gpu = soft.gpu;
      call.traits.without = soft.note;
      call.traits.asked_at = asked_at(soft.source, soft.line);
      process_.load(soft.name, soft.name, {}, WindowsCaller::program, call);
    } else if (soft.name.find_first_of("/\\") == std::string::npos) {
      process_.note_soft_load(soft.name, ctypes_load_flags(process_.host().python_minor, soft.name),
                              asked_at(soft.source, soft.line));
    }
  }

  std::string spelled(const std::string& path) { return path.empty() ? path : process_.tree().spelled(path); }

 private:
  std::string asked_at(const std::string& source, std::size_t line) { return place_of(spelled(source), line); }

  LoadAnswer load(const LoadStep& step) {
    const int minor = process_.host().python_minor;
    const bool module = step.kind == LoadStep::Kind::extension_module;
    const auto name = module ? process_.tree().spelled(step.path) : step.path;
    auto flags = module ? python_load_flags(minor, process_.host().conda) : ctypes_load_flags(minor, name);
    if (step.flags) flags = WindowsLoadFlags::of(*step.flags);
    DlopenRequest call;
    call.traits.optional = !step.required;
    call.traits.asked_at = asked_at(step.source, step.line);
    const auto caller = module                                 ? WindowsCaller::python_import
                        : step.kind == LoadStep::Kind::library ? WindowsCaller::ctypes
                                                               : WindowsCaller::program;
    const int code = process_.load(module ? step.path : name, name, flags, caller, call);
    if (code == 0) return {true, ""};
    const auto& targets = process_.resolution().targets;
    auto answer = failure(code, targets.back().error);
    answer.request = targets.size() - 1;
    return answer;
  }

  /// Source: Microsoft's AddDllDirectory; CPython Modules/posixmodule.c, os__add_dll_directory_impl.
  LoadAnswer add_folder(const std::string& path) {
    int code = 0;
    if (!is_full_windows_path(path))
      code = invalid_parameter;
    else if (!process_.has_folder(path))
      code = process_.has_folder(windows_folder(path)) ? file_not_found : path_not_found;
    if (code == 0) {
      process_.add_dll_directory(path);
      return {true, ""};
    }
    auto text = windows_error_text(code);
    text.pop_back();
    return {false, "[WinError " + std::to_string(code) + "] " + text + ": '" + path + "'", "", code};
  }

  WindowsProcess& process_;
};

}  // namespace

std::string import_on_windows(const std::string& module, const PythonEnvironment& python, const PackageTree& files,
                              SharedReadings& shared, Budget& budget, const Knowledge& knowledge,
                              WindowsProcess& process) {
  WindowsRequests requests(process);
  ImportAnswers answers;
  answers.loader.load = [&](const LoadStep& step) { return requests.answer(step); };
  answers.loader.mapped = [&](const std::string& part) { return requests.mapped(part); };
  answers.note = [&](const SoftLibrary& soft) { requests.note(soft); };
  answers.spelled = [&](const std::string& path) { return requests.spelled(path); };
  return import_module(module, python, files, shared, budget, knowledge, answers, process);
}

}  // namespace cudald
