#include "check/fixes/patchelf_fix.h"

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/path.h"
#include "base/relative_path.h"
#include "base/shell_word.h"

namespace cudald {

bool has_record(const Object& file, const PackageTree& packages) {
  if (const auto* given = packages.package_of(file.path)) return given->archive.ends_with(".whl");
  const auto is_below = [&](std::string_view folder) { return file.path.find(folder) != std::string::npos; };
  return file.package && (is_below("/site-packages/") || is_below("/dist-packages/"));
}

Fix patchelf_fix(std::string title, std::string_view options, const Object& file, const PackageTree& packages) {
  return {std::move(title), fmt::format("patchelf {} {}", options, shell_word(file.path)),
          has_record(file, packages) ? "its hash in the package's RECORD no longer matches" : ""};
}

std::string add_rpath_option(const Object& requester, const std::string& folder) {
  const bool rpath = requester.image->elf.rpath && !requester.image->elf.runpath;
  return fmt::format("{}--add-rpath '$ORIGIN{}'", rpath ? "--force-rpath " : "",
                     relative_path(std::string(parent_path(requester.path)), folder));
}

void add_patchelf_step(std::string_view options, const Object& file, Fix& fix) {
  fix.command += fmt::format("\npatchelf {} {}", options, shell_word(file.path));
}

}  // namespace cudald
