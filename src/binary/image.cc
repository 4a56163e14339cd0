#include <cudald/image.h>

namespace cudald {

Format format_of(const Image& image) { return image.format; }

bool is_elf(const Image& image) { return image.is_elf(); }

bool is_pe(const Image& image) { return image.is_pe(); }

std::uint16_t machine_of(const Image& image) { return image.machine; }

const std::optional<std::string>& soname_of(const Image& image) { return image.soname; }

const std::optional<std::string>& program_interpreter(const Image& image) { return image.elf.interpreter; }

}  // namespace cudald
