// Edits an ELF file as the words say, for scripts that give the result to real loaders:
//   edit_file FILE NEW [largest-bss=BYTES] [search-path=TEXT] [rename=OLD=NEW] [add=NAME] [soname=NAME]
//   [clear-execstack]
// It prints where the new bytes are, or why the file is refused (status 3).

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include <cudald/file_system.h>

#include "rewrite/edit_elf.h"

namespace cudald {
namespace {

const char* to_string(EditRoom room) {
  switch (room) {
    case EditRoom::in_place: return "in-place";
    case EditRoom::last_segment: return "last-segment";
    case EditRoom::new_segment: return "new-segment";
  }
  return "";
}

bool take_word(const std::string& word, ElfEdits& edits, std::uint64_t& largest_bss) {
  const auto equal = word.find('=');
  const auto key = word.substr(0, equal), value = equal == std::string::npos ? "" : word.substr(equal + 1);
  if (key == "largest-bss")
    largest_bss = std::stoull(value);
  else if (key == "search-path")
    edits.search_path = value;
  else if (key == "add")
    edits.added.push_back(value);
  else if (key == "soname")
    edits.soname = value;
  else if (key == "clear-execstack")
    edits.clear_executable_stack = true;
  else if (key == "rename")
    edits.renamed.push_back({value.substr(0, value.find('=')), value.substr(value.find('=') + 1)});
  else
    return false;
  return true;
}

int refuse(const Error& error) {
  std::printf("refused: %s\n", error.message.c_str());
  return 3;
}

int run(int count, char** arguments) {
  ElfEdits edits;
  std::uint64_t largest_bss = std::uint64_t{64} << 20;
  for (int i = 3; i < count; ++i)
    if (!take_word(arguments[i], edits, largest_bss)) return 2;
  const auto disk = make_disk_file_system("/");
  auto file = disk->open(arguments[1]);
  if (!file) return refuse(file.error());
  const std::shared_ptr<const File> source(std::move(*file));
  auto edited = edit_elf(source, arguments[1], edits, largest_bss);
  if (!edited) return refuse(edited.error());
  const NewFile made(source, std::move(edited->pieces));
  std::ofstream out(arguments[2], std::ios::binary);
  std::string block(std::size_t{1} << 20, '\0');
  for (std::uint64_t at = 0; at < made.status().size;) {
    const auto got = made.read(at, std::as_writable_bytes(std::span(block)));
    if (!got || *got == 0) return 3;
    out.write(block.data(), static_cast<std::streamsize>(*got));
    at += *got;
  }
  std::printf("%s +%llu\n", to_string(edited->room), static_cast<unsigned long long>(edited->growth));
  return out.flush() ? 0 : 3;
}

}  // namespace
}  // namespace cudald

int main(int count, char** arguments) { return count < 3 ? 2 : cudald::run(count, arguments); }
