#include <elf.h>

#include <algorithm>

#include <cudald/image.h>

#include "base/utf8.h"
#include "binary/known_image.h"
#include "machine/host_library.h"
#include "machine/json_row.h"

namespace cudald {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t weak_version_bit = 1 << 16, hidden_version_bit = 1 << 17;  // beside a version's number
constexpr std::uint64_t usual_tls_alignment = 16;

/// Whether any loader that can map files at all maps these segments: they are aligned and small.
bool has_usual_segments(const Image& image) {
  constexpr std::uint64_t page_size = 4096, usual_end = std::uint64_t{1} << 36,
                          usual_alignment = std::uint64_t{1} << 30;
  const auto& segments = image.elf.load_segments;
  return !segments.empty() && std::all_of(segments.begin(), segments.end(), [&](const LoadSegment& segment) {
    const auto distance = segment.address - segment.offset;
    const auto by_alignment = segment.alignment == 0 ? distance : distance & (segment.alignment - 1);
    return (distance & (page_size - 1)) == 0 && by_alignment == 0 && (segment.alignment & (page_size - 1)) == 0 &&
           segment.address < usual_end && segment.memory_size < usual_end && segment.alignment <= usual_alignment &&
           segments.front().address <= segment.address;
  });
}

Json header_row(const ElfHeader& header) {
  return Json::array({header.has_magic, header.file_class, header.data_encoding, header.ident_version,
                      header.zero_padding, header.version, header.program_header_size_ok,
                      header.program_headers_readable});
}

void read_header(const nlohmann::json& row, ElfHeader& header) {
  if (!row.is_array() || row.size() != 8) return;
  const auto flag = [&row](std::size_t at) { return row[at].is_boolean() && row[at].get<bool>(); };
  header.has_magic = flag(0);
  header.file_class = JsonRow::number<std::uint8_t>(row[1]);
  header.data_encoding = JsonRow::number<std::uint8_t>(row[2]);
  header.ident_version = JsonRow::number<std::uint8_t>(row[3]);
  header.zero_padding = flag(4);
  header.version = JsonRow::number<std::uint32_t>(row[5]);
  header.program_header_size_ok = flag(6);
  header.program_headers_readable = flag(7);
}

void add_names(Json& row, const ElfFacts& elf) {
  if (!elf.needed.empty()) {
    auto& list = row["needed"] = Json::array();
    for (const auto& needed : elf.needed)
      if (needed.tag == NeededTag::needed)
        list.push_back(valid_utf8(needed.name));
      else
        list.push_back(
            Json::array({needed.tag == NeededTag::filter ? "filter" : "auxiliary", valid_utf8(needed.name)}));
  }
  const auto add_list = [&row](const char* key, const std::vector<std::string>& names) {
    for (const auto& name : names) row[key].push_back(valid_utf8(name));
  };
  if (elf.rpath) row["rpath"] = valid_utf8(*elf.rpath);
  if (elf.runpath) row["runpath"] = valid_utf8(*elf.runpath);
  if (elf.interpreter) row["interpreter"] = valid_utf8(*elf.interpreter);
  add_list("audit", elf.audit);
  add_list("depaudit", elf.depaudit);
  for (const auto& note : elf.dlopen_notes) {
    auto sonames = Json::array();
    for (const auto& soname : note.sonames) sonames.push_back(valid_utf8(soname));
    row["dlopen_notes"].push_back(Json::array(
        {std::move(sonames), valid_utf8(note.feature), valid_utf8(note.description), to_string(note.priority)}));
  }
}

void read_names(const JsonRow& row, ElfFacts& elf) {
  if (const auto& list = row.at("needed"); list.is_array())
    for (const auto& item : list) {
      Needed needed{NeededTag::needed, JsonRow::text(item)};
      if (item.is_array() && item.size() == 2)
        needed = {item[0] == "filter" ? NeededTag::filter : NeededTag::auxiliary, JsonRow::text(item[1])};
      elf.needed.push_back(std::move(needed));
    }
  const auto read = [&row](const char* key, std::optional<std::string>& into) {
    if (row.at(key).is_string()) into = row.text(key);
  };
  read("rpath", elf.rpath);
  read("runpath", elf.runpath);
  read("interpreter", elf.interpreter);
  elf.audit = row.texts("audit");
  elf.depaudit = row.texts("depaudit");
  if (const auto& notes = row.at("dlopen_notes"); notes.is_array())
    for (const auto& note : notes) {
      if (!note.is_array() || note.size() != 4 || !note[0].is_array() || note[0].empty()) continue;
      auto& read_note = elf.dlopen_notes.emplace_back();
      read_note.sonames = JsonRow::texts(note[0]);
      read_note.feature = JsonRow::text(note[1]);
      read_note.description = JsonRow::text(note[2]);
      for (const auto priority : {DlopenPriority::required, DlopenPriority::suggested})
        if (note[3] == to_string(priority)) read_note.priority = priority;
      if (read_note.sonames.empty()) elf.dlopen_notes.pop_back();
    }
}

/// Definitions have the numbers from 1 on, and the first names the file, unless a row says otherwise. A row of four
/// ends with the record's format where that is not 1.
void add_versions(Json& row, const ElfFacts& elf) {
  std::uint16_t usual = 1;
  for (const auto& definition : elf.version_definitions) {
    const bool as_usual = definition.index == usual && definition.base == (usual == 1) && definition.format == 1;
    auto name = valid_utf8(definition.name);
    auto item = as_usual ? Json(std::move(name)) : Json::array({std::move(name), definition.index, definition.base});
    if (definition.format != 1) item.push_back(definition.format);
    row["defines"].push_back(std::move(item));
    ++usual;
  }
  for (const auto& need : elf.version_needs) {
    auto list = Json::array({valid_utf8(need.file)});
    for (const auto& version : need.versions) {
      list.push_back(valid_utf8(version.name));
      list.push_back(version.index | (version.weak ? weak_version_bit : 0) | (version.hidden ? hidden_version_bit : 0));
    }
    row["wants"].push_back(std::move(list));
  }
  if (elf.version_needs_format.value_or(1) != 1) row["wants_format"] = *elf.version_needs_format;
}

void read_versions(const JsonRow& row, ElfFacts& elf) {
  if (const auto& list = row.at("defines"); list.is_array())
    for (const auto& item : list) {
      const auto usual = static_cast<std::uint16_t>(elf.version_definitions.size() + 1);
      VersionDefinition definition{JsonRow::text(item), 0, usual, usual == 1};
      if (item.is_array() && (item.size() == 3 || item.size() == 4))
        definition = {JsonRow::text(item[0]), 0, JsonRow::number<std::uint16_t>(item[1]), item[2] == true};
      if (item.is_array() && item.size() == 4) definition.format = JsonRow::number<std::uint16_t>(item[3]);
      definition.hash = sysv_hash(definition.name);
      elf.version_definitions.push_back(std::move(definition));
    }
  if (const auto& list = row.at("wants"); list.is_array())
    for (const auto& item : list) {
      if (!item.is_array() || item.empty()) continue;
      VersionNeed need{JsonRow::text(item[0]), {}};
      for (std::size_t at = 1; at + 1 < item.size(); at += 2) {
        const auto name = JsonRow::text(item[at]);
        const auto number = JsonRow::number<std::uint32_t>(item[at + 1]);
        need.versions.push_back({name, sysv_hash(name), static_cast<std::uint16_t>(number & 0x7fff),
                                 (number & weak_version_bit) != 0, (number & hidden_version_bit) != 0});
      }
      elf.version_needs.push_back(std::move(need));
    }
  if (!elf.version_needs.empty()) elf.version_needs_format = row.number<std::uint16_t>("wants_format", 1);
}

void add_flags(Json& row, const ElfFacts& elf) {
  if (elf.executable_stack != false) row["stack"] = elf.executable_stack ? Json("executable") : Json("not told");
  if (elf.tls_size != 0) row["tls"] = elf.tls_size;
  if (elf.tls_alignment != 0 && elf.tls_alignment != usual_tls_alignment) row["tls_alignment"] = elf.tls_alignment;
  if (elf.static_tls) row["static_tls"] = true;
  if (elf.symbolic) row["symbolic"] = true;
  if (elf.bind_now) row["bind_now"] = true;
  if (elf.flags_1 != 0) row["flags_1"] = elf.flags_1;
  if (elf.abi_note)
    row["abi_note"] = Json::array({elf.abi_note->os, elf.abi_note->major, elf.abi_note->minor, elf.abi_note->patch});
  if (elf.x86_isa_needed) row["isa_needed"] = *elf.x86_isa_needed;
  if (!elf.has_dynamic_segment) row["dynamic"] = "none";
  if (elf.empty_dynamic_segment) row["dynamic"] = "empty";
  const auto& header = elf.header;
  if (header.os_abi != 0 || header.abi_version != 0) row["os_abi"] = Json::array({header.os_abi, header.abi_version});
  if (header.flags != 0) row["flags"] = header.flags;
}

void read_flags(const JsonRow& row, ElfFacts& elf) {
  const auto numbers = [&row](const char* key, std::size_t count) -> const nlohmann::json* {
    const auto& list = row.at(key);
    return list.is_array() && list.size() == count ? &list : nullptr;
  };
  elf.executable_stack = false;
  if (row.has("stack")) elf.executable_stack = row.at("stack") == "executable" ? std::optional(true) : std::nullopt;
  elf.tls_size = row.number<std::uint64_t>("tls");
  if (elf.tls_size != 0) elf.tls_alignment = row.number<std::uint64_t>("tls_alignment", usual_tls_alignment);
  elf.static_tls = row.flag("static_tls");
  elf.symbolic = row.flag("symbolic");
  elf.bind_now = row.flag("bind_now");
  elf.flags_1 = row.number<std::uint32_t>("flags_1");
  if (const auto* note = numbers("abi_note", 4))
    elf.abi_note = {JsonRow::number<std::uint32_t>((*note)[0]), JsonRow::number<std::uint32_t>((*note)[1]),
                    JsonRow::number<std::uint32_t>((*note)[2]), JsonRow::number<std::uint32_t>((*note)[3])};
  if (row.has("isa_needed")) elf.x86_isa_needed = row.number<std::uint32_t>("isa_needed");
  elf.has_dynamic_segment = row.at("dynamic") != "none";
  elf.empty_dynamic_segment = row.at("dynamic") == "empty";
  if (const auto* abi = numbers("os_abi", 2)) {
    elf.header.os_abi = JsonRow::number<std::uint8_t>((*abi)[0]);
    elf.header.abi_version = JsonRow::number<std::uint8_t>((*abi)[1]);
  }
  elf.header.flags = row.number<std::uint32_t>("flags");
}

constexpr const char* type_words[] = {"none", "relocatable", "executable", "shared", "core", "other"};

HostMachine machine_of(const nlohmann::json& row, const HostMachine& usual) {
  if (!row.is_array() || row.size() != 3) return usual;
  return {JsonRow::number<std::uint16_t>(row[0]), row[1] == 32 ? Format::elf32 : Format::elf64,
          row[2] == "big" ? ByteOrder::big : ByteOrder::little};
}

}  // namespace

