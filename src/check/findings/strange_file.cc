// A loader says "invalid ELF header" or "file too short" of whatever is no library. The first bytes of the file tell
// what it is, and with that what helps. Sources: the magic numbers of file(1); git-lfs docs/spec.md; git-config(1),
// core.symlinks; GNU ld, "Scripts" (implicit linker scripts).

#include "check/findings/strange_file.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "knowledge/gpu_use.h"
#include "package/npm_package.h"

namespace cudald {
namespace {

using namespace std::string_view_literals;

constexpr std::uint64_t most_read = 65536;

/// A kind of file by its beginning. `fix` is what helps; empty: what helps against a file of another system.
struct Beginning {
  std::string_view bytes, is, fix;
};

constexpr std::string_view download_again =
    "download it again: a page or an archive was saved under the name of the library";
constexpr Beginning beginnings[] = {
    {"\xcf\xfa\xed\xfe"sv, "it is a Mach-O file, for macOS", ""},
    {"\xce\xfa\xed\xfe"sv, "it is a Mach-O file, for macOS", ""},
    {"\xca\xfe\xba\xbe\0\0\0"sv, "it is a Mach-O file, for macOS", ""},
    {"MZ"sv, "it is a DLL or program for Windows", ""},
    {"\x7f\x45LF"sv, "it is an ELF file, for Linux", ""},
    {"!<arch>\n"sv, "it is a static library (ar archive): for the linker, not for the loader",
     "take the shared library, or link the archive into what needs it"},
    {"!<thin>\n"sv, "it is a static library (thin ar archive): for the linker, not for the loader",
     "take the shared library, or link the archive into what needs it"},
    {"BC\xc0\xde"sv, "it is LLVM bitcode, which no loader takes", "link it without -flto -c, as a shared library"},
    {"PK\x03\x04"sv, "it is a zip archive", download_again},
    {"\x1f\x8b"sv, "it is a gzip archive", download_again},
    {"\xfd\x37zXZ"sv, "it is an xz archive", download_again},
    {"\x28\xb5\x2f\xfd"sv, "it is a zstd archive", download_again},
    {"<!DOCTYPE"sv, "it is a web page", download_again},
    {"<!doctype"sv, "it is a web page", download_again},
    {"<html"sv, "it is a web page", download_again},
    {"<?xml"sv, "it is an XML text", download_again},
    {"#!"sv, "it is a script", "take the library that belongs there"},
};

/// What was copied with its directory from a machine of another system.
Fix build_for_this_system(const std::string& path, bool windows) {
  const auto* system = windows ? "Windows" : "Linux";
  const auto title = fmt::format("install the build for {}: the file was made on another system and copied", system);
  const auto package = npm_package_of(path);
  return {title, package ? "npm rebuild " + shell_word(package->name) : "", ""};
}

/// The libraries that a linker script names: GROUP ( libgcc_s.so.1 -lgcc AS_NEEDED ( ... ) ).
std::string first_library_of_script(std::string_view text) {
  for (const std::string_view keyword : {"GROUP", "INPUT"}) {
    const auto at = text.find(keyword);
    const auto open = at == std::string_view::npos ? at : text.find('(', at);
    if (open == std::string_view::npos) continue;
    for (const auto word : split(text.substr(open + 1), " \t\n\r(),"))
      if (word.find(".so") != std::string_view::npos) return std::string(word);
    return "-";
  }
  return "";
}

/// The file that a link leads to whose target was written out as text; empty if the text is none of another file.
std::string target_of_written_link(std::string_view text, const std::string& path, ImageStore& images) {
  constexpr std::size_t longest = 4096;
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  if (text.empty() || text.size() > longest || text.find_first_of("\n\t\0"sv) != std::string_view::npos) return "";
  const auto place = normal_path(absolute_path(std::string(text), std::string(parent_path(path))));
  return place != path && is_file(images.files(), place) ? std::string(text) : "";
}

/// A line of words, as a server writes it that has no such file: "404: Not Found".
std::optional<StrangeFile> identify_words(std::string_view text) {
  constexpr std::size_t longest_shown = 40, longest = 4096;
  const auto is_of_text = [](char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t'; };
  if (text.empty() || text.size() > longest || !std::all_of(text.begin(), text.end(), is_of_text)) return std::nullopt;
  const auto line = text.substr(0, std::min(text.find_first_of("\r\n"), longest_shown));
  return StrangeFile{fmt::format("it is a text that begins with \"{}\"", line), {}};
}

std::optional<StrangeFile> identify_text(std::string_view text, const std::string& path, ImageStore& images,
                                         bool windows) {
  if (text.starts_with("version https://git-lfs"))
    return StrangeFile{"it is a Git LFS pointer, not the library",
                       {{"it is a Git LFS pointer, not the library: fetch the content", "git lfs pull", ""}}};
  if (auto target = target_of_written_link(text, path, images); !target.empty()) {
    auto command = windows ? "" : fmt::format("ln -sf {} {}", shell_word(target), shell_word(path));
    return StrangeFile{
        fmt::format("it is a symbolic link that was written out as text (\"{}\"), as Git does where it makes none",
                    target),
        {{fmt::format("make it the link to {} that it stands for", target), std::move(command), ""}}};
  }
  const auto library = windows ? "" : first_library_of_script(text);
  if (library.empty()) return identify_words(text);
  StrangeFile file{"it is a linker script: for the linker, not for the loader", {}};
  if (library == "-") return file;
  const std::string name(file_name(library));
  file.is += fmt::format("; it stands for {}", name);
  file.fixes.push_back({fmt::format("open {}, the name of the library itself", name), "", ""});
  return file;
}

/// Whether a file has the program headers of a library and nothing of its code and dynamic section.
/// Source: objcopy(1), --only-keep-debug.
bool is_for_debugger(const Image& image) {
  const auto& segments = image.elf.load_segments;
  return image.elf.empty_dynamic_segment &&
         std::any_of(segments.begin(), segments.end(),
                     [](const LoadSegment& segment) { return segment.file_size == 0 && segment.memory_size != 0; });
}

/// The command that makes a library of an object file.
StrangeFile object_file(const std::string& path) {
  auto library = path;
  if (library.ends_with(".o")) library.resize(library.size() - 2);
  if (!library.ends_with(".so")) library += ".so";
  if (library == path) library += ".linked";
  return {"it is an object file of the compiler (ET_REL), which was not linked",
          {{fmt::format("link it as a shared library, and load that: {}", file_name(library)),
            fmt::format("gcc -shared -o {} {}", shell_word(library), shell_word(path)),
            "the object file has to be compiled with -fPIC"}}};
}

}  // namespace

std::optional<StrangeFile> identify_strange_file(const std::string& path, ImageStore& images, bool windows) {
  if (!windows)
    if (const auto& opened = images.open(path); !opened.error) {
      if (opened.image->type == FileType::relocatable) return object_file(path);
      if (is_for_debugger(*opened.image))
        return StrangeFile{
            "it has only the debugging information of the library, as objcopy --only-keep-debug and "
            "packages for debugging make it",
            {{"put the library itself there; this file is for the debugger alone", "", ""}}};
    }
  const auto status = images.files().status(path);
  if (!status || status->kind != FileKind::regular) return std::nullopt;
  // An empty file of the driver is where a container had that of its host.
  if (status->size == 0 && is_driver_library(std::string(file_name(path)))) return std::nullopt;
  if (status->size == 0) return StrangeFile{"it is empty", {}};
  const auto file = images.files().open(path);
  if (!file) return std::nullopt;
  std::string block(std::min<std::uint64_t>(status->size, most_read), '\0');
  const auto count = (*file)->read(0, std::as_writable_bytes(std::span(block)));
  if (!count) return std::nullopt;
  const auto text = std::string_view(block).substr(0, *count);
  const std::string_view own = windows ? "MZ"sv : "\x7f\x45LF"sv;
  for (const auto& [bytes, is, fix] : beginnings)
    if (bytes != own && text.starts_with(bytes))
      return StrangeFile{std::string(is),
                         {fix.empty() ? build_for_this_system(path, windows) : Fix{std::string(fix), "", ""}}};
  if (text.starts_with(own)) return std::nullopt;
  return identify_text(text, path, images, windows);
}

}  // namespace cudald
