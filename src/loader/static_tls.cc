#include "loader/static_tls.h"

#include <elf.h>

#include <algorithm>
#include <limits>

#include <cudald/image.h>

#include "loader/relocation_order.h"
#include "loader/tunables.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_tls = std::uint64_t{1} << 40;  // of one object; no address space has room for more

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t step) { return (value + step - 1) / step * step; }

/// What one object wants: `shift` is where its first byte lies behind an aligned address.
struct TlsSegment {
  std::uint64_t size = 0, alignment = 1, shift = 0;
};

TlsSegment tls_segment(const Image& image) {
  const auto& elf = image.elf;
  const auto alignment = std::clamp<std::uint64_t>(elf.tls_alignment, 1, most_tls);
  return {std::min(elf.tls_size, most_tls), alignment, elf.tls_address % alignment};
}

/// The block, in bytes from the thread pointer. On x86 it grows away from it downwards: each place is the distance of
/// an object's first byte, so that a block ends where the next begins.
class StaticTlsBlock {
 public:
  StaticTlsBlock(const Abi& abi, const LibcVersion& libc)
      : downwards_(abi.machine == EM_X86_64 || abi.machine == EM_386 || abi.machine == EM_S390),
        alignment_(abi.machine == EM_X86_64 || abi.machine == EM_386 ? 64 : 32),
        used_(downwards_ ? 0 : 2 * (abi.format == Format::elf64 ? 8 : 4)),
        area_of_rseq_(libc.at_least(2, 41)) {}

  /// Of what is there when the process starts.
  void place(const TlsSegment& tls) {
    alignment_ = std::max(alignment_, tls.alignment);
    const auto before = used_;
    used_ = end_of(tls, used_);
    const auto gap = used_ - before - tls.size;
    if (gap <= hole_) return;
    hole_ = gap;
    hole_at_ = before;
  }

  void place_into_hole_or_behind(const TlsSegment& tls) {
    if (tls.size > hole_) return place(tls);
    const auto end = end_of(tls, hole_at_);
    if (end > hole_at_ + hole_) return place(tls);
    alignment_ = std::max(alignment_, tls.alignment);
    hole_ -= end - hole_at_;
    hole_at_ = end;
  }

  void close(std::uint64_t reserve, std::uint64_t optional) {
    if (area_of_rseq_) used_ = rounded_up(used_, 32) + 32;
    size_ = rounded_up(used_ + reserve, alignment_);
    optional_ = optional;
  }

  /// Of what comes later; false where it does not fit.
  bool take(const TlsSegment& tls, bool optional) {
    if (tls.alignment > alignment_) return false;
    const auto end = downwards_ ? last_end_that_fits(tls) : end_of(tls, used_);
    if (end > size_) return false;
    const auto taken = end - used_;
    if (optional && taken > optional_) return false;
    if (optional) optional_ -= taken;
    used_ = end;
    return true;
  }

 private:
  std::uint64_t end_of(const TlsSegment& tls, std::uint64_t from) const {
    if (!downwards_) {
      const auto start = rounded_up(from - std::min(from, tls.shift), tls.alignment) + tls.shift;
      return start + tls.size;
    }
    const auto first = (tls.alignment - tls.shift) % tls.alignment;
    const auto end = from + tls.size;
    return rounded_up(end - std::min(end, first), tls.alignment) + first;
  }

  /// The nearest place whose distance from the block's end, which is aligned, suits the alignment.
  std::uint64_t last_end_that_fits(const TlsSegment& tls) const {
    const auto free = size_ - used_, wanted = tls.size + tls.shift;
    if (free < wanted) return std::numeric_limits<std::uint64_t>::max();
    return size_ - (free - wanted) / tls.alignment * tls.alignment - tls.shift;
  }

  bool downwards_;
  std::uint64_t alignment_, used_;
  bool area_of_rseq_;
  std::uint64_t hole_ = 0, hole_at_ = 0;
  std::uint64_t size_ = 0, optional_ = 0;
};

}  // namespace

std::uint64_t static_tls_reserve(const TlsTunables& tunables) {
  // 1664 by default, as ever.
  constexpr std::uint64_t of_libc = 144, of_others = 144, beyond = 144;
  return (tunables.namespaces - 1) * of_libc + tunables.namespaces * of_others + beyond + tunables.optional;
}

TlsTunables tls_tunables(std::string_view glibc_tunables, const LibcVersion& libc) {
  TlsTunables tunables;
  if (!libc.at_least(2, 32)) return tunables;
  visit_tunables(glibc_tunables, libc, [&tunables](std::string_view name, std::uint64_t value) {
    if (name == "glibc.rtld.nns" && value >= 1 && value <= 16) tunables.namespaces = value;
    if (name == "glibc.rtld.optional_static_tls") tunables.optional = value;
  });
  return tunables;
}

bool fits_static_tls(ObjectId asked, const Resolution& resolution, const Abi& abi, const LibcVersion& libc,
                     const TlsTunables& tunables) {
  const auto& objects = resolution.objects;
  const auto is_of_start = [&](ObjectId id) {
    return resolution.targets[objects[id].target].kind != TargetKind::dlopen;
  };
  StaticTlsBlock block(abi, libc);
  for (ObjectId id = 0; id < objects.size(); ++id)
    if (is_of_start(id) && objects[id].image->elf.tls_size != 0)
      block.place_into_hole_or_behind(tls_segment(*objects[id].image));
  block.close(static_tls_reserve(tunables), libc.at_least(2, 32) ? tunables.optional : most_tls);
  // GCC's and Clang's default for AArch64: descriptors, for which static room is taken where there is some.
  const bool takes_optional = abi.machine == EM_AARCH64;
  const auto take = [&](ObjectId id) {
    const auto& image = *objects[id].image;
    const auto tls = tls_segment(image);
    if (tls.size == 0 || objects[id].unmapped || is_of_start(id)) return true;
    if (image.elf.static_tls) return block.take(tls, false);
    if (takes_optional) block.take(tls, true);
    return true;
  };
  const auto target = objects[asked].target;
  for (std::size_t before = 0; before < target; ++before)
    for (const auto id : relocation_order(resolution, before)) take(id);
  for (const auto id : relocation_order(resolution, target)) {
    const bool fits = take(id);
    if (id == asked) return fits;
    if (!fits) return true;  // the dlopen ends there, and does not come to it
  }
  return true;
}

}  // namespace cudald