void add_image(Json& row, const Image& image, const HostMachine& usual) {
  if (!image.is_elf()) {
    row["no_elf"] = image.file_size;
    if (image.elf.header.has_magic) row["header"] = header_row(image.elf.header);
    return;
  }
  const HostMachine machine{image.machine, image.format, image.byte_order};
  if (machine != usual)
    row["machine"] = Json::array({machine.machine, machine.format == Format::elf32 ? 32 : 64,
                                  machine.order == ByteOrder::big ? "big" : "little"});
  if (image.type != FileType::shared) row["type"] = type_words[static_cast<std::size_t>(image.type)];
  if (image.file_size < sizeof(Elf64_Ehdr)) row["size"] = image.file_size;
  const auto healthy = known_image(ImageSource::description, machine.machine, machine.format, machine.order, "");
  if (auto header = header_row(image.elf.header); header != header_row(healthy->elf.header))
    row["header"] = std::move(header);
  if (image.soname) row["soname"] = valid_utf8(*image.soname);
  add_names(row, image.elf);
  add_versions(row, image.elf);
  add_flags(row, image.elf);
  if (image.has_gpu_code) row["gpu_code"] = true;
  if (!has_usual_segments(image)) {
    auto& list = row["segments"] = Json::array();
    for (const auto& segment : image.elf.load_segments)
      list.push_back(
          Json::array({segment.offset, segment.address, segment.file_size, segment.memory_size, segment.alignment}));
  }
  if (!image.defects.empty()) row["defects"] = defects_row(image.defects);
}

