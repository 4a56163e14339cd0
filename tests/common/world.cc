#include "common/world.h"

#include <algorithm>
#include <stdexcept>

#include <cudald/session.h>

namespace cudald {
namespace {

const Object& object_at(const Report& report, const std::string& path) {
  for (const auto& object : report.resolution.objects)
    if (object.path == path) return object;
  throw std::invalid_argument("nothing was loaded from " + path);
}

const Edge& edge_named(const Report& report, const std::string& path, const std::string& name) {
  for (const auto& edge : object_at(report, path).edges)
    if (edge.name == name) return edge;
  throw std::invalid_argument(path + " does not ask for " + name);
}

std::string answer(const Edge& edge) {
  switch (edge.status) {
    case EdgeStatus::loaded: return "loaded by " + std::string(to_string(edge.rule));
    case EdgeStatus::already_loaded: return "reused by " + std::string(to_string(edge.matched));
    case EdgeStatus::not_loaded: return "would load by " + std::string(to_string(edge.rule));
    case EdgeStatus::missing:
    case EdgeStatus::rejected: break;
  }
  return std::string(to_string(edge.status)) + ", " + edge.error;
}

}  // namespace

std::string glibc_loader(const std::string& version, const std::vector<std::string>& folders) {
  std::string bytes = elf({.soname = "ld-linux-x86-64.so.2"});
  bytes += "stable release version " + version + ".\n" + std::string(1, '\0');
  for (const auto& folder : folders) (bytes += folder) += std::string("/\0", 2);
  return bytes;
}

ElfSpec program(ElfSpec spec) {
  spec.interpreter = "/lib64/ld-linux-x86-64.so.2";
  spec.flags_1 |= df_1_pie;
  return spec;
}

TestWorld::TestWorld() {
  files.add_file("/lib64/ld-linux-x86-64.so.2", glibc_loader());
  query.environment.cpu = x86_64_cpu(1);
  query.environment.any_driver = true;
}

Report TestWorld::explain(std::vector<std::string> targets) {
  query.targets = std::move(targets);
  // This machine is x86-64, whatever the tests are built for; such a wheel is of the machine that it was built on.
  const auto of_this = [](const std::string& target) { return target.ends_with("-linux_x86_64.whl"); };
  auto asked = query;
  if (!asked.world && std::any_of(query.targets.begin(), query.targets.end(), of_this)) asked.world = WorldKind::here;
  Session session(files, knowledge);
  return session.explain(asked);
}

std::string objects(const Report& report) {
  std::string text;
  for (const auto& object : report.resolution.objects) text += object.path + (object.unmapped ? " (gone)" : "") + "\n";
  return text;
}

std::string requests(const Report& report, const std::string& path) {
  std::string text;
  for (const auto& edge : object_at(report, path).edges) text += edge.name + ": " + answer(edge) + "\n";
  return text;
}

std::string probes(const Report& report, const std::string& path, const std::string& name) {
  std::string text;
  for (const auto& probe : edge_named(report, path, name).search.probes) {
    text += probe.path + " · " + std::string(to_string(probe.rule)) + " · " + std::string(to_string(probe.result));
    text += probe.ends_search ? " (stop)\n" : probe.ends_list ? " (next list)\n" : "\n";
  }
  return text;
}

std::string skipped(const Report& report, const std::string& path, const std::string& name) {
  std::string text;
  for (const auto& rule : edge_named(report, path, name).search.skipped) {
    text += to_string(rule.rule);
    if (rule.of) text += " of " + report.resolution.objects[*rule.of].path;
    text += ": " + rule.reason + "\n";
  }
  return text;
}

std::string outcome(const Report& report) {
  std::string text;
  for (const auto& target : report.resolution.targets) {
    if (target.unreadable) {
      text += "unreadable: " + target.unreadable->message + "\n";
    } else {
      text += (target.error.empty() ? "loads" : target.error) + "\n";
    }
  }
  return text;
}

std::string lines(const std::vector<std::string>& list) {
  std::string text;
  for (const auto& line : list) text += line + "\n";
  return text;
}

}  // namespace cudald
