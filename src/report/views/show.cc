#include <fmt/format.h>

#include <cudald/cuda_library.h>
#include <cudald/gpu_code.h>
#include <cudald/image.h>
#include <cudald/library_texts.h>
#include <cudald/pe_symbols.h>
#include <cudald/writers.h>

#include "base/path.h"
#include "report/json/image_facts.h"
#include "report/text/requests.h"
#include "report/text/text.h"
#include "report/views/fact_list.h"
#include "report/views/show_pe.h"

namespace cudald {
namespace {

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += separator;
    text += word;
  }
  return text;
}

class ImageText {
 public:
  ImageText(const Image& image, const PeSymbols& symbols, const GpuCode* gpu, const CudaLibrary* cuda,
            const LibraryTexts* texts, TextWriter& text)
      : image_(image), symbols_(symbols), gpu_(gpu), cuda_(cuda), texts_(texts), facts_(text) {}

  void tell() {
    if (image_.is_pe()) {
      tell_pe(image_, symbols_, facts_);
      tell_texts();
      tell_cuda();
      tell_gpu_code();
      tell_defects();
      return;
    }
    if (!image_.is_elf()) {
      fact("format", "no ELF or PE file, or one without a usable header");
      facts_.add(image_.defects);
      return;
    }
    fact("format", fmt::format("{} {} {}, {} bytes", image_.format_name(), machine_name(image_.machine), kind(),
                               image_.file_size));
    optional_fact("soname", image_.soname);
    optional_fact("interp", image_.elf.interpreter);
    tell_needed();
    tell_folders("rpath", image_.elf.rpath);
    tell_folders("runpath", image_.elf.runpath);
    tell_versions();
    if (const auto flags = flag_names(image_); !flags.empty()) fact("flags", joined(flags, " "));
    if (image_.elf.tls_size != 0) fact("tls", fmt::format("{} bytes", image_.elf.tls_size));
    tell_notes();
    tell_texts();
    tell_cuda();
    tell_gpu_code();
    tell_defects();
  }

 private:
  void fact(std::string_view label, std::string_view value, std::string_view note = {}) {
    facts_.add(label, value, note);
  }

  void optional_fact(std::string_view label, const std::optional<std::string>& value) {
    if (value) fact(label, escaped(*value));
  }

  std::string_view kind() const {
    if ((image_.elf.flags_1 & df_1_pie) != 0) return "program (position-independent)";
    switch (image_.type) {
      case FileType::executable: return "program";
      case FileType::shared: return "shared library";
      case FileType::relocatable: return "object file";
      case FileType::core: return "core dump";
      case FileType::none:
      case FileType::other: break;
    }
    return "file of no known type";
  }

  void tell_needed() {
    for (const Needed& needed : image_.elf.needed) {
      const std::string_view note = needed.tag == NeededTag::filter      ? "DT_FILTER"
                                    : needed.tag == NeededTag::auxiliary ? "DT_AUXILIARY"
                                                                         : "";
      fact("needed", escaped(needed.name), note);
    }
    for (const std::string& name : image_.elf.audit) fact("audit", escaped(name));
    for (const std::string& name : image_.elf.depaudit) fact("depaudit", escaped(name));
  }

  void tell_folders(std::string_view label, const std::optional<std::string>& list) {
    if (!list) return;
    if (list->empty()) {
      fact(label, "(empty)");
      return;
    }
    for (const std::string_view folder : split(*list, ":"))
      fact(label, folder.empty() ? "\"\"  an empty element: the current directory" : escaped(folder));
  }

  void tell_versions() {
    for (const VersionNeed& need : image_.elf.version_needs) {
      std::string line = escaped(need.file) + ":";
      for (const NeededVersion& version : need.versions) {
        line += " " + escaped(version.name);
        if (version.weak) line += " (weak)";
      }
      fact("wants", line);
    }
    std::string defined;
    for (const VersionDefinition& version : image_.elf.version_definitions)
      if (!version.base) defined += (defined.empty() ? "" : " ") + escaped(version.name);
    if (!defined.empty()) fact("defines", defined);
  }

  void tell_notes() {
    if (const auto& abi = image_.elf.abi_note)
      fact("kernel", fmt::format("{} {}.{}.{} or newer", abi->os == 0 ? "Linux" : fmt::format("system {},", abi->os),
                                 abi->major, abi->minor, abi->patch));
    if (const auto isa = isa_names(image_); !isa.empty()) fact("processor", joined(isa, " "));
    if (image_.elf.build_id) fact("build-id", *image_.elf.build_id);
    for (const DlopenNote& note : image_.elf.dlopen_notes) {
      std::string line = escaped(joined(note.sonames, " or "));
      if (!note.feature.empty()) line += "  for " + escaped(note.feature);
      if (!note.description.empty()) line += ": " + escaped(note.description);
      fact("dlopen", line, to_string(note.priority));
    }
  }

  /// What it opens by what is known of it, and may open by constant names: that is likely, not sure.
  void tell_texts() {
    if (texts_ == nullptr) return;
    std::string_view told;
    for (const LibraryText& text : texts_->texts) {
      if (text.source.empty())
        fact("may open", escaped(text.name), constant_words(texts_->function, text.offset));
      else
        fact("opens", escaped(text.name), text.source == told ? "" : "table: " + text.source);
      told = text.source;
    }
    if (!texts_->complete)
      fact("limit", "more names of libraries among its constants, or more constants, than are read");
  }

  void tell_cuda() {
    if (cuda_ == nullptr) return;
    fact("cuda", escaped(cuda_words(*cuda_)));
    for (const std::string& sentence : cuda_->evidence) fact("known by", escaped(sentence));
  }

  void tell_gpu_code() {
    if (gpu_ == nullptr) return;
    const auto tell = [this](std::string_view kind, const GpuEntries& entries) {
      std::string line;
      for (const auto& [architecture, count] : entries)
        line += fmt::format("{}{} ({})", line.empty() ? "" : " ", to_string(architecture), count);
      if (!line.empty()) facts_.add(kind, line, gpu_->registered ? "" : "not registered with the CUDA runtime");
    };
    tell("sass", gpu_->sass);
    tell("ptx", gpu_->ptx);
  }

  void tell_defects() {
    facts_.add(image_.defects);
    if (gpu_ != nullptr) facts_.add(gpu_->defects);
  }

  const Image& image_;
  const PeSymbols& symbols_;
  const GpuCode* gpu_;
  const CudaLibrary* cuda_;
  const LibraryTexts* texts_;
  FactList facts_;
};

}  // namespace

void FactList::add(std::string_view label, std::string_view value, std::string_view note) {
  text_.labelled(label == label_ ? "" : label, value, 2, note);
  label_ = label;
}

void FactList::add(const std::vector<Defect>& defects) {
  for (const Defect& defect : defects) {
    const std::string place = defect.offset ? fmt::format("offset {:#x}", *defect.offset) : "";
    add(defect.limit ? "limit" : "defect", escaped(defect.message), place);
  }
}

void write_image(const std::string& path, const Image& image, const PeSymbols& symbols, const TextStyle& style,
                 std::ostream& out, const GpuCode* gpu, const CudaLibrary* cuda, const LibraryTexts* texts) {
  TextWriter text(style, out);
  text.line(text.painted(Tone::strong, escaped(path)));
  ImageText(image, symbols, gpu, cuda, texts, text).tell();
}

}  // namespace cudald
