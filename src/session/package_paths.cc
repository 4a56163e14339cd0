#include "session/package_paths.h"

#include <cudald/report.h>

namespace cudald {
namespace {

class Rewriter {
 public:
  explicit Rewriter(const PackageTree& tree) : tree_(tree) {}

  void path(std::string& text) const { text = tree_.shown(text); }

  /// A path ends where no path of an installed file goes on: at a blank, quote, colon, comma or bracket.
  void sentence(std::string& text) const {
    std::size_t at = 0;
    while ((at = text.find(PackageTree::prefix, at)) != std::string::npos) {
      const auto end = std::min(text.find_first_of(" '\"`:,)]\n", at), text.size());
      const auto shown = tree_.shown(text.substr(at, end - at));
      text.replace(at, end - at, shown);
      at += shown.size();
    }
  }

 private:
  const PackageTree& tree_;
};

}  // namespace

void show_package_paths(Report& report, const PackageTree& tree) {
  if (tree.packages().empty()) return;
  const Rewriter rewrite(tree);
  auto& resolution = report.resolution;
  for (auto& object : resolution.objects) {
    rewrite.path(object.path);
    rewrite.path(object.load_name);
    for (auto* edges : {&object.edges, &object.may_open})
      for (auto& edge : *edges) {
        rewrite.path(edge.name);
        rewrite.sentence(edge.error);
        rewrite.sentence(edge.asked_at);
        for (auto& probe : edge.search.probes) rewrite.path(probe.path);
      }
  }
  for (auto& target : resolution.targets) {
    rewrite.path(target.given);
    rewrite.sentence(target.error);
    rewrite.sentence(target.traits.asked_at);
  }
  for (auto& import : resolution.imports) {
    for (auto& package : import.packages) rewrite.sentence(package.asked_at);
    for (auto& missing : import.missing) rewrite.sentence(missing.asked_at);
    if (import.refused) rewrite.sentence(import.refused->path);
    if (import.lacked) rewrite.sentence(import.lacked->file), rewrite.sentence(import.lacked->asked_at);
    rewrite.sentence(import.raised_at);
    for (auto& note : import.notes) rewrite.sentence(note);
    for (auto& one : import.unfollowed) rewrite.path(one.file);
  }
  for (auto& refused : resolution.refused_modules) rewrite.path(refused.path);
  for (auto& failed : resolution.failed_programs) rewrite.path(failed.path), rewrite.sentence(failed.error);
  for (auto& problem : resolution.version_problems) rewrite.sentence(problem.message);
  if (report.symbols)
    for (auto& missing : report.symbols->missing) rewrite.sentence(missing.message);
  for (auto& finding : report.findings) {
    for (auto* text : {&finding.subject, &finding.message, &finding.consequence}) rewrite.sentence(*text);
    for (auto& evidence : finding.evidence) {
      rewrite.sentence(evidence.text);
      rewrite.path(evidence.path);
    }
    // A command cannot reach into a wheel.
    std::erase_if(finding.fixes,
                  [](const Fix& fix) { return fix.command.find(PackageTree::prefix) != std::string::npos; });
    for (auto& fix : finding.fixes) {
      for (auto* text : {&fix.title, &fix.side_effect}) rewrite.sentence(*text);
      for (auto& edit : fix.edits) rewrite.path(edit.path);
    }
    for (auto& text : finding.does_not_help) rewrite.sentence(text);
  }
  rewrite.sentence(report.headline);
}

}  // namespace cudald
