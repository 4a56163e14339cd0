#include <algorithm>

#include "base/path.h"
#include "base/trimmed.h"
#include "package/wheel_texts.h"
#include "pyimport/environment/environment_files.h"
#include "pyimport/known/known_functions.h"

namespace cudald::python {
namespace {

constexpr std::uint64_t max_entry_points = 1 << 20;  ///< of an entry_points.txt
constexpr std::size_t most_points = 10'000;

struct EntryPoint {
  std::string_view group, name, value;
};

/// `[group]` and `name = value` below it; lines that begin with `#` or `;` are remarks.
std::vector<EntryPoint> parse_entry_points(std::string_view text) {
  std::vector<EntryPoint> points;
  std::string_view group;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[' && line.back() == ']') {
      group = trimmed(line.substr(1, line.size() - 2));
    } else if (const auto equals = line.find('='); equals != std::string_view::npos && points.size() < most_points) {
      points.push_back({group, trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1))});
    }
  }
  return points;
}

/// "a.b:c.d [extra]": the module a.b, and c.d in it, which may be left out.
std::pair<std::string, std::string> parts_of(std::string_view value) {
  const auto reference = trimmed(value.substr(0, value.find('[')));
  const auto colon = std::min(reference.find(':'), reference.size());
  const auto attribute = colon == reference.size() ? std::string_view() : reference.substr(colon + 1);
  return {std::string(trimmed(reference.substr(0, colon))), std::string(trimmed(attribute))};
}

Value as_object(Heap& heap, const EntryPoint& point) {
  auto object = heap.make<Object>();
  object->name = "importlib.metadata.EntryPoint";
  object->is_class = false;
  const auto [module, attribute] = parts_of(point.value);
  object->names["name"] = std::string(point.name);
  object->names["group"] = std::string(point.group);
  object->names["value"] = std::string(point.value);
  object->names["module"] = module;
  object->names["attr"] = attribute;
  object->names["load"] = partial(heap, "importlib.metadata.EntryPoint.load", std::string(point.value));
  return object;
}

/// The entry points of a group, and of a name if one is given, in the order of sys.path; of a distribution that is
/// there twice the first is meant. Source: CPython 3.11 Lib/importlib/metadata/__init__.py, entry_points.
Value points_of(const KnownCall& call, const std::string& group, const std::string* name) {
  std::set<std::string> seen;
  std::vector<Value> points;
  call.python.importer.import_for_distribution(call.frame, "");
  for (const auto& folder : call.python.finders.search_path())
    for (const auto& entry : call.python.finder.list(folder)) {
      if (!entry.ends_with(".dist-info") && !entry.ends_with(".egg-info")) continue;
      call.python.heap.work(10);
      if (!seen.insert(normal_distribution_name(entry.substr(0, entry.find('-')))).second) continue;
      const auto text = call.python.host.read_text(folder + "/" + entry + "/entry_points.txt", max_entry_points);
      if (!text) continue;
      for (const auto& point : parse_entry_points(*text))
        if (point.group == group && (name == nullptr || point.name == *name))
          points.push_back(as_object(call.python.heap, point));
    }
  if (points.empty() && !call.frame.maybe) call.python.tracker.note_absent_entry_points(call.frame, group);
  return call.python.heap.list(std::move(points));
}

/// `entry_points(group=...)`, and `entry_points().select(group=...)` and `.get(group)`.
Value entry_points(const KnownCall& call) {
  if (!call.python.environment.complete) return Unknown{};
  if (call.arguments.empty()) {
    call.python.importer.import_for_distribution(call.frame, "");
    return Named{"importlib.metadata.EntryPoints"};
  }
  const auto* given = call.argument(most_points, "group");
  const auto* group = given == nullptr ? nullptr : given->get<std::string>();
  const auto* named = call.argument(most_points, "name");
  const auto* name = named == nullptr ? nullptr : named->get<std::string>();
  if (group == nullptr || (named != nullptr && name == nullptr)) return Unknown{};
  return points_of(call, *group, name);
}

/// Since Python 3.12 what entry_points() gives is no dictionary. Source: CPython 3.12 Doc/whatsnew/3.12.rst, Removed.
Value get_group(const KnownCall& call) {
  constexpr int first_without = 12;
  const auto& version = call.python.environment.version;
  if (version.starts_with("3.") && minor_of(version) >= first_without) {
    call.python.doubt.raise_if_certain(call.frame, {"AttributeError", "'EntryPoints' object has no attribute 'get'"});
    return Unknown{};
  }
  const auto* group = call.text(0);
  return group == nullptr ? Value() : points_of(call, *group, nullptr);
}

/// Its first argument is the entry point's value.
Value load_entry_point(const KnownCall& call) {
  const auto* value = call.text(0);
  if (value == nullptr || !follows(call.frame)) return Unknown{};
  const auto [module, attribute] = parts_of(*value);
  if (module.empty()) return Unknown{};
  Value loaded = ModuleName{call.python.importer.import_module(module, &call.frame).name};
  std::string_view rest = attribute;
  while (!rest.empty()) {
    const auto dot = std::min(rest.find('.'), rest.size());
    loaded = call.python.bindings.attribute(call.frame, loaded, rest.substr(0, dot));
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  return loaded;
}

constexpr KnownFunction entry_point_rows[] = {{"importlib.metadata.entry_points", entry_points},
                                              {"importlib.metadata.EntryPoints.select", entry_points},
                                              {"importlib.metadata.EntryPoints.get", get_group},
                                              {"importlib.metadata.EntryPoint.load", load_entry_point}};

}  // namespace

std::span<const KnownFunction> known_entry_points() { return entry_point_rows; }

}  // namespace cudald::python
