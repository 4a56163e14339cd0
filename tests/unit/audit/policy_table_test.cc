#include "audit/policy_table.h"

#include <string>

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("policies are ordered, and each fact has its oldest one") {
  const auto* table = PolicyTable::find(LibcKind::glibc, "x86_64");
  REQUIRE(table != nullptr);
  const auto tag_of = [&](std::size_t policy) { return policy < table->count() ? table->tag(policy) : "never"; };
  CHECK(tag_of(0) == "manylinux_2_5_x86_64");
  CHECK(tag_of(table->first_with_library("libc.so.6")) == "manylinux_2_5_x86_64");
  CHECK(tag_of(table->first_with_library("libexpat.so.1")) == "manylinux_2_12_x86_64");
  CHECK(tag_of(table->first_with_library("libcuda.so.1")) == "never");
  CHECK(tag_of(table->first_with_version("GLIBC_2.17")) == "manylinux_2_17_x86_64");
  CHECK(tag_of(table->first_with_version("GLIBC_2.29")) == "manylinux_2_31_x86_64");
  CHECK(tag_of(table->first_with_version("GLIBC_ABI_DT_RELR")) == "manylinux_2_36_x86_64");
  CHECK(tag_of(table->first_with_version("GLIBC_2.99")) == "never");
  CHECK(tag_of(table->first_with_version("GLIBC_PRIVATE")) == "never");
  CHECK(table->first_with_version("OPENSSL_3.0.0") == 0);
  CHECK(table->first_with_version("libcudart.so.12") == 0);
  CHECK(tag_of(table->first_with_symbol("libz.so.1", "zcalloc")) == "never");
  CHECK(table->first_with_symbol("libz.so.1", "inflate") == 0);

  const auto* arm = PolicyTable::find(LibcKind::glibc, "aarch64");
  REQUIRE(arm != nullptr);
  CHECK(arm->tag(0) == "manylinux_2_17_aarch64");
  CHECK(arm->first_with_library("libexpat.so.1") == 0);
  CHECK(PolicyTable::find(LibcKind::glibc, "pdp11") == nullptr);
  const auto* musl = PolicyTable::find(LibcKind::musl, "i686");
  REQUIRE(musl != nullptr);
  CHECK(musl->first_with_library("libc.musl-x86.so.1") == 0);
  CHECK(musl->first_with_library("libc.musl-x86_64.so.1") == musl->count());
  CHECK_FALSE(musl->unproven(0).empty());
}

TEST_CASE("a platform tag stands for the oldest policy that is as new") {
  struct Row {
    std::string_view tag, policy;
  };
  const Row rows[] = {
      {"manylinux1_x86_64", "manylinux_2_5_x86_64"},
      {"manylinux2014_x86_64", "manylinux_2_17_x86_64"},
      {"manylinux_2_17_x86_64", "manylinux_2_17_x86_64"},
      {"manylinux_2_18_x86_64", "manylinux_2_24_x86_64"},
      {"manylinux_2_99_x86_64", "newer"},
      {"manylinux_2_17_aarch64", ""},
      {"linux_x86_64", ""},
      {"musllinux_1_1_x86_64", ""},
      {"manylinux_2_x86_64", ""},
      {"manylinux_x86_64", ""},
      {"manylinux_2_17__x86_64", ""},
      {"any", ""},
  };
  const auto* table = PolicyTable::find(LibcKind::glibc, "x86_64");
  for (const auto& row : rows) {
    CAPTURE(row.tag);
    const auto policy = table->find_tag(row.tag);
    CHECK((!policy ? "" : *policy == table->count() ? "newer" : table->tag(*policy)) == row.policy);
  }
}

}  // namespace
}  // namespace cudald
