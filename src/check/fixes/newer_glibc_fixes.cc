// A C library is never replaced alone: what needs a newer one runs on a newer release of the system, or in a container
// of one. Programs of Go need none at all unless cgo is used, and those of Rust can have musl inside. Which release has
// which glibc: data/system-releases.json. Sources: cmd/cgo, "Using cgo with the go command"; Go, debug/buildinfo, the
// section .go.buildinfo; The rustc book, x86_64-unknown-linux-musl; rustc writes its name to .comment.

#include "check/fixes/newer_glibc_fixes.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/find_bytes.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "binary/bytes/file_window.h"
#include "binary/bytes/readers.h"
#include "binary/elf/sections.h"
#include "check/findings/checks.h"
#include "check/findings/system_packages.h"
#include "check/fixes/npm_release.h"
#include "check/fixes/patchelf_fix.h"
#include "knowledge/system_releases.h"

namespace cudald {
namespace {

enum class Language { other, go, rust };

Language language_of(const Object& object, ImageStore& images) {
  constexpr std::uint64_t most_comment = 1 << 12;
  const auto file = images.files().open(object.path);
  if (!file || !object.image) return Language::other;
  Budget budget(limits_of_one_file);
  FileWindow window(**file, object.image->byte_order, &budget);
  for (const auto& section : elf_sections(window, *object.image)) {
    if (section.name == ".go.buildinfo") return Language::go;
    if (section.name != ".comment" || section.size > most_comment) continue;
    std::string text(section.size, '\0');
    const auto size = (*file)->read(section.offset, std::as_writable_bytes(std::span(text)));
    if (size && text.find("rustc version") != std::string::npos) return Language::rust;
  }
  return Language::other;
}

/// The system in the first of its releases that has that glibc.
Fix newer_release(const Report& report, const Object& object, const std::string& version, const std::string& release,
                  const SystemPackages& system, bool in_distroless) {
  const auto& archive = system.archive();
  const auto newer = archive && !release.empty() ? release_with_glibc(archive->id, release) : std::nullopt;
  if (!newer)
    return {fmt::format("run it where glibc {}: a newer release of the distribution, or a container of one",
                        release.empty() ? "has " + version : "is at least " + release),
            "", ""};
  const bool distroless = in_distroless && !newer->distroless.empty();
  if (system.is_container() || distroless)
    return {fmt::format("base this image on {}, which has glibc {}", distroless ? newer->distroless : newer->image,
                        newer->glibc),
            "", ""};
  Fix fix{fmt::format("run it where glibc is at least {}: on {} {}, which has {}, or in a container of that", release,
                      archive->name, newer->release, newer->glibc),
          "", ""};
  const auto& program = report.resolution.objects.front();
  if (&object != &program || !program.path.starts_with('/')) return fix;
  // A directory of the system would hide that of the image.
  const auto mounted = is_system_path(program.path) ? program.path : std::string(parent_path(program.path));
  fix.command = fmt::format("{} -v {} {} {}", system.container_run(), shell_word(mounted + ":" + mounted), newer->image,
                            shell_word(program.path));
  fix.side_effect = "what else it needs may be missing there; a program with windows needs the display as well";
  return fix;
}

}  // namespace

std::vector<Fix> newer_glibc_fixes(const Report& report, const Object& object, const std::string& version,
                                   const std::string& release, Store& store) {
  const auto language = language_of(object, store.images);
  const auto name = short_name(object);
  const auto& libc = report.resolution.libc;
  const SystemPackages system(store.images);
  const bool distroless = system.is_distroless();
  // Who puts a program of Go into an image builds it as well.
  const bool built_here = language == Language::go && (system.is_container() || distroless);
  auto newer = newer_release(report, object, version, release, system, distroless);
  std::vector<Fix> fixes;
  if (auto earlier = earlier_release_of_npm(object.path, store.images.files())) {
    fixes.push_back(std::move(*earlier));
    newer.title.insert(0, "or ");
  }
  if (object.path.starts_with("/nix/store/")) {
    fixes.push_back({fmt::format("take {} and the program from one release of nixpkgs: in its shell.nix the name "
                                 "${{pkgs.stdenv.cc.cc.lib}}/lib means the runtime of the same pkgs",
                                 name),
                     "", ""});
    newer.title.insert(0, "or ");
  }
  if (!built_here) fixes.push_back(newer);
  if (language == Language::go)
    fixes.push_back(
        {fmt::format("{}build {} without cgo, which then needs no C library", built_here ? "" : "or ", name),
         "CGO_ENABLED=0 go build", "in the directory of its source; a package that is C code needs cgo"});
  if (built_here) {
    newer.title.insert(0, "or ");
    fixes.push_back(newer);
  }
  if (language == Language::rust)
    fixes.push_back({fmt::format("or build {} with musl inside, which then needs no C library", name),
                     "rustup target add x86_64-unknown-linux-musl && cargo build --release --target "
                     "x86_64-unknown-linux-musl",
                     "in the directory of its source"});
  fixes.push_back(
      {fmt::format("or take a build of {} made for this glibc ({}.{}) or older", name, libc.major, libc.minor), "",
       ""});
  return fixes;
}

}  // namespace cudald
