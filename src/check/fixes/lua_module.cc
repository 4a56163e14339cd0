// Sources: Lua Reference Manual, package.cpath; luaconf.h, LUA_CDIR; luarocks install --help; Debian, lua5.1.postinst
// (the alternative lua-interpreter); github.com/leafo/moonscript issue 162; github.com/mfussenegger/nlua issue 5.

#include "check/fixes/lua_module.h"

#include <fmt/format.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "check/findings/system_packages.h"

namespace cudald {
namespace {

constexpr std::uint64_t longest_manifest = 1 << 16;

/// "5.2" at a place in a text; empty if no release stands there.
std::string release_at(std::string_view text, std::size_t at) {
  const auto rest = text.substr(std::min(at, text.size()));
  const bool is_release = rest.size() > 2 && rest.starts_with("5.") && rest[2] >= '1' && rest[2] <= '9';
  return is_release ? std::string(rest.substr(0, 3)) : "";
}

/// The release whose functions a file has, by its name: liblua5.2.so.0, liblua-5.4.so, lua5.3. LuaJIT has those of 5.1,
/// and so has Neovim.
std::string release_of(std::string_view name) {
  if (name.find("luajit") != std::string_view::npos || name == "nvim") return "5.1";
  return name.find("lua") == std::string_view::npos ? "" : release_at(name, name.find("5."));
}

/// The rock that installed a module, by what LuaRocks wrote down beside it.
std::string rock_of(const std::string& module, std::size_t at, const std::string& release, ImageStore& images) {
  if (!module.substr(0, at).ends_with("/lib")) return "";
  const auto rocks = module.substr(0, at) + "/luarocks/rocks-" + release;
  for (const auto& rock : images.list(rocks))
    for (const auto& version : images.list(rocks + "/" + rock)) {
      const auto text =
          read_file(images.files(), fmt::format("{}/{}/{}/rock_manifest", rocks, rock, version), longest_manifest);
      if (text && text->find(fmt::format("[\"{}\"]", file_name(module))) != std::string::npos) return rock;
    }
  return "";
}

}  // namespace

std::vector<Fix> other_lua(const std::string& module, const std::string& lua, const std::string& program,
                           ImageStore& images) {
  constexpr std::string_view folder = "/lua/";
  const auto at = module.rfind(folder);
  const auto made_for = at == std::string::npos ? "" : release_at(module, at + folder.size());
  const auto real = images.files().real_path(lua);
  const auto has = release_of(file_name(real ? *real : lua));
  std::vector<Fix> fixes;
  if (made_for.empty() || has.empty() || made_for == has) return fixes;
  const SystemPackages system(images);
  const auto name = file_name(module);
  if (const auto interpreter = file_name(program); interpreter.starts_with("lua")) {
    const auto other = "/usr/bin/lua" + made_for;
    const bool is_there = is_file(images.files(), other);
    auto command = is_there || !system.is("debian") ? "" : system.install("lua" + made_for);
    const auto chosen = images.files().real_path("/etc/alternatives/lua-interpreter");
    if (system.is("debian") && (interpreter == "lua" || (chosen && *chosen == program)))
      command += (command.empty() ? "" : " && ") + system.as_root("update-alternatives --set lua-interpreter " + other);
    if (is_there || !command.empty())
      fixes.push_back({fmt::format("run it with Lua {}, for which {} is made; {} is Lua {}", made_for, name,
                                   file_name(program), has),
                       command, ""});
  }
  if (const auto rock = rock_of(module, at, made_for, images); !rock.empty()) {
    const bool of_home = module.substr(0, at).find("/.luarocks") != std::string::npos;
    const auto command =
        fmt::format("luarocks install {}--lua-version={} {}", of_home ? "--local " : "", has, shell_word(rock));
    fixes.push_back({fmt::format("install {} for Lua {}, which the program has", rock, has),
                     of_home ? command : system.as_root(command), ""});
  }
  return fixes;
}

}  // namespace cudald
