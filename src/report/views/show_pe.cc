#include "report/views/show_pe.h"

#include <array>
#include <map>

#include <fmt/format.h>

#include <cudald/image.h>
#include <cudald/writers.h>

#include "report/json/image_facts.h"

namespace cudald {
namespace {

/// DLLs that forwarders lead to, and by which exports.
std::map<std::string, std::vector<const ExportedFunction*>> forwarders(const PeSymbols& symbols) {
  std::map<std::string, std::vector<const ExportedFunction*>> found;
  for (const auto& function : symbols.exports)
    if (!function.forwarder.empty()) found[forwarder_dll(function.forwarder)].push_back(&function);
  return found;
}

std::string spelled(const std::string& name, std::uint32_t ordinal) {
  return name.empty() ? fmt::format("#{}", ordinal) : escaped(name);
}

// IMAGE_SUBSYSTEM_*, Microsoft's "PE Format".
std::string subsystem_name(std::uint16_t number) {
  switch (number) {
    case 1: return "native";
    case 2: return "windows";
    case 3: return "console";
    case 9: return "windows-ce";
    case 10:
    case 11:
    case 12:
    case 13: return "efi";
    case 14: return "xbox";
    case 16: return "boot";
    default: return fmt::format("subsystem {}", number);
  }
}

std::string_view kind(FileType type) {
  return type == FileType::shared ? "DLL" : type == FileType::executable ? "program" : "file of no known type";
}

std::string spelled(const Assembly& assembly) {
  std::string text = assembly.name;
  for (const auto* part : {&assembly.version, &assembly.architecture, &assembly.public_key_token})
    if (!part->empty()) text += " " + *part;
  return escaped(text);
}

class PeText {
 public:
  PeText(const Image& image, const PeSymbols& symbols, FactList& facts)
      : pe_(*image.pe), image_(image), symbols_(symbols), facts_(facts), names_(facts.style().verbosity > 0) {}

  void tell() {
    facts_.add("format", fmt::format("{} {} {} ({}), {} bytes", image_.format_name(), pe_machine_name(image_),
                                     kind(image_.type), subsystem_name(pe_.subsystem), image_.file_size));
    if (image_.soname) facts_.add("name", escaped(*image_.soname));
    if (pe_.file_version) facts_.add("version", *pe_.file_version);
    if (pe_.managed) facts_.add("managed", "holds .NET code (CLR header)");
    tell_imports(false, "imports");
    tell_imports(true, "delayed");
    tell_exports();
    for (const auto& manifest : pe_.manifests) {
      const auto id = fmt::format("resource {}", manifest.id);
      if (manifest.dependencies.empty()) facts_.add("manifest", "depends on no assembly", id);
      for (const auto& assembly : manifest.dependencies)
        facts_.add("manifest", spelled(assembly) + (assembly.optional ? " (optional)" : ""), id);
    }
    if (pe_.dependent_load_flags != 0)
      facts_.add("load flags", fmt::format("{:#x}", pe_.dependent_load_flags),
                 "for what it imports (DependentLoadFlags)");
    std::string flags;
    for (const auto& flag : flag_names(image_)) flags += (flags.empty() ? "" : " ") + flag;
    if (!flags.empty()) facts_.add("flags", flags);
    for (const auto& section : pe_.sections)
      if (names_ || section.name.starts_with(".nv_fat") || section.name.starts_with(".nvFat"))
        facts_.add("section", escaped(section.name), fmt::format("{} bytes", section.file_size));
    facts_.add(symbols_.defects);
  }

 private:
  void tell_imports(bool delayed, std::string_view label) {
    for (std::size_t i = 0; i < pe_.imports.size(); ++i) {
      if (pe_.imports[i].delayed != delayed) continue;
      facts_.add(label, escaped(pe_.imports[i].name), counted(symbols_.imports[i].size(), "function"));
      if (names_)
        for (const auto& function : symbols_.imports[i])
          facts_.add(label, "  " + spelled(function.name, function.ordinal));
    }
  }

  void tell_exports() {
    if (!symbols_.exports.empty()) facts_.add("exports", counted(symbols_.exports.size(), "function"));
    if (names_)
      for (const auto& function : symbols_.exports)
        if (function.forwarder.empty()) facts_.add("exports", "  " + spelled(function.name, function.ordinal));
    for (const auto& [dll, functions] : forwarders(symbols_)) {
      facts_.add("forwards", "to " + escaped(dll), counted(functions.size(), "function"));
      if (names_)
        for (const auto* function : functions)
          facts_.add("forwards",
                     "  " + spelled(function->name, function->ordinal) + " -> " + escaped(function->forwarder));
    }
  }

  const PeFacts& pe_;
  const Image& image_;
  const PeSymbols& symbols_;
  FactList& facts_;
  bool names_;
};

Json function_json(const ImportedFunction& function) {
  if (function.name.empty()) return JsonObject(1).add("ordinal", function.ordinal).take();
  return JsonObject(1).add("name", json_text(function.name)).take();
}

Json export_json(const ExportedFunction& function) {
  JsonObject fields(3);
  fields.add("name", json_text_or_null(function.name));
  fields.add("ordinal", function.ordinal);
  if (!function.forwarder.empty()) fields.add("forwarder", json_text(function.forwarder));
  return std::move(fields).take();
}

Json assembly_json(const Assembly& assembly) {
  return JsonObject(7)
      .add("name", json_text(assembly.name))
      .add("version", json_text_or_null(assembly.version))
      .add("type", json_text_or_null(assembly.type))
      .add("architecture", json_text_or_null(assembly.architecture))
      .add("language", json_text_or_null(assembly.language))
      .add("public_key_token", json_text_or_null(assembly.public_key_token))
      .add("optional", assembly.optional)
      .take();
}

Json manifest_json(const Manifest& manifest) {
  return JsonObject(2)
      .add("id", manifest.id)
      .add("dependencies", json_array(manifest.dependencies, assembly_json))
      .take();
}

Json section_json(const PeSection& section) {
  return JsonObject(5)
      .add("name", json_text(section.name))
      .add("address", section.address)
      .add("memory_size", section.memory_size)
      .add("offset", section.offset)
      .add("file_size", section.file_size)
      .take();
}

}  // namespace

void tell_pe(const Image& image, const PeSymbols& symbols, FactList& facts) { PeText(image, symbols, facts).tell(); }

Json pe_needed_json(const Image& image, const PeSymbols& symbols) {
  Json::array_t needed;
  for (std::size_t i = 0; i < image.pe->imports.size(); ++i)
    needed.push_back(JsonObject(3)
                         .add("name", json_text(image.pe->imports[i].name))
                         .add("kind", image.pe->imports[i].delayed ? "delay-import" : "import")
                         .add("functions", json_array(symbols.imports[i], function_json))
                         .take());
  for (const auto& [dll, functions] : forwarders(symbols))
    needed.push_back(JsonObject(2).add("name", json_text(dll)).add("kind", "forwarder").take());
  return needed;
}

Json pe_json(const Image& image, const PeSymbols& symbols) {
  const auto& pe = *image.pe;
  return JsonObject(9)
      .add("subsystem", subsystem_name(pe.subsystem))
      .add("dependent_load_flags", pe.dependent_load_flags)
      .add("image_base", pe.image_base)
      .add("file_version", json_optional(pe.file_version))
      .add("product_version", json_optional(pe.product_version))
      .add("managed", pe.managed)
      .add("manifests", json_array(pe.manifests, manifest_json))
      .add("sections", json_array(pe.sections, section_json))
      .add("exports", json_array(symbols.exports, export_json))
      .take();
}

}  // namespace cudald
