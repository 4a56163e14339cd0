// Python sources, and imports of them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/memory_file_system.h"
#include "made_tree.h"
#include "pyimport/run_import.h"
#include "pyimport/sources/source.h"
#include "pyimport/syntax/refused_syntax.h"
#include "targets.h"

namespace cudald {
namespace {

constexpr std::uint64_t most_bodies = 1000;

/// All that was parsed, bodies of functions as well.
void visit(const python::Source& source, const python::Node& node, std::uint64_t& bodies) {
  if (node.is(python::NodeKind::unread_body) && ++bodies < most_bodies) visit(source, source.body(node), bodies);
  for (std::size_t i = 0; i < node.size(); ++i) visit(source, node[i], bodies);
}

}  // namespace

void fuzz_python(const std::string& bytes) {
  Budget budget(python_limits);
  const auto source = python::Source::parse("/m.py", bytes, budget);
  std::uint64_t bodies = 0;
  visit(*source, source->block(), bodies);
  (void)source->first_trick();
  (void)source->may_bind_unseen();
  (void)source->may_rebind();
  (void)source->mentions_alone("m");
  (void)source->line(2);
  (void)python::may_bind_for_callers(bytes);
  for (const int minor : {6, 9, 12, 15}) (void)python::refused_syntax(bytes, minor, budget);
}

/// The module m is the first part of the bytes; others may follow, as in made_tree.h.
void fuzz_import(const std::string& bytes) {
  const auto made = make_tree(bytes);
  auto& files = *made.files;
  if (const auto folder = files.status("/s"); folder && folder->kind != FileKind::folder) return;
  if (!files.status("/s/m")) files.add_file("/s/m.py", made.question);
  PythonEnvironment python;
  python.version = "3.11";
  python.path = {"/s"};
  PythonLoader loader;
  loader.load = [](const LoadStep& step) { return LoadAnswer{step.path.size() % 2 == 0, "no"}; };
  loader.mapped = [](const std::string&) { return false; };
  Budget budget({.kept = std::uint64_t{64} << 20, .steps = 10'000'000, .depth = 200});
  constexpr std::string_view rules = R"({"standard_library": {"names": ["sys", "os", "ctypes", "importlib", "glob"]},
                                         "rules": [], "libraries": {"rows": {}}})";
  constexpr std::size_t longest_name = 200;
  const auto first = made.question.substr(0, made.question.find('\n'));
  const bool is_name = first.starts_with("# import: ") && first.size() < longest_name;
  (void)run_import(is_name ? first.substr(first.find(' ', 2) + 1) : "m", python, files, loader, rules, budget);
}

}  // namespace cudald
