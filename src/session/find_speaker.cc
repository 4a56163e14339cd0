#include "session/find_speaker.h"

#include <vector>

#include "knowledge/frameworks.h"
#include "knowledge/gpu_use.h"
#include "knowledge/named_modules.h"
#include "package/package_tree.h"
#include "session/target_python.h"

namespace cudald {

std::string find_speaker(const MessageReading& message, const Query& query, const FileSystem& files) {
  const PackageTree tree(files);
  const auto found = find_target_python(query, tree);
  if (!found) return "";
  const auto& python = *found;
  for (const auto& speaker : message.speakers)
    if (has_module(speaker, python, tree)) return speaker;
  // What is installed of a package says whether the release that it names is another one.
  const auto changed = changed_name_of(message);
  if (changed && !message.module.empty() && has_module(message.module, python, tree))
    return message.symbol.empty() ? message.module.substr(0, message.module.find('.')) : message.module;
  if (!message.speakers.empty() || !is_cuda_library_name(message.library)) return "";
  std::vector<std::string> there;
  for (const auto& framework : framework_packages())
    if (framework.speaks && has_module(framework.module, python, tree)) there.push_back(framework.module);
  return there.size() == 1 ? there.front() : "";
}

}  // namespace cudald
