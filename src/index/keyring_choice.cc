#include "index/keyring_choice.h"

#include <fmt/format.h>

#include <cudald/writers.h>

#include "base/path.h"
#include "base/usage_error.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_netrc = 1 << 20;

/// The first program `keyring` on PATH. What would be looked for in the current folder is not run: a target may lie
/// there. pip passes over the folder of its own Python, whose keyring it would import.
/// Source: pip, _internal/network/auth.py, get_keyring_provider.
std::string keyring_on_path(bool as_uv, const Environment& environment, const FileSystem& files) {
  const auto own = environment.variable("VIRTUAL_ENV").value_or("");
  const auto path = environment.variable("PATH").value_or("");
  for (const auto folder : split(path, ":")) {
    if (!folder.starts_with('/')) continue;
    if (!as_uv && !own.empty() && normal_path(folder) == normal_path(own + "/bin")) continue;
    auto program = normal_path(folder) + "/keyring";
    const auto status = files.status(program);
    if (status && status->kind == FileKind::regular && status->executable) return program;
  }
  return "";
}

std::string netrc_text(const IndexSettings& settings, const Environment& environment, const FileSystem& files) {
  const auto home = environment.variable("HOME").value_or("");
  const auto path = settings.netrc_file.empty() && !home.empty() ? home + "/.netrc" : settings.netrc_file;
  if (path.empty()) return "";
  auto text = read_file(files, absolute_path(path, environment.cwd), most_netrc);
  return text ? std::move(*text) : "";
}

}  // namespace

Result<std::shared_ptr<KeyringSettings>> choose_keyring(const IndexSettings& settings, const Environment& environment,
                                                        const FileSystem& files) {
  const auto& provider = settings.keyring;
  const bool of_pip = !provider.is_of_uv;
  const auto none = std::shared_ptr<KeyringSettings>();
  // pip asks none by itself where it may not ask the user either, who is not asked here.
  if (provider.name.empty() || provider.name == "disabled" || (of_pip && provider.name == "auto")) return none;
  if (provider.name != "subprocess" && !(of_pip && provider.name == "import"))
    return usage_error(fmt::format("--online: {} is {}: {} knows {}", provider.setting, escaped(provider.name),
                                   of_pip ? "pip" : "uv",
                                   of_pip ? "auto, disabled, import and subprocess" : "disabled and subprocess"));
  auto keyring = std::make_shared<KeyringSettings>();
  keyring->as_uv = provider.is_of_uv;
  keyring->indexes = provider.indexes;
  keyring->always = provider.always;
  keyring->netrc = netrc_text(settings, environment, files);
  keyring->environment = environment.variables;
  keyring->folder = environment.cwd;
  if (provider.name == "import") {
    keyring->refusal = fmt::format(
        "{} is import: cudald runs no Python and cannot ask that keyring; set it to subprocess, or put the login into "
        "netrc",
        provider.setting);
    return keyring;
  }
  keyring->program = keyring_on_path(provider.is_of_uv, environment, files);
  keyring->refusal = fmt::format("{} is subprocess, and there is no program `keyring` in PATH", provider.setting);
  return keyring;
}

}  // namespace cudald
