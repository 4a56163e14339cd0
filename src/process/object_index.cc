#include "process/object_index.h"

#include <algorithm>
#include <functional>

#include <cudald/image.h>

namespace cudald {
namespace {

const std::vector<ObjectId> no_objects;

}  // namespace

void ObjectIndex::update(const std::vector<Object>& objects) {
  for (; size_ < objects.size(); ++size_) {
    const auto& object = objects[size_];
    for (const auto& name : object.names) add_name(name, size_);
    const auto is_new = [&](const std::string& name) {
      return std::find(object.names.begin(), object.names.end(), name) == object.names.end();
    };
    if (object.image && object.image->soname && is_new(*object.image->soname)) add_name(*object.image->soname, size_);
    if (is_new(object.load_name)) add_name(object.load_name, size_);
    by_file_[object.id].push_back(size_);
  }
}

void ObjectIndex::add_name(const std::string& name, ObjectId id) {
  auto& ids = by_name_[std::hash<std::string>()(name)];
  ids.insert(std::upper_bound(ids.begin(), ids.end(), id), id);
}

const std::vector<ObjectId>& ObjectIndex::named(const std::string& name) const {
  const auto found = by_name_.find(std::hash<std::string>()(name));
  return found == by_name_.end() ? no_objects : found->second;
}

const std::vector<ObjectId>& ObjectIndex::of_file(const FileId& id) const {
  const auto found = by_file_.find(id);
  return found == by_file_.end() ? no_objects : found->second;
}

}  // namespace cudald
