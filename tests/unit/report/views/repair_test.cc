#include "report/views/repair.h"

#include <sstream>

#include <doctest/doctest.h>

#include "base/json.h"

namespace cudald {
namespace {

RepairedTarget example() {
  RepairedTarget target;
  target.given = "lib/a\x1b.so";
  target.made = "out/a.so";
  target.is_written = true;
  target.growth = 8200;
  target.before = Verdict::fails;
  target.after = Verdict::loads;
  target.before_headline = "libx.so is not found";
  target.after_headline = "it loads";
  target.changes = {{"", "RUNPATH", "", "$ORIGIN"}, {"", "NEEDED", "a", "b"}, {"sub/c.so", "stack", "x", "y"}};
  target.warnings = {"be careful"};
  target.elsewhere = {"/lib/d.so: as well"};
  return target;
}

std::string text(const std::vector<RepairedTarget>& targets, int verbosity = 0) {
  std::ostringstream out;
  write_repair(targets, {.ascii = true, .verbosity = verbosity}, out);
  return out.str();
}

TEST_CASE("a repair shows what was, what changes, what is, and where the result is") {
  CHECK(text({example()}) ==
        "repair  lib/a\\x1b.so\n"
        "before        FAILS  libx.so is not found\n"
        "  RUNPATH     (none) -> $ORIGIN\n"
        "  NEEDED      a -> b\n"
        "  sub/c.so\n"
        "    stack     x -> y\n"
        "after         LOADS  it loads\n"
        "warning       be careful\n"
        "elsewhere     /lib/d.so: as well\n"
        "written       out/a.so  (+9 kB)\n");
  CHECK(text({example()}, -1) == "repair  lib/a\\x1b.so\nwritten       out/a.so  (+9 kB)\n");
}

TEST_CASE("why nothing is written is shown") {
  auto target = example();
  target.is_written = false;
  CHECK(text({target}).ends_with("dry run       out/a.so  (+9 kB)\n"));
  target.refusal = "it would be worse";
  CHECK(text({target}).ends_with("not written   it would be worse\n"));
  target.error = Error{ErrorCode::malformed, "not an ELF file", ""};
  CHECK(text({target}) == "repair  lib/a\\x1b.so\nrefused       not an ELF file\n");
  RepairedTarget same;
  same.given = "b.so";
  same.made = "out/b.so";
  same.before = same.after = Verdict::loads;
  CHECK(text({same, target}) ==
        "repair  b.so\nbefore        LOADS\n  nothing to change\ndry run       out/b.so\n\n"
        "repair  lib/a\\x1b.so\nrefused       not an ELF file\n");
}

TEST_CASE("a repair as JSON") {
  auto failed = example();
  failed.error = Error{ErrorCode::malformed, "no", ""};
  std::ostringstream out;
  write_repair_json({example(), failed}, true, out);
  const auto json = nlohmann::json::parse(out.str());
  CHECK(json["schema"] == "cudald/repair");
  const auto& target = json["targets"][0];
  CHECK(target["given"] == "lib/a\x1b.so");
  CHECK(target["before"]["verdict"] == "fails");
  CHECK(target["after"]["headline"] == "it loads");
  CHECK(target["growth"] == 8200);
  CHECK(target["changes"][0]["before"].is_null());
  CHECK(target["changes"][2]["file"] == "sub/c.so");
  CHECK(target["refusal"].is_null());
  CHECK(json["targets"][1]["error"] == "no");
  CHECK(json["targets"][1]["before"].is_null());
}

}  // namespace
}  // namespace cudald
