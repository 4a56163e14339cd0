#include "machine/host_library.h"

#include <charconv>

#include <cudald/cuda_library.h>
#include <cudald/gpu_code.h>

#include "base/utf8.h"
#include "machine/abi.h"
#include "machine/json_row.h"

namespace cudald {
namespace {

using Json = nlohmann::ordered_json;

Json entries_row(const GpuEntries& entries) {
  Json row = Json::object();
  for (const auto& [architecture, count] : entries) row[to_string(architecture)] = count;
  return row;
}

GpuEntries read_entries(const nlohmann::json& row) {
  GpuEntries entries;
  for (const auto& [name, count] : row.items()) {
    GpuArchitecture architecture;
    constexpr std::string_view start = "sm_";
    if (!name.starts_with(start)) continue;
    const auto* end = name.data() + name.size();
    const auto read = std::from_chars(name.data() + start.size(), end, architecture.number);
    if (read.ec != std::errc() || end - read.ptr > 1) continue;
    if (read.ptr != end) architecture.suffix = *read.ptr;
    entries[architecture] = JsonRow::number<std::size_t>(count);
  }
  return entries;
}

Json gpu_row(const GpuCode& code) {
  Json row = Json::object();
  if (!code.sass.empty()) row["sass"] = entries_row(code.sass);
  if (!code.ptx.empty()) row["ptx"] = entries_row(code.ptx);
  if (code.registered) row["registered"] = true;
  row["entries"] = code.entries;
  if (!code.defects.empty()) row["defects"] = defects_row(code.defects);
  return row;
}

std::shared_ptr<const GpuCode> read_gpu(const nlohmann::json& json) {
  if (!json.is_object()) return nullptr;
  const JsonRow row(json);
  auto code = std::make_shared<GpuCode>();
  code->sass = read_entries(row.at("sass"));
  code->ptx = read_entries(row.at("ptx"));
  code->registered = row.flag("registered");
  code->entries = row.number<std::size_t>("entries");
  code->defects = read_defects_row(row.at("defects"));
  return code;
}

Json cuda_row(const CudaLibrary& library) {
  Json row = {{"kind", to_string(library.kind)}};
  const auto add = [&row](const char* key, const std::string& value) {
    if (!value.empty()) row[key] = valid_utf8(value);
  };
  add("part", library.part);
  add("version", library.version);
  add("release", library.release);
  if (library.major > 0) row["major"] = library.major;
  add("built_for_cuda", library.built_for_cuda);
  if (library.stub) row["stub"] = true;
  if (library.is_static) row["static"] = true;
  for (const auto& evidence : library.evidence) row["evidence"].push_back(valid_utf8(evidence));
  return row;
}

std::shared_ptr<const CudaLibrary> read_cuda(const nlohmann::json& json) {
  const JsonRow row(json);
  auto library = std::make_shared<CudaLibrary>();
  bool known = false;
  for (int number = 0; number <= static_cast<int>(CudaKind::driver) && !known; ++number) {
    library->kind = static_cast<CudaKind>(number);
    known = row.text("kind") == to_string(library->kind);
  }
  if (!known) return nullptr;
  library->part = row.text("part");
  library->version = row.text("version");
  library->release = row.text("release");
  library->major = row.number<int>("major");
  library->built_for_cuda = row.text("built_for_cuda");
  library->stub = row.flag("stub");
  library->is_static = row.flag("static");
  library->evidence = row.texts("evidence");
  return library;
}

/// The names of libraries among a file's constants.
Json texts_row(const LibraryTexts& texts) {
  Json row = {{"by", valid_utf8(texts.function)}};
  for (const auto& text : texts.texts) row["names"].push_back(Json::array({valid_utf8(text.name), text.offset}));
  if (!texts.complete) row["incomplete"] = true;
  return row;
}

LibraryTexts read_texts(const nlohmann::json& json) {
  const JsonRow row(json);
  LibraryTexts texts;
  texts.function = row.text("by");
  texts.complete = !row.flag("incomplete");
  if (const auto& list = row.at("names"); list.is_array())
    for (const auto& item : list)
      if (item.is_array() && item.size() == 2)
        texts.texts.push_back({JsonRow::text(item[0]), JsonRow::number<std::uint64_t>(item[1])});
  return texts;
}

}  // namespace

Json defects_row(const std::vector<Defect>& defects) {
  Json row = Json::array();
  for (const auto& defect : defects)
    row.push_back(
        Json::array({valid_utf8(defect.message), defect.limit, defect.offset ? Json(*defect.offset) : Json(nullptr)}));
  return row;
}

std::vector<Defect> read_defects_row(const nlohmann::json& row) {
  std::vector<Defect> defects;
  if (row.is_array())
    for (const auto& item : row)
      if (item.is_array() && item.size() == 3) {
        defects.push_back({JsonRow::text(item[0]), std::nullopt, item[1] == true});
        if (item[2].is_number_unsigned()) defects.back().offset = item[2].get<std::uint64_t>();
      }
  return defects;
}

HostMachine usual_machine(std::string_view platform) {
  for (const auto& abi : all_abis())
    if (platform == "linux-" + machine_name(abi.machine)) return {abi.machine, abi.format, abi.byte_order};
  const auto& first = all_abis().front();
  return {first.machine, first.format, first.byte_order};
}

Json library_row(const HostLibrary& library, const HostMachine& usual) {
  Json row = {{"path", valid_utf8(library.paths.front())}};
  for (std::size_t i = 1; i < library.paths.size(); ++i) row["also"].push_back(valid_utf8(library.paths[i]));
  add_image(row, *library.image, usual);
  if (library.set_user_id) row["set_user_id"] = true;
  if (!library.start.empty()) row["text"] = valid_utf8(library.start);
  // A file that calls dlopen and holds no name says no more than one that does not.
  if (!library.texts.texts.empty() || !library.texts.complete) row["opens"] = texts_row(library.texts);
  if (library.gpu) row["gpu"] = gpu_row(*library.gpu);
  if (library.cuda) row["cuda"] = cuda_row(*library.cuda);
  if (library.symbols) row["symbols"] = symbols_row(*library.symbols);
  return row;
}

Result<HostLibrary> read_library_row(const nlohmann::json& json, const HostMachine& usual) {
  const JsonRow row(json);
  HostLibrary library;
  library.paths = row.texts("also");
  library.paths.insert(library.paths.begin(), row.text("path"));
  for (const auto& path : library.paths)
    if (!path.starts_with('/')) return Error{ErrorCode::usage, "one of its libraries has no path"};
  library.image = read_image_row(json, usual);
  library.set_user_id = row.flag("set_user_id");
  library.start = row.text("text");
  library.texts = read_texts(row.at("opens"));
  library.gpu = read_gpu(row.at("gpu"));
  library.cuda = read_cuda(row.at("cuda"));
  if (row.at("symbols").is_object()) library.symbols = read_symbols_row(row.at("symbols"), library.image);
  return library;
}

}  // namespace cudald
