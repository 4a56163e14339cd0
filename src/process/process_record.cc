#include "process/process_record.h"

#include <algorithm>

namespace cudald {

ObjectId ProcessRecord::add_object(Object object) {
  object.target = resolution_.targets.size() - 1;
  resolution_.objects.push_back(std::move(object));
  return resolution_.objects.size() - 1;
}

Target& ProcessRecord::add_target(const std::string& given, TargetKind kind) {
  Target target;
  target.given = given;
  target.kind = kind;
  target.part_of = whole_;
  resolution_.targets.push_back(std::move(target));
  return resolution_.targets.back();
}

Target& ProcessRecord::add_request(const std::string& given, const DlopenRequest& call, ObjectId caller) {
  auto& target = add_target(given, TargetKind::dlopen);
  target.caller = caller;
  target.global = call.global;
  target.now = call.now;
  target.deepbind = call.deepbind;
  target.optional = call.optional;
  target.asked_at = call.asked_at;
  target.later = call.later;
  target.gpu = call.gpu;
  target.without = call.without;
  return target;
}

void ProcessRecord::begin(const std::string& given, TargetKind kind, bool owns_start) {
  const auto index = resolution_.targets.size();
  add_target(given, kind);
  whole_ = index;
  if (owns_start) resolution_.targets.front().part_of = index;
}

void ProcessRecord::refuse(const std::string& given, Error error) {
  const bool first = resolution_.targets.empty();
  add_target(given, first ? TargetKind::start : TargetKind::dlopen).unreadable = std::move(error);
}

bool ProcessRecord::has_mapped(const std::string& path) const {
  return std::any_of(resolution_.objects.begin(), resolution_.objects.end(),
                     [&](const Object& object) { return !object.unmapped && object.path == path; });
}

}  // namespace cudald
