// What to type against a message of which nothing but its text is known. The rows of data/messages.json say what helps
// against a kind of message; here it is worked out from the names in it, by the same tables that the findings use.
#include "session/message_help.h"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <cudald/finding.h>

#include "base/library_name.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "base/trimmed.h"
#include "check/fixes/build_fixes.h"
#include "check/fixes/driver_fixes.h"
#include "check/fixes/install_commands.h"
#include "check/fixes/newer_libstdcxx.h"
#include "check/fixes/package_releases.h"
#include "knowledge/framework_builds.h"
#include "knowledge/frameworks.h"
#include "knowledge/gpu_use.h"
#include "knowledge/known_packages.h"
#include "knowledge/linux_names.h"
#include "knowledge/module_names.h"
#include "knowledge/named_modules.h"
#include "knowledge/providers.h"
#include "knowledge/system_releases.h"
#include "package/wheel_texts.h"
#include "session/dll_help.h"

namespace cudald {
namespace {

const std::string pip_install = "pip install ";

/// A module that the newest release of its distribution no longer has.
std::optional<Fix> release_with_module(const MessageReading& message) {
  const auto older = message.symbol.empty() ? older_release_with_module(message.module) : std::string();
  if (older.empty()) return std::nullopt;
  return Fix{fmt::format("newer releases do not have {}: use an earlier one", message.module),
             pip_install + shell_word(older), ""};
}

/// A module below a package: Python names the first part of the name that it does not find, so what is before the last
/// point is there, in a release that does not have the rest, or as a directory that several packages share. Source:
/// CPython Lib/importlib/_bootstrap.py, _find_and_load_unlocked.
bool tell_missing_part(MessageReading& message) {
  const auto& module = message.module;
  const auto point = module.rfind('.');
  if (!message.symbol.empty() || is_part_of_namespace(module) ||
      message.text.find("No module named") == std::string::npos ||
      (point == std::string::npos && !distribution_of_module(module).empty()))
    return false;
  if (const auto shared = shared_directory(module)) {
    message.means = fmt::format(
        "{} is a directory that several packages share, and none that has a part in it is installed in the Python that "
        "runs",
        module);
    message.fix = fmt::format("install the package with the part that the code imports: for {}, {}", shared->part,
                              shared->distribution);
    message.command.clear();
    return true;
  }
  if (point == std::string::npos) return false;
  if (shared_directory(module.substr(0, point))) {
    message.means = fmt::format(
        "{} is in no directory of sys.path; {} is one that several packages share, and none of those that are "
        "installed has this part",
        module, module.substr(0, point));
    message.fix = "install the package that brings it, which mostly is called like it";
    message.command = pip_install + normal_distribution_name(module);
    return true;
  }
  const auto package = module.substr(0, point);
  message.means = fmt::format(
      "{} is in no directory of sys.path, and {} is there: what is installed is newer or older than the release that "
      "the code was written for, or {} is another project of that name",
      module, package, package);
  message.fix = fmt::format(
      "install the release of {} that the code was written for: the newest if the code is newer than what is "
      "installed, an earlier one if it is older",
      message.distribution);
  message.command.clear();
  return true;
}

/// A package that is imported from its sources, /home/u/bitsandbytes/bitsandbytes, as in Python started beside them or
/// after `pip install -e`: they have no compiled part before that is built. Source: CPython Doc/library/sys_path_init,
/// the current directory comes first; github.com/bitsandbytes-foundation/bitsandbytes issue 1559.
std::optional<Fix> wheel_for_sources(const MessageReading& message) {
  if (message.kind != MessageKind::hard) return std::nullopt;
  for (const auto& speaker : message.speakers) {
    const auto at = message.text.find("/" + speaker + "/" + speaker + "/");
    if (at == std::string::npos) continue;
    const auto begin = message.text.find_last_of(" '\"`(", at) + 1;
    const auto folder = message.text.substr(begin, at - begin);
    if (!folder.starts_with('/') || folder.find("-packages") != std::string::npos) continue;
    return Fix{fmt::format("{}/{} has the sources of {}, whose compiled part was not built: install the wheel, and "
                           "start Python in another directory",
                           folder, speaker, speaker),
               fmt::format("cd {}\n{}--force-reinstall --no-deps {}", shell_word(folder), pip_install, speaker), ""};
  }
  return std::nullopt;
}

/// What is compiled against a framework, and was so against another release of it.
std::optional<Fix> build_for_framework(const MessageReading& message) {
  if (message.extension_of.empty() || message.distribution.empty()) return std::nullopt;
  const auto& name = message.distribution;
  const auto normal = normal_distribution_name(name);
  if (const auto framework = exact_framework_of(normal); !framework.empty())
    return Fix{fmt::format("each release of {} is built for the {} that it requires: let pip install that one", name,
                           framework),
               pip_install + shell_word(name), fmt::format("if {} was compiled here, compile it again instead", name)};
  if (const auto companion = companion_of(name))
    return Fix{fmt::format("{} is released in step with {}: install both in one command, from one index", name,
                           companion->framework),
               "pip install --force-reinstall " + shell_word(companion->framework) + " " + shell_word(name), ""};
  const auto setting = setting_that_compiles(name), sources = sources_elsewhere(normal);
  const auto what =
      sources.empty() ? fmt::format("--no-binary {} {}", shell_word(name), shell_word(name)) : shell_word(sources);
  return Fix{fmt::format("compile {} against the {} that is installed, or install its build for that", name,
                         message.extension_of),
             (setting.empty() ? "" : setting + " ") + pip_install +
                 "--force-reinstall --no-deps --no-cache-dir --no-build-isolation " + what,
             ""};
}

/// The newest build of what speaks that fits the driver or the GPU of the message. A driver runs all releases of its
/// major of CUDA. Source: NVIDIA, CUDA Compatibility, "Minor Version Compatibility", from CUDA 11 on.
std::optional<Fix> build_that_fits(const MessageReading& message) {
  constexpr int first_compatible = 11;
  BuildNeeds needs;
  std::string otherwise;
  if (message.unfit_for == UnfitFor::driver && std::atoi(message.number.c_str()) >= first_compatible) {
    needs.newest_cuda = message.number;
    otherwise = "; or a newer driver";
  } else if (const auto gpu = parse_gpu(message.number); message.unfit_for == UnfitFor::gpu && gpu) {
    needs.gpus = {*gpu};
  } else {
    return std::nullopt;
  }
  for (const auto& speaker : message.speakers)
    if (auto build = newest_build(speaker, needs)) {
      build->title += otherwise;
      return build;
    }
  return std::nullopt;
}

/// "./goflow2" of "(required by ./goflow2)", where that is a program and no library or module.
std::string program_of(const MessageReading& message) {
  constexpr std::string_view begin = "(required by ";
  const auto at = message.text.find(begin);
  if (at == std::string::npos) return "";
  auto path = message.text.substr(at + begin.size());
  path.erase(std::min(path.find(')'), path.size()));
  const auto name = file_name(path);
  const bool module = name.find(".so") != name.npos || name.ends_with(".node") || name.ends_with(".dylib");
  return module || path.find("/lib/") != std::string::npos ? "" : path;
}

/// A system with a newer glibc: of the one that is here a later release, else those that most use.
std::optional<Fix> newer_glibc(const MessageReading& message, const std::string& glibc, ImageStore& images) {
  const SystemPackages system(images);
  const auto& archive = system.archive();
  const auto debian = release_with_glibc("debian", glibc), ubuntu = release_with_glibc("ubuntu", glibc);
  const auto own = archive ? release_with_glibc(archive->id, glibc) : std::nullopt;
  if (!own && (!debian || !ubuntu)) return std::nullopt;
  const auto have = own ? fmt::format("{} {} and later have it", archive->name, own->release)
                        : fmt::format("Debian {} or Ubuntu {} and later have it", debian->release, ubuntu->release);
  Fix fix{fmt::format("use a system whose glibc is {} or newer, as {}, or a container of one; or a build of the file "
                      "for an older glibc, as {} are",
                      glibc, have, program_of(message).empty() ? "wheels of manylinux" : "static ones"),
          "", ""};
  const auto& image = own ? own->image : debian->image;
  if (const auto program = program_of(message); !program.empty() && !system.is_container())
    fix.command = in_container(program, image, system);
  return fix;
}

/// A newer libstdc++.so.6 for a system, or a system with one. Where nothing of the system is known, its directory of
/// libraries tells that it is Debian or Ubuntu, which most have.
std::optional<Fix> newer_libstdcxx_of_system(const MessageReading& message, ImageStore& images) {
  const SystemPackages system(images);
  const auto& version = message.version;
  if (auto upgraded = upgraded_libstdcxx(version, system)) return upgraded;
  const auto& archive = system.archive();
  const auto own = archive ? release_with_libstdcxx(archive->id, version) : std::nullopt;
  const auto debian = release_with_libstdcxx("debian", version), ubuntu = release_with_libstdcxx("ubuntu", version);
  if (!own && (!debian || !ubuntu)) return std::nullopt;
  const auto have = own ? fmt::format("{} {} and later have it", archive->name, own->release)
                        : fmt::format("Debian {} or Ubuntu {} and later have it", debian->release, ubuntu->release);
  Fix fix{fmt::format("use a system whose libstdc++.so.6 has {}, as {}, or a container of one; or a build of the file "
                      "for this system",
                      version, have),
          "", ""};
  const auto newer = system.is_known() || message.text.find("-linux-gnu/") == std::string::npos
                         ? std::nullopt
                         : newer_libstdcxx("ubuntu", "", version);
  if (newer) {
    fix.title += fmt::format("; older releases of Ubuntu get it by {}", newer->who);
    fix.command = fmt::format("sudo {} && sudo apt update && sudo apt install -y {}", newer->enable, newer->package);
  } else if (const auto program = program_of(message); !program.empty() && !system.is_container()) {
    fix.command = in_container(program, own ? own->image : debian->image, system);
  }
  return fix;
}

/// A library of the system that is older than what asks for one of its versions.
std::optional<Fix> newer_library(const MessageReading& message, ImageStore& images) {
  constexpr std::string_view of_glibc = "GLIBC_", of_libstdcxx = "GLIBCXX_", of_its_abi = "CXXABI_";
  if (message.version.starts_with(of_glibc))
    return newer_glibc(message, message.version.substr(of_glibc.size()), images);
  if (!message.version.starts_with(of_libstdcxx) && !message.version.starts_with(of_its_abi)) return std::nullopt;
  const auto& prefix = message.conda_prefix;
  if (prefix.empty()) return newer_libstdcxx_of_system(message, images);
  return Fix{"give the environment a newer libstdc++, and let the search begin there",
             "conda install -p " + shell_word(prefix) + " -c conda-forge libstdcxx-ng\n" +
                 export_search_path({shell_word(prefix + "/lib")}),
             ""};
}

/// The library of C that has a function which nothing in the process brings.
std::optional<Fix> library_of_function(const MessageReading& message, ImageStore& images) {
  const auto known = message.version.empty() ? c_library_with(message.symbol) : std::nullopt;
  if (!known || message.text.find("undefined symbol") == std::string::npos) return std::nullopt;
  const auto library = SystemPackages(images).takes_debian_packages() ? known->library : known->other;
  return Fix{fmt::format("{} is a function of {}, with which the file was not linked: load {} first, for this shell; "
                         "for good, link the file with {}",
                         message.symbol, known->who, library, known->link),
             "export LD_PRELOAD=" + library, ""};
}

/// A library that is in a process once the framework is imported whose part it is.
std::optional<Fix> framework_of_library(const MessageReading& message) {
  if (message.library.empty()) return std::nullopt;
  const auto* framework = framework_with_library(message.library);
  if (framework == nullptr) return std::nullopt;
  return Fix{fmt::format("{} is a part of {}, and is found once that is imported: `import {}` before what needs it. "
                         "Where it is not installed:",
                         message.library, framework->module, framework->module),
             pip_install + shell_word(framework->module), ""};
}

/// A library of NVIDIA's driver: what gives this system the driver, or the name by which programs are linked with it.
std::optional<Fix> driver_of(const MessageReading& message, ImageStore& images) {
  if (message.library == "libcuda.so")
    return Fix{"the driver has it as libcuda.so.1: give it this name as well, where the driver is installed",
               "sudo ln -s \"$(ldconfig -p | awk '/libcuda.so.1 /{print $NF; exit}')\" /usr/local/lib/libcuda.so && "
               "sudo ldconfig",
               ""};
  if (!is_driver_library(message.library) || message.library.find(".so") == std::string::npos) return std::nullopt;
  Fix help;
  for (const auto& fix : driver_fixes(images, message.library)) {
    help.title += (help.title.empty() ? "" : "; ") + fix.title;
    help.command = fix.command;
    if (!help.command.empty()) break;
  }
  return help;
}

/// "./prog" of "./prog: error while loading shared libraries: ...", where it is a path.
std::string program_that_speaks(const MessageReading& message) {
  const auto end = message.text.find(": error while loading shared libraries");
  if (end == std::string::npos) return "";
  const auto begin = message.text.find_last_of(" \t\n'\"", end);
  const auto path = message.text.substr(begin == std::string::npos ? 0 : begin + 1, end - (begin + 1));
  return path.find('/') == std::string::npos ? "" : path;
}

/// No package of this release of the system has the library, so that none is named.
std::optional<Fix> copy_for_release(const MessageReading& message, const SystemPackages& system) {
  const auto lack = lacking_release(message.library, system);
  if (!lack) return std::nullopt;
  // Python of conda takes its libraries from its environment, where another package has asked for another release.
  if (const auto& conda = lack->library.conda; !message.conda_prefix.empty() && !conda.empty())
    return Fix{fmt::format("{} belongs into the environment of conda, which has another release of its package now: "
                           "install the one with it; where conda itself does not start, by another one or micromamba",
                           message.library),
               fmt::format("conda install -p {} -c conda-forge {}", shell_word(message.conda_prefix), conda), ""};
  Fix help{fmt::format("{}; {}take a build of the program for {}", lack->text,
                       lack->later ? "upgrade the system to a release that has it, or " : "", lack->system),
           "", ""};
  if (const auto earlier = earlier_package(*lack, system)) {
    help.title += fmt::format(", or install the package of {} beside what is here", earlier->release);
    help.command = earlier->begin + earlier->package;
  } else if (const auto copy = copy_of_conda(*lack, "the-program")) {
    help.title += ", or give it the library of conda-forge";
    help.command = copy->install + copy->words + "\n" + export_search_path({copy->folder});
  } else if (const auto program = program_that_speaks(message); !program.empty() && !lack->image.image.empty()) {
    const auto container = container_fix(*lack, {message.library}, program, system);
    help.title += (container.title.starts_with("or ") ? ", " : ", or ") + container.title;
    help.command = container.command;
  }
  return help;
}

/// The library of the Python that runs, libpython3.10.so.1.0, which a module of it is linked with: where the system has
/// no package of it, that Python comes from elsewhere, and conda's and uv's have it in their lib directory. Source:
/// CPython configure, --enable-shared; github.com/NVIDIA/TensorRT-LLM issue 6102.
std::optional<Fix> library_of_python(const MessageReading& message) {
  constexpr std::string_view begin = "libpython3.", end = ".so.1.0";
  const auto& library = message.library;
  if (!library.starts_with(begin) || !library.ends_with(end) || message.text.find("ImportError") == std::string::npos)
    return std::nullopt;
  const auto python = library.substr(3, library.size() - 3 - end.size());
  return Fix{fmt::format("it belongs to the {} that runs: that of conda or uv has it in its lib directory, where the "
                         "search has to come; one that was compiled without --enable-shared has none",
                         python),
             fmt::format("export LD_LIBRARY_PATH=$({} -c 'import sys; print(sys.base_prefix + \"/lib\")')"
                         "${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}",
                         python),
             ""};
}

/// The package of this system, or else of the newest release of Debian; Ubuntu mostly calls it so as well.
std::optional<Fix> system_package(const MessageReading& message, const SystemPackages& system,
                                  const Knowledge& knowledge) {
  const auto& library = message.library;
  if (library.find(".so.") != std::string::npos)
    if (auto fix = system_fix(library, system, knowledge)) return fix;
  // Where only a search helps, as on NixOS, that helps more than what another system's program would install.
  if (system.is_known() && !system.takes_debian_packages() && is_elf_library_name(library))
    if (auto search = system.provider_of(library, true, false); search.only_searches) return search;
  if (auto found = system.found_package(library, true); is_elf_library_name(library) && !found.command.empty())
    return found;
  const auto packages = system_packages_of(library, knowledge);
  if (packages.empty() || !packages.back().command.starts_with("apt ")) return std::nullopt;
  return Fix{
      fmt::format("{} has it in the package of this name; elsewhere by the library's: dnf install '{}()(64bit)', "
                  "apk add so:{}",
                  packages.back().system, library, library),
      "sudo " + packages.back().command, ""};
}

/// The command that puts a folder of site-packages first in the search of Windows, for cmd.exe.
std::string windows_search_path(std::string folder) {
  std::replace(folder.begin(), folder.end(), '/', '\\');
  return "for /f \"delims=\" %i in ('python -c \"import sysconfig; print(sysconfig.get_path('purelib'))\"') do "
         "set \"PATH=%i\\" +
         folder + ";%PATH%\"";
}

/// The package of the Python index that has the library. Programs that do not look into site-packages by themselves
/// find it by the variable, and the others as well.
std::optional<Fix> provider_of(const MessageReading& message, const Knowledge& knowledge) {
  const auto providers = providers_of(message.library, message.cuda, knowledge);
  if (providers.empty()) return std::nullopt;
  const auto& provider = newest_usual(providers);
  const bool is_dll = message.library.find(".so") == std::string::npos;
  return Fix{fmt::format("{} {} {}, in site-packages/{}; the variable is for programs that do not look there by "
                         "themselves",
                         provider.distribution, carries(provider), message.library, provider.folder),
             pip_install + shell_word(provider.requirement) + "\n" +
                 (is_dll ? windows_search_path(provider.folder) : export_search_path({"$site/" + provider.folder})),
             ""};
}

std::optional<Fix> package_with_library(const MessageReading& message, const FileSystem& files,
                                        const Knowledge& knowledge) {
  if (message.library.empty()) return std::nullopt;
  ImageStore images(files);
  if (auto help = driver_of(message, images)) return help;
  const SystemPackages system(images);
  if (auto help = copy_for_release(message, system)) {
    auto own = library_of_python(message);
    return own ? own : help;
  }
  if (auto help = provider_of(message, knowledge)) return help;
  return system_package(message, system, knowledge);
}

/// What takes directories with a word in them out of the search, where files of ld.so.conf.d that name nothing else
/// bring them in: the NVIDIA Container Toolkit writes one for the libraries of cuda-compat in a container. Empty where
/// none does. Source: NVIDIA Container Toolkit 1.17.5, nvidia-cdi-hook enable-cuda-compat (00-compat-*.conf);
/// ldconfig(8).
std::string without_configured(const std::string& word, ImageStore& images) {
  constexpr std::uint64_t most_text = 1 << 16;
  const std::string folder = "/etc/ld.so.conf.d";
  std::string command;
  for (const auto& name : images.list(folder)) {
    if (!name.ends_with(".conf")) continue;
    const auto text = read_file(images.files(), folder + "/" + name, most_text);
    if (!text) continue;
    std::size_t with = 0, others = 0;
    for (const auto part : split(*text, "\n"))
      if (const auto line = trimmed(part, all_blanks); !line.empty() && line.front() != '#')
        ++(line.find(word) != line.npos ? with : others);
    if (with > 0 && others == 0) command += " " + shell_word(folder + "/" + name);
  }
  if (command.empty()) return "";
  const SystemPackages system(images);
  return system.as_root("rm" + command) + " && " + system.as_root("ldconfig");
}

bool take(MessageReading& message, std::optional<Fix> help) {
  if (!help) return false;
  message.fix = std::move(help->title);
  message.command = std::move(help->command);
  return true;
}

}  // namespace

void add_help(MessageReading& message, const FileSystem& files, const Knowledge& knowledge) {
  if (complete_by_names(message) || take(message, release_with_module(message)) || tell_missing_part(message) ||
      take(message, wheel_for_sources(message)))
    return;
  ImageStore images(files);
  if (message.command.empty() &&
      (take(message, build_for_framework(message)) || take(message, build_that_fits(message)) ||
       take(message, newer_library(message, images))))
    return;
  if (message.fix.empty() && take(message, library_of_function(message, images))) return;
  if (!message.unconfigured.empty()) {
    if (auto command = without_configured(message.unconfigured, images); !command.empty())
      message.command = std::move(command);
  }
  if (message.needs_newer_driver && message.command.empty()) message.command = newer_driver(images);
  if (!message.fix.empty() || take(message, dll_help(message)) || take(message, framework_of_library(message)) ||
      take(message, package_with_library(message, files, knowledge)))
    return;
  take(message, help_for_own_dll(message));
}

}  // namespace cudald
