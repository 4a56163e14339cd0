#include <cudald/environment.h>

#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <filesystem>

#include <doctest/doctest.h>

#include "machine/cpu_leaves.h"
#include "machine/windows_host.h"

extern char** environ;  // NOLINT: the C library's own name

namespace cudald {
namespace {

TEST_CASE("a C library is stated by name and version") {
  struct Row {
    std::string text;
    LibcVersion version;
  };
  const Row rows[] = {
      {"glibc-2.36", {LibcKind::glibc, 2, 36}}, {"glibc-2.5", {LibcKind::glibc, 2, 5}},
      {"glibc-3.0", {LibcKind::glibc, 3, 0}},   {"glibc", {LibcKind::glibc, 2, 36}},
      {"musl-1.2", {LibcKind::musl, 1, 2}},     {"musl-1.1", {LibcKind::musl, 1, 1}},
      {"musl", {LibcKind::musl, 1, 2}},         {"musl-1.1.24", {LibcKind::musl, 1, 1}},
      {"musl-1.2.5", {LibcKind::musl, 1, 2}},   {"glibc-2.36.9000", {LibcKind::glibc, 2, 36}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto version = parse_libc(row.text);
    REQUIRE(version);
    CHECK(*version == row.version);
  }
}

TEST_CASE("anything else is no C library") {
  for (const std::string text : {"",
                                 "bionic-1",
                                 "2.36",
                                 "glibc2.36",
                                 "glibc-",
                                 "glibc-2",
                                 "glibc-2.",
                                 "glibc-x.y",
                                 "glibc-2,36",
                                 "glibc 2.36",
                                 "GLIBC-2.36",
                                 "glibc-.36",
                                 "musl-",
                                 "muslin-1.2",
                                 "glibc-99999999999.1",
                                 "glibc-2.36foo",
                                 "glibc--2.36",
                                 "glibc-2.-3",
                                 "glibc-2.36.",
                                 "glibc-2.36.x",
                                 "glibc-2.36.9x",
                                 "glibc-2.36x9"}) {
    CAPTURE(text);
    const auto version = parse_libc(text);
    REQUIRE_FALSE(version);
    CHECK(version.error().code == ErrorCode::usage);
    CHECK_FALSE(version.error().message.empty());
  }
}

TEST_CASE("versions compare by major, then by minor number") {
  const LibcVersion version{LibcKind::glibc, 2, 36};
  CHECK(version.at_least(2, 36));
  CHECK(version.at_least(2, 9));
  CHECK(version.at_least(1, 99));
  CHECK_FALSE(version.at_least(2, 37));
  CHECK_FALSE(version.at_least(3, 0));
}

TEST_CASE("a stated processor is neutral: its level and nothing of this machine") {
  for (int level = 1; level <= 4; ++level) {
    const auto cpu = x86_64_cpu(level);
    CHECK(cpu.x86_64_level == level);
    CHECK(cpu.platform == "x86_64");
    CHECK(cpu.hwcap_names == std::vector<std::string>{"x86_64"});
  }
}

TEST_CASE("the environment of this process is taken as it is") {
  REQUIRE(::setenv("CUDALD_UNIT_TEST", "a=b", 1) == 0);
  REQUIRE(::setenv("CUDALD_UNIT_TEST_EMPTY", "", 1) == 0);
  const auto environment = host_environment();
  CHECK(environment.variable("CUDALD_UNIT_TEST") == "a=b");
  CHECK(environment.variable("CUDALD_UNIT_TEST_EMPTY") == "");
  CHECK_FALSE(environment.variable("CUDALD_UNIT_TEST_NONE").has_value());
  char folder[PATH_MAX];
  REQUIRE(::getcwd(folder, sizeof folder) != nullptr);
  CHECK(environment.cwd == folder);
  CHECK_FALSE(environment.secure);
  CHECK(environment.cpu == host_cpu());
}

// Source: x86-64 psABI, "Micro-Architecture Levels"; Intel SDM, CPUID.
TEST_CASE("the level of a processor is that of which it has everything, and the kernel saves it") {
  struct Bit {
    std::string name;
    unsigned CpuLeaves::* leaf;
    unsigned bit;
    int level_without;
  };
  const Bit bits[] = {
      {"SSE3", &CpuLeaves::leaf1_c, 0, 1},        {"SSSE3", &CpuLeaves::leaf1_c, 9, 1},
      {"CMPXCHG16B", &CpuLeaves::leaf1_c, 13, 1}, {"SSE4.1", &CpuLeaves::leaf1_c, 19, 1},
      {"SSE4.2", &CpuLeaves::leaf1_c, 20, 1},     {"POPCNT", &CpuLeaves::leaf1_c, 23, 1},
      {"LAHF", &CpuLeaves::extended_c, 0, 1},     {"FMA", &CpuLeaves::leaf1_c, 12, 2},
      {"MOVBE", &CpuLeaves::leaf1_c, 22, 2},      {"AVX", &CpuLeaves::leaf1_c, 28, 2},
      {"F16C", &CpuLeaves::leaf1_c, 29, 2},       {"BMI1", &CpuLeaves::leaf7_b, 3, 2},
      {"AVX2", &CpuLeaves::leaf7_b, 5, 2},        {"BMI2", &CpuLeaves::leaf7_b, 8, 2},
      {"LZCNT", &CpuLeaves::extended_c, 5, 2},    {"AVX512F", &CpuLeaves::leaf7_b, 16, 3},
      {"AVX512DQ", &CpuLeaves::leaf7_b, 17, 3},   {"AVX512CD", &CpuLeaves::leaf7_b, 28, 3},
      {"AVX512BW", &CpuLeaves::leaf7_b, 30, 3},   {"AVX512VL", &CpuLeaves::leaf7_b, 31, 3},
  };
  CpuLeaves all;
  for (const auto& bit : bits) all.*bit.leaf |= 1U << bit.bit;
  all.enabled_state = 0xe7;
  CHECK(cpu_of(all).x86_64_level == 4);
  for (const auto& bit : bits) {
    CAPTURE(bit.name);
    auto without = all;
    without.*bit.leaf &= ~(1U << bit.bit);
    CHECK(cpu_of(without).x86_64_level == bit.level_without);
  }
  for (const auto& [state, level] : {std::pair(0x7, 3), std::pair(0x6, 3), std::pair(0x5, 2), std::pair(0x3, 2),
                                     std::pair(0, 2), std::pair(0x66, 3), std::pair(0xe6, 4)}) {
    const auto& seen_state = state;
    CAPTURE(seen_state);
    auto saved = all;
    saved.enabled_state = static_cast<std::uint64_t>(state);
    CHECK(cpu_of(saved).x86_64_level == level);
  }
  CHECK(cpu_of({}).x86_64_level == 1);
}

TEST_CASE("names that older glibc has for processors are Intel's alone") {
  CpuLeaves all{.vendor_b = 0x756e6547, .leaf1_c = ~0U, .leaf7_b = ~0U, .extended_c = ~0U, .enabled_state = 0xe7};
  CHECK(cpu_of(all).platform == "haswell");
  CHECK(cpu_of(all).hwcap_names == std::vector<std::string>{"x86_64", "avx512_1"});
  auto amd = all;
  amd.vendor_b = 0x68747541;  // "Auth"
  CHECK(cpu_of(amd).platform == x86_64_cpu(1).platform);
  CHECK(cpu_of(amd).hwcap_names == std::vector<std::string>{"x86_64"});
  auto older = all;
  older.leaf7_b &= ~(1U << 16);
  CHECK(cpu_of(older).platform == "haswell");
  CHECK(cpu_of(older).hwcap_names == std::vector<std::string>{"x86_64"});
}

TEST_CASE("what Windows puts into the environment of a process, and what is stated instead") {
  WindowsHost host;
  host.windows = "D:\\Win";
  host.path = {"C:\\tools", "C:\\x"};
  auto variables = windows_variables(host, {{"OwnName", "1"}, {"appdata", "E:\\data"}});
  CHECK(variables["SYSTEMDRIVE"] == "D:");
  CHECK(variables["SYSTEMROOT"] == "D:\\Win");
  CHECK(variables["WINDIR"] == "D:\\Win");
  CHECK(variables["OS"] == "Windows_NT");
  CHECK(variables["OWNNAME"] == "1");
  CHECK(variables["APPDATA"] == "E:\\data");
  CHECK(variables["LOCALAPPDATA"] == "C:\\Users\\user\\AppData\\Local");
  CHECK(variables["PATH"] == host.system() + ";C:\\tools;C:\\x");
  CHECK(variables["PROCESSOR_ARCHITECTURE"] == (host.wide ? "AMD64" : "x86"));
  host.wide = !host.wide;
  CHECK(windows_variables(host, {})["PROCESSOR_ARCHITECTURE"] == (host.wide ? "AMD64" : "x86"));
  CHECK(python_folder(11) == "C:\\Python311");
}

TEST_CASE("a neutral Windows is that of the tree if there is one, and else has this machine's files on a drive") {
  Environment environment;
  environment.dll_path = {"/p"};
  environment.dll_directories = {"/d"};
  environment.default_dll_directories = 0x1000;
  const auto made = neutral_windows(environment, false), copied = neutral_windows(environment, true);
  CHECK_FALSE(made.has_files);
  CHECK(copied.has_files);
  CHECK(made.mounts.at(0).path == "Z:");
  CHECK(copied.mounts.at(0).path == "C:");
  CHECK(made.path == environment.dll_path);
  CHECK(made.user_folders == environment.dll_directories);
  CHECK(made.default_directories == 0x1000);
}

#if defined(__x86_64__) && defined(__GNUC__)
TEST_CASE("the level of this processor is that of its instructions") {
  __builtin_cpu_init();
  const bool v2 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
  const bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("fma");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  CHECK(host_environment().cpu.x86_64_level == (v4 ? 4 : v3 ? 3 : v2 ? 2 : 1));
}
#endif

TEST_CASE("what is no pair of a name and a value in the environment is passed over") {
  char without[] = "CUDALD_UNIT_TEST", pair[] = "CUDALD_PAIR=1", again[] = "CUDALD_PAIR=2", nameless[] = "=x";
  char* entries[] = {without, pair, again, nameless, nullptr};
  char** const kept = environ;
  environ = entries;
  const auto variables = host_environment().variables;
  environ = nullptr;
  const auto none = host_environment().variables;
  environ = kept;
  CHECK(variables == std::map<std::string, std::string>{{"CUDALD_PAIR", "1"}, {"", "x"}});
  CHECK(none.empty());
}

TEST_CASE("where the current folder is gone, the root stands in") {
  const auto kept = std::filesystem::current_path();
  auto name = (std::filesystem::temp_directory_path() / "cudald-unit-XXXXXX").string();
  REQUIRE(::mkdtemp(name.data()) != nullptr);
  REQUIRE(::chdir(name.c_str()) == 0);
  REQUIRE(::rmdir(name.c_str()) == 0);
  const auto cwd = host_environment().cwd;
  std::filesystem::current_path(kept);
  CHECK(cwd == "/");
}

TEST_CASE("a process of which nothing is said has the root as its folder and no level") {
  const Environment nothing;
  CHECK(nothing.cwd == "/");
  CHECK_FALSE(nothing.secure);
  CHECK_FALSE(nothing.variable("PATH").has_value());
  CHECK(nothing.cpu.x86_64_level == 0);
  CHECK(nothing.cpu.platform == "x86_64");
  CHECK(nothing.cpu.hwcap_names.empty());
}

TEST_CASE("what is wrong with a stated C library is told") {
  for (const std::string text : {"bionic", "glibc2", "glibc-2", "glibc-2.x", "musl-x.1"}) {
    CAPTURE(text);
    CHECK(parse_libc(text).error().message == "a C library is written glibc-2.36 or musl-1.2");
  }
}

TEST_CASE("each bit counts for the name of the platform and of its folder, on Intel's processors") {
  const CpuLeaves all{.vendor_b = 0x756e6547, .leaf1_c = ~0U, .leaf7_b = ~0U, .extended_c = ~0U, .enabled_state = 0xe7};
  const auto names = [](const CpuLeaves& leaves) {
    const auto cpu = cpu_of(leaves);
    std::string text = cpu.platform;
    for (const auto& name : cpu.hwcap_names) text += " " + name;
    return text;
  };
  CHECK(names(all) == "haswell x86_64 avx512_1");
  for (const unsigned bit : {5U, 3U, 8U}) {
    auto without = all;
    without.leaf7_b &= ~(1U << bit);
    CHECK(names(without) == "x86_64 x86_64 avx512_1");
  }
  for (const unsigned bit : {16U, 28U, 30U, 17U, 31U}) {
    auto without = all;
    without.leaf7_b &= ~(1U << bit);
    CHECK(names(without) == "haswell x86_64");
  }
  auto without = all;
  without.enabled_state = 0x6;
  CHECK(names(without) == "haswell x86_64");
  without.enabled_state = 0xe4;
  CHECK(names(without) == "x86_64 x86_64");
  without = all;
  without.extended_c = ~(1U << 5);
  CHECK(names(without) == "x86_64 x86_64 avx512_1");
}

TEST_CASE("a process of Windows has its folders, whatever the drive") {
  WindowsHost host;
  const auto variables = windows_variables(host, {{"Path", "C:\\own"}, {"x", "1"}});
  const std::map<std::string, std::string> expected = {{"APPDATA", "C:\\Users\\user\\AppData\\Roaming"},
                                                       {"LOCALAPPDATA", "C:\\Users\\user\\AppData\\Local"},
                                                       {"OS", "Windows_NT"},
                                                       {"PATH", "C:\\Windows\\System32"},
                                                       {"PROCESSOR_ARCHITECTURE", "AMD64"},
                                                       {"PROGRAMDATA", "C:\\ProgramData"},
                                                       {"PROGRAMFILES", "C:\\Program Files"},
                                                       {"SYSTEMDRIVE", "C:"},
                                                       {"SYSTEMROOT", "C:\\Windows"},
                                                       {"USERPROFILE", "C:\\Users\\user"},
                                                       {"WINDIR", "C:\\Windows"},
                                                       {"X", "1"}};
  CHECK(variables == expected);
  const auto neutral = neutral_windows({}, false);
  CHECK(neutral.safe_search);
  CHECK(neutral.wide);
  CHECK_FALSE(neutral.fresh);
  CHECK(neutral.python_minor == 0);
  CHECK_FALSE(neutral.conda);
  CHECK_FALSE(neutral.python_has_files);
  CHECK_FALSE(neutral.has_files);
  CHECK(neutral.system() == "C:\\Windows\\System32");
  REQUIRE(neutral.mounts.size() == 1);
  CHECK(neutral.mounts[0].folder == "/");
}

TEST_CASE("the numbers of a C library may be zero") {
  CHECK(*parse_libc("musl-0.9") == LibcVersion{LibcKind::musl, 0, 9});
  CHECK(*parse_libc("glibc-2.0") == LibcVersion{LibcKind::glibc, 2, 0});
  CHECK(*parse_libc("glibc-2.36.0") == LibcVersion{LibcKind::glibc, 2, 36});
  for (const std::string text : {"musl1.2", "musl.1", "glibc-2.36-1", "glibc-2.36.", "glibc/2.36"})
    CHECK_FALSE(parse_libc(text).has_value());
}

}  // namespace
}  // namespace cudald
