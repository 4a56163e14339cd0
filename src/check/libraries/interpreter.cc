// What the kernel starts in a program's place: its PT_INTERP has to be there, and to be a dynamic loader. Otherwise no
// search ever begins, so this comes before all that is said of libraries.
// Source: Linux fs/binfmt_elf.c, load_elf_binary.

#include <string>
#include <vector>

#include <elf.h>

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "check/findings/checks.h"
#include "check/findings/system_packages.h"
#include "check/fixes/patchelf_fix.h"
#include "machine/abi.h"
#include "process/program_start.h"

namespace cudald {
namespace {

/// Whether a program names the loader of glibc or musl where every system has it.
bool is_usual_interpreter(const Image& program) {
  const auto* abi = find_abi(program.machine, program.format, program.byte_order);
  if (abi == nullptr) return false;
  return *program.elf.interpreter == abi->interpreter ||
         *program.elf.interpreter == "/lib/ld-musl-" + std::string(abi->musl_name) + ".so.1";
}

/// The C library of glibc for a program in a tree that lacks the loader; empty if it is nowhere that loaders look.
std::string c_library_without_loader(const Image& program, ImageStore& images) {
  std::vector<std::string> folders;
  for (const std::string folder : {"/lib64", "/usr/lib64", "/lib", "/usr/lib"}) {
    folders.push_back(folder);
    for (const auto& entry : images.list(folder))
      if (entry.ends_with("-linux-gnu") || entry.find("-linux-gnu") != std::string::npos)
        folders.push_back(folder + "/" + entry);
  }
  for (const auto& folder : folders) {
    const auto& opened = images.open(folder + "/libc.so.6");
    if (!opened.error && opened.image->is_elf() && opened.image->machine == program.machine &&
        opened.image->format == program.format)
      return folder + "/libc.so.6";
  }
  return "";
}

/// A tree that was put together of copied files, as one for chroot or an image, without the loader or without any C
/// library; false if it is neither.
bool add_fixes_of_tree(const std::string& interpreter, const Report& report, ImageStore& images, Finding& finding) {
  const auto& program = report.resolution.objects.front();
  const auto& tree = report.query.sysroot;
  const auto* abi = find_abi(program.image->machine, program.image->format, program.image->byte_order);
  if (abi == nullptr || interpreter != abi->interpreter) return false;
  if (const auto library = c_library_without_loader(*program.image, images); !library.empty()) {
    finding.message += fmt::format(": this root has {}, and not the loader that belongs to it", library);
    finding.evidence.push_back({"the C library is here", library, Basis::proven, ""});
    finding.fixes.push_back({"copy the loader as well, from the system that the C library was copied from",
                             tree == "/" ? "" : fmt::format("cp --parents {} {}", interpreter, shell_word(tree)),
                             "the two have to be of one build of glibc"});
    return true;
  }
  finding.message += ": this root has no C library at all";
  finding.fixes.push_back(
      {"take an image with glibc: FROM debian:stable-slim, or gcr.io/distroless/base-debian12 (with "
       "libstdc++: gcr.io/distroless/cc-debian12)",
       "", ""});
  finding.fixes.push_back(
      {"or build a static program: CGO_ENABLED=0 go build; cargo build --target "
       "x86_64-unknown-linux-musl; gcc -static",
       "", ""});
  return true;
}

/// Commands only for the distribution that the tree is.
void add_interpreter_fixes(const std::string& interpreter, const Report& report, ImageStore& images, Finding& finding) {
  const auto& program = report.resolution.objects.front();
  const SystemPackages system(images);
  const bool debian = system.is("debian") || system.is("ubuntu");
  const bool fedora = system.is("fedora") || system.is("rhel") || system.is("centos");
  const auto* abi = find_abi(program.image->machine, program.image->format, program.image->byte_order);
  const bool musl = file_name(interpreter).starts_with("ld-musl");
  if (system.is("alpine") && !musl) {
    finding.fixes.push_back(
        {"install the layer that runs simple programs for glibc on musl", system.install("gcompat"), ""});
    finding.fixes.push_back(
        {"or take a build for musl, a static one, or an image of a distribution with glibc", "", ""});
  } else if (system.is("nixos")) {
    finding.fixes.push_back({"run programs of other distributions with nix-ld, in configuration.nix",
                             "programs.nix-ld.enable = true;", "then: sudo nixos-rebuild switch"});
  } else if (musl && debian) {
    finding.fixes.push_back({"install musl's loader", system.install("musl"), ""});
  } else if (interpreter == "/lib/ld-linux.so.2" && debian) {
    finding.fixes.push_back({"install the C library for 32-bit programs",
                             fmt::format("{} && {} && {}", system.as_root("dpkg --add-architecture i386"),
                                         system.as_root("apt update"), system.as_root("apt install libc6:i386")),
                             ""});
  } else if (interpreter == "/lib/ld-linux.so.2" && fedora) {
    finding.fixes.push_back({"install the C library for 32-bit programs", system.install("glibc.i686"), ""});
  } else if (abi != nullptr && !musl && is_file(images.files(), std::string(abi->interpreter))) {
    const auto command = fmt::format("patchelf --set-interpreter {} {}", abi->interpreter, shell_word(program.path));
    finding.fixes.push_back(
        {"name the loader of this system", is_system_path(program.path) ? system.as_root(command) : command, ""});
  } else if (!add_fixes_of_tree(interpreter, report, images, finding)) {
    finding.fixes.push_back(
        {"take a build for this system, or a system with the C library that it was built for", "", ""});
  }
}

/// The kernel looks for a relative PT_INTERP in the current directory, wherever the program lies.
/// Source: Linux fs/binfmt_elf.c, load_elf_binary; open_exec.
void tell_relative(const std::string& interpreter, const Object& program, const ImageStore& images, Finding& finding) {
  finding.message += ": it is a relative path, which begins at the current directory";
  const auto beside = normal_path(absolute_path(interpreter, std::string(parent_path(program.path))));
  if (!is_file(images.files(), beside)) return;
  finding.evidence.push_back({"beside the program it is there", beside, Basis::proven, ""});
  finding.fixes.push_back(
      {"name that loader by its whole path",
       fmt::format("patchelf --set-interpreter {} {}", shell_word(beside), shell_word(program.path)), ""});
  finding.fixes.push_back(
      {"or start the program in that directory", "cd " + shell_word(std::string(parent_path(program.path))), ""});
}

void tell_missing(const std::string& interpreter, ImageStore& images, Report& report) {
  auto finding = make_finding("CUD101");
  finding.object = 0;
  finding.subject = interpreter;
  finding.message = fmt::format("its program interpreter {} is not here", interpreter);
  finding.consequence = "The kernel refuses to start it: \"No such file or directory\", although the program is there.";
  finding.evidence.push_back({"PT_INTERP names " + interpreter, interpreter, Basis::proven, ""});
  if (!interpreter.starts_with('/')) tell_relative(interpreter, report.resolution.objects.front(), images, finding);
  if (report.query.fixes && finding.fixes.empty()) add_interpreter_fixes(interpreter, report, images, finding);
  report.findings.push_back(std::move(finding));
  auto& error = report.resolution.targets.front().error;
  if (error.empty()) error = interpreter + ": No such file or directory";
}

/// A loader in a store of packages, whose directories begin with a hash: "/nix/store/HASH-glibc-2.40/lib/NAME".
std::string loader_in_store(const std::string& name, ImageStore& images) {
  for (const std::string store : {"/nix/store", "/gnu/store"})
    for (const auto& package : images.list(store)) {
      if (package.find("-glibc-") == std::string::npos) continue;
      auto path = store + "/" + package + "/lib/" + name;
      const auto& opened = images.open(path);
      if (!opened.error && opened.image->is_elf()) return path;
    }
  return "";
}

/// A program that nobody may execute: what was unpacked from a zip archive, or downloaded, has lost the bit.
/// Source: execve(2), EACCES.
void tell_not_executable(const Object& program, const Case& given) {
  // Some libraries can be started as well, as libQt5Core.so.5, and need not be.
  if (program.image->soname) return;
  auto& images = given.store.images;
  const auto& opened = images.open(program.path);
  const auto& loader =
      images.open(absolute_path(*program_interpreter(*program.image), given.report.query.environment.cwd));
  // A package's programs get the bit from the installer; a tree without such bits has no file that is executable.
  if (opened.error || opened.status.executable || loader.error || !loader.status.executable || program.package ||
      given.store.packages.package_of(program.path) != nullptr || !program.image->elf.interpreter)
    return;
  auto finding = make_finding("CUD126");
  finding.object = 0;
  finding.subject = short_name(program);
  finding.message = fmt::format("{} is not executable: no execute permission bit is set", short_name(program));
  finding.consequence = "A shell says \"Permission denied\", and execve fails with EACCES.";
  finding.fixes.push_back({"make it executable", "chmod +x " + shell_word(program.path), ""});
  given.report.findings.push_back(std::move(finding));
}

void tell_no_loader(const std::string& interpreter, const OpenedFile& opened, bool stub, const Case& given) {
  auto& report = given.report;
  const auto& program = report.resolution.objects.front();
  auto finding = make_finding("CUD123");
  finding.object = 0;
  finding.subject = interpreter;
  const auto leads = opened.real_path == interpreter ? "" : " (" + opened.real_path + ")";
  finding.message = stub ? fmt::format("its program interpreter {}{} is not a dynamic loader", interpreter, leads)
                         : fmt::format("its program interpreter {}{} is not a loader for {}", interpreter, leads,
                                       machine_name(program.image->machine));
  finding.consequence = stub ? "The kernel starts that file instead of the program: it prints a message of its own, or "
                               "nothing, and no library is loaded."
                             : "The kernel refuses to start it: \"Accessing a corrupted shared library\".";
  finding.evidence.push_back({stub ? "it has no soname and exports no function, as every dynamic loader does"
                                   : "it is not an ELF file for the program's machine",
                              opened.real_path, Basis::proven, ""});
  if (stub && report.query.fixes) {
    const auto loader = loader_in_store(std::string(file_name(interpreter)), given.store.images);
    const bool nix = opened.real_path.starts_with("/nix/store/") || loader.starts_with("/nix/store/");
    if (nix)
      finding.fixes.push_back({"NixOS: run programs of other distributions with nix-ld, in configuration.nix",
                               "programs.nix-ld.enable = true;", "then: sudo nixos-rebuild switch"});
    if (!loader.empty())
      finding.fixes.push_back({"or make it a program of that C library",
                               fmt::format("patchelf --set-interpreter {} --set-rpath {} {}", shell_word(loader),
                                           shell_word(std::string(parent_path(loader))), shell_word(program.path)),
                               "libraries in other directories need their place in --set-rpath as well"});
    if (finding.fixes.empty())
      finding.fixes.push_back(
          {"install the loader of the C library that the program was built for at that path, or "
           "name another one with patchelf --set-interpreter",
           "", ""});
  }
  const auto* abi = find_abi(program.image->machine, program.image->format, program.image->byte_order);
  const bool runs_here = program.image->machine == EM_X86_64 || program.image->machine == EM_386;
  if (!stub && runs_here && report.query.fixes && abi != nullptr &&
      is_file(given.store.images.files(), std::string(abi->interpreter)))
    finding.fixes.push_back(
        {"name the loader for its machine",
         fmt::format("patchelf --set-interpreter {} {}", abi->interpreter, shell_word(program.path)), ""});
  report.findings.push_back(std::move(finding));
}

}  // namespace

void check_interpreter(const Case& given) {
  auto& report = given.report;
  auto& images = given.store.images;
  const auto& objects = report.resolution.objects;
  if (objects.empty() || !program_interpreter(*objects.front().image)) return;
  const auto& interpreter = *program_interpreter(*objects.front().image);
  const auto& opened = images.open(absolute_path(interpreter, report.query.environment.cwd));
  const bool usual = is_usual_interpreter(*objects.front().image);
  switch (interpreter_kind(opened, *objects.front().image, images)) {
    case InterpreterKind::absent:
      if (report.resolution.world.kind != WorldKind::tag || !usual) tell_missing(interpreter, images, report);
      return;
    case InterpreterKind::stub: return tell_no_loader(interpreter, opened, true, given);
    case InterpreterKind::other_file: return tell_no_loader(interpreter, opened, false, given);
    case InterpreterKind::loader: return tell_not_executable(objects.front(), given);
  }
}

}  // namespace cudald
