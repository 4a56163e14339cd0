#include "check/libraries/secure_mode.h"

#include <fmt/format.h>

#include <cudald/image.h>

#include "base/path.h"
#include "base/shell_word.h"
#include "check/findings/checks.h"
#include "loader/search_path.h"
#include "process/secure_mode.h"

namespace cudald {
namespace {

std::string usable(const std::string& path, const Report& report, ImageStore& images) {
  const auto whole = normal_path(absolute_path(path, report.query.environment.cwd));
  const auto& opened = images.open(whole);
  return !opened.error && opened.image->machine == report.resolution.machine ? whole : "";
}

/// What writing to a file takes away of its rights, and has to be given back.
std::string then_setcap(const std::string& path, ImageStore& images) {
  const auto file = images.files().open(path);
  const auto text = file ? setcap_text(read_file_capabilities((*file)->capabilities())) : "";
  return text.empty() ? "" : fmt::format(" && sudo setcap {} {}", text, shell_word(path));
}

}  // namespace

bool is_refused_token(const Edge& edge) { return edge.error.ends_with("DST not allowed in SUID/SGID programs"); }

std::string hidden_by_secure_mode(const Report& report, const Object& requester, const Edge& edge, ImageStore& images) {
  if (!report.query.environment.secure) return "";
  const TokenValues tokens{requester.origin, "lib", ""};
  if (is_refused_token(edge)) return usable(expand_tokens(edge.name, tokens), report, images);
  for (const auto& skipped : edge.search.skipped) {
    if (skipped.reason.find("secure mode") == std::string::npos) continue;
    for (const auto& folder : folders_of(skipped.value, ":;", tokens))
      if (auto path = usable(folder + edge.name, report, images); !path.empty()) return path;
  }
  return "";
}

void explain_secure_mode(const Report& report, const Object& requester, const Edge& edge, const std::string& hidden,
                         ImageStore& images, Finding& finding) {
  const auto& because = report.resolution.secure_because;
  finding.evidence.push_back(
      {fmt::format("the process runs in secure mode (AT_SECURE): {}", because.empty() ? "--secure says so" : because),
       "", because.empty() ? Basis::rule : Basis::proven, because.empty() ? "ld.so(8), Secure-execution mode" : ""});
  for (const auto& skipped : edge.search.skipped)
    if (skipped.reason.find("secure mode") != std::string::npos)
      finding.evidence.push_back({fmt::format("{} {}: {}", to_string(skipped.rule), skipped.value, skipped.reason), "",
                                  Basis::rule, "ld.so(8), Secure-execution mode"});
  if (hidden.empty() || !report.query.fixes) return;
  const std::string folder(parent_path(hidden));
  const auto file = shell_word(requester.path);
  const auto setcap = then_setcap(requester.path, images);
  if (is_refused_token(edge)) {
    finding.fixes.push_back({"name the library by an absolute path",
                             fmt::format("sudo patchelf --replace-needed {} {} {}{}", shell_word(edge.name),
                                         shell_word(hidden), file, setcap),
                             "everyone who can write there can then run code with these rights"});
  } else {
    finding.fixes.push_back({"make the directory known to all programs",
                             fmt::format("echo {} | sudo tee {} && sudo ldconfig", shell_word(folder),
                                         shell_word(fmt::format("/etc/ld.so.conf.d/{}.conf", short_name(requester)))),
                             "everyone who can write there can then run code with these rights"});
    finding.fixes.push_back({"or name it by an absolute path in the file",
                             fmt::format("sudo patchelf --set-rpath {} {}{}", shell_word(folder), file, setcap), ""});
  }
  if (!setcap.empty())
    finding.fixes.push_back(
        {"or start it without file capabilities: a service gets them from systemd "
         "(AmbientCapabilities=)",
         fmt::format("sudo setcap -r {}", file), "the program then lacks these rights"});
}

}  // namespace cudald
