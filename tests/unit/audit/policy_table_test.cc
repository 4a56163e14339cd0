#include "audit/policy_table.h"

#include <elf.h>

#include <string>

#include <doctest/doctest.h>

#include <cudald/image.h>

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

TEST_CASE("the machine in a tag is told by the number, the word size and the byte order together") {
  const auto name = [](std::uint16_t machine, Format format, ByteOrder order, std::uint32_t flags = 0) {
    Image image;
    image.machine = machine;
    image.format = format;
    image.byte_order = order;
    image.elf.header.flags = flags;
    return std::string(tag_machine(image));
  };
  const auto wide = Format::elf64, narrow = Format::elf32;
  const auto little = ByteOrder::little, big = ByteOrder::big;
  CHECK(name(EM_X86_64, wide, little) == "x86_64");
  CHECK(name(EM_386, narrow, little) == "i686");
  CHECK(name(EM_AARCH64, wide, little) == "aarch64");
  CHECK(name(EM_PPC64, wide, little) == "ppc64le");
  CHECK(name(EM_S390, wide, big) == "s390x");
  CHECK(name(EM_RISCV, wide, little) == "riscv64");
  CHECK(name(258, wide, little) == "loongarch64");
  const std::uint32_t hard_float = EF_ARM_EABI_VER5 | EF_ARM_ABI_FLOAT_HARD;
  CHECK(name(EM_ARM, narrow, little, hard_float) == "armv7l");
  constexpr std::uint32_t others[] = {0, EF_ARM_EABI_VER5, EF_ARM_EABI_VER4 | EF_ARM_ABI_FLOAT_HARD};
  for (const auto other : others) CHECK(name(EM_ARM, narrow, little, other).empty());
  // x32, and big-endian AArch64 and POWER, have no tags of their own.
  CHECK(name(EM_X86_64, narrow, little).empty());
  CHECK(name(EM_AARCH64, wide, big).empty());
  CHECK(name(EM_PPC64, wide, big).empty());
  CHECK(name(EM_S390, wide, little).empty());
}

TEST_CASE("a tag with a number that is none, or negative, is no policy's") {
  const auto* table = PolicyTable::find(LibcKind::glibc, "x86_64");
  REQUIRE(table != nullptr);
  for (const auto* tag : {"manylinux_-2_17_x86_64", "manylinux_2_-17_x86_64", "manylinux_x_17_x86_64",
                          "manylinux_2_17x_x86_64", "manylinux_2_99999999999_x86_64", "manylinux_99999999999_1_x86_64",
                          "manylinux_2_x86_64", "manylinux_x86_64", "manylinux__x86_64", "manylinux_2__x86_64"}) {
    CAPTURE(tag);
    CHECK_FALSE(table->find_tag(tag));
  }
  CHECK(table->find_tag("manylinux_2_17_x86_64") == table->find_tag("manylinux2014_x86_64"));
  CHECK(table->find_tag("manylinux_2_16_x86_64") == table->find_tag("manylinux_2_17_x86_64"));
  CHECK(table->find_tag("manylinux_0_0_x86_64") == std::size_t{0});
  CHECK(table->find_tag("manylinux_3_0_x86_64") == table->count());
}

TEST_CASE("the libraries of a policy are those that it or an older one allows") {
  const auto* table = PolicyTable::find(LibcKind::glibc, "x86_64");
  REQUIRE(table != nullptr);
  const auto has = [&](std::size_t policy, const std::string& name) {
    for (const auto& library : table->libraries(policy))
      if (library == name) return true;
    return false;
  };
  const auto since = table->first_with_library("libexpat.so.1");
  REQUIRE(since > 0);
  CHECK(has(0, "libc.so.6"));
  CHECK(has(since, "libc.so.6"));
  CHECK_FALSE(has(since - 1, "libexpat.so.1"));
  CHECK(has(since, "libexpat.so.1"));
  CHECK_FALSE(has(table->count(), "libcuda.so.1"));
}

TEST_CASE("of libraries that the table does not restrict every symbol is allowed") {
  const auto* table = PolicyTable::find(LibcKind::glibc, "x86_64");
  REQUIRE(table != nullptr);
  CHECK(table->first_with_symbol("libnone.so.1", "zcalloc") == 0);
  CHECK(table->first_with_symbol("libz.so.1", "zcalloc") == table->count());
  CHECK(table->forbids_symbols_of("libz.so.1", 0));
  CHECK(table->forbids_symbols_of("libz.so.1", table->count() - 1));
  CHECK_FALSE(table->forbids_symbols_of("libz.so.1", table->count()));
  CHECK_FALSE(table->forbids_symbols_of("libnone.so.1", 0));
  CHECK(table->family() == "manylinux");
  CHECK(table->first_with_version("GLIBC") == 0);
}

TEST_CASE("the sources of the table are told with the day on which it was checked") {
  const auto source = policy_source();
  const std::string_view of = "the policy data of auditwheel ", checked = "; checked 20";
  CHECK(source.starts_with("PEP 513, 571, 599, 600 and 656; "));
  CHECK(source.find(of) != std::string::npos);
  CHECK(source.find(checked) + checked.size() + 8 == source.size());
}

}  // namespace
}  // namespace cudald
