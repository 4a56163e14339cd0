// A module of PHP that misses what another module of PHP has, which is not there.

#include "check/fixes/php_part.h"

#include <doctest/doctest.h>

#include "unit/check/findings/finding_text.h"

namespace cudald {
namespace {

/// The finding about a module at a path that misses a symbol, on a system with these files.
Finding finding_on_module(const std::string& path, const std::string& symbol,
                          const std::vector<std::pair<std::string, std::string>>& files) {
  TestWorld world;
  world.add("/usr/bin/php", program({.defines = {{.name = "zend_parse_parameters"}}}));
  world.add(path, {.uses = {{.name = symbol}, {.name = "zend_parse_parameters"}}});
  for (const auto& [name, text] : files) world.files.add_file(name, text);
  world.query.dlopens = {{path}};
  auto report = world.explain({"/usr/bin/php"});
  REQUIRE(report.findings.size() == 1);
  return report.findings[0];
}

TEST_CASE("in an image of PHP the module is compiled, and the settings of its user come behind it") {
  const std::string settings = "/usr/local/etc/php/conf.d/docker-php-ext-event.ini";
  const auto found = finding_on_module("/usr/local/lib/php/extensions/no-debug-non-zts-20200930/event.so", "socket_ce",
                                       {{"/usr/local/bin/docker-php-ext-install", "#!/bin/sh\n"},
                                        {"/.dockerenv", ""},
                                        {"/etc/os-release", "ID=debian\nVERSION_ID=\"11\"\n"},
                                        {settings, "extension=event\n"}});
  CHECK(found.message.find(": it is of PHP's module sockets, which is not loaded before event.so") !=
        std::string::npos);
  CHECK(commands(found) ==
        "docker-php-ext-install sockets\nmv " + settings + " /usr/local/etc/php/conf.d/zz-event.ini\n");
}

TEST_CASE("a system has it in a package for the release of PHP that the module is for") {
  const std::pair<std::string, std::string> ubuntu{"/etc/os-release", "ID=ubuntu\nID_LIKE=debian\n"};
  CHECK(commands(finding_on_module("/usr/lib/php/20220829/redis.so", "igbinary_serialize", {ubuntu})) ==
        "sudo apt install php8.2-igbinary\n");
  CHECK(commands(finding_on_module("/usr/lib/php82/modules/redis.so", "igbinary_serialize",
                                   {{"/etc/os-release", "ID=alpine\n"}, {"/lib/apk/db/installed", ""}})) ==
        "apk add php82-pecl-igbinary\n");
  CHECK(commands(finding_on_module("/usr/lib64/php/modules/sqlsrv.so", "php_pdo_register_driver",
                                   {{"/etc/os-release", "ID=fedora\n"}})) == "sudo dnf install php-pdo\n");
}

TEST_CASE("a name that no module of PHP is known to have, and a module that is not of PHP") {
  const std::pair<std::string, std::string> fedora{"/etc/os-release", "ID=fedora\n"};
  CHECK(commands(finding_on_module("/usr/lib64/php/modules/x.so", "unheard_of", {fedora})).find("install") ==
        std::string::npos);
  CHECK(commands(finding_on_module("/usr/lib64/httpd/modules/x.so", "socket_ce", {fedora})).find("php") ==
        std::string::npos);
}

}  // namespace
}  // namespace cudald
