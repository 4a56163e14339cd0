#include "report/views/facts.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <cudald/cuda_stack.h>
#include <cudald/gpu_code.h>
#include <cudald/image.h>
#include <cudald/pe_symbols.h>
#include <cudald/wheel.h>

#include "base/path.h"
#include "report/json/image_facts.h"

namespace cudald {
namespace {

void add(Facts& facts, const std::string& what, std::string value) {
  if (!value.empty()) facts[what].push_back(std::move(value));
}

/// A path of many folders, each a value of its own; an empty element means the current folder.
void add_folders(Facts& facts, const std::string& what, const std::optional<std::string>& list) {
  if (!list) return;
  for (const auto folder : split(*list, ":")) facts[what].emplace_back(folder.empty() ? "\"\"" : folder);
}

void add_elf(Facts& facts, const Image& image) {
  for (const auto& needed : image.elf.needed)
    facts[needed.tag == NeededTag::needed   ? "needed"
          : needed.tag == NeededTag::filter ? "filter"
                                            : "auxiliary"]
        .push_back(needed.name);
  add_folders(facts, "rpath", image.elf.rpath);
  add_folders(facts, "runpath", image.elf.runpath);
  add(facts, "interpreter", image.elf.interpreter.value_or(""));
  for (const auto& need : image.elf.version_needs)
    for (const auto& version : need.versions)
      facts["versions needed"].push_back(need.file + ": " + version.name + (version.weak ? " (weak)" : ""));
  for (const auto& version : image.elf.version_definitions)
    if (!version.base) facts["versions defined"].push_back(version.name);
  if (const auto& abi = image.elf.abi_note)
    add(facts, "kernel", fmt::format("{}.{}.{}", abi->major, abi->minor, abi->patch));
  for (const auto& note : image.elf.dlopen_notes)
    for (const auto& name : note.sonames) facts["dlopen"].push_back(name);
}

void add_pe(Facts& facts, const Image& image, const PeSymbols& symbols) {
  for (std::size_t i = 0; i < image.pe->imports.size(); ++i) {
    const auto& dll = image.pe->imports[i];
    facts[dll.delayed ? "delay imports" : "imports"].push_back(dll.name);
    if (i >= symbols.imports.size()) continue;
    for (const auto& function : symbols.imports[i])
      facts["functions imported"].push_back(
          dll.name + ": " + (function.name.empty() ? fmt::format("#{}", function.ordinal) : function.name));
  }
  for (const auto& function : symbols.exports)
    facts["functions exported"].push_back(function.name.empty() ? fmt::format("#{}", function.ordinal) : function.name);
  add(facts, "file version", image.pe->file_version.value_or(""));
}

/// "numpy.libs/libgfortran-91cc3cb1.so.3.0.0" without auditwheel's hash, and the version in .dist-info and .data.
std::string part_name(const std::string& member) {
  const auto dash = member.rfind('-');
  const auto dot = dash == std::string::npos ? dash : member.find('.', dash);
  const bool hash = dot != std::string::npos && dot - dash == 9 &&
                    member.substr(dash + 1, 8).find_first_not_of("0123456789abcdef") == std::string::npos;
  return hash ? member.substr(0, dash) + member.substr(dot) : member;
}

}  // namespace

Facts facts_of(const Image& image, const PeSymbols& symbols, const GpuCode* gpu, const CudaLibrary* cuda) {
  Facts facts;
  add(facts, "format", std::string(to_string(image.format)));
  add(facts, "machine", image.is_pe() ? pe_machine_name(image) : machine_name(image.machine));
  add(facts, "soname", image.soname.value_or(""));
  if (image.is_pe())
    add_pe(facts, image, symbols);
  else
    add_elf(facts, image);
  for (auto& flag : flag_names(image)) add(facts, "flags", std::move(flag));
  for (auto& isa : isa_names(image)) add(facts, "processor", std::move(isa));
  if (gpu != nullptr) {
    for (const auto& [architecture, count] : gpu->sass) add(facts, "GPU code", "sass " + to_string(architecture));
    for (const auto& [architecture, count] : gpu->ptx) add(facts, "GPU code", "ptx " + to_string(architecture));
  }
  if (cuda != nullptr) add(facts, "cuda", cuda_words(*cuda));
  return facts;
}

FactSheet facts_of(const WheelReport& wheel) {
  FactSheet sheet;
  auto& whole = sheet[""];
  add(whole, "name", wheel.name);
  add(whole, "version", wheel.version);
  add(whole, "requires python", wheel.requires_python);
  for (const auto& line : wheel.requires_dist) add(whole, "requires", line);
  for (const auto& tag : wheel.platform_tags) add(whole, "platform tag", tag);
  add(whole, "tag that fits", wheel.fitting_tag());
  for (const auto& library : wheel.external) add(whole, "from outside", library.name);
  for (const auto& file : wheel.files)
    if (file.image) sheet[part_name(file.member)] = facts_of(*file.image, {}, nullptr, nullptr);
  for (const auto& member : wheel.windows_files) sheet[member];
  return sheet;
}

FactSheet facts_of(const CudaStack& stack) {
  FactSheet sheet;
  auto& whole = sheet[""];
  add(whole, "platform", stack.platform);
  add(whole, "libc", stack.libc);
  add(whole, "driver", stack.driver.version);
  add(whole, "kernel module", stack.driver.module_version);
  for (const auto& model : stack.gpu_models) add(whole, "GPU", model);
  for (const auto gpu : stack.gpus) add(whole, "GPU", to_string(gpu));
  for (const auto& toolkit : stack.toolkits)
    add(whole, "toolkit", toolkit.version.empty() ? toolkit.path : toolkit.version);
  for (const auto& framework : stack.frameworks) {
    auto& facts = sheet[framework.package.name];
    add(facts, "version", framework.package.version);
    add(facts, "built for CUDA", framework.cuda);
    add(facts, "built for cuDNN", framework.cudnn);
  }
  for (const auto& copy : stack.copies) {
    auto& facts = sheet[copy.name];
    add(facts, "cuda", cuda_words(copy.library));
    if (copy.package) add(facts, "package", copy.package->name + " " + copy.package->version);
  }
  return sheet;
}

std::vector<Change> compare(const FactSheet& a, const FactSheet& b) {
  std::vector<Change> changes;
  std::set<std::string> subjects;
  for (const auto* sheet : {&a, &b})
    for (const auto& [subject, facts] : *sheet) subjects.insert(subject);
  static const std::vector<std::string> nothing;
  for (const auto& subject : subjects) {
    const auto in_a = a.find(subject), in_b = b.find(subject);
    if (in_a == a.end() || in_b == b.end()) {
      Change change{subject, "part", {}, {}};
      (in_b == b.end() ? change.removed : change.added).push_back(subject);
      changes.push_back(std::move(change));
      continue;
    }
    std::set<std::string> labels;
    for (const auto* facts : {&in_a->second, &in_b->second})
      for (const auto& [what, values] : *facts) labels.insert(what);
    for (const auto& what : labels) {
      const auto values_in = [&what](const Facts& facts) -> const std::vector<std::string>& {
        const auto found = facts.find(what);
        return found == facts.end() ? nothing : found->second;
      };
      const auto &before = values_in(in_a->second), &after = values_in(in_b->second);
      if (before == after) continue;
      const std::set<std::string> old_set(before.begin(), before.end()), new_set(after.begin(), after.end());
      Change change{subject, what, {}, {}};
      std::set_difference(old_set.begin(), old_set.end(), new_set.begin(), new_set.end(),
                          std::back_inserter(change.removed));
      std::set_difference(new_set.begin(), new_set.end(), old_set.begin(), old_set.end(),
                          std::back_inserter(change.added));
      const bool in_order = what == "needed" || what == "rpath" || what == "runpath" || what == "imports";
      if (change.removed.empty() && change.added.empty()) {
        if (!in_order) continue;
        change = {subject, "order of " + what, before, after};
      }
      changes.push_back(std::move(change));
    }
  }
  return changes;
}

}  // namespace cudald
