#include "env/windows_host.h"

namespace cudald {

WindowsHost neutral_windows(const Environment& environment, bool copy_of_windows) {
  WindowsHost host;
  host.has_files = copy_of_windows;
  host.mounts = {{copy_of_windows ? "C:" : "Z:", "/"}};
  host.path = environment.dll_path;
  host.user_folders = environment.dll_directories;
  return host;
}

std::string python_folder(int minor) { return "C:\\Python3" + std::to_string(minor); }

}  // namespace cudald
