#include "python/import_store.h"

#include <algorithm>
#include <map>

#include "base/memory.h"

namespace cudald {
namespace {

constexpr std::size_t most_places = 300;
constexpr std::uint64_t most_kept = std::uint64_t{64} << 20;  ///< bytes of all imports

/// One thing that an import asked of the process, and what was answered.
struct Exchange {
  enum class Kind { load, mapped, finds };
  Kind kind = Kind::load;
  LoadStep step = {};
  std::string text = {};
  LoadAnswer answer = {};
  bool yes = false;

  void ask(const PythonLoader& loader) {
    if (kind == Kind::load)
      answer = loader.load(step);
    else
      yes = kind == Kind::mapped ? loader.mapped(text) : loader.finds(text);
  }

  /// But for the number that the process gave the request.
  bool says_the_same(const Exchange& other) const {
    const auto& more = other.answer;
    return yes == other.yes && answer.loaded == more.loaded && answer.error == more.error && answer.kind == more.kind &&
           answer.code == more.code && answer.request.has_value() == more.request.has_value();
  }
};

/// An import that was followed to its end.
struct FollowedImport {
  std::vector<Exchange> exchanges;
  ImportResult result;
  Cost cost;
};

/// Asks a process, and writes down what it answers. The first answers may be known already.
class Recorder {
 public:
  Recorder(const PythonLoader& loader, std::vector<Exchange> known) : loader_(loader), all_(std::move(known)) {
    if (loader.load)
      own_.load = [this](const LoadStep& step) { return next({.kind = Exchange::Kind::load, .step = step}).answer; };
    if (loader.mapped)
      own_.mapped = [this](const std::string& text) {
        return next({.kind = Exchange::Kind::mapped, .text = text}).yes;
      };
    if (loader.finds)
      own_.finds = [this](const std::string& text) { return next({.kind = Exchange::Kind::finds, .text = text}).yes; };
  }
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  const PythonLoader& loader() const { return own_; }
  std::vector<Exchange> take() { return std::move(all_); }

 private:
  const Exchange& next(Exchange question) {
    if (at_ == all_.size()) {
      question.ask(loader_);
      all_.push_back(std::move(question));
    }
    return all_[at_++];
  }

  const PythonLoader& loader_;
  PythonLoader own_;
  std::vector<Exchange> all_;
  std::size_t at_ = 0;
};

/// Makes the requests of an import again; true if each is answered as it was, the result's causes then being these.
bool repeat(const FollowedImport& followed, const PythonLoader& loader, std::vector<Exchange>& answered,
            ImportResult& result) {
  std::map<std::size_t, std::size_t> numbers;
  for (const auto& before : followed.exchanges) {
    auto& now = answered.emplace_back(before);
    now.ask(loader);
    if (!now.says_the_same(before)) return false;
    if (now.answer.request) numbers[*before.answer.request] = *now.answer.request;
  }
  result = followed.result;
  for (auto& cause : result.causes)
    if (const auto number = numbers.find(cause); number != numbers.end()) cause = number->second;
  return true;
}

std::uint64_t size_of(const FollowedImport& followed) {
  std::uint64_t bytes = followed.exchanges.size() * sizeof(Exchange);
  for (const auto& module : followed.result.modules)
    bytes += sizeof(module) + module.name.size() + module.path.size() + module.source.size();
  for (const auto& soft : followed.result.soft_libraries) bytes += sizeof(soft) + soft.name.size() + soft.note.size();
  for (const auto& missing : followed.result.missing) bytes += sizeof(missing) + missing.name.size();
  for (const auto& one : followed.result.unfollowed) bytes += sizeof(one) + one.source.size() + one.code.size();
  for (const auto& note : followed.result.notes) bytes += sizeof(note) + note.size();
  return bytes;
}

}  // namespace

/// What all imports of a question hang on, but for the process.
struct ImportStore::World {
  PythonEnvironment environment;
  std::vector<std::string> tree;
  bool finds = false;  ///< the process can be asked for libraries by name
  bool operator==(const World&) const = default;
};

/// An import, and what it came to. Whoever has the mutex may follow it.
struct ImportStore::Place {
  std::string module;
  std::shared_ptr<const World> world;
  std::mutex mutex;
  std::shared_ptr<const FollowedImport> followed;
};

ImportStore::ImportStore(bool for_later) : for_later_(for_later) {}
ImportStore::~ImportStore() = default;

/// A question may know thousands of modules that are elsewhere: its imports share what it says.
std::shared_ptr<const ImportStore::World> ImportStore::shared(World world) {
  for (const auto& known : worlds_)
    if (*known == world) return known;
  return worlds_.emplace_back(std::make_shared<const World>(std::move(world)));
}

std::shared_ptr<ImportStore::Place> ImportStore::place_of(const std::string& module, World given) {
  const std::lock_guard lock(mutex_);
  if (places_.size() >= most_places || kept_ > most_kept) begin_anew();
  const auto world = shared(std::move(given));
  for (const auto& place : places_)
    if (place->module == module && place->world == world) return place;
  auto place = std::make_shared<Place>();
  place->module = module;
  place->world = world;
  return places_.emplace_back(std::move(place));
}

void ImportStore::begin_anew() {
  places_.clear();
  worlds_.clear();
  kept_ = 0;
}

ImportResult ImportStore::run(const std::string& module, const PythonEnvironment& python, const FileSystem& files,
                              const std::optional<std::vector<std::string>>& tree, const PythonLoader& loader,
                              std::string_view rules, Budget& budget) {
  // How a Python of Windows finds its files is a function of its own machine.
  if (!for_later_ || !tree || python.windows)
    return run_import(module, python, files, loader, rules, budget, &sources_);
  const auto place = place_of(module, {python, *tree, loader.finds != nullptr});
  std::unique_lock lock(place->mutex);
  const auto followed = place->followed;
  if (followed) lock.unlock();
  std::vector<Exchange> answered;
  ImportResult result;
  if (followed && budget.allows(followed->cost) && repeat(*followed, loader, answered, result) &&
      budget.add(followed->cost))
    return result;
  const auto before = budget.cost();
  Recorder recorder(loader, std::move(answered));
  result = run_import(module, python, files, recorder.loader(), rules, budget, &sources_);
  if (followed || budget.exhausted()) return result;
  auto made = std::make_shared<FollowedImport>(FollowedImport{recorder.take(), result, budget.cost() - before});
  kept_ += size_of(*made);
  place->followed = std::move(made);
  return result;
}

void ImportStore::forget() {
  const std::lock_guard lock(mutex_);
  begin_anew();
  if (sources_.forget()) give_memory_back();
}

}  // namespace cudald