std::shared_ptr<const Image> read_image_row(const nlohmann::json& json, const HostMachine& usual) {
  const JsonRow row(json);
  if (row.has("no_elf")) {
    auto image = std::make_shared<Image>();
    image->source = ImageSource::description;
    image->file_size = row.number<std::uint64_t>("no_elf");
    read_header(row.at("header"), image->elf.header);
    return image;
  }
  const auto machine = machine_of(row.at("machine"), usual);
  auto image = known_image(ImageSource::description, machine.machine, machine.format, machine.order, "");
  image->soname.reset();
  if (row.at("soname").is_string()) image->soname = row.text("soname");
  for (std::size_t type = 0; type < std::size(type_words); ++type)
    if (row.at("type") == type_words[type]) image->type = static_cast<FileType>(type);
  image->file_size = row.number<std::uint64_t>("size", image->file_size);
  read_header(row.at("header"), image->elf.header);
  read_names(row, image->elf);
  read_versions(row, image->elf);
  read_flags(row, image->elf);
  image->has_gpu_code = row.flag("gpu_code");
  if (const auto& list = row.at("segments"); list.is_array()) {
    image->elf.load_segments.clear();
    for (const auto& item : list)
      if (item.is_array() && item.size() == 5)
        image->elf.load_segments.push_back(
            {JsonRow::number<std::uint64_t>(item[0]), JsonRow::number<std::uint64_t>(item[1]),
             JsonRow::number<std::uint64_t>(item[2]), JsonRow::number<std::uint64_t>(item[3]),
             JsonRow::number<std::uint64_t>(item[4]), false});
  }
  image->defects = read_defects_row(row.at("defects"));
  return image;
}

}  // namespace cudald
