#include <algorithm>

#include <fmt/format.h>

#include <cudald/cuda_library.h>
#include <cudald/image.h>

#include "base/ascii.h"
#include "base/budget.h"
#include "base/path.h"
#include "machine/survey/survey.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_module_bytes = std::uint64_t{256} << 20;

/// The release that a kernel module states in .modinfo, as "version=535.104.05"; modules that are compressed say none.
std::string version_of_module(const FileSystem& files, const std::string& path, Budget& budget) {
  constexpr std::string_view field("version=");
  constexpr std::size_t longest = 32, shared = 64;  // a version; what a block has of the one before
  const auto file = files.open(path);
  if (!file || (*file)->status().size > most_module_bytes) return "";
  std::vector<std::byte> block(1 << 20);
  for (std::uint64_t at = 0;; at += block.size() - shared) {
    const auto got = (*file)->read(at, block);
    if (!got || *got == 0 || !budget.read(*got)) return "";
    const std::string_view text(reinterpret_cast<const char*>(block.data()), *got);
    // A field of its own behind a zero, not the end of "srcversion=". That is looked for last: modules are full of
    // zeros.
    for (auto found = text.find(field); found != std::string_view::npos; found = text.find(field, found + 1)) {
      const auto value = found + field.size();
      if (value + longest > text.size() && *got == block.size()) break;  // the next block has all of it
      if (found > 0 && text[found - 1] == '\0') return first_version(text.substr(value, longest));
    }
    if (*got < block.size()) return "";
  }
}

void find_module(const FileSystem& files, DriverFound& driver) {
  const auto kernels = files.list("/lib/modules");
  if (!kernels) return;
  Budget budget({.read = 2 * most_module_bytes});  // of all kernels; a module has 60 MiB
  for (const auto& kernel : *kernels)
    for (const auto* folder : {"updates/dkms", "updates", "extra", "extra/nvidia", "weak-updates/nvidia",
                               "kernel/drivers/video", "kernel/drivers/video/nvidia"}) {
      const auto path = fmt::format("/lib/modules/{}/{}/nvidia.ko", kernel, folder);
      if (!is_file(files, path)) continue;
      driver.module_version = version_of_module(files, path, budget);
      driver.module_known_by = path;
      if (!driver.module_version.empty()) return;
    }
}

}  // namespace

std::string read_small_text(const FileSystem& files, const std::string& path) {
  const auto file = files.open(path);
  if (!file) return "";
  std::vector<std::byte> block(4096);
  const auto got = (*file)->read(0, block);
  return got ? std::string(reinterpret_cast<const char*>(block.data()), *got) : "";
}

std::string first_version(std::string_view text) {
  constexpr std::string_view digits = "0123456789";
  for (auto at = text.find_first_of(digits); at != std::string_view::npos; at = text.find_first_of(digits, at)) {
    auto end = std::min(text.find_first_not_of("0123456789.", at), text.size());
    const auto next = end;
    while (end > at && text[end - 1] == '.') --end;
    if (text.substr(at, end - at).find('.') != std::string_view::npos) return std::string(text.substr(at, end - at));
    at = next;
  }
  return "";
}

// The release is the last five digits: of 31.0.15.3623 it is 536.23. Source: NVIDIA, release notes of the Windows
// display drivers, "NVIDIA Windows driver version numbers".
std::string windows_driver_version(std::string_view file_version) {
  std::string digits;
  for (const char c : file_version)
    if (is_digit(c)) digits += c;
  constexpr std::size_t counted = 5, behind_point = 2;
  if (split(file_version, ".").size() != 4 || digits.size() < counted) return "";
  digits.erase(0, digits.size() - counted);
  return digits.insert(counted - behind_point, ".");
}

DriverFound find_windows_driver(ImageStore& images, const std::string& system_folder) {
  DriverFound driver;
  const auto path = system_folder + "/nvcuda.dll";
  if (!is_file(images.files(), path)) return driver;
  const auto& opened = images.open(path);
  if (!opened.image || !opened.image->pe || !opened.image->pe->file_version) return driver;
  driver.version = windows_driver_version(*opened.image->pe->file_version);
  driver.known_by = path;
  return driver;
}

DriverFound find_driver(ImageStore& images, const std::vector<std::string>& folders, bool is_host,
                        const Knowledge& knowledge) {
  DriverFound driver;
  const auto& files = images.files();
  for (const auto& folder : folders) {
    const auto path = folder + "/libcuda.so.1";
    const auto real = files.real_path(path);
    if (!real || !is_file(files, *real)) continue;
    const auto& opened = images.open(*real);
    const auto file = files.open(*real);
    const auto library = opened.image && file ? identify(**file, *opened.image, knowledge) : std::nullopt;
    if (!library || library->kind != CudaKind::driver || library->stub) continue;
    driver.version = library->version;
    driver.known_by = *real;
    // Its file's name ends in its release as well.
    if (driver.version.empty())
      driver.version = first_version(file_name(*real).substr(std::string_view("libcuda.so.").size()));
    if (!driver.version.empty()) break;
  }
  if (is_host) {
    const auto text = read_small_text(files, "/proc/driver/nvidia/version");
    if (const auto version = first_version(text); !version.empty()) {
      driver.module_version = version;
      driver.module_known_by = "/proc/driver/nvidia/version";
    }
  }
  if (driver.module_version.empty()) find_module(files, driver);
  return driver;
}

}  // namespace cudald
