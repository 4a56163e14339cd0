#include "machine/windows_host.h"

#include <cctype>
#include <cstdlib>

#include <cudald/windows_host_file.h>

#include "base/path.h"
#include "os/this_windows.h"

namespace cudald {

WindowsHost neutral_windows(const Environment& environment, bool copy_of_windows) {
  WindowsHost host;
  host.has_files = copy_of_windows;
  host.mounts = {{copy_of_windows ? "C:" : "Z:", "/"}};
  host.path = environment.dll_path;
  host.user_folders = environment.dll_directories;
  host.default_directories = environment.default_dll_directories;
  return host;
}

WindowsHost windows_here(const Environment& environment, const ThisWindows& here) {
  auto host = neutral_windows(environment, true);
  host.windows = here.directory;
  host.build = here.build;
  host.known_dlls = here.known_dlls;
  host.safe_search = here.safe_search;
  host.mounts.clear();
  for (const auto& drive : here.drives) host.mounts.push_back({drive, "/" + drive});
  host.mounts.push_back({"\\", "/UNC"});  // a server's name follows a second backslash
  return host;
}

std::map<std::string, std::string> windows_variables(const WindowsHost& host,
                                                     const std::map<std::string, std::string>& stated) {
  std::map<std::string, std::string> variables = {{"SYSTEMDRIVE", host.windows.substr(0, 2)},
                                                  {"SYSTEMROOT", host.windows},
                                                  {"WINDIR", host.windows},
                                                  {"PROGRAMFILES", "C:\\Program Files"},
                                                  {"PROGRAMDATA", "C:\\ProgramData"},
                                                  {"USERPROFILE", "C:\\Users\\user"},
                                                  {"APPDATA", "C:\\Users\\user\\AppData\\Roaming"},
                                                  {"LOCALAPPDATA", "C:\\Users\\user\\AppData\\Local"},
                                                  {"OS", "Windows_NT"},
                                                  {"PROCESSOR_ARCHITECTURE", processor_architecture(host)}};
  for (const auto& [name, value] : stated) {
    auto key = name;
    for (char& c : key) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    variables[key] = value;
  }
  auto& path = variables["PATH"];
  path = host.system();
  for (const auto& folder : host.path) path += ";" + folder;
  return variables;
}

int build_number(const WindowsHost& host) {
  const auto& version = host.build.empty() && host.described ? host.described->build : host.build;
  const auto parts = split(version, ".");
  return parts.size() > 2 ? std::atoi(std::string(parts[2]).c_str()) : 0;
}

std::string processor_architecture(const WindowsHost& host) {
  return !host.wide ? "x86" : host.arm ? "ARM64" : "AMD64";
}

std::string python_folder(int minor) { return "C:\\Python3" + std::to_string(minor); }

}  // namespace cudald
