// Whole trees of files: a question about one, and the description of the machine that one is.

#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include <cudald/cuda_library.h>
#include <cudald/cuda_stack.h>
#include <cudald/environment.h>
#include <cudald/gpu_code.h>
#include <cudald/image.h>
#include <cudald/knowledge.h>
#include <cudald/library_texts.h>
#include <cudald/linux_host_file.h>
#include <cudald/message.h>
#include <cudald/pe_symbols.h>
#include <cudald/query.h>
#include <cudald/report.h>
#include <cudald/session.h>
#include <cudald/wheel.h>
#include <cudald/windows_host_file.h>
#include <cudald/writers.h>

#include "archive/gzip.h"
#include "base/budget.h"
#include "index/index_settings.h"
#include "index/keyring.h"
#include "index/keyring_choice.h"
#include "index/uv_settings.h"
#include "lock/lock_file.h"
#include "machine/survey/machine_gpus.h"
#include "machine/survey/survey.h"
#include "made_tree.h"
#include "package/dist_info.h"
#include "package/installed_packages.h"
#include "package/npm_package.h"
#include "package/requirement.h"
#include "package/site_packages.h"
#include "package/wheel_pool.h"
#include "pyimport/run_import.h"
#include "targets.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_host_bytes = 1 << 20, most_steps = 10'000'000;

/// The rest of a line behind a word; nullopt if it does not begin with it.
std::optional<std::string> behind(std::string_view line, std::string_view word) {
  if (!line.starts_with(word)) return std::nullopt;
  return std::string(line.substr(word.size()));
}

void set_variable(std::string_view text, Environment& environment) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return;
  const std::string name(text.substr(0, equals)), value(text.substr(equals + 1));
  environment.variables[name] = environment.stated[name] = value;
}

void set_libc(std::string_view text, Environment& environment) {
  if (const auto libc = parse_libc(text)) environment.libc = *libc;
}

/// A description of a machine, which may be compressed.
void take_host(const std::string& path, const FileSystem& files, Query& query) {
  const auto text = read_plain_or_compressed(files, path, most_host_bytes);
  if (!text) return;
  if (auto linux = read_linux_host(*text)) {
    query.linux_host = std::make_shared<LinuxHostFile>(std::move(*linux));
    query.world = WorldKind::described;
  } else if (auto windows = read_windows_host(*text)) {
    query.windows_host = std::make_shared<WindowsHostFile>(std::move(*windows));
    query.windows = true;
  }
}

/// A line of a question is an option of the command line without its dashes, or a target.
void take_line(std::string_view line, const FileSystem& files, Query& query) {
  if (const auto with = behind(line, "with "))
    query.packages.push_back(*with);
  else if (const auto prefix = behind(line, "prefix "))
    query.prefix = *prefix;
  else if (const auto python = behind(line, "python "))
    query.python = *python;
  else if (const auto host = behind(line, "host "))
    take_host(*host, files, query);
  else if (const auto variable = behind(line, "env "))
    set_variable(*variable, query.environment);
  else if (const auto gpu = behind(line, "gpu "))
    query.gpus = {{*gpu == "h100" ? 90U : 75U, '\0'}};
  else if (const auto dlopen = behind(line, "dlopen "))
    query.dlopens.push_back({*dlopen, ""});
  else if (const auto extra = behind(line, "extra "))
    query.extras.insert(*extra);
  else if (const auto libc = behind(line, "libc "))
    set_libc(*libc, query.environment);
  else if (const auto kernel = behind(line, "kernel "))
    query.environment.kernel = kernel_release(*kernel);
  else if (line == "windows")
    query.windows = true;
  else if (line == "secure")
    query.environment.secure = true;
  else if (line == "constants")
    query.constants = ConstantScope::all;
  else if (!line.empty())
    query.targets.emplace_back(line);
}

/// What a file says of itself, in all ways in which `cudald show` asks.
void show(Session& session, const std::string& path) {
  (void)session.image(path);
  (void)session.elf_symbols(path);
  (void)session.pe_symbols(path);
  (void)session.gpu_code(path);
  (void)session.library_texts(path);
  (void)session.cuda_library(path);
  (void)session.linked_runtime(path);
  if (path.ends_with(".whl")) (void)session.wheel(path);
}

