// plan_import RULES PREFIX MODULE: prints what `import MODULE` would ask of the dynamic loader, one JSON object a line,
// against the simulated process that cudald itself uses. A tool for real_import.py.

#include <cstdio>
#include <iostream>

#include <elf.h>

#include <nlohmann/json.hpp>

#include "env/abi.h"
#include "loader/loader.h"
#include "process/process.h"
#include "python/run_import.h"

using namespace cudald;

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: plan_import RULES PREFIX MODULE\n", stderr);
    return 2;
  }
  const auto files = make_disk_file_system("/");
  const auto rules = read_file(*files, argv[1], 1 << 24);
  const auto host = host_environment();
  const auto python = find_python(argv[2], *files, host.variables);
  if (!rules || !python) {
    std::fputs("the rules or the prefix cannot be read\n", stderr);
    return 3;
  }
  nlohmann::json first = {{"interpreter", python->interpreter}, {"version", python->version}, {"path", python->path}};
  std::cout << first.dump() << '\n';

  ImageStore images(*files);
  const auto* abi = find_abi(EM_X86_64, Format::elf64, ByteOrder::little);
  const std::string interpreter(abi->interpreter);
  const auto glibc = make_glibc_loader(*files, interpreter, *abi, host);
  Process process(images, *glibc, host);
  const auto started = python->interpreter.empty() ? std::string("/bin/true") : python->interpreter;
  process.start(started, started, interpreter);

  PythonLoader loader;
  loader.load = [&](const LoadStep& step) {
    if (step.only_if_loaded) {
      const bool loaded = process.find(step.path).has_value();
      const auto error = loaded ? std::string() : step.path + ": not loaded";
      std::cout << nlohmann::json({{"load", step.path}, {"kind", "question"}, {"error", error}}).dump() << '\n';
      return LoadAnswer{loaded, error};
    }
    process.dlopen(step.path, {step.path, "", step.global, true, false}, 0);
    const auto& target = process.resolution().targets.back();
    auto error = target.error;
    if (target.unreadable) error = target.unreadable->message;
    nlohmann::json line = {{"load", step.path},     {"kind", step.kind == LoadStep::Kind::library ? "library" : "module"},
                           {"global", step.global}, {"required", step.required}, {"module", step.module},
                           {"source", step.source}, {"line", step.line},         {"basis", step.basis},
                           {"error", error}};
    std::cout << line.dump() << '\n';
    return LoadAnswer{error.empty(), error};
  };
  loader.mapped = [&](const std::string& part) {
    for (const auto& object : process.resolution().objects)
      if (!object.unmapped && object.path.find(part) != std::string::npos) return true;
    return false;
  };
  const auto result = run_import(argv[3], *python, *files, loader, *rules);
  nlohmann::json last = {{"imported", result.imported}, {"error", result.error}, {"notes", result.notes}};
  for (const auto& module : result.modules) last["modules"].push_back(module.name);
  for (const auto& missing : result.missing)
    last["missing"].push_back({missing.name, missing.source, missing.line, missing.required});
  for (const auto& soft : result.soft_libraries) last["soft"].push_back({soft.name, soft.source, soft.line, soft.note});
  std::cout << last.dump() << '\n';
  return result.imported ? 0 : 1;
}
