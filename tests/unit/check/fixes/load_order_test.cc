// Two files that a program opens, each with DLLs of the same names beside it.

#include "check/fixes/load_order.h"

#include <doctest/doctest.h>

#include "common/pe_builder.h"
#include "unit/check/findings/finding_text.h"
#include "unit/check/findings/made_report.h"

namespace cudald {
namespace {

using Functions = std::vector<std::string>;

std::string exporting(const std::string& name, const Functions& functions) {
  PeSpec spec{.name = name};
  for (std::size_t i = 0; i < functions.size(); ++i)
    spec.exports.push_back({functions[i], static_cast<std::uint32_t>(i + 1), ""});
  return pe(spec);
}

std::string importing(const std::string& name, const Functions& functions) {
  PeSpec spec{.name = name, .imports = {{"z.dll", {}}}};
  for (const auto& function : functions) spec.imports[0].functions.push_back({function});
  return pe(spec);
}

/// What is offered where a.node has a z.dll with "f" beside it, and b.node, which is opened after it, uses "f" and "g".
Finding finding_for(const std::string& a, const std::string& b, const Functions& of_b) {
  TestWorld world;
  world.files.add_file("/n/node.exe", pe({.characteristics = 0x22}));
  world.files.add_file(a + "/a.node", importing("a.node", {"f"}));
  world.files.add_file(a + "/z.dll", exporting("z.dll", {"f"}));
  world.files.add_file(b + "/b.node", importing("b.node", {"f", "g"}));
  world.files.add_file(b + "/z.dll", exporting("z.dll", of_b));
  for (const auto& path : {a + "/a.node", b + "/b.node"}) world.query.dlopens.push_back({path});
  return world.explain({"/n/node.exe"}).findings.at(0);
}

TEST_CASE("the file whose copies serve both is opened first") {
  const auto add_ons = finding_for("/p/node_modules/a/build", "/p/node_modules/@s/b/build", {"f", "g"});
  CHECK(add_ons.fixes.at(0).title == "load b.node before a.node: the z.dll beside it has what both use");
  CHECK(add_ons.fixes[0].command == "node -e \"require('@s/b'); require('a')\"");
  CHECK(finding_for("/p/a", "/p/b", {"f", "g"}).fixes.at(0).command == "");
}

TEST_CASE("nothing is offered where the copy of the second lacks what the first uses") {
  for (const auto& fix : finding_for("/p/a", "/p/b", {"g"}).fixes) CHECK(fix.title.find("before") == std::string::npos);
}

}  // namespace
}  // namespace cudald
