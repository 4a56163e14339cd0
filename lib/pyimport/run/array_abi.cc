// Whether a compiled module fits the release of the package of arrays (NumPy) that is there. NumPy 2 refuses code that
// was built for NumPy 1 alone, and an older release refuses code that needs functions of a newer one.
// Source: "array_abi" of data/python-rules.json.
#include "pyimport/run/array_abi.h"

#include <algorithm>

#include <cudald/image.h>

#include "base/find_bytes.h"
#include "base/path.h"
#include "binary/bytes/readers.h"
#include "binary/constants/mapped_bytes.h"
#include "package/version.h"
#include "pyimport/compiled/module_initialisation.h"
#include "pyimport/run/interpreter.h"
#include "pyimport/run/libraries_beside.h"

namespace cudald::python {
namespace {

bool is_older(std::string_view version, std::string_view than) {
  const auto left = parse_version(version), right = parse_version(than);
  return left && right && *left < *right;
}

/// "1.26.4" of "numpy-1.26.4.dist-info" or "numpy-1.26.4-py3.11.egg-info"; empty for other names.
std::string version_of_folder(std::string_view name, std::string_view package) {
  if (!name.starts_with(package) || name.size() <= package.size() || name[package.size()] != '-') return "";
  name.remove_prefix(package.size() + 1);
  for (const std::string_view suffix : {".dist-info", ".egg-info"})
    if (name.ends_with(suffix)) {
      name.remove_suffix(suffix.size());
      return std::string(name.substr(0, name.find("-py")));
    }
  return "";
}

std::string replaced(std::string text, std::string_view part, std::string_view by) {
  if (const auto at = text.find(part); at != std::string::npos) text.replace(at, part.size(), by);
  return text;
}

constexpr std::size_t most_called = 200;  ///< functions; a module that calls more is a program of its own
constexpr std::uint64_t most_of_library = std::uint64_t{96} << 20;
constexpr CostLimits limits_of_library{.kept = std::uint64_t{96} << 20, .steps = 60'000'000};

}  // namespace

ArrayMarks::ArrayMarks(const ArrayRules& rules)
    : rules_(rules), has_type_(rules.types.size()), has_words_(rules.words.size()) {
  for (const auto& type : rules.types) type_names_.push_back('\0' + type + '\0');
  if (!rules.earlier_capsule.empty()) earlier_capsule_ = '\0' + rules.earlier_capsule + '\0';
}

void ArrayMarks::look_at(std::string_view block) {
  if (rules_.package.empty()) return;
  build_.older = build_.older || holds_bytes(block, rules_.older.capsule);
  build_.newer = build_.newer || holds_bytes(block, rules_.newer.capsule);
  raises_as_older_ = raises_as_older_ || holds_bytes(block, rules_.older.raises);
  raises_as_newer_ = raises_as_newer_ || holds_bytes(block, rules_.newer.raises);
  if (!earlier_capsule_.empty()) {
    asks_as_earlier_ = asks_as_earlier_ || holds_bytes(block, earlier_capsule_);
    checks_as_earlier_ = checks_as_earlier_ || holds_bytes(block, rules_.earlier_check);
  }
  for (std::size_t i = 0; i < has_type_.size(); ++i) has_type_[i] = has_type_[i] || holds_bytes(block, type_names_[i]);
  for (std::size_t i = 0; i < has_words_.size(); ++i)
    has_words_[i] = has_words_[i] || holds_bytes(block, rules_.words[i].first);
  constexpr std::size_t longest = 12;
  const auto at = build_.least.empty() ? find_bytes(block, rules_.least) : std::string_view::npos;
  if (at == std::string_view::npos) return;
  const auto version = block.substr(at + rules_.least.size(), longest);
  if (const auto end = version.find(')'); end != std::string_view::npos) build_.least = version.substr(0, end);
}

ArrayBuild ArrayMarks::take() {
  build_.earlier = !build_.older && asks_as_earlier_ && checks_as_earlier_;
  build_.older = build_.older || build_.earlier;
  for (std::size_t i = 0; i < has_words_.size(); ++i)
    if (build_.words.empty() && has_words_[i]) build_.words = rules_.words[i].first;
  build_.types = !build_.words.empty() && !has_type_.empty() &&
                 std::all_of(has_type_.begin(), has_type_.end(), [](bool has) { return has; });
  // It may have the types alone, and never ask for functions. Then the declarations for Cython that each release of the
  // package brings along say by their own message for which one it was built.
  build_.older = build_.older || (build_.types && raises_as_older_ && !raises_as_newer_);
  return std::move(build_);
}

std::optional<RefusedModule> refusal_of(const ArrayBuild& build, const ArrayRelease& release, bool asks, bool narrow,
                                        const ArrayRules& rules) {
  const auto refused = [&](const std::string& kind, std::string message, const std::string& border, char sign) {
    RefusedModule module;
    module.package = rules.package;
    module.spoken = rules.spoken;
    module.version = release.version;
    module.border = border;
    module.bounds = (sign == '<' ? "<" : ">=") + border;
    module.kind = kind;
    module.message = std::move(message);
    if (sign == '<' && kind == "ImportError" && !build.earlier)
      module.printed = replaced(rules.printed, "{version}", release.version.empty() ? rules.border : release.version);
    return module;
  };
  if (build.only_older() && release.newer_side && build.types) {
    const auto words = std::find_if(rules.words.begin(), rules.words.end(),
                                    [&](const auto& pair) { return pair.first == build.words; });
    auto text = words == rules.words.end() ? build.words : words->second;
    if (narrow) text.resize(std::min(text.find(". Expected"), text.size()));
    text = replaced(replaced(std::move(text), "{older}", rules.older_size), "{newer}", rules.newer_size);
    return refused("ValueError", rules.type + " " + text, rules.border, '<');
  }
  if (build.only_older() && release.newer_side && asks)
    return refused("ImportError", rules.older.raises, rules.border, '<');
  if (asks && !release.version.empty() && is_older(release.version, build.least))
    return refused("ImportError", build.newer ? rules.newer.raises : rules.older.raises, build.least, '>');
  return std::nullopt;
}

/// The release of a package that an import finds: by its metadata, or as an installer chooses it; nullopt if the
/// package is not there. Without a version if nothing tells it.
std::optional<PythonEnvironment::Release> CompiledFiles::release_of(const std::string& package) {
  if (const auto chosen = environment_.releases.find(package); chosen != environment_.releases.end())
    return chosen->second;
  for (const auto& folder : python_.finders.search_path()) {
    if (!finder_.has_folder(folder + "/" + package)) continue;
    for (const auto& name : finder_.list(folder))
      if (auto version = version_of_folder(name, package); !version.empty())
        return PythonEnvironment::Release{std::move(version), true};
    return PythonEnvironment::Release{};
  }
  return std::nullopt;
}

/// Whether a release is of the newer side of the border, as far as that is certain.
bool CompiledFiles::is_newer_side(const PythonEnvironment::Release& release) {
  if (release.version.empty()) return python_.extension_modules.is_newer_numpy();
  return release.certain && !is_older(release.version, rules_.arrays.border);
}

/// Whether the initialisation of a module is known to go on: what is printed then is all that comes of it.
bool CompiledFiles::goes_on_refused(const Module& module) const {
  const auto& unheeded = rules_.arrays.unheeded;
  return std::find(unheeded.begin(), unheeded.end(), module.name) != unheeded.end();
}

void CompiledFiles::refuse_without_arrays(const Module& module, const ArrayBuild& build) {
  if (!build.only_older() || goes_on_refused(module) || !environment_.complete ||
      environment_.has_elsewhere(rules_.arrays.package) || release_of(rules_.arrays.package))
    return;
  RefusedModule refused;
  refused.package = rules_.arrays.package;
  refused.spoken = rules_.arrays.spoken;
  refused.absent = true;
  refused.border = rules_.arrays.border;
  refused.bounds = "<" + rules_.arrays.border;
  refused.kind = "ImportError";
  refused.message = rules_.arrays.older.raises;
  refuse(module, std::move(refused));
}

/// Throws what the initialisation of the module raises if the package of arrays refuses it.
void CompiledFiles::refuse_arrays(const Module& module, const ArrayBuild& build, bool asks) {
  if ((!build.only_older() && (build.least.empty() || !asks)) || goes_on_refused(module)) return;
  const auto release = release_of(rules_.arrays.package);
  if (!release) return;
  auto refused =
      refusal_of(build, {release->version, is_newer_side(*release)}, asks, environment_.narrow, rules_.arrays);
  if (!refused) return;
  if (refused->kind == "ImportError" && build.only_older())
    refused->message += python_.extension_modules.addition_of_cython(module);
  refuse(module, *std::move(refused));
}

/// Throws the exception of a module that is refused; the first one is kept for the answer.
void CompiledFiles::refuse(const Module& module, RefusedModule refused) {
  refused.module = module.name;
  refused.path = module.path;
  PythonError error{refused.kind, refused.message};
  if (!python_.tracker.result().refused) {
    heap_.keep(sizeof(RefusedModule) + module.name.size() + module.path.size());
    python_.tracker.result().refused = std::move(refused);
  }
  throw error;
}

/// What a library asks for; nothing if it does not raise the exception of the older interface.
ArrayBuild CompiledFiles::arrays_of_library(const MappedBytes& bytes) const {
  ArrayMarks marks(rules_.arrays);
  bool raises = false;
  bytes.visit_data(most_of_library, [&](std::string_view block) {
    raises = raises || holds_bytes(block, rules_.arrays.older.raises);
    marks.look_at(block);
  });
  return raises ? marks.take() : ArrayBuild{};
}

/// The same where a library beside the module asks for the package's functions in its place: one whose function the
/// module's initialisation calls, which is what import_array() of NumPy's headers becomes there.
void CompiledFiles::refuse_arrays_of_library(const Module& module, const Image& image,
                                             const std::vector<std::string>& called) {
  const auto& older = rules_.arrays.older;
  if (called.empty() || older.raises.empty() || called.size() > most_called) return;
  const auto release = release_of(rules_.arrays.package);
  if (!release || !is_newer_side(*release)) return;
  const ArrayRelease there{release->version, true};
  for (const auto& path : places_beside(module.path, image)) {
    const auto known = arrays_of_libraries_.find(path);
    const auto refuses = [&](const ArrayBuild& build) {
      return refusal_of(build, there, true, environment_.narrow, rules_.arrays).has_value();
    };
    if ((known != arrays_of_libraries_.end() && !refuses(known->second)) || !finder_.has_file(path)) continue;
    const auto file = files_.open(path);
    if (!file) continue;
    Budget budget(limits_of_library);
    const auto read = read_image(**file, budget);
    if (!read) continue;
    const MappedBytes bytes(**file, read->get());
    heap_.look_at(bytes.size());
    const auto build = known != arrays_of_libraries_.end() ? known->second : arrays_of_library(bytes);
    if (known == arrays_of_libraries_.end()) {
      heap_.keep(sizeof(ArrayBuild) + path.size());
      arrays_of_libraries_.emplace(path, build);
    }
    heap_.work(budget.cost().steps);
    if (!refuses(build)) continue;
    for (const auto& name : called) {
      const auto code = function_alone(bytes, **read, name, budget);
      const auto has = [](const auto& texts, const std::string& text) {
        return std::find(texts.begin(), texts.end(), text) != texts.end();
      };
      const auto asks = [&](const std::string& capsule) { return !capsule.empty() && has(code->imported, capsule); };
      if (!code || !has(code->texts, older.raises)) continue;
      if (!asks(older.capsule) && !asks(rules_.arrays.earlier_capsule)) continue;
      refuse_arrays(module, build, true);
    }
  }
}

}  // namespace cudald::python

