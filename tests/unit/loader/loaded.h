#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <elf.h>

#include <cudald/image.h>

#include "loader/loader.h"

namespace cudald {

/// A library for x86-64 that no loader objects to.
inline Image good_image() {
  Image image;
  image.format = Format::elf64;
  image.file_size = 1000;
  image.elf.header.has_magic = true;
  image.elf.header.file_class = ELFCLASS64;
  image.elf.header.data_encoding = ELFDATA2LSB;
  image.elf.header.ident_version = EV_CURRENT;
  image.elf.header.version = EV_CURRENT;
  image.machine = EM_X86_64;
  image.type = FileType::shared;
  image.elf.load_segments = {{0, 0, 1000, 1000, 4096}};
  image.elf.has_dynamic_segment = true;
  return image;
}

inline OpenedFile opened(Image image) {
  OpenedFile file;
  file.image = std::make_shared<Image>(std::move(image));
  return file;
}

inline OpenedFile failed(int system_error) {
  OpenedFile file;
  file.error = Error{ErrorCode::unreadable, "as the system says", "/x", std::nullopt, system_error};
  return file;
}

/// Adds an object without files behind it; returns its id. `loader` is who caused it to be mapped.
inline ObjectId add(Resolution& resolution, const std::string& path, Image image,
                    std::optional<ObjectId> loader = std::nullopt) {
  if (resolution.targets.empty()) resolution.targets.emplace_back();
  Object object;
  object.path = object.load_name = path;
  object.origin = path.substr(0, path.rfind('/'));
  object.names = {path};
  object.main_program = resolution.objects.empty();
  object.loader = loader;
  object.target = resolution.targets.size() - 1;
  object.image = std::make_shared<Image>(std::move(image));
  resolution.objects.push_back(std::move(object));
  return resolution.objects.size() - 1;
}

inline Image with_rpath(std::string list) {
  auto image = good_image();
  image.elf.rpath = std::move(list);
  return image;
}

inline Image with_runpath(std::string list) {
  auto image = good_image();
  image.elf.runpath = std::move(list);
  return image;
}

/// "/lib/liba.so · default", or "/a/liba.so · rpath of 0"; and why a candidate is never opened.
inline std::string text_of(const SearchPlan& plan) {
  std::string text;
  for (const auto& candidate : plan.candidates) {
    text += candidate.path + " · " + std::string(to_string(candidate.rule));
    if (candidate.of) text += " of " + std::to_string(*candidate.of);
    text += (candidate.refusal.empty() ? "" : " · " + candidate.refusal) + "\n";
  }
  return text;
}

/// "rpath of 1: why"
inline std::string skipped_in(const SearchPlan& plan) {
  std::string text;
  for (const auto& rule : plan.skipped) {
    text += to_string(rule.rule);
    if (rule.of) text += " of " + std::to_string(*rule.of);
    text += ": " + rule.reason + "\n";
  }
  return text;
}

}  // namespace cudald
