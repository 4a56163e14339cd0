#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/memory_file_system.h"
#include "common/table.h"
#include "pyimport/run_import.h"

namespace cudald {

/// An installation without a standard library: one site-packages folder, and a process that loads what is not in
/// `refused`.
struct ImportWorld {
  MemoryFileSystem files;
  PythonEnvironment python;
  std::vector<std::string> loads, refused;
  std::vector<LoadStep> steps;                 ///< what was asked of the process
  int code = 0;                                ///< what Windows says of what is refused
  std::optional<std::set<std::string>> found;  ///< the libraries that the loader would find by name, if that is known
  std::function<std::optional<ReleasesWithName>(const std::string&, const std::string&)> releases_with;
  std::string rules =
      R"({"standard_library": {"names": ["sys", "os", "ctypes", "importlib", "glob", "typing", "contextlib",
         "pathlib", "platform"]},
         "rules": [], "libraries": {"rows": {}}})";
  ImportResult result;
  CostLimits limits = python_limits;
  Cost cost;  ///< of the import

  ImportWorld() {
    python.version = "3.11";
    python.path = {"/s"};
    python.extension_suffixes = {".cpython-311-x86_64-linux-gnu.so", ".abi3.so", ".so"};
    files.add_folder("/s");
  }
  void add(const std::string& path, const std::string& text = "") { files.add_file("/s/" + path, text); }
  std::string import(const std::string& module) {
    PythonLoader loader;
    loader.load = [this](const LoadStep& step) {
      steps.push_back(step);
      loads.push_back(step.path + (step.global ? " global" : "") + (step.required ? "" : " optional"));
      for (const auto& path : refused)
        if (path == step.path)
          return LoadAnswer{false, path + ": cannot open shared object file", "", code, loads.size() - 1};
      return LoadAnswer{true, ""};
    };
    loader.mapped = [](const std::string& part) { return part == "libcudart.so"; };
    loader.releases_with = releases_with;
    if (found) loader.finds = [this](const std::string& name) { return found->contains(name); };
    Budget budget(limits);
    // Only tests of what code may see have variables of a machine.
    if (python.stated_variables.empty())
      for (const auto& [name, value] : python.variables) python.stated_variables.insert(name);
    result = run_import(module, python, files, loader, table_of(rules), budget);
    cost = budget.cost();
    std::string joined;
    for (const auto& one : loads)
      (joined += joined.empty() ? "" : ", ") += one.starts_with("/s/") ? one.substr(3) : one;
    return joined;
  }
};

/// Costs are limits, not results: a change of an eighth is none.
inline bool is_about(std::uint64_t cost, std::uint64_t usual) {
  const auto apart = usual / 8 + 64;
  return cost <= usual + apart && cost + apart >= usual;
}

}  // namespace cudald
