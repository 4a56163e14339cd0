// Which package of Arch Linux a file belongs to, and whether it was built on the machine: while all others are
// upgraded, it stays as it is.
// Sources: pacman, lib/libalpm/be_local.c (the files desc and files of /var/lib/pacman/local/NAME-VERSION); alpm.h,
// alpm_pkgvalidation_t: "none" of a package that was installed from a file without a signature; those of a repository
// have at least its checksum.

#include "check/findings/pacman_packages.h"

#include <fmt/format.h>

#include "base/find_bytes.h"
#include "base/path.h"
#include "base/replace_all.h"
#include "base/shell_word.h"
#include "knowledge/linux_names.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_desc = 1 << 16, most_list = 1 << 24;
const std::string database = "/var/lib/pacman/local";

/// The first line below "%NAME%"; empty if there is none.
std::string value_of(const std::string& desc, const std::string& key) {
  const auto mark = "%" + key + "%\n";
  const auto at = desc.find(mark);
  if (at == std::string::npos) return "";
  const auto begin = at + mark.size();
  return desc.substr(begin, desc.find('\n', begin) - begin);
}

/// Whether its list of files has a path, which stands there without the slash in front.
bool lists(const std::string& folder, const std::string& path, const FileSystem& files) {
  const auto list = read_file(files, folder + "/files", most_list);
  return list && has_line(*list, std::string_view(path).substr(1));
}

}  // namespace

std::optional<ForeignPackage> foreign_package_of(const std::string& path, ImageStore& images) {
  const auto& files = images.files();
  if (!path.starts_with('/')) return std::nullopt;
  const auto real = files.real_path(path);
  for (const auto& entry : images.list(database)) {
    const auto folder = database + "/" + entry;
    const auto desc = read_file(files, folder + "/desc", most_desc);
    if (!desc || value_of(*desc, "VALIDATION") != "none") continue;
    if (!lists(folder, path, files) && !(real && lists(folder, *real, files))) continue;
    auto name = value_of(*desc, "NAME"), base = value_of(*desc, "BASE");
    constexpr std::string_view ready = "-bin";
    if (name.empty() || name.ends_with("-appimage")) return std::nullopt;
    // What others have compiled, and the machine has only packed. Source: Arch wiki, AUR submission guidelines.
    if (name.ends_with(ready)) {
      name.resize(name.size() - ready.size());
      return ForeignPackage{name, name, true};
    }
    return ForeignPackage{name, base.empty() ? name : base};
  }
  return std::nullopt;
}

std::string rebuild_command(const ForeignPackage& package, const std::string& path, ImageStore& images) {
  for (const auto& [program, command] : foreign_builders()) {
    if (program == path || (!program.empty() && !is_file(images.files(), program))) continue;
    auto text = command;
    replace_all(text, "{name}", shell_word(package.name));
    replace_all(text, "{base}", shell_word(package.base));
    // A repository has some of what has a ready-made build in the AUR, as Manjaro has yay: that goes with the rest.
    return package.ready_made ? fmt::format("sudo pacman -S {} || ({})", shell_word(package.name), text) : text;
  }
  return "";
}

}  // namespace cudald
