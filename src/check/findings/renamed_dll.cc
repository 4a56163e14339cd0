// A DLL that lies beside the file that needs it, under another name. Windows knows what is loaded, and what it looks
// for, by the name of the file alone. Source: Microsoft, Dynamic-link library search order, "Factors that affect
// searching".

#include "check/findings/renamed_dll.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include <cudald/image.h>
#include <cudald/pe_symbols.h>

#include "base/path.h"
#include "base/windows_path.h"
#include "check/findings/pe_functions.h"
#include "machine/windows_host.h"
#include "machine/windows_tree.h"

namespace cudald {
namespace {

/// Whether a name is another one behind a prefix: "3f1c2a6e-llama.dll" of "llama.dll".
bool has_prefix(const std::string& entry, const std::string& name) {
  return entry.size() > name.size() + 1 && entry.ends_with(name) &&
         std::string_view("-_.").find(entry[entry.size() - name.size() - 1]) != std::string_view::npos;
}

/// Whether conda gave a file of that name another one: ".c~" and ".trash" until it is put back, ".conda_trash" until it
/// is removed. Sources: conda/gateways/disk/delete.py and update.py; github.com/conda/conda issue 12531.
bool is_trash_of(const std::string& entry, const std::string& name) {
  constexpr std::string_view ends[] = {".c~", ".trash", ".conda_trash", ".c~.conda_trash", ".c~.trash"};
  return std::any_of(std::begin(ends), std::end(ends), [&](std::string_view end) {
    return entry.size() == name.size() + end.size() && entry.starts_with(name) && entry.ends_with(end);
  });
}

}  // namespace

std::string renamed_dll(const Case& given, const Object& requester, const std::string& dll) {
  constexpr std::size_t most_tried = 8;
  auto& images = given.store.images;
  if (!requester.image || !requester.image->pe || dll.find_first_of("/\\") != std::string::npos) return "";
  const auto name = folded(dll);
  const std::string folder(parent_path(requester.path));
  std::size_t tried = 0;
  for (const auto& entry : images.list(folder))
    if (has_prefix(folded(entry), name) && ++tried <= most_tried)
      if (auto path = folder + "/" + entry; serves(path, requester.path, dll, images).value_or(false)) return path;
  return "";
}

std::string trashed_dll(const Case& given, const Object& requester, const Edge& edge) {
  auto& images = given.store.images;
  if (given.windows == nullptr || !requester.image || !requester.image->pe) return "";
  WindowsTree tree(images, *given.windows);
  for (const auto& probe : edge.search.probes) {
    if (probe.result != ProbeResult::absent) continue;
    const auto folder = tree.find(windows_folder(probe.path));
    if (!folder) continue;
    for (const auto& entry : images.list(*folder))
      if (is_trash_of(folded(entry), folded(edge.name)))
        if (auto path = *folder + "/" + entry; serves(path, requester.path, edge.name, images).value_or(false))
          return path;
  }
  return "";
}

}  // namespace cudald
