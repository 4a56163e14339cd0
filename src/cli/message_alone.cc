#include "cli/message_alone.h"

#include <algorithm>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/shell_word.h"
#include "binary/image_store.h"
#include "check/findings/system_packages.h"
#include "check/fixes/build_fixes.h"
#include "check/fixes/driver_fixes.h"
#include "check/fixes/install_commands.h"
#include "check/fixes/package_releases.h"
#include "knowledge/framework_builds.h"
#include "knowledge/gpu_use.h"
#include "knowledge/known_packages.h"
#include "knowledge/linux_names.h"
#include "knowledge/named_modules.h"
#include "knowledge/providers.h"
#include "tree/disk.h"

namespace cudald {
namespace {

/// No package of this release of the system has the library, so that none is named.
bool add_lacking_release(MessageReading& reading, const Options& options) {
  const auto files = make_disk_file_system(options.world.sysroot);
  ImageStore images(*files);
  const auto lack = lacking_release(reading.library, SystemPackages(images));
  if (!lack) return false;
  reading.fix = fmt::format("{}; take a build of the program for {}", lack->text, lack->system);
  if (const auto copy = copy_of_conda(*lack, "the-program")) {
    reading.fix += ", or give it the library of conda-forge";
    reading.command = copy->install + copy->words + "\n" + export_search_path({copy->folder});
  }
  return true;
}

/// What brings the driver to this machine; no package of it belongs into a container or below Windows.
bool add_driver_of_machine(MessageReading& reading, const Options& options) {
  if (reading.library != "libcuda.so" && !is_driver_library(reading.library)) return false;
  const auto files = make_disk_file_system(options.world.sysroot);
  ImageStore images(*files);
  const auto fixes = driver_fixes(images, reading.library == "libcuda.so" ? "libcuda.so.1" : reading.library);
  for (const auto& fix : fixes) {
    reading.fix += (reading.fix.empty() ? "" : "; or ") + fix.title;
    if (reading.command.empty()) reading.command = fix.command;
  }
  return true;
}

bool is_of_linux(std::string_view library) { return library.find(".so") != std::string_view::npos; }

/// Without a target the fix of a missing library is the package that provides it.
void add_provider(MessageReading& reading, const Options& options) {
  if (!reading.fix.empty() || reading.library.empty() || add_driver_of_machine(reading, options) ||
      add_lacking_release(reading, options))
    return;
  const auto& knowledge = *options.resolved.table;
  const auto providers = providers_of(reading.library, knowledge);
  if (providers.empty()) {
    // The newest release of Debian; Ubuntu mostly calls the package so as well.
    const auto packages = system_packages_of(reading.library, knowledge);
    if (packages.empty() || !packages.back().command.starts_with("apt ")) return;
    reading.fix = fmt::format(
        "{} has it in the package of this name; elsewhere by the library's: dnf install "
        "'{}()(64bit)', apk add so:{}",
        packages.back().system, reading.library, reading.library);
    reading.command = "sudo " + packages.back().command;
    return;
  }
  const auto for_cuda = std::find_if(providers.rbegin(), providers.rend(), [&](const Provider& one) {
    return !reading.cuda.empty() && one.distribution.ends_with("-cu" + reading.cuda);
  });
  const auto& provider = for_cuda == providers.rend() ? newest_usual(providers) : *for_cuda;
  reading.fix = fmt::format("{} {} {}, in site-packages/{}", provider.distribution, carries(provider), reading.library,
                            provider.folder);
  reading.command = "pip install " + shell_word(provider.requirement);
  if (!is_of_linux(reading.library)) return;
  reading.fix += "; not every program looks there by itself";
  reading.command += "\n" + export_search_path({"$site/" + shell_word(provider.folder)});
}

/// Without a target the build of a framework that the message calls unfit is replaced by one that fits what it names.
void add_build(MessageReading& reading) {
  BuildNeeds needs;
  if (const auto gpu = parse_gpu(reading.number); gpu && reading.unfit_for == UnfitFor::gpu) needs.gpus = {*gpu};
  if (reading.unfit_for == UnfitFor::driver) needs.newest_cuda = reading.number;
  if (!reading.command.empty() || (needs.gpus.empty() && needs.newest_cuda.empty())) return;
  for (const auto& speaker : reading.speakers)
    if (const auto fix = newest_build(speaker, needs)) {
      reading.fix = fix->title;
      if (reading.unfit_for == UnfitFor::driver) reading.fix += "; or a newer driver";
      reading.command = fix->command;
      return;
    }
}

/// The package in site-packages that a message names by a file of it; empty if it names none.
std::string package_of_file(const std::string& text) {
  constexpr std::string_view site = "-packages/";
  const auto at = text.find(site);
  if (at == std::string::npos) return "";
  const auto name = text.substr(at + site.size());
  const auto end = name.find_first_of("/. :'");
  const auto module = name.substr(0, end);
  if (const auto compiled = distribution_compiled_as(module); !compiled.empty()) return compiled;
  const auto known = distribution_of_module(module);
  // A file that lies there by itself may be of a package that is called otherwise.
  return known.empty() && end != std::string::npos && name[end] == '/' ? normal_distribution_name(module) : known;
}

/// An extension of a framework that was compiled against another release of it: what the row calls NAME.
void add_extension(MessageReading& reading) {
  constexpr std::string_view place = "--no-binary NAME NAME";
  const auto at = reading.fix.find(place);
  const auto name = at == std::string::npos ? "" : package_of_file(reading.text);
  if (name.empty()) return;
  const auto companion = companion_of(name);
  reading.fix = companion
                    ? fmt::format("take the {} that is released with the installed {}", name, companion->framework)
                    : fmt::format("compile {} against what is installed, and take no wheel that pip has kept", name);
  reading.command = companion
                        ? "pip install --upgrade " + companion->framework + " " + name
                        : setting_that_compiles(name) + (setting_that_compiles(name).empty() ? "" : " ") +
                              "pip install --force-reinstall --no-deps --no-cache-dir --no-build-isolation " + name;
}

}  // namespace

void complete_alone(MessageReading& reading, const Options& options) {
  complete_by_names(reading);
  add_build(reading);
  add_extension(reading);
  add_provider(reading, options);
}

}  // namespace cudald
