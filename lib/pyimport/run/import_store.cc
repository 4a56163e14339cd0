#include "pyimport/run/import_store.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/sha256.h"
#include "os/memory.h"
#include "tree/watched_tree.h"

namespace cudald {
namespace {

constexpr std::size_t most_places = 300;
constexpr std::size_t most_records = 4;                        ///< of an import, to which processes answer differently
constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;  ///< of all imports
/// Of sources that were forgotten. With less to hand back, asking for the pages again takes longer than it saves.
constexpr std::uint64_t worth_giving_back = std::uint64_t{2} << 20;

}  // namespace

/// What all imports of a question hang on, but for the process.
struct ImportStore::World {
  PythonEnvironment environment;
  std::vector<std::string> tree;
  FileId root;         ///< of the tree below the packages
  bool finds = false;  ///< the process can be asked for libraries by name
  bool operator==(const World&) const = default;

  std::string key() const {
    return fmt::format("{} {} {}\n{}\n{}", root.device, root.inode, finds, sha256(python::packed(environment)),
                       sha256(fmt::format("{}", fmt::join(tree, "\n"))));
  }
};

/// A world that several imports have in common.
struct ImportStore::SharedWorld {
  World world;
  std::string key;  ///< in the next run; empty if nothing is kept
};

/// An import, and what it came to. Whoever has the mutex may follow it.
struct ImportStore::Place {
  std::string module;
  std::shared_ptr<const SharedWorld> world;
  std::mutex mutex;
  std::vector<Followed> followed;

  std::string key() const { return module + "\n" + world->key; }
};

ImportStore::ImportStore(bool for_later, std::string folder) : for_later_(for_later), kept_(std::move(folder)) {}
ImportStore::~ImportStore() = default;

/// A question may know thousands of modules that are elsewhere: its imports share what it says.
std::shared_ptr<const ImportStore::SharedWorld> ImportStore::shared(World world) {
  for (const auto& known : worlds_)
    if (known->world == world) return known;
  if (!for_later_) worlds_.clear();
  auto key = kept_ ? world.key() : "";
  return worlds_.emplace_back(std::make_shared<const SharedWorld>(SharedWorld{std::move(world), std::move(key)}));
}

std::shared_ptr<ImportStore::Place> ImportStore::place_of(const std::string& module, World given, bool is_shared) {
  const std::lock_guard lock(mutex_);
  if (places_.size() >= most_places || bytes_ > most_bytes) begin_anew();
  const auto world = shared(std::move(given));
  for (const auto& place : places_)
    if (is_shared && place->module == module && place->world == world) return place;
  auto place = std::make_shared<Place>();
  place->module = module;
  place->world = world;
  if (is_shared) places_.push_back(place);
  return place;
}

void ImportStore::begin_anew() {
  places_.clear();
  worlds_.clear();
  bytes_ = 0;
}

/// One of the records of an import, of this run or of one before; nullptr if there are no more.
ImportStore::Followed ImportStore::known(Place& place, std::size_t number, const PackageTree& files, bool lasts) {
  if (number < place.followed.size()) return place.followed[number];
  if (!lasts) return nullptr;
  auto kept = kept_.find(place.key(), number, place.world->world.environment, files);
  if (!kept) return nullptr;
  bytes_ += kept->size();
  return place.followed.emplace_back(std::make_shared<const python::FollowedImport>(std::move(*kept)));
}

ImportResult ImportStore::run(const std::string& module, const PythonEnvironment& python, const PackageTree& files,
                              const PythonLoader& loader, std::string_view rules, Budget& budget) {
  const auto tree = files.description();
  const bool is_shared = for_later_ && tree.whole, lasts = kept_ && tree.lasting;
  // How a Python of Windows finds its files is a function of its own machine.
  if (python.windows || (!is_shared && !lasts))
    return run_import(module, python, files, loader, rules, budget, &sources_);
  const auto root = files.status("/");
  const auto place =
      place_of(module, {python, tree.parts, root ? root->id : FileId{}, loader.finds != nullptr}, is_shared);
  python::ProcessAnswers answers(loader);
  std::unique_lock lock(place->mutex);
  std::size_t number = 0;
  for (; number < most_records; ++number) {
    const auto followed = known(*place, number, files, lasts);
    if (!followed) break;
    lock.unlock();
    auto result = budget.allows(followed->cost) ? answers.repeat(*followed) : std::nullopt;
    if (result && budget.add(followed->cost)) return std::move(*result);
    lock.lock();
  }
  // What a process asks that answers like none before is not waited for.
  if (number > 0) lock.unlock();
  const WatchedTree watched(files, [&](const std::string& path) { return files.is_installed(path); });
  const auto before = budget.cost();
  const auto recording = answers.recording();
  auto result = run_import(module, python, lasts ? static_cast<const FileSystem&>(watched) : files, recording, rules,
                           budget, &sources_);
  if (number == most_records || budget.exhausted()) return result;
  const auto made = std::make_shared<const python::FollowedImport>(
      python::note_followed(python, watched.said(), answers.take(), result, budget.cost() - before));
  if (lasts && watched.tells_changes()) kept_.keep(place->key(), number, *made);
  if (!lock.owns_lock()) lock.lock();
  bytes_ += made->size();
  place->followed.push_back(made);
  return result;
}

void ImportStore::forget() {
  const std::lock_guard lock(mutex_);
  begin_anew();
  if (sources_.forget() >= worth_giving_back) give_memory_back();
}

}  // namespace cudald
