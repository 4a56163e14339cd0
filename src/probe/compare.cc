#include "probe/compare.h"

#include <algorithm>

#include <fmt/format.h>

namespace cudald {
namespace {

/// The simulation knows no number of a program's file that the loader does not look at: then the path counts.
bool is_same(const MappedFile& predicted, const MappedFile& mapped) {
  return predicted.id == FileId{} ? predicted.path == mapped.path : predicted.id == mapped.id;
}

bool holds(const std::vector<MappedFile>& files, const std::string& path) {
  return std::any_of(files.begin(), files.end(), [&path](const MappedFile& file) { return file.path == path; });
}

/// "x: undefined symbol: y" for "/path/x: undefined symbol: y": how the file is called in front is no difference.
std::string_view without_folder(std::string_view message) {
  const auto colon = message.find(": ");
  if (colon == std::string_view::npos) return message;
  const auto slash = message.substr(0, colon).rfind('/');
  return slash == std::string_view::npos ? message : message.substr(slash + 1);
}

}  // namespace

std::vector<MappedFile> predicted_files(const Resolution& resolution) {
  std::vector<MappedFile> files;
  for (const auto& object : resolution.objects)
    if (!object.unmapped) files.push_back({object.path, object.id});
  return files;
}

std::vector<std::string> differences_of_files(const std::vector<MappedFile>& predicted,
                                              const std::vector<MappedFile>& mapped) {
  std::vector<std::string> differences;
  for (const auto& file : mapped) {
    if (std::any_of(predicted.begin(), predicted.end(),
                    [&file](const MappedFile& each) { return is_same(each, file); }))
      continue;
    differences.push_back(
        holds(predicted, file.path)
            ? fmt::format("{} is another file by now than the one that was read for the simulation", file.path)
            : fmt::format("{} is mapped, but was not predicted", file.path));
  }
  for (const auto& file : predicted)
    if (!holds(mapped, file.path) &&
        std::none_of(mapped.begin(), mapped.end(), [&file](const MappedFile& each) { return is_same(file, each); }))
      differences.push_back(fmt::format("{} was predicted, but is not mapped", file.path));
  return differences;
}

std::vector<std::string> differences_of_order(const std::vector<MappedFile>& predicted,
                                              const std::vector<MappedFile>& mapped) {
  for (std::size_t i = 0; i < std::min(predicted.size(), mapped.size()); ++i) {
    if (is_same(predicted[i], mapped[i])) continue;
    return {fmt::format("the order differs: as number {}, {} is mapped, and {} was predicted", i + 1, mapped[i].path,
                        predicted[i].path)};
  }
  return {};
}

std::vector<std::string> differences_of_target(const std::string& predicted, const ProbedTarget& real,
                                               bool exact_words) {
  if (predicted.empty() && real.loaded) return {};
  if (predicted.empty()) return {fmt::format("{} was predicted to load, and does not: {}", real.name, real.error)};
  if (real.loaded) return {fmt::format("{} loads, and this failure was predicted: {}", real.name, predicted)};
  if (!exact_words || without_folder(predicted) == without_folder(real.error)) return {};
  return {fmt::format("{} fails as predicted, but for another reason: {}", real.name, real.error),
          fmt::format("the reason that was predicted: {}", predicted)};
}

}  // namespace cudald
