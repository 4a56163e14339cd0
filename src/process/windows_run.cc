#include "process/windows_run.h"

#include <algorithm>
#include <charconv>
#include <set>

#include <elf.h>
#include <fmt/format.h>

#include "base/path.h"
#include "base/windows_path.h"
#include "env/windows_names.h"
#include "process/find_target.h"
#include "process/windows_process.h"

namespace cudald {
namespace {

constexpr int usual_python = 11;

bool is_program(const Image& image) { return (image.pe->characteristics & pe_dll) == 0; }

bool is_extension(const std::string& path) { return folded(path).ends_with(".pyd"); }

/// 9 for "3.9".
int minor_of(std::string_view version) {
  const auto dot = version.find('.');
  int minor = 0;
  if (dot != std::string_view::npos) std::from_chars(version.data() + dot + 1, version.data() + version.size(), minor);
  return minor;
}

/// 9 for "cp39-cp39-win_amd64"; 0 if the tags allow many.
int minor_of_tags(const std::vector<std::string>& tags) {
  for (const auto& tag : tags) {
    const auto abi = tag.find("-cp3");
    int minor = 0;
    if (tag.starts_with("cp3") && abi != std::string::npos) std::from_chars(tag.data() + 3, tag.data() + abi, minor);
    if (minor != 0) return minor;
  }
  return 0;
}

class WindowsRun {
 public:
  WindowsRun(const Query& query, const std::map<std::string, std::size_t>& installed, SessionState& state)
      : query_(query), installed_(installed), state_(state) {}

  Resolution resolve(std::optional<SymbolReport>& symbols) {
    if (query_.prefix) notes_.push_back("--prefix is not looked into for a process of Windows");
    for (const auto& given : query_.packages)
      if (state_.images.folder_exists(absolute(given)))
        notes_.push_back("no wheel is taken from the folder " + given + ": for Windows each is given by its name");
    for (const auto& given : query_.targets) add(given);
    for (const auto& call : query_.dlopens)
      if (process_) load_by_name(call.name, call);
    if (!process_) return std::move(refused_);
    if (query_.symbols != SymbolCheck::none) symbols = process_->take_symbols();
    auto resolution = process_->take();
    // A neutral program is nothing that was asked for.
    auto& start = resolution.targets.front();
    if (resolution.objects.front().known_by_name && !start.part_of && resolution.targets.size() > 1) start.part_of = 1;
    for (auto& target : refused_.targets) resolution.targets.push_back(std::move(target));
    resolution.notes.insert(resolution.notes.end(), notes_.begin(), notes_.end());
    return resolution;
  }

 private:
  std::string absolute(const std::string& path) const { return absolute_path(path, query_.environment.cwd); }

  void refuse(const std::string& given, std::string why) {
    Target target;
    target.given = given;
    target.unreadable = Error{ErrorCode::malformed, std::move(why), given, std::nullopt, 0};
    refused_.targets.push_back(std::move(target));
  }

  void add(const std::string& given) {
    if (const auto package = installed_.find(given); package != installed_.end()) {
      add_package(given, state_.packages.packages()[package->second]);
      return;
    }
    const auto found = find_target(given, query_, state_.images);
    if (!found) {
      if (!process_) start_host(neutral_image(), "", false);
      load_by_name(given, {});
      return;
    }
    const auto path = normal_path(absolute(*found));
    const auto& opened = state_.images.open(path);
    if (opened.error || !opened.image->is_pe()) {
      refuse(given, opened.error ? opened.error->message : "not a PE file, as the others are");
    } else if (!process_ && is_program(*opened.image)) {
      auto host = machine(false, std::string(parent_path(path)), opened.image->format);
      process_.emplace(state_.images, std::move(host), query_.symbols != SymbolCheck::none);
      process_->start(given, path);
    } else {
      if (!process_) start_host(*opened.image, std::string(parent_path(path)), is_extension(path));
      load_file(given, path, {});
    }
  }

  static Image neutral_image() {
    Image image;
    image.machine = EM_X86_64;
    image.format = Format::pe32_plus;
    return image;
  }

  void load_by_name(const std::string& name, const DlopenRequest& call) {
    process_->load(name, name, {}, WindowsCaller::program, call);
  }

