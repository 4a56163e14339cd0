// Sources: Microsoft, "Dynamic-link library search order" (KnownDLLs, SafeDllSearchMode); PEP 514 for Python's
// installations.
#include "os/this_windows.h"

#include <windows.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "os/wide_text_windows.h"
#include "os/windows_files.h"

namespace cudald {
namespace {

constexpr const wchar_t* session_manager = L"SYSTEM\\CurrentControlSet\\Control\\Session Manager";
constexpr const wchar_t* current_version = L"SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion";
constexpr const wchar_t* python_core = L"SOFTWARE\\Python\\PythonCore";

std::string registry_text(HKEY root, const std::wstring& key, const wchar_t* value) {
  DWORD size = 0;
  if (RegGetValueW(root, key.c_str(), value, RRF_RT_REG_SZ, nullptr, nullptr, &size) != ERROR_SUCCESS) return "";
  std::wstring text(size / sizeof(wchar_t), L'\0');
  if (RegGetValueW(root, key.c_str(), value, RRF_RT_REG_SZ, nullptr, text.data(), &size) != ERROR_SUCCESS) return "";
  text.resize(std::min(text.find(L'\0'), text.size()));
  return narrow(text);
}

std::optional<DWORD> registry_number(const std::wstring& key, const wchar_t* value) {
  DWORD number = 0, size = sizeof number;
  const auto fault = RegGetValueW(HKEY_LOCAL_MACHINE, key.c_str(), value, RRF_RT_REG_DWORD, nullptr, &number, &size);
  return fault == ERROR_SUCCESS ? std::optional(number) : std::nullopt;
}

/// A key that is open as long as this.
class Key {
 public:
  Key(HKEY root, const wchar_t* name) {
    if (RegOpenKeyExW(root, name, 0, KEY_READ, &key_) != ERROR_SUCCESS) key_ = nullptr;
  }
  ~Key() {
    if (key_ != nullptr) RegCloseKey(key_);
  }
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;

  std::vector<std::wstring> keys() const {
    std::vector<std::wstring> names;
    wchar_t name[256];
    for (DWORD i = 0; key_ != nullptr; ++i) {
      DWORD size = 256;
      if (RegEnumKeyExW(key_, i, name, &size, nullptr, nullptr, nullptr, nullptr) != ERROR_SUCCESS) break;
      names.emplace_back(name, size);
    }
    return names;
  }

  std::vector<std::wstring> values() const {
    std::vector<std::wstring> names;
    wchar_t name[256];
    for (DWORD i = 0; key_ != nullptr; ++i) {
      DWORD size = 256;
      if (RegEnumValueW(key_, i, name, &size, nullptr, nullptr, nullptr, nullptr) != ERROR_SUCCESS) break;
      names.emplace_back(name, size);
    }
    return names;
  }

 private:
  HKEY key_ = nullptr;
};

std::set<std::string> known_dlls() {
  std::set<std::string> known;
  const auto key = std::wstring(session_manager) + L"\\KnownDLLs";
  for (const auto& value : Key(HKEY_LOCAL_MACHINE, key.c_str()).values()) {
    auto name = registry_text(HKEY_LOCAL_MACHINE, key, value.c_str());
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (name.ends_with(".dll")) known.insert(std::move(name));
  }
  return known;
}

std::string build_number() {
  const auto build = registry_text(HKEY_LOCAL_MACHINE, current_version, L"CurrentBuildNumber");
  const auto major = registry_number(current_version, L"CurrentMajorVersionNumber");
  if (build.empty() || !major) return "";
  auto text = std::to_string(*major) + "." +
              std::to_string(registry_number(current_version, L"CurrentMinorVersionNumber").value_or(0)) + "." + build;
  if (const auto update = registry_number(current_version, L"UBR")) text += "." + std::to_string(*update);
  return text;
}

int minor_number(const std::string& version) {
  int minor = 0;
  if (version.starts_with("3.")) std::from_chars(version.data() + 2, version.data() + version.size(), minor);
  return minor;
}

/// 32-bit installations have a suffix, "3.11-32", and come last.
std::vector<std::pair<std::string, std::string>> pythons() {
  std::vector<std::pair<std::string, std::string>> found;
  for (auto* const root : {HKEY_CURRENT_USER, HKEY_LOCAL_MACHINE})
    for (const auto& version : Key(root, python_core).keys()) {
      auto directory = registry_text(root, python_core + (L"\\" + version) + L"\\InstallPath", nullptr);
      while (directory.ends_with('\\')) directory.pop_back();
      if (!directory.empty() && minor_number(narrow(version)) > 0) found.emplace_back(narrow(version), directory);
    }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
    const bool narrow_a = a.first.ends_with("-32"), narrow_b = b.first.ends_with("-32");
    return narrow_a != narrow_b ? narrow_b : minor_number(a.first) > minor_number(b.first);
  });
  return found;
}

ThisWindows read_this_windows() {
  ThisWindows windows;
  wchar_t directory[MAX_PATH];
  windows.directory = narrow({directory, GetSystemWindowsDirectoryW(directory, MAX_PATH)});
  windows.build = build_number();
  windows.drives = windows_drives();
  windows.known_dlls = known_dlls();
  windows.safe_search = registry_number(session_manager, L"SafeDllSearchMode").value_or(1) != 0;
  windows.pythons = pythons();
  return windows;
}

}  // namespace

const ThisWindows* this_windows() {
  static const auto windows = read_this_windows();
  return &windows;
}

}  // namespace cudald
