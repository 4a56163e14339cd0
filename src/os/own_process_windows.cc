#include "os/own_process.h"

#include <windows.h>

#include <shellapi.h>

#include <cctype>
#include <random>

#include "os/wide_text_windows.h"

namespace cudald {

std::vector<std::string> own_words(int, char**) {
  std::vector<std::string> words;
  int count = 0;
  wchar_t** const list = CommandLineToArgvW(GetCommandLineW(), &count);
  for (int i = 1; list != nullptr && i < count; ++i) words.push_back(narrow(list[i]));
  LocalFree(list);
  return words;
}

std::map<std::string, std::string> own_variables() {
  std::map<std::string, std::string> variables;
  wchar_t* const block = GetEnvironmentStringsW();
  for (const wchar_t* entry = block; entry != nullptr && *entry != 0; entry += std::wstring_view(entry).size() + 1) {
    const auto text = narrow(entry);
    // "=C:=C:\a" is the current directory of a drive.
    const auto equals = text.find('=', 1);
    if (text.front() == '=' || equals == std::string::npos) continue;
    auto name = text.substr(0, equals);
    for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    variables.emplace(std::move(name), text.substr(equals + 1));
  }
  FreeEnvironmentStringsW(block);
  return variables;
}

std::string own_directory() {
  std::wstring path(GetCurrentDirectoryW(0, nullptr), L'\0');
  path.resize(GetCurrentDirectoryW(static_cast<DWORD>(path.size()), path.data()));
  return path.empty() ? "" : tree_path_of(path);
}

std::pair<std::uint32_t, std::uint32_t> own_user() { return {0, 0}; }

std::string own_kernel() { return ""; }

std::uint64_t own_random(std::size_t) {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

unsigned long own_number() { return GetCurrentProcessId(); }

}  // namespace cudald