namespace cudald {

std::vector<RefusedModule> refused_modules(const std::vector<std::string>& paths, const PythonEnvironment& python,
                                           const FileSystem& files, std::string_view rules_text) {
  constexpr std::uint64_t most_read = std::uint64_t{32} << 20;
  std::vector<RefusedModule> all;
  const auto rules = python::read_rules(rules_text, python.windows != nullptr);
  const auto release = python.releases.find(rules.arrays.package);
  if (release == python.releases.end()) return all;
  const auto& version = release->second.version;
  const python::ArrayRelease there{version, !python::is_older(version, rules.arrays.border)};
  for (const auto& path : paths) {
    const auto file = files.open(path);
    if (!file) continue;
    Budget budget(CostLimits{.kept = most_read, .steps = 1'000'000});
    const auto image = read_image(**file, budget);
    const MappedBytes bytes(**file, image ? image->get() : nullptr);
    python::ArrayMarks marks(rules.arrays);
    if (!bytes.visit_data(most_read, [&](std::string_view block) { marks.look_at(block); })) continue;
    auto refused = python::refusal_of(marks.take(), there, false, python.narrow, rules.arrays);
    if (!refused) continue;
    refused->path = path;
    all.push_back(std::move(*refused));
  }
  return all;
}

}  // namespace cudald
