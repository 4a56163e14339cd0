#include "loader/windows_search.h"

#include "base/windows_path.h"

namespace cudald {
namespace {

class FolderList {
 public:
  void add(SearchRule rule, const std::string& path) { search_.folders.push_back({path, rule}); }
  void add(SearchRule rule, const std::vector<std::string>& paths) {
    for (const auto& path : paths)
      if (!path.empty()) add(rule, path);
  }
  void skip(SearchRule rule, std::string reason) {
    search_.skipped.push_back({rule, std::nullopt, "", std::move(reason), search_.folders.size()});
  }
  WindowsSearch take() { return std::move(search_); }

 private:
  WindowsSearch search_;
};

WindowsSearch limited_search(const WindowsHost& host, const WindowsLoad& load) {
  FolderList list;
  const auto& flags = load.flags;
  if (flags.dll_load_folder && !load.folder.empty()) list.add(SearchRule::dll_load_folder, load.folder);
  if (flags.application_folder) list.add(SearchRule::application_folder, host.application);
  if (flags.user_folders) {
    list.add(SearchRule::user_folder, host.user_folders);
    if (host.dll_directory && !host.dll_directory->empty()) list.add(SearchRule::user_folder, *host.dll_directory);
  }
  if (flags.system) list.add(SearchRule::system_folder, host.system());
  for (const auto rule : {SearchRule::current_folder, SearchRule::path_variable})
    list.skip(rule, host.default_directories
                        ? "not used: SetDefaultDllDirectories or LOAD_LIBRARY_SEARCH flags say what is searched"
                        : "not used: this load searches only what its LOAD_LIBRARY_SEARCH flags name");
  return list.take();
}

/// Source: Microsoft's SetDefaultDllDirectories; wine dlls/ntdll/loader.c, LdrGetDllPath.
WindowsLoad with_default_flags(const WindowsHost& host, WindowsLoad load) {
  if (!host.default_directories || load.flags.limited()) return load;
  const bool altered = load.flags.altered_search_path;
  load.flags = WindowsLoadFlags::of(*host.default_directories);
  load.flags.dll_load_folder |= altered;
  return load;
}

}  // namespace

WindowsSearch windows_folders(const WindowsHost& host, const WindowsLoad& given) {
  const auto load = with_default_flags(host, given);
  if (load.flags.limited()) return limited_search(host, load);
  FolderList list;
  if (load.flags.altered_search_path && !load.folder.empty()) {
    list.add(SearchRule::dll_load_folder, load.folder);
    list.skip(SearchRule::application_folder,
              "not used: LOAD_WITH_ALTERED_SEARCH_PATH puts the directory of the loaded file in its place");
  } else {
    list.add(SearchRule::application_folder, host.application);
  }
  // SetDllDirectory takes the current folder out of the search.
  if (host.dll_directory && !host.dll_directory->empty()) list.add(SearchRule::user_folder, *host.dll_directory);
  const bool current = !host.dll_directory && !host.current.empty();
  if (current && !host.safe_search) list.add(SearchRule::current_folder, host.current);
  list.add(SearchRule::system_folder, host.system());
  list.add(SearchRule::system16_folder, host.windows + "\\System");
  list.add(SearchRule::windows_folder, host.windows);
  if (current && host.safe_search) list.add(SearchRule::current_folder, host.current);
  if (host.dll_directory) list.skip(SearchRule::current_folder, "not used: SetDllDirectory takes its place");
  if (host.current.empty()) list.skip(SearchRule::current_folder, "not known");
  if (!host.user_folders.empty())
    list.skip(SearchRule::user_folder,
              "not used: os.add_dll_directory counts only for loads with LOAD_LIBRARY_SEARCH flags");
  if (host.path.empty()) list.skip(SearchRule::path_variable, "no directory of it is known: --dll-path names some");
  list.add(SearchRule::path_variable, host.path);
  return list.take();
}

std::string windows_module_name(std::string_view asked) {
  std::string name(asked);
  if (name.ends_with('.')) {
    name.pop_back();
  } else if (windows_file_name(name).find('.') == std::string_view::npos) {
    name += ".dll";
  }
  return name;
}

WindowsLoadFlags python_load_flags(int python_minor, bool conda) {
  auto flags = WindowsLoadFlags::default_folders();
  flags.dll_load_folder = true;
  if (python_minor < (conda ? 10 : 8)) {
    flags = {};
    flags.altered_search_path = true;
  }
  return flags;
}

// Source: Microsoft's LoadLibraryExW, "dwFlags".
WindowsLoadFlags WindowsLoadFlags::of(std::uint32_t number) {
  const auto has = [number](std::uint32_t flag) { return (number & flag) != 0; };
  const bool all = has(0x1000);
  return {has(0x8), has(0x100), has(0x200) || all, has(0x400) || all, has(0x800) || all};
}

WindowsLoadFlags ctypes_load_flags(int python_minor, const std::string& name) {
  if (python_minor < 8) return {};
  auto flags = WindowsLoadFlags::default_folders();
  flags.dll_load_folder = name.find_first_of("/\\") != std::string::npos;
  return flags;
}

}  // namespace cudald
