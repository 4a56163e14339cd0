#include "session/described_world.h"

#include <string>
#include <utility>

#include <cudald/cuda_library.h>
#include <cudald/linux_host_file.h>

#include "session/host_tree.h"

namespace cudald {
namespace {

/// What is known of the described libraries, which are not read.
void know_libraries(const LinuxHostFile& host, Store& store) {
  for (std::size_t number = 0; number < host.libraries.size(); ++number) {
    const auto& library = host.libraries[number];
    const auto id = HostTree::id_of(number);
    store.images.know(id, library.image);
    store.images.know(id, library.gpu, library.texts);
    if (library.symbols) store.symbols.know(library.image, library.symbols);
    store.know_cuda_library(id, library.cuda);
  }
}

}  // namespace

void enter_described_environment(Query& query) {
  const auto& host = *query.linux_host;
  auto& environment = query.environment;
  environment.variables = host.variables;
  for (const auto& [name, value] : environment.stated) environment.variables[name] = value;
  if (host.cpu && !environment.cpu_stated) environment.cpu = *host.cpu;
  environment.kernel.reset();
  if (!host.tells_driver) environment.any_driver = true;
  if (!query.windows) query.windows = false;
}

void enter_described_world(RunState& run) {
  const auto& host = *run.query.linux_host;
  const auto& given = run.session.given;
  auto tree = std::make_unique<HostTree>(host, given);
  std::string name = host.sha256;
  for (const auto& target : run.query.targets)
    if (package_target(target).archive.empty() && is_file(given, run.absolute(target))) {
      tree->add_given_file(run.absolute(target));
      name += "\n" + run.absolute(target);
    }
  for (const auto& package : run.query.packages)
    if (is_folder(given, run.absolute(package))) tree->add_given_folder(run.absolute(package));
  know_libraries(host, run.store);
  if (tree->exhausted())
    run.notes.push_back(host.name +
                        " describes more files and directories than are kept; the others are assumed absent");
  run.store.packages.stand_on(*tree, std::move(name));
  run.session.described = std::move(tree);
  run.world.kind = WorldKind::described;
  run.world.name = host.name;
  run.notes.insert(run.notes.end(), host.limits.begin(), host.limits.end());
}

std::optional<Error> described_elsewhere(const RunState& run, const std::string& given) {
  if (run.query.world != WorldKind::described || given.find('/') == std::string::npos) return std::nullopt;
  const auto path = run.absolute(given);
  if (!static_cast<const HostTree&>(*run.session.described).describes(path)) return std::nullopt;
  return Error{ErrorCode::absent,
               "is on the machine that " + run.query.linux_host->name +
                   " describes, not on this machine: the target must be a local file; a library that the loader "
                   "finds there can be named without a path",
               given};
}

}  // namespace cudald
