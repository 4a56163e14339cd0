#include "check/fixes/unusable_library.h"

#include <elf.h>

#include <algorithm>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "check/findings/system_packages.h"
#include "check/fixes/admission_fixes.h"
#include "check/fixes/driver_fixes.h"
#include "check/fixes/install_commands.h"
#include "check/fixes/library_installs.h"
#include "check/fixes/lost_file.h"
#include "knowledge/gpu_use.h"

namespace cudald {
namespace {

/// An image that was committed from a container keeps empty files where the driver of the host was mounted.
/// Source: docker commit; NVIDIA Container Toolkit, libnvidia-container, nvc_mount.c.
bool add_place_of_driver(const MissingLibrary& missing, const std::string& path) {
  const auto status = missing.images.files().status(path);
  if (!is_driver_library(missing.edge.name) || !status || status->size != 0) return false;
  missing.finding.message += "; it is empty, as in an image of a container that used the driver of its host";
  for (auto& fix : driver_fixes(missing.images, missing.edge.name)) missing.offer(std::move(fix));
  missing.offer({"if that says that the file exists, remove it from the image", "rm " + shell_word(path), ""});
  return true;
}

/// On a Jetson with JetPack 4 containers get CUDA, cuDNN and TensorRT from the device as well, whose images have empty
/// files in their places. Sources: NVIDIA, Container Runtime on Jetson, mount plug-ins;
/// github.com/dusty-nv/jetson-inference issues 1733 and 1061.
bool add_place_of_device(const MissingLibrary& missing, const std::string& path) {
  constexpr std::string_view others[] = {"libnvinfer", "libnvonnxparser", "libnvparsers"};
  const auto name = file_name(missing.edge.name);
  const auto status = missing.images.files().status(path);
  const bool mounted =
      is_cuda_library_name(std::string(name)) ||
      std::any_of(std::begin(others), std::end(others), [&](auto each) { return name.starts_with(each); });
  if (!mounted || !status || status->size != 0 || missing.requester.image->machine != EM_AARCH64 ||
      !SystemPackages(missing.images).is_container())
    return false;
  missing.finding.message += ", as where a container is to get the file from its host";
  missing.offer(
      {"install CUDA, cuDNN and TensorRT on the device itself, outside of the container: on a Jetson JetPack "
       "has them",
       "sudo apt update && sudo apt install nvidia-jetpack", ""});
  missing.offer(
      {"and start the container with NVIDIA's runtime, which mounts them: docker run --runtime nvidia", "", ""});
  return true;
}

}  // namespace

void add_mended_file(const MissingLibrary& missing, const Probe& unusable) {
  const auto bad = missing.place_of(unusable);
  if (const auto& opened = missing.images.open(bad);
      opened.image && add_admission_fixes(missing.report, *opened.image, bad, unusable.detail, missing.finding))
    return;
  if (add_place_of_driver(missing, bad) || add_place_of_device(missing, bad)) return;
  // What LD_LIBRARY_PATH names comes before all but DT_RPATH and a path.
  const bool comes_first = unusable.rule != SearchRule::rpath && unusable.rule != SearchRule::path;
  const auto good = std::find_if(missing.found.begin(), missing.found.end(), [&](const Whereabouts& where) {
    return where.exact_name && where.fits && where.path != bad;
  });
  if (good != missing.found.end() && comes_first) {
    const std::string folder(parent_path(good->path));
    missing.offer({fmt::format("let the search find the usable one in {} first", folder),
                   export_search_path({shell_folder(folder)}, missing.installer().python()), ""});
  } else if (good != missing.found.end()) {
    missing.offer({fmt::format("replace {} with the usable one", unusable.path),
                   fmt::format("cp {} {}", shell_word(good->path), shell_word(bad)), ""});
  } else {
    const auto before = static_cast<std::ptrdiff_t>(missing.finding.fixes.size());  // what the file is taken for
    if (comes_first) add_installs(missing);
    // What lands in a directory that is searched later changes nothing.
    missing.finding.fixes.erase(std::remove_if(missing.finding.fixes.begin() + before, missing.finding.fixes.end(),
                                               [](const Fix& fix) { return !fix.sets_search_path; }),
                                missing.finding.fixes.end());
    missing.remedies.erase(missing.edge.name);
  }
  add_lost_file_at(missing, bad);
  if (missing.finding.fixes.empty())
    missing.offer({fmt::format("replace {} with a usable {}", unusable.path, file_name(missing.edge.name)), "", ""});
  missing.finding.does_not_help.push_back("another copy later in the search: the loader stops at the first bad file");
}

void add_admitted_kernel(const MissingLibrary& missing, const std::string& path) {
  missing.offer({"take the note out of the file",
                 SystemPackages(missing.images).as_root("strip --remove-section=.note.ABI-tag " + shell_word(path)),
                 "functions that need the newer kernel fail when they are called"});
  missing.offer({"or run it on a newer kernel, or with glibc 2.36 or later, which does not ask", "", ""});
}

}  // namespace cudald
