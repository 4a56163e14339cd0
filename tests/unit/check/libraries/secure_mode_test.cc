#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

TEST_CASE("a library that secure mode hides is named, with what makes it known") {
  TestWorld world;
  world.add("/bin/app", program({.needed = {"libx.so"}}));
  world.add("/opt/x/libx.so", {});
  world.set("LD_LIBRARY_PATH", "/opt/x");
  CHECK(world.explain({"/bin/app"}).verdict == Verdict::loads);
  world.query.environment.secure = true;
  const auto report = world.explain({"/bin/app"});
  REQUIRE(!report.findings.empty());
  const auto text = all_words(report.findings[0]);
  CHECK(text.find("the process runs in secure mode (AT_SECURE): --secure says so") != std::string::npos);
  CHECK(text.find("echo /opt/x | sudo tee /etc/ld.so.conf.d/app.conf && sudo ldconfig\n") != std::string::npos);
  CHECK(text.find("sudo patchelf --set-rpath /opt/x /bin/app\n") != std::string::npos);
  CHECK(text.find("everyone who can write there can then run code with these rights") != std::string::npos);
}

}  // namespace
}  // namespace cudald