  /// As Python would: extension modules are imported, other DLLs loaded by ctypes. Without Python, by LoadLibrary.
  void load_file(const std::string& given, const std::string& path, const DlopenRequest& call) {
    const auto& host = process_->host();
    const auto name = process_->tree().spelled(path);
    if (host.python_minor == 0) {
      process_->load(given, name, {}, WindowsCaller::program, call);
    } else {
      process_->load(given, name, python_load_flags(host.python_minor),
                     is_extension(path) ? WindowsCaller::python_import : WindowsCaller::ctypes, call);
    }
  }

  void start_host(const Image& like, const std::string& folder, bool with_python) {
    auto host = machine(with_python, folder, like.format);
    const auto program = host.application + (with_python ? "\\python.exe" : "\\(the program that loads it)");
    if (!with_python && !folder.empty())
      notes_.push_back("the program that loads it is taken to lie in the same folder, and to call LoadLibrary");
    process_.emplace(state_.images, std::move(host), query_.symbols != SymbolCheck::none);
    process_->start_host(with_python ? neutral_python : "(a neutral program)", program, like);
  }

  /// `folder` of the tree is that of the program, but for Python.
  WindowsHost machine(bool with_python, const std::string& folder, Format format) {
    auto& images = state_.images;
    const bool copy = query_.sysroot != "/" && (images.folder_exists("/Windows/System32") || images.folder_exists("/windows/system32") ||
                                                images.folder_exists("/Windows/system32") || images.folder_exists("/windows/System32"));
    auto host = neutral_windows(query_.environment, copy);
    host.wide = format == Format::pe32_plus;
    if (with_python || !state_.packages.packages().empty()) {
      host.python_minor = python_minor();
      host.application = python_folder(host.python_minor);
      host.mounts.insert(host.mounts.begin(), {{host.application + "\\Lib\\site-packages", std::string(PackageTree::site_packages)},
                                               {host.application, std::string(PackageTree::prefix)}});
    }
    const WindowsTree tree(images, host);
    // The folder in which a wheel lies says nothing of where Python will run.
    if (state_.packages.packages().empty()) host.current = tree.spelled(query_.environment.cwd);
    if (!with_python && !folder.empty()) {
      host.application = tree.spelled(folder);
      host.python_minor = 0;
    }
    for (auto* folders : {&host.path, &host.user_folders})
      for (auto& each : *folders)
        if (!is_full_windows_path(each)) each = tree.spelled(normal_path(absolute(each)));
    if (host.python_minor >= 8)
      for (const auto& added : folders_added_by_code()) host.user_folders.push_back(tree.spelled(added));
    return host;
  }

  int python_minor() const {
    if (!query_.python.empty()) return minor_of(query_.python);
    for (const auto& package : state_.packages.packages())
      if (const int minor = minor_of_tags(package.tags); minor != 0) return minor;
    return usual_python;
  }

  /// What packages hand to os.add_dll_directory, as far as their top module tells: its words that name a folder with DLLs
  /// in the package or beside it, as torch writes "lib" and delvewheel "numpy.libs".
  std::set<std::string> folders_added_by_code() {
    const std::string site(PackageTree::site_packages);
    std::set<std::string> tops, added;
    for (const auto& package : state_.packages.packages())
      for (const auto& path : package.libraries)
        if (path.starts_with(site + "/")) {
          const auto below = path.substr(site.size() + 1);
          if (below.find('/') != std::string::npos) tops.insert(below.substr(0, below.find('/')));
        }
    constexpr std::uint64_t most_bytes = std::uint64_t{4} << 20;
    for (const auto& top : tops)
      for (const auto* file : {"/__init__.py", "/_distributor_init.py"}) {
        const auto text = read_file(state_.packages, site + "/" + top + file, most_bytes);
        if (!text || text->find("add_dll_directory") == std::string::npos) continue;
        const auto before = added.size();
        for (const auto word : split(*text, "\"'"))
          for (const auto& folder : {site + "/" + top + "/" + std::string(word), site + "/" + std::string(word)})
            if (is_plain_name(word) && holds_dlls(folder)) added.insert(folder);
        if (added.size() > before)
          notes_.push_back(top + file + " calls os.add_dll_directory: the folders with DLLs that it names are taken to be added");
      }
    return added;
  }

  static bool is_plain_name(std::string_view word) {
    return !word.empty() && word.size() < 100 && word != "." && word != ".." &&
           word.find_first_of("/\\ \n\t") == std::string_view::npos;
  }

  bool holds_dlls(const std::string& folder) {
    if (!state_.images.folder_exists(folder)) return false;
    const auto& names = state_.images.list(folder);
    return std::any_of(names.begin(), names.end(), [](const std::string& name) { return folded(name).ends_with(".dll"); });
  }

