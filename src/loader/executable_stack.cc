#include "loader/executable_stack.h"

#include <elf.h>

#include <algorithm>

#include "loader/tunables.h"

namespace cudald {

ExecutableStack::ExecutableStack(const Abi& abi, const LibcVersion& libc,
                                 const std::optional<std::string>& glibc_tunables)
    : abi_(abi), strict_(libc.kind == LibcKind::glibc && libc.at_least(2, 41)) {
  if (!strict_ || !glibc_tunables) return;
  visit_tunables(*glibc_tunables, libc, [this](std::string_view name, std::uint64_t value) {
    if (name == "glibc.rtld.execstack" && value <= 2) mode_ = static_cast<Mode>(value);
  });
}

bool ExecutableStack::is_needed_by(const Image& image, const Abi& abi) {
  // The others default to a stack that is not executable.
  const bool by_default =
      abi.machine == EM_X86_64 || abi.machine == EM_386 || abi.machine == EM_ARM || abi.machine == EM_S390;
  return image.elf.executable_stack.value_or(by_default);
}

bool ExecutableStack::refuses(const Image& image, const Resolution& resolution, bool in_dlopen) const {
  if (!strict_ || !is_needed_by(image, abi_) || mode_ == Mode::forced) return false;
  if (mode_ == Mode::forbidden) return true;
  if (!in_dlopen) return false;
  const auto& objects = resolution.objects;
  return std::none_of(objects.begin(), objects.end(), [&](const Object& object) {
    return resolution.targets[object.target].kind != TargetKind::dlopen && !object.dynamic_loader &&
           is_needed_by(*object.image, abi_);
  });
}

bool ExecutableStack::refuses_program(const Image& image) const {
  return strict_ && mode_ == Mode::forbidden && is_needed_by(image, abi_);
}

}  // namespace cudald
