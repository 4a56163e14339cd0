#include <fmt/format.h>

#include <cudald/cuda_library.h>
#include <cudald/gpu_code.h>
#include <cudald/image.h>
#include <cudald/library_texts.h>
#include <cudald/pe_symbols.h>
#include <cudald/writers.h>

#include "report/json/image_facts.h"
#include "report/json/json_text.h"
#include "report/views/show_pe.h"

namespace cudald {
namespace {

Json needed_json(const Needed& needed) {
  JsonObject fields(2);
  fields.add("name", json_text(needed.name));
  if (needed.tag != NeededTag::needed) fields.add("tag", needed.tag == NeededTag::filter ? "filter" : "auxiliary");
  return std::move(fields).take();
}

Json version_need_json(const VersionNeed& need) {
  const auto version_json = [](const NeededVersion& version) {
    return JsonObject(2).add("name", json_text(version.name)).add("weak", version.weak).take();
  };
  return JsonObject(2)
      .add("file", json_text(need.file))
      .add("versions", json_array(need.versions, version_json))
      .take();
}

Json version_definitions_json(const Image& image) {
  Json::array_t names;
  for (const VersionDefinition& version : image.elf.version_definitions)
    if (!version.base) names.push_back(json_text(version.name));
  return names;
}

Json dlopen_note_json(const DlopenNote& note) {
  return JsonObject(4)
      .add("sonames", json_texts(note.sonames))
      .add("feature", json_text_or_null(note.feature))
      .add("description", json_text_or_null(note.description))
      .add("priority", json_text(to_string(note.priority)))
      .take();
}

Json library_texts_json(const LibraryTexts* texts) {
  if (texts == nullptr) return nullptr;
  const auto text_json = [&](const LibraryText& text) {
    if (!text.source.empty())
      return JsonObject(2).add("name", json_text(text.name)).add("source", json_text(text.source)).take();
    return JsonObject(3)
        .add("name", json_text(text.name))
        .add("offset", text.offset)
        .add("calls", texts->function)
        .take();
  };
  return json_array(texts->texts, text_json);
}

Json defect_json(const Defect& defect) {
  return JsonObject(3)
      .add("message", json_text(defect.message))
      .add("offset", defect.offset ? Json(*defect.offset) : Json(nullptr))
      .add("limit", defect.limit)
      .take();
}

Json kernel_json(const std::optional<AbiNote>& note) {
  if (!note) return nullptr;
  return fmt::format("{}.{}.{}", note->major, note->minor, note->patch);
}

}  // namespace

void write_image_json(const std::string& path, const Image& image, const PeSymbols& symbols, bool compact,
                      std::ostream& out, const GpuCode* gpu, const CudaLibrary* cuda, const LibraryTexts* texts) {
  auto defects = image.defects;
  defects.insert(defects.end(), symbols.defects.begin(), symbols.defects.end());
  if (gpu != nullptr) defects.insert(defects.end(), gpu->defects.begin(), gpu->defects.end());
  const Json document =
      JsonObject(25)
          .add("schema", "cudald/image")
          .add("schema_version", "1.0")
          .add("path", json_text(path))
          .add("format", to_string(image.format))
          .add("machine", image.is_pe()    ? Json(pe_machine_name(image))
                          : image.is_elf() ? Json(machine_name(image.machine))
                                           : Json(nullptr))
          .add("type", file_type_name(image.type))
          .add("size", image.file_size)
          .add("soname", json_optional(image.soname))
          .add("interpreter", json_optional(image.elf.interpreter))
          .add("needed", image.is_pe() ? pe_needed_json(image, symbols) : json_array(image.elf.needed, needed_json))
          .add("rpath", json_optional(image.elf.rpath))
          .add("runpath", json_optional(image.elf.runpath))
          .add("audit", json_texts(image.elf.audit))
          .add("depaudit", json_texts(image.elf.depaudit))
          .add("version_needs", json_array(image.elf.version_needs, version_need_json))
          .add("version_definitions", version_definitions_json(image))
          .add("flags", json_texts(flag_names(image)))
          .add("kernel", kernel_json(image.elf.abi_note))
          .add("isa", json_texts(isa_names(image)))
          .add("build_id", json_optional(image.elf.build_id))
          .add("dlopen_notes", json_array(image.elf.dlopen_notes, dlopen_note_json))
          .add("may_open", library_texts_json(texts))
          .add("pe", image.is_pe() ? pe_json(image, symbols) : Json(nullptr))
          .add("gpu", gpu_json(gpu))
          .add("cuda", cuda_json(cuda))
          .add("defects", json_array(defects, defect_json))
          .take();
  write_document(document, compact, out);
}

}  // namespace cudald
