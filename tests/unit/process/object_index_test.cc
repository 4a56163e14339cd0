#include "process/object_index.h"

#include <memory>
#include <utility>

#include <doctest/doctest.h>

#include <cudald/image.h>

using namespace cudald;

namespace {

using Ids = std::vector<ObjectId>;

Object indexed_object(const std::string& soname, std::vector<std::string> names, std::uint64_t inode) {
  auto image = std::make_shared<Image>();
  image->soname = soname;
  Object object;
  object.image = std::move(image);
  object.names = std::move(names);
  object.load_name = object.names.front();
  object.id.inode = inode;
  return object;
}

}  // namespace

TEST_CASE("objects are found by their names, sonames and files, in order") {
  std::vector<Object> objects{indexed_object("liba.so.1", {"/lib/liba.so", "liba.so"}, 1),
                              indexed_object("libb.so", {"/lib/libb.so"}, 2)};
  ObjectIndex index;
  index.update(objects);
  objects.push_back(indexed_object("liba.so.1", {"/other/liba.so", "shared"}, 1));
  CHECK(index.named("liba.so.1") == Ids{0});
  index.update(objects);
  index.update(objects);
  CHECK(index.named("liba.so.1") == Ids{0, 2});
  CHECK(index.named("liba.so") == Ids{0});
  CHECK(index.named("/lib/libb.so") == Ids{1});
  CHECK(index.named("libc.so").empty());
  CHECK(index.of_file({0, 1}) == Ids{0, 2});
  CHECK(index.of_file({1, 1}).empty());
  objects.emplace_back();
  objects.back().names = {"host"};
  index.update(objects);
  CHECK(index.named("host") == Ids{3});
  index.add_name("shared", 1);
  CHECK(index.named("shared") == Ids{1, 2});
}