  /// A wheel: its extension modules as Python imports them, then the DLLs that nothing loaded.
  void add_package(const std::string& given, const Package& package) {
    state_.images.prefetch(package.libraries);
    std::vector<std::string> modules, others;
    for (const auto& path : package.libraries) {
      const auto& opened = state_.images.open(path);
      if (opened.error || !opened.image->is_pe() || is_program(*opened.image)) continue;
      (is_extension(path) ? modules : others).push_back(path);
    }
    if (modules.empty() && others.empty()) {
      refuse(given, "holds no DLL that could be judged");
      return;
    }
    const bool starts = !process_;
    if (starts) start_host(*state_.images.open(modules.empty() ? others.front() : modules.front()).image, "", true);
    process_->begin(given, TargetKind::package, starts);
    std::set<std::string> told;
    for (const auto* paths : {&modules, &others}) {
      if (paths == &others) told = load_later(package);
      for (const auto& path : *paths) {
        if (process_->has_mapped(path) || told.contains(path)) continue;
        DlopenRequest call;
        call.optional = paths == &others && !modules.empty();
        load_file(path, path, call);
      }
    }
    process_->end();
  }

  /// What a package loads on use, as far as it is known; the files of its own that are told by that.
  std::set<std::string> load_later(const Package& package) {
    std::set<std::string> files;
    const std::string site = std::string(PackageTree::site_packages) + "/";
    for (const auto& loads : later_loads()) {
      if (state_.packages.package_of(site + (loads.file.empty() ? loads.by : loads.file)) != &package) continue;
      if (!loads.condition_file.empty()) {
        constexpr std::uint64_t most_bytes = std::uint64_t{1} << 20;
        const auto text = read_file(state_.packages, site + loads.condition_file, most_bytes);
        if (!text || text->find(loads.condition_text) == std::string::npos) continue;
      }
      DlopenRequest call;
      call.optional = call.later = call.gpu = true;
      call.without = loads.without;
      if (!loads.by.empty()) call.asked_at = state_.packages.shown(site + loads.by);
      WindowsLoadFlags flags;
      flags.altered_search_path = loads.altered_search_path;
      if (!loads.file.empty()) {
        process_->load(site + loads.file, process_->tree().spelled(site + loads.file), flags, WindowsCaller::program, call);
        files.insert(site + loads.file);
      }
      for (const auto& name : loads.names) process_->load(name, name, flags, WindowsCaller::program, call);
    }
    return files;
  }

  const Query& query_;
  const std::map<std::string, std::size_t>& installed_;
  SessionState& state_;
  std::optional<WindowsProcess> process_;
  std::vector<std::string> notes_;
  Resolution refused_;
};

}  // namespace

bool is_for_windows(const Query& query, const std::map<std::string, std::size_t>& installed, SessionState& state) {
  if (query.targets.empty()) return false;
  const auto& first = query.targets.front();
  const auto is_pe = [&](const std::string& path) {
    const auto& opened = state.images.open(path);
    return !opened.error && opened.image->is_pe();
  };
  if (const auto package = installed.find(first); package != installed.end()) {
    const auto& libraries = state.packages.packages()[package->second].libraries;
    const auto is_named_for_windows = [](const std::string& path) {
      const auto name = folded(path);
      return name.ends_with(".dll") || name.ends_with(".pyd");
    };
    // Nothing of a wheel for Linux is opened before all packages are installed.
    if (std::none_of(libraries.begin(), libraries.end(), is_named_for_windows)) return false;
    // Of mixed names the first file that can be read tells: TensorFlow's operators are PE files called .so.
    for (const auto& path : libraries) {
      const auto& opened = state.images.open(path);
      if (!opened.error && (opened.image->is_elf() || opened.image->is_pe())) return opened.image->is_pe();
    }
    return false;
  }
  if (const auto path = find_target(first, query, state.images)) return is_pe(absolute_path(*path, query.environment.cwd));
  return folded(first).ends_with(".dll") && !query.environment.dll_path.empty() && first.find('/') == std::string::npos;
}

Resolution resolve_windows(const Query& query, const std::map<std::string, std::size_t>& installed, SessionState& state,
                           std::optional<SymbolReport>& symbols) {
  return WindowsRun(query, installed, state).resolve(symbols);
}

}  // namespace cudald
