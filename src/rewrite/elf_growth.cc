// Room for tables that became longer. Bytes that are loaded never move, as code refers to them. Behind the last load
// segment there is always room for addresses; its .bss has no bytes in the file, so it gets them, as zeros, and what
// the file has behind the segment (debug information, the section headers) moves on. Tools that rewrite a file by its
// sections (strip, objcopy) keep such a segment. A further segment needs a further program header, for which there is
// no room where they are: strip damages files whose program headers moved.
#include "rewrite/elf_growth.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/size_words.h"

namespace cudald {
namespace {

constexpr std::uint64_t table_alignment = 16, usual_page = 0x1000, most_alignment = std::uint64_t{1} << 30;

std::uint64_t aligned(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

std::uint64_t file_end(const ProgramHeader& segment) { return segment.offset + segment.file_size; }
std::uint64_t memory_end(const ProgramHeader& segment) { return segment.address + segment.memory_size; }

/// To what load segments are aligned.
std::uint64_t page_size(const ElfParts& parts) {
  std::uint64_t page = usual_page;
  for (const auto& segment : parts.segments)
    if (segment.type == PT_LOAD) page = std::max(page, segment.alignment);
  return page;
}

/// Whether a section is memory without bytes in the file, in the last load segment.
bool is_bss(const ElfParts& parts, const SectionHeader& section) {
  const auto& last = parts.last();
  return section.type == SHT_NOBITS && section.is_mapped() && section.address >= last.address + last.file_size;
}

/// Whether the last load segment can become longer: whether all that the file has behind its bytes may move.
bool can_grow(const ElfParts& parts, bool writable, std::uint64_t largest_bss) {
  const auto& last = parts.last();
  const auto end = file_end(last);
  if (last.memory_size - last.file_size > largest_bss || (writable && (last.flags & PF_W) == 0)) return false;
  for (const auto& segment : parts.segments)
    if (segment.type == PT_LOAD && segment.file_size != 0 && file_end(segment) > end) return false;
  if (parts.program_headers_at + parts.segments.size() * parts.layout.program_header_size() > end) return false;
  const auto headers_size = parts.sections.size() * ElfFields{parts.layout.is_64}.section_header_size();
  if (parts.section_headers_at < end && parts.section_headers_at + headers_size > end) return false;
  return std::none_of(parts.sections.begin(), parts.sections.end(), [&](const SectionHeader& section) {
    if (is_bss(parts, section))
      return section.address > memory_end(last) || section.size > memory_end(last) - section.address;
    const bool reaches_behind = section.has_bytes() && section.offset + section.size > end;
    return reaches_behind && (section.offset < end || section.is_mapped());
  });
}

/// By how much bytes may move so that each section keeps its alignment.
std::uint64_t tail_alignment(const ElfParts& parts, std::uint64_t tail) {
  std::uint64_t most = parts.layout.word();
  for (const auto& section : parts.sections)
    if (section.has_bytes() && section.offset >= tail) most = std::max(most, section.alignment);
  return std::min(most, usual_page);
}

std::string no_room(const ElfParts& parts) {
  return fmt::format(
      "there is no room for longer tables: the last load segment has {} of zeros (.bss) or is followed "
      "by others in the file, and the program headers of a program cannot move",
      size_words(parts.last().memory_size - parts.last().file_size));
}

void set(std::string& bytes, std::size_t at, std::uint64_t value, std::size_t size, ByteOrder order) {
  bytes.replace(at, size, number_bytes(value, size, order));
}

/// Moves what is behind the last load segment, and gives that segment all its bytes and the new ones.
std::uint64_t grow_segment(const ElfParts& parts, const Growth& growth, std::uint64_t tables_end, std::string& headers,
                           ElfPatches& patches) {
  const auto& last = parts.last();
  const ElfFields fields{parts.layout.is_64};
  const auto word = parts.layout.word(), header_size = parts.layout.program_header_size();
  const auto moved = aligned(tables_end - growth.tail, tail_alignment(parts, growth.tail));
  const auto size = tables_end - last.offset;
  set(headers, parts.last_load * header_size + fields.segment_file_size(), size, word, parts.order);
  set(headers, parts.last_load * header_size + fields.segment_memory_size(), size, word, parts.order);
  for (std::size_t i = 0; i < parts.segments.size(); ++i)
    if (const auto& segment = parts.segments[i];
        segment.type != PT_LOAD && segment.file_size != 0 && segment.offset >= growth.tail)
      set(headers, i * header_size + fields.segment_offset(), segment.offset + moved, word, parts.order);
  const bool headers_move = parts.section_headers_at >= growth.tail;
  if (headers_move) patches.put_word(fields.header_sections_at(), parts.section_headers_at + moved);
  for (std::size_t i = 0; i < parts.sections.size(); ++i) {
    const auto& section = parts.sections[i];
    const auto at = parts.section_headers_at + i * fields.section_header_size();
    if (is_bss(parts, section)) {
      patches.put32(at + fields.section_type(), SHT_PROGBITS);
      patches.put_word(at + fields.section_offset(), last.offset + (section.address - last.address));
    } else if (section.offset >= growth.tail && !section.is_mapped() && (section.flags & SHF_ALLOC) == 0 &&
               section.type != SHT_NULL) {
      patches.put_word(at + fields.section_offset(), section.offset + moved);
    }
  }
  return moved;
}

}  // namespace

Result<Growth> find_growth(const ElfParts& parts, bool writable, std::uint64_t largest_bss, const std::string& path) {
  const auto& last = parts.last();
  Growth growth;
  if (can_grow(parts, writable, largest_bss)) {
    growth.address = aligned(memory_end(last), table_alignment);
    growth.offset = last.offset + (growth.address - last.address);
    growth.tail = file_end(last);
  } else {
    const auto page = page_size(parts);
    if (parts.type == ET_EXEC || parts.has_segment(PT_INTERP) || parts.segments.size() + 1 > most_segments ||
        page > most_alignment)
      return Error{ErrorCode::malformed, no_room(parts), path};
    growth.room = EditRoom::new_segment;
    growth.offset = growth.tail = aligned(parts.file_size, table_alignment);
    growth.address = aligned(memory_end(last), page) + growth.offset % page;
  }
  constexpr std::uint64_t most_in_32_bits = 0xf000'0000;
  if (!parts.layout.is_64 && growth.address + parts.strings.size() > most_in_32_bits)
    return Error{ErrorCode::malformed, "there are no addresses left behind its last load segment", path};
  return growth;
}

std::uint64_t room_for_headers(const ElfParts& parts, const Growth& growth) {
  if (growth.room != EditRoom::new_segment) return 0;
  return aligned((parts.segments.size() + 1) * parts.layout.program_header_size(), table_alignment);
}

std::string headers_with_new_segment(const ElfParts& parts, const Growth& growth, std::string headers,
                                     std::uint64_t size) {
  const ElfFields fields{parts.layout.is_64};
  const auto word = parts.layout.word(), header_size = parts.layout.program_header_size();
  const auto describe = [&](std::size_t at, std::uint64_t bytes) {
    for (const auto field : {fields.segment_address(), fields.segment_physical()})
      set(headers, at + field, growth.address, word, parts.order);
    set(headers, at + fields.segment_offset(), growth.offset, word, parts.order);
    set(headers, at + fields.segment_file_size(), bytes, word, parts.order);
    set(headers, at + fields.segment_memory_size(), bytes, word, parts.order);
  };
  for (std::size_t i = 0; i < parts.segments.size(); ++i)
    if (parts.segments[i].type == PT_PHDR) describe(i * header_size, headers.size() + header_size);
  const auto at = (parts.last_load + 1) * header_size;
  headers.insert(at, std::string(header_size, '\0'));
  set(headers, at, PT_LOAD, 4, parts.order);
  set(headers, at + fields.segment_flags(), PF_R | PF_W, 4, parts.order);
  set(headers, at + fields.segment_alignment(), page_size(parts), word, parts.order);
  describe(at, size);
  return headers;
}

std::vector<Piece> grown_file(const ElfParts& parts, const Growth& growth, std::string headers,
                              const std::string& tables, ElfPatches& patches) {
  const ElfFields fields{parts.layout.is_64};
  std::vector<Piece> pieces;
  const auto add_zeros = [&](std::uint64_t size) {
    if (size != 0) pieces.push_back({size, std::nullopt, ""});
  };
  const auto front = room_for_headers(parts, growth);
  if (growth.room == EditRoom::new_segment) {
    headers = headers_with_new_segment(parts, growth, std::move(headers), front + tables.size());
    headers.resize(front);
    patches.put_word(fields.header_segments_at(), growth.offset);
    patches.put16(fields.header_segment_count(), parts.segments.size() + 1);
    patches.append(0, parts.file_size, pieces);
    add_zeros(growth.offset - parts.file_size);
    pieces.push_back({headers.size(), std::nullopt, headers});
    pieces.push_back({tables.size(), std::nullopt, tables});
    return pieces;
  }
  const auto moved = grow_segment(parts, growth, growth.offset + tables.size(), headers, patches);
  patches.put(parts.program_headers_at, std::move(headers));
  patches.append(0, growth.tail, pieces);
  add_zeros(growth.offset - growth.tail);
  pieces.push_back({tables.size(), std::nullopt, tables});
  add_zeros(growth.tail + moved - growth.offset - tables.size());
  patches.append(growth.tail, parts.file_size, pieces);
  return pieces;
}

}  // namespace cudald
