#include "machine/survey/survey.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>

#include <cudald/cuda_library.h>

#include "base/path.h"
#include "base/version_order.h"
#include "base/windows_path.h"
#include "knowledge/frameworks.h"
#include "knowledge/knowledge.h"
#include "machine/abi.h"
#include "machine/glibc_facts.h"
#include "machine/survey/machine_gpus.h"
#include "os/this_windows.h"
#include "os/typed_path.h"
#include "package/installed_packages.h"

namespace cudald {
namespace {

constexpr std::array stems = {"libcuda.",    "libcudart",   "libcudnn", "libcublas",    "libcufft", "libcurand",
                              "libcusolver", "libcusparse", "libnvrtc", "libnvJitLink", "libnccl",  "libnvinfer",
                              "cudart",      "cudnn",       "cublas",   "cufft",        "nvrtc",    "nvcuda"};

bool is_named_like_one(std::string_view name) {
  const bool library = name.find(".so") != std::string_view::npos || name.ends_with(".dll");
  return library && std::any_of(stems.begin(), stems.end(), [&](const char* stem) { return name.starts_with(stem); });
}

class Surveyor {
 public:
  Surveyor(const FileSystem& files, const Environment& environment, const std::string& prefix, bool is_host,
           std::shared_ptr<const Knowledge> knowledge)
      : files_(files), environment_(environment), images_(files), installed_(files), is_host_(is_host) {
    stack_.prefix = prefix;
    stack_.knowledge = std::move(knowledge);
  }

  CudaStack look() {
    const auto* const windows = is_host_ ? this_windows() : nullptr;
    if (windows != nullptr)
      read_windows(*windows);
    else
      read_system();
    for (const auto* name :
         {"LD_LIBRARY_PATH", "LD_PRELOAD", "CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_MODULE_LOADING",
          "NVIDIA_VISIBLE_DEVICES", "VIRTUAL_ENV", "CONDA_PREFIX", "PYTHONPATH"})
      if (const auto value = environment_.variable(name)) stack_.variables.emplace_back(name, *value);

    std::vector<std::string> driver_folders = ld_library_path();
    driver_folders.insert(driver_folders.end(), cache_folders_.begin(), cache_folders_.end());
    driver_folders.insert(driver_folders.end(), system_folders_.begin(), system_folders_.end());
    for (const auto* folder :
         {"/usr/lib/wsl/lib", "/usr/lib/x86_64-linux-gnu/nvidia/current", "/usr/local/nvidia/lib64"})
      driver_folders.emplace_back(folder);
    stack_.driver = windows != nullptr ? find_windows_driver(images_, system_folders_.front())
                                       : find_driver(images_, driver_folders, is_host_, *stack_.knowledge);
    if (is_host_) read_gpus();

    stack_.toolkits = find_toolkits(files_, stack_.prefix, windows_toolkits_);
    if (!stack_.prefix.empty()) look_into_prefix();
    for (const auto& folder : ld_library_path()) add_folder(folder, StackPlace::ld_library_path);
    for (const auto& folder : path_folders_) add_folder(folder, StackPlace::path);
    for (const auto& folder : cache_folders_) add_folder(folder, StackPlace::cache, true);
    for (const auto& folder : system_folders_) add_folder(folder, StackPlace::system_folder);
    for (const auto& toolkit : stack_.toolkits)
      for (const auto* folder : {"/lib64", "/lib", "/targets/x86_64-linux/lib", "/bin", "/bin/x64"})
        add_folder(toolkit.path + folder, StackPlace::toolkit);
    return std::move(stack_);
  }

 private:
  std::vector<std::string> ld_library_path() const {
    std::vector<std::string> folders;
    if (const auto value = environment_.variable("LD_LIBRARY_PATH"))
      for (const auto folder : split(*value, ":;"))
        folders.push_back(folder.empty() ? environment_.cwd : absolute_path(std::string(folder), environment_.cwd));
    return folders;
  }

  /// Source: NVIDIA, "CUDA Installation Guide for Microsoft Windows": the installer's folder and variables.
  void read_windows(const ThisWindows& windows) {
    stack_.platform = "windows-x86_64";
    system_folders_ = {tree_path_of_typed(windows.directory) + "/System32"};
    for (const auto& [name, value] : environment_.variables) {
      const auto key = folded(name);
      if (key == "path")
        for (const auto folder : split(value, ";"))
          if (is_full_windows_path(folder)) path_folders_.push_back(tree_path_of_typed(std::string(folder)));
      if (key.starts_with("cuda_path") && is_full_windows_path(value))
        windows_toolkits_.push_back(tree_path_of_typed(value));
    }
    const auto programs = environment_.variable("PROGRAMFILES").value_or("C:\\Program Files");
    const auto usual = tree_path_of_typed(programs) + "/NVIDIA GPU Computing Toolkit/CUDA";
    if (const auto names = files_.list(usual))
      for (const auto& name : *names) windows_toolkits_.push_back(usual + "/" + name);
  }

