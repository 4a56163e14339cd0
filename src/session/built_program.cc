// PyInstaller keeps what it makes a program of in build/NAME, among it a program without its libraries; the one that
// runs is in dist. Sources: PyInstaller, Using PyInstaller, --workpath and --distpath; building/build_main.py, the
// tables *-00.toc; github.com/pyinstaller/pyinstaller issues 5372 and 8968.

#include "session/built_program.h"

#include "base/path.h"
#include "base/replace_all.h"

namespace cudald {

std::optional<BuiltProgram> built_program(const std::string& pasted, const FileSystem& files, const std::string& cwd) {
  constexpr std::string_view work = "/build/", around = " \t\r\n'\"`(:";
  constexpr std::size_t most_text = 1 << 16, most_asked = 50;
  auto text = pasted.substr(0, most_text);
  replace_all(text, "\\", "/");
  auto at = text.find(work);
  for (std::size_t asked = 0; at != std::string::npos && asked < most_asked; at = text.find(work, at + 1), ++asked) {
    const auto before = text.find_last_of(around, at);
    const auto begin = before == std::string::npos ? 0 : before + 1;
    const bool windows = begin > 1 && text[begin - 1] == ':' && text[begin] == '/';
    const auto root = absolute_path(text.substr(begin, at - begin), cwd);
    const auto first = at + work.size();
    const auto end = text.find('/', first);
    if (end == std::string::npos) return std::nullopt;
    const auto name = text.substr(first, end - first);
    const auto parts = root + std::string(work) + name;
    if (!is_file(files, parts + "/Analysis-00.toc")) continue;
    for (const auto* ending : {"", ".exe"})
      for (const auto* below : {"/", ""})
        if (const auto program = root + "/dist/" + (*below ? name + below : "") + name + ending;
            is_file(files, program))
          return BuiltProgram{parts, program, windows};
  }
  return std::nullopt;
}

}  // namespace cudald
