// CUD207: a module of Perl or PHP that was made for another release of it.

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

/// A Perl, and a module of it. The texts stand among the names of symbols, between zero bytes.
struct PerlAndModule {
  explicit PerlAndModule(const std::string& of_module, const std::string& of_perl = "v5.36.0") {
    world.add("/usr/bin/perl", program({.defines = {{"Perl_xs_handshake"}, {"Perl_croak"}, {of_perl}}}));
    world.add(module, {.defines = {{"boot_Net__SSLeay"}, {of_module}}, .uses = {{"Perl_xs_handshake"}}});
    world.query.dlopens = {{.name = module}};
  }
  Report explain() { return world.explain({"/usr/bin/perl"}); }

  const std::string module = "/root/perl5/lib/perl5/x86_64-linux/auto/Net/SSLeay/SSLeay.so";
  TestWorld world;
};

TEST_CASE("a module that was compiled for another Perl opens, and Perl refuses it") {
  PerlAndModule other("v5.26.0");
  const auto report = other.explain();
  REQUIRE(findings(report) == "CUD207 error SSLeay.so: v5.26.0\n");
  CHECK(report.verdict == Verdict::fails);
  CHECK(report.findings[0].message == "SSLeay.so is made for Perl v5.26.0, and perl is Perl v5.36.0");
  CHECK(commands(report.findings[0]).starts_with("cpan -f -i Net::SSLeay\n"));
  CHECK(PerlAndModule("v5.36.0").explain().verdict == Verdict::loads);
}

TEST_CASE("what is no release, or one of several, tells nothing") {
  for (const auto* text : {"v5.26", "v5.26.0-1", "5.26.0", "v5..0", "v6.26.0"})
    CHECK_MESSAGE(PerlAndModule(text).explain().verdict == Verdict::loads, text);
  CHECK(PerlAndModule("v5.26.0", "perl").explain().verdict == Verdict::loads);
  PerlAndModule several("v5.26.0");
  several.world.add(several.module, {.defines = {{"v5.26.0"}, {"v5.36.0"}}, .uses = {{"Perl_xs_handshake"}}});
  CHECK(several.explain().verdict == Verdict::loads);
  // No module of Perl.
  several.world.add(several.module, {.defines = {{"v5.26.0"}}, .uses = {{"Perl_croak"}}});
  CHECK(several.explain().verdict == Verdict::loads);
}

TEST_CASE("a module of PHP that lacks a function: for which release it is, and the one beside it that fits") {
  TestWorld world;
  const std::string folder = "/opt/agent/", old = folder + "agent-20180731.so", fits = folder + "agent-20190902.so";
  world.add("/usr/bin/php", program({.defines = {{"php_info_print_table_start"}, {"API20190902,NTS"}}}));
  world.add(old, {.defines = {{"get_module"}, {"API20180731,NTS"}}, .uses = {{"php_sprintf"}}});
  world.add(fits, {.defines = {{"get_module"}, {"API20190902,NTS"}}, .uses = {{"php_info_print_table_start"}}});
  world.query.dlopens = {{.name = old}};
  const auto report = world.explain({"/usr/bin/php"});
  REQUIRE(findings(report) == "CUD201 error agent-20180731.so: php_sprintf\n");
  CHECK(report.findings[0].message ==
        "agent-20180731.so needs the symbol php_sprintf, which nothing in the process defines: agent-20180731.so is "
        "made for PHP 7.3 (API20180731,NTS), and php is PHP 7.4 (API20190902,NTS)");
  CHECK(report.findings[0].fixes.at(0).title == "load " + fits + " instead of agent-20180731.so");
  world.query.dlopens = {{.name = fits}};
  CHECK(world.explain({"/usr/bin/php"}).verdict == Verdict::loads);
}

}  // namespace
}  // namespace cudald
