#include "binary/elf/string_table.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace cudald {

StringTable::StringTable(Opener opener, std::uint64_t offset, std::uint64_t size)
    : bytes_(size), opener_(std::move(opener)), offset_(offset), lacks_((size + block_size - 1) / block_size, true) {}

bool StringTable::read(std::size_t begin, std::size_t end) const {
  const auto into = bytes_.room().subspan(begin, end - begin);
  const auto read_from = [&](const File& file) {
    const auto got = file.read(offset_ + begin, into);
    return got && *got == into.size();
  };
  if (open_file_ != nullptr) return read_from(*open_file_);
  const auto file = opener_();
  return file && read_from(**file);
}

void StringTable::read_blocks(std::size_t first, std::size_t last) const {
  for (auto begin = first; begin < last;) {
    if (!lacks_[begin]) {
      ++begin;
      continue;
    }
    auto end = begin;
    while (end < last && lacks_[end]) lacks_[end++] = false;
    const auto from = begin * block_size, to = std::min(end * block_size, size());
    if (!read(from, to)) {
      broken_ = true;
      std::memset(bytes_.room().data() + from, 0, to - from);
    }
    begin = end;
  }
}

std::string_view StringTable::beginning(std::uint64_t offset, std::size_t most) const {
  if (offset >= size()) return {};
  const auto length = std::min<std::size_t>(most, size() - offset);
  have(offset, offset + length);
  return {text(offset), length};
}

std::string_view StringTable::at(std::uint64_t offset, std::size_t longest) const {
  // Most names end in the block that they begin in.
  for (auto most = std::min(longest + 1, block_size - offset % block_size);;) {
    const auto bytes = beginning(offset, most);
    if (const auto end = bytes.find('\0'); end != std::string_view::npos) return bytes.substr(0, end);
    if (bytes.size() < most || most > longest) return {};
    most = std::min(longest + 1, most + block_size);
  }
}

bool StringTable::has(std::uint64_t offset, std::string_view name) const {
  if (offset >= size() || size() - offset <= name.size()) return name.empty();
  have(offset, offset + name.size() + 1);
  return std::memcmp(text(offset), name.data(), name.size()) == 0 && text(offset)[name.size()] == '\0';
}

StringTable::Opener Reopener::of(std::string path) const {
  return [&files = files_, last = last_, path = std::move(path)]() -> Result<std::shared_ptr<const File>> {
    if (last->file && last->path == path) return last->file;
    auto file = files.open(path);
    if (!file) return file.error();
    *last = {path, std::move(*file)};
    return last->file;
  };
}

}  // namespace cudald
