#include "report/text/requests.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/path.h"
#include "base/similar_word.h"

namespace cudald {

bool answers_to(const Object& object, std::string_view name) {
  return object.path == name || object.load_name == name || file_name(object.path) == name ||
         (object.image && soname_of(*object.image) == name) ||
         std::find(object.names.begin(), object.names.end(), name) != object.names.end();
}

std::optional<ObjectId> find_object(const Resolution& resolution, std::string_view name) {
  for (ObjectId id = 0; id < resolution.objects.size(); ++id)
    if (answers_to(resolution.objects[id], name)) return id;
  return std::nullopt;
}

namespace {

std::vector<RequestPlace> places_in(const Resolution& resolution, std::vector<Edge> Object::* list,
                                    std::string_view name) {
  std::vector<RequestPlace> places;
  for (ObjectId id = 0; id < resolution.objects.size(); ++id) {
    const auto& edges = resolution.objects[id].*list;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const Edge& edge = edges[i];
      const bool asked = edge.name == name || file_name(edge.name) == name;
      if (asked || (edge.object && answers_to(resolution.objects[*edge.object], name))) places.push_back({id, i});
    }
  }
  return places;
}

}  // namespace

std::vector<RequestPlace> requests_for(const Resolution& resolution, std::string_view name) {
  return places_in(resolution, &Object::edges, name);
}

std::vector<RequestPlace> constants_for(const Resolution& resolution, std::string_view name) {
  return places_in(resolution, &Object::may_open, name);
}

std::string constant_words(std::string_view function, std::uint64_t text_at) {
  return fmt::format("text at {:#x}, calls {}", text_at, function);
}

std::string constant_words(const Edge& edge) { return constant_words(edge.known.function, edge.known.text_at); }

std::string similar_library(const Resolution& resolution, std::string_view name) {
  std::vector<std::string_view> known;
  for (const Object& object : resolution.objects) {
    known.push_back(file_name(object.path));
    for (const auto* edges : {&object.edges, &object.may_open})
      for (const Edge& edge : *edges) known.push_back(edge.name);
  }
  // Libraries differ in their stems: libz.so.1 is not what was meant by libGL.so.1.
  const auto stem = [](std::string_view library) { return library.substr(0, library.find('.')); };
  const std::size_t near = stem(name).size() / 5;
  std::erase_if(known, [&](std::string_view each) {
    return edit_distance(stem(each), stem(name)) > near && !(name.size() >= 4 && each.find(name) != each.npos);
  });
  if (const auto similar = similar_word(name, known); !similar.empty()) return did_you_mean(similar);
  return known.empty() ? "" : did_you_mean(known.front());
}

}  // namespace cudald
