#include "cli/settings/open_tree.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include <cudald/writers.h>

#include "archive/image_tar.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "base/usage_error.h"
#include "binary/elf/rehearsal.h"
#include "machine/own_machine.h"

namespace cudald {
namespace {

/// The machine as images name it.
std::string_view architecture(const Options& options) {
  switch (options.world.machine.value_or(own_machine)) {
    case EM_386: return "386";
    case EM_AARCH64: return "arm64";
    case EM_PPC64: return "ppc64le";
    case EM_S390: return "s390x";
    case EM_RISCV: return "riscv64";
    default: return "amd64";
  }
}

/// Makes the options say what `docker run` would: variables that are given win.
void enter(const ImageConfig& config, Options& options) {
  if (!options.process.clear_environment)
    options.process.variables.insert(options.process.variables.begin(), config.variables.begin(),
                                     config.variables.end());
  if (!options.process.cwd && !config.folder.empty()) options.process.cwd = absolute_path(config.folder, "/");
}

std::optional<std::string> value_of(const Options& options, std::string_view variable) {
  std::optional<std::string> found;
  for (const auto& [name, value] : options.process.variables)
    if (name == variable) found = value;
  return found;
}

/// The path of a program by its name, as execvp finds it.
std::string on_path(const std::string& name, const FileSystem& files, const Options& options) {
  const auto folder = options.process.cwd.value_or("/");
  if (name.find('/') != std::string::npos) return absolute_path(name, folder);
  const auto path = value_of(options, "PATH");
  if (!path) return name;
  for (const auto entry : split(*path, ":")) {
    auto candidate = absolute_path(entry, folder) + "/" + name;
    const auto status = files.status(candidate);
    if (status && status->kind == FileKind::regular && status->executable) return candidate;
  }
  return name;
}

/// The interpreter that the first line of a script names. Source: execve(2); env(1) finds its argument on PATH.
std::optional<std::string> interpreter_of(const std::string& path, const FileSystem& files) {
  const auto file = files.open(path);
  if (!file) return std::nullopt;
  std::array<char, 256> start{};
  const auto got = (*file)->read(0, std::as_writable_bytes(std::span(start)));
  std::string_view line(start.data(), got ? *got : 0);
  if (!line.starts_with("#!")) return std::nullopt;
  line = line.substr(2, line.find('\n') - 2);
  std::vector<std::string_view> words = split(line, " \t");
  std::erase(words, "");
  if (words.empty()) return std::nullopt;
  if (file_name(words.front()) != "env") return std::string(words.front());
  for (const auto word : std::span(words).subspan(1))
    if (!word.starts_with('-') && word.find('=') == std::string_view::npos) return std::string(word);
  return std::nullopt;
}

/// The program that an image starts; the interpreter, if that is a script.
std::string program_of(const ImageConfig& config, const FileSystem& files, const Options& options) {
  auto program = on_path(config.command.front(), files, options);
  constexpr int most_interpreters = 4;  // BINPRM_MAX_RECURSION
  for (int i = 0; i < most_interpreters; ++i) {
    const auto interpreter = interpreter_of(program, files);
    if (!interpreter) break;
    program = on_path(*interpreter, files, options);
  }
  return program;
}

Result<ImageTar> open_image(const std::string& path, const Options& options, const Host& host) {
  auto file = make_disk_file_system()->open(path);
  if (!file) return file.error();
  auto image = open_image_tar(std::move(*file), path, read_all_tables, architecture(options), options.run.limits);
  if (image && image->left_out > 0)
    host.complaints << fmt::format("cudald: {}: left out what is outside of the tree or not below a directory: {}{}\n",
                                   escaped(path), escaped(image->first_left_out),
                                   image->left_out > 1 ? fmt::format(", and {} more", image->left_out - 1) : "");
  return image;
}

}  // namespace

Result<std::unique_ptr<FileSystem>> open_tree(Options& options, std::vector<Typed>& targets, const Host& host) {
  if (options.world.sysroot == "/") {
    const auto target = std::find_if(targets.begin(), targets.end(), [](const Typed& typed) {
      return std::holds_alternative<ImageTarget>(typed.target);
    });
    if (target == targets.end()) return make_disk_file_system();
    const auto shown = escaped(target->given);
    const auto other = std::find_if(targets.begin(), targets.end(), [](const Typed& typed) {
      return !std::holds_alternative<ImageTarget>(typed.target);
    });
    const auto instead = fmt::format("cudald --sysroot {} {}", escaped(shell_word(target->given)),
                                     other == targets.end() ? "/usr/bin/PROGRAM" : escaped(shell_word(other->given)));
    if (targets.size() > 1)
      return usage_error(
          fmt::format("{} is an image with a root of its own; for a program in it: `{}`", shown, instead));
    const auto path = normal_path(absolute_path(target->given, host.environment.cwd));
    auto image = open_image(path, options, host);
    if (!image) return usage_error(fmt::format("{}: {}", shown, escaped(image.error().message)));
    if (!image->config || image->config->command.empty())
      return usage_error(fmt::format(
          "{}: {}; name one: `{}`", shown,
          image->config ? "its config names no program" : "a root file system has no program of its own", instead));
    options.world.sysroot = path;
    enter(*image->config, options);
    *target = {program_of(*image->config, *image->files, options), FileTarget{}};
    return std::move(image->files);
  }

  const auto root = make_disk_file_system()->status(options.world.sysroot);
  if (!root) return usage_error(fmt::format("--sysroot {}: {}", escaped(options.world.sysroot), root.error().message));
  if (root->kind == FileKind::folder) return make_disk_file_system(options.world.sysroot);
  auto image = open_image(options.world.sysroot, options, host);
  if (!image)
    return usage_error(fmt::format("--sysroot {}: {}", escaped(options.world.sysroot), escaped(image.error().message)));
  // What `docker run` would set; a plain tar has none.
  if (image->config) enter(*image->config, options);
  return std::move(image->files);
}

}  // namespace cudald