void ask_of_distribution(const FileSystem& files, const std::string& site, const std::string& name,
                         const MarkerValues& values) {
  if (!is_distribution_name(name)) return;
  (void)installed_metadata(files, site, name);
  (void)installed_wheel_tags(files, site, name);
  (void)modules_of_distribution(files, site, name);
  (void)programs_of_distribution(files, site, name);
  (void)files_of_distribution(files, site, name);
  (void)unmet_requirements(files, site, name, values);
  (void)absent_requirements(files, site, name, values);
  (void)unmet_by_extra(files, site, name);
  (void)unmet_in_step(files, site, name);
  (void)opposed_requirement(files, site, name, ">=2", values);
  (void)lowest_bound(files, site, name, "1.0");
  (void)installed_requirement(files, site, name, ">=");
}

void read_settings(const FileSystem& files, const Environment& environment, const LockedIndexes& locked) {
  const auto uv = read_uv_settings(environment.cwd, environment, files);
  if (!uv) return;
  auto settings = read_index_settings(*uv, environment, files);
  add_locked_indexes(locked, environment, settings);
  const auto keyring = choose_keyring(settings, environment, files);
  if (!keyring || !*keyring) return;
  for (const auto& index : settings.indexes) {
    (void)keyring_services(**keyring, index + "/x/");
    (void)is_always_asked(**keyring, index + "/x/");
  }
}

}  // namespace

void fuzz_question(const std::string& bytes) {
  const auto made = make_tree(bytes);
  Query query;
  query.environment.cpu = host_cpu();
  query.environment.cwd = "/w";
  query.costs.steps = most_steps;
  for (const auto line : lines_of(made.question)) take_line(line, *made.files, query);
  if (query.targets.empty()) return;
  query.message = read_message(bytes, *built_in_knowledge());
  Session session(*made.files);
  for (const auto& target : query.targets)
    if (target.starts_with('/')) show(session, target);
  write_all(session.explain(query));
}

/// The lines before the tree name distributions and modules.
void fuzz_environment(const std::string& bytes) {
  const auto made = make_tree(bytes);
  const auto& files = *made.files;
  const auto values = linux_marker_values("3.11", "x86_64");
  for (const auto& site : site_packages("/v", files)) {
    InstalledPackages installed(files);
    for (const auto line : lines_of(made.question)) {
      ask_of_distribution(files, site, std::string(line), values);
      (void)package_that_lost_module(files, site, std::string(line));
      (void)package_of_altered(files, site, site + "/" + std::string(line));
      (void)installed.package_of(site + "/" + std::string(line));
      (void)installed.package_that_lost(site, std::string(line));
      (void)installed.packages_without_libraries(site, {std::string(line)});
      (void)installed.claims_on(site + "/" + std::string(line));
      (void)installed.conda_requirement("/v/lib/" + std::string(line), std::string(line));
      (void)installed.conda_channel("/v/lib/" + std::string(line));
      (void)installed.is_of_conda("/v/lib/" + std::string(line));
      (void)npm_package_of("/w/node_modules/" + std::string(line));
    }
    (void)installed_names(files, site);
    (void)all_unmet(files, site);
    (void)find_frameworks(files, site, *built_in_knowledge());
  }
  WheelPool pool(files);
  pool.add_folder("/w");
  Budget budget(python_limits);
  for (const auto line : lines_of(made.question)) {
    (void)pool.choose(std::string(line), {">=1"}, {.python_version = "3.11", .machine = "x86_64"});
    (void)pool.distribution_of(std::string(line), budget);
    (void)npm_name_at(line);
  }
  (void)pool.newest_python();
}

void fuzz_machine(const std::string& bytes) {
  const auto made = make_tree(bytes);
  Environment environment;
  environment.cwd = "/w";
  std::string prefix;
  LockedIndexes locked;
  for (const auto line : lines_of(made.question)) {
    if (auto folder = behind(line, "prefix "))
      prefix = std::move(*folder);
    else if (auto index = behind(line, "index "))
      locked.urls.push_back(std::move(*index));
    else
      set_variable(line, environment);
  }
  locked.alone = locked.urls.size() > 1;
  read_settings(*made.files, environment, locked);
  auto stack = survey(*made.files, environment, prefix, true, built_in_knowledge());
  add_remarks(stack, *made.files);
  (void)cuda_folders(stack);
  (void)hides_all_gpus(environment.variable("CUDA_VISIBLE_DEVICES").value_or(""), machine_gpus(*made.files));
  std::ostringstream view, saved;
  write_env(stack, {}, view);
  write_host(stack, describe_linux_host(*made.files, environment, true, *built_in_knowledge()), saved);
  // Of a tree without a loader nothing can be asked.
  require(stack.platform.empty() || read_linux_host(saved.str()).has_value());
}

}  // namespace cudald