  void read_system() {
    struct Machine {
      const char* path;
      std::uint16_t number;
    };
    constexpr std::array machines = {Machine{"/lib64/ld-linux-x86-64.so.2", 62},
                                     Machine{"/lib/ld-linux-aarch64.so.1", 183}};
    for (const auto& machine : machines) {
      const auto* abi = find_abi(machine.number, Format::elf64, ByteOrder::little);
      if (!is_file(files_, machine.path) || abi == nullptr) continue;
      const auto facts = read_glibc_facts(files_, machine.path, *abi, environment_);
      stack_.platform = "linux-" + machine_name(machine.number);
      stack_.libc = fmt::format("glibc-{}.{}", facts.version.major, facts.version.minor);
      stack_.x86_64_level = environment_.cpu.x86_64_level;
      system_folders_ = facts.system_folders;
      if (!facts.cache) break;
      std::set<std::string> known_folders;
      for (std::size_t i = 0; i < facts.cache->size(); ++i) {
        const auto entry = facts.cache->entry(i);
        if (!entry || !is_named_like_one(entry->key)) continue;
        cached_.insert(std::string(entry->value));
        const std::string folder(parent_path(std::string(entry->value)));
        if (known_folders.insert(folder).second) cache_folders_.push_back(folder);
      }
      break;
    }
  }

  void read_gpus() {
    const auto gpus = machine_gpus(files_);
    for (const auto& gpu : gpus)
      if (!gpu.model.empty()) stack_.gpu_models.push_back(gpu.model);
    stack_.gpus = architectures_of(gpus);
  }

  void look_into_prefix() {
    add_folder(stack_.prefix + "/lib", StackPlace::prefix);
    std::vector<std::string> sites;
    if (const auto python = find_python(stack_.prefix, files_))
      for (const auto& folder : python->path)
        if (folder.ends_with("-packages") || folder == stack_.prefix) sites.push_back(folder);
    if (is_folder(files_, stack_.prefix + "/Lib/site-packages")) sites.push_back(stack_.prefix + "/Lib/site-packages");
    for (const auto& site : sites) {
      for (auto& framework : find_frameworks(files_, site, *stack_.knowledge))
        stack_.frameworks.push_back(std::move(framework));
      if (const auto names = files_.list(site + "/nvidia"))
        for (const auto& name : *names)
          for (const auto* folder : {"/lib", "/bin", "/bin/x86_64"})
            add_folder(site + "/nvidia/" + name + folder, StackPlace::prefix);
      // Copies that wheels brought along.
      for (const auto& framework : framework_packages())
        if (!framework.folder.empty()) add_folder(site + "/" + framework.folder, StackPlace::prefix);
      if (const auto names = files_.list(site))
        for (const auto& name : *names)
          if (name.ends_with(".libs")) add_folder(site + "/" + name, StackPlace::prefix);
    }
  }

  void add_folder(const std::string& folder, StackPlace place, bool only_cached = false) {
    for (const auto& path : cuda_candidates(images_, folder)) {
      if (only_cached && !cached_.contains(path)) continue;
      const auto& opened = images_.open(path);
      if (!opened.image || !known_.insert({opened.status.id.device, opened.status.id.inode}).second) continue;
      const auto file = files_.open(path);
      const auto library = file ? identify(**file, *opened.image, *stack_.knowledge) : std::nullopt;
      if (!library) continue;
      CudaCopy copy;
      copy.path = opened.real_path;
      copy.name = soname_of(*opened.image).value_or(std::string(file_name(path)));
      copy.place = place;
      copy.library = *library;
      if (const auto* package = installed_.package_of(opened.real_path)) copy.package = *package;
      stack_.copies.push_back(std::move(copy));
    }
  }

