// In which order PHP loads two modules, by its files of settings.

#include "check/fixes/php_module_order.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

/// The commands for redis.so, which takes functions from json.so; "none" if there are none.
std::string order_in(const std::vector<std::pair<std::string, std::string>>& settings) {
  MemoryFileSystem files;
  files.add_file("/etc/os-release", "ID=debian\n");
  for (const auto& [path, text] : settings) files.add_file(path, text);
  ImageStore images(files);
  const auto fix = earlier_php_module("/usr/lib/php/json.so", "/usr/lib/php/redis.so", images);
  return fix ? fix->command : "none";
}

TEST_CASE("the settings of the one that takes functions are read after those of the other") {
  CHECK(
      order_in({{"/etc/php.d/20-redis.ini", "extension=redis.so\n"}, {"/etc/php.d/40-json.ini", "extension=json\n"}}) ==
      "sudo mv /etc/php.d/20-redis.ini /etc/php.d/zz-redis.ini");
  CHECK(order_in({{"/usr/local/etc/php/conf.d/docker-php-ext-redis.ini", "; x\n extension = \"redis\" ; why\n"}}) ==
        "echo extension=json | sudo tee /usr/local/etc/php/conf.d/00-json.ini");
  CHECK(order_in({{"/etc/php/8.1/cli/conf.d/20-redis.ini", "extension=redis.so\n"},
                  {"/etc/php/8.1/cli/conf.d/30-json.ini", "extension=/usr/lib/php/json.so\n"},
                  {"/etc/php/8.1/fpm/conf.d/10-json.ini", "extension=json.so\n"},
                  {"/etc/php/8.1/fpm/conf.d/20-redis.ini", "extension=redis.so\n"}}) ==
        "sudo mv /etc/php/8.1/cli/conf.d/20-redis.ini /etc/php/8.1/cli/conf.d/zz-redis.ini");
}

TEST_CASE("where no directory names it, or the order is right, there is nothing to move") {
  CHECK(order_in({}) == "none");
  CHECK(order_in({{"/etc/php.d/x.ini", "zend_extension=redis.so\n;extension=redis.so\nextensions=redis\n"}}) == "none");
  CHECK(order_in({{"/etc/php.d/README", "extension=redis.so\n"}}) == "none");
  CHECK(order_in({{"/etc/php.d/1.ini", "extension=json.so\nextension=redis.so\n"}}) == "none");
}

}  // namespace
}  // namespace cudald