  const FileSystem& files_;
  const Environment& environment_;
  ImageStore images_;
  InstalledPackages installed_;
  bool is_host_;
  CudaStack stack_;
  std::vector<std::string> system_folders_, cache_folders_;
  std::vector<std::string> path_folders_, windows_toolkits_;  ///< of this machine with Windows
  std::set<std::string> cached_;                              ///< paths in ld.so.cache
  std::set<std::pair<std::uint64_t, std::uint64_t>> known_;
};

/// Where the driver's library and its kernel module are of two releases.
void add_driver_remark(CudaStack& stack) {
  auto& remarks = stack.remarks;
  const bool compat = stack.driver.known_by.find("/compat/") != std::string::npos;
  if (compat)
    remarks.push_back(fmt::format(
        "{} is of a package cuda-compat{}: forward compatibility, which works on GPUs for data centres, some "
        "RTX boards for servers and Jetson alone; on others CUDA ends with error 804",
        stack.driver.known_by,
        stack.driver.module_version.empty() ? "" : ", over the kernel module of " + stack.driver.module_version));
  else if (!stack.driver.version.empty() && !stack.driver.module_version.empty() &&
           stack.driver.version != stack.driver.module_version)
    remarks.push_back(
        fmt::format("the driver library is of {}, the kernel module of {}: CUDA refuses to start until the module "
                    "is loaded anew",
                    stack.driver.version, stack.driver.module_version));
}

}  // namespace

std::string_view to_string(StackPlace place) {
  switch (place) {
    case StackPlace::ld_library_path: return "ld-library-path";
    case StackPlace::path: return "path";
    case StackPlace::cache: return "cache";
    case StackPlace::system_folder: return "system-folder";
    case StackPlace::toolkit: return "toolkit";
    case StackPlace::prefix: return "prefix";
  }
  return "";
}

std::vector<std::string> cuda_candidates(ImageStore& images, const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& name : images.list(folder))
    if (is_named_like_one(name)) paths.push_back(folder + "/" + name);
  return paths;
}

CudaStack survey(const FileSystem& files, const Environment& environment, const std::string& prefix, bool is_host,
                 std::shared_ptr<const Knowledge> knowledge) {
  return Surveyor(files, environment, prefix, is_host, std::move(knowledge)).look();
}

void add_remarks(CudaStack& stack, const FileSystem& files) {
  auto& remarks = stack.remarks;
  const auto& driver = stack.driver.version.empty() ? stack.driver.module_version : stack.driver.version;
  add_driver_remark(stack);

  std::map<std::string, const CudaCopy*> newest_runtime;
  std::map<std::string, std::vector<const CudaCopy*>> by_name;
  std::map<std::string, std::map<std::string, std::vector<std::string>>> cudnn_parts;  // folder -> release -> parts
  for (const auto& copy : stack.copies) {
    by_name[copy.name].push_back(&copy);
    if (copy.library.stub && copy.place != StackPlace::toolkit)
      remarks.push_back(fmt::format(
          "{} is the toolkit's stub, and {}: a program that finds it before the driver gets an error "
          "from every call",
          copy.path, copy.place == StackPlace::ld_library_path ? "LD_LIBRARY_PATH leads to it" : "loaders look there"));
    if (copy.library.kind == CudaKind::cudnn && copy.library.version.find('.') != std::string::npos)
      cudnn_parts[std::string(parent_path(copy.path))][copy.library.version].push_back(copy.name);
    if (copy.library.kind != CudaKind::cudart || driver.empty()) continue;
    const auto platform = stack.platform.starts_with("windows") ? CudaPlatform::windows : CudaPlatform::linux;
    const auto need = stack.knowledge->least_driver(copy.library.version, platform);
    if (need && stack.knowledge->is_older_driver(driver, *need, platform))
      remarks.push_back(fmt::format("{} needs driver {} or newer; this one is {}", copy.path, need->version, driver));
  }
  for (const auto& [name, copies] : by_name) {
    std::set<std::string> versions;
    for (const auto* copy : copies) versions.insert(copy->library.version);
    if (versions.size() < 2) continue;
    std::string places;
    for (const auto* copy : copies)
      places += fmt::format("{}{} in {}", places.empty() ? "" : ", ", copy->library.version,
                            std::string(parent_path(copy->path)));
    remarks.push_back(fmt::format("{} is here in {} versions, and the first that a process loads serves all of it: {}",
                                  name, versions.size(), places));
  }
  for (const auto& [folder, releases] : cudnn_parts)
    if (releases.size() > 1) {
      std::string parts;
      for (const auto& [release, names] : releases)
        parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", names.front(), release);
      remarks.push_back(fmt::format("{} mixes parts of cuDNN from {} releases, which refuse each other: {}", folder,
                                    releases.size(), parts));
    }
  for (const auto& [name, value] : stack.variables) {
    if (name != "LD_LIBRARY_PATH") continue;
    for (const auto folder : split(value, ":;")) {
      if (folder.empty())
        remarks.push_back("LD_LIBRARY_PATH has an empty element, which is the current directory");
      else if (!is_folder(files, std::string(folder)))
        remarks.push_back(fmt::format("LD_LIBRARY_PATH names {}, which is not a directory", folder));
    }
  }
}

std::vector<std::string> cuda_folders(const CudaStack& stack) {
  std::vector<std::string> folders;
  for (const auto place : {StackPlace::prefix, StackPlace::toolkit}) {
    for (const auto& copy : stack.copies) {
      const std::string folder(parent_path(copy.path));
      const bool wanted = copy.place == place && !copy.library.stub && copy.library.kind != CudaKind::driver;
      if (wanted && std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
    }
    if (!folders.empty()) break;
  }
  return folders;
}

}  // namespace cudald
