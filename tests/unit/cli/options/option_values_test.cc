// How values of options are read: what is taken, and what is said of what is not.

#include "cli/options/option_values.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "cli/options/options.h"

namespace cudald {
namespace {

using namespace std::chrono_literals;

TEST_CASE("a time has seconds or minutes, up to a day") {
  const auto time = [](const std::string& value) {
    std::chrono::milliseconds read{};
    const auto complaint = set_time(read, value);
    CHECK(complaint.value_or("expected a time of up to a day, such as 60s or 5min") ==
          "expected a time of up to a day, such as 60s or 5min");
    return complaint ? -1ms : read;
  };
  CHECK(time("1") == 1s);
  CHECK(time("90s") == 90s);
  CHECK(time("5min") == 300s);
  CHECK(time("86400") == 86400s);
  CHECK(time("1440min") == 86400s);
  for (const auto* wrong :
       {"", "0", "0s", "0min", "86401", "1441min", "86401min", "71582789min", "5m", "min", "-1", "1 s"}) {
    CAPTURE(wrong);
    CHECK(time(wrong) == -1ms);
  }
}

TEST_CASE("a number is within its bounds, both counted in") {
  std::optional<std::size_t> number;
  CHECK_FALSE(set_number(number, "2", 2, 5));
  CHECK(number == 2);
  CHECK_FALSE(set_number(number, "5", 2, 5));
  CHECK(number == 5);
  for (const auto* wrong : {"1", "6", "", "3x", "x3", "-3"}) {
    CAPTURE(wrong);
    CHECK(set_number(number, wrong, 2, 5) == "expected a number from 2 to 5");
    CHECK(number == 5);
  }
  std::uint64_t plain = 9;
  CHECK(set_number(plain, "6", 2, 5).has_value());
  CHECK(plain == 9);
  CHECK_FALSE(set_number(plain, "4", 2, 5));
  CHECK(plain == 4);
}

TEST_CASE("a size is at most 2^60 bytes") {
  std::uint64_t bytes = 0;
  CHECK_FALSE(set_size(bytes, "1048576TiB"));
  CHECK(bytes == std::uint64_t{1} << 60);
  CHECK_FALSE(set_size(bytes, "1152921504606846976"));
  CHECK(bytes == std::uint64_t{1} << 60);
  const std::pair<const char*, std::uint64_t> rows[] = {{"1", 1},
                                                        {"3KiB", 3 << 10},
                                                        {"3MiB", 3 << 20},
                                                        {"2GiB", std::uint64_t{2} << 30},
                                                        {"2TiB", std::uint64_t{2} << 40}};
  for (const auto& [value, wanted] : rows) {
    CHECK_FALSE(set_size(bytes, value));
    CHECK(bytes == wanted);
  }
  for (const auto* wrong : {"0", "1152921504606846977", "1048577TiB", "1PiB", "KiB"}) CHECK(set_size(bytes, wrong));
}

TEST_CASE("a Python is 3.N with one or two digits") {
  std::string version;
  for (const auto* right : {"3.9", "3.11"}) {
    CHECK_FALSE(set_python(version, right));
    CHECK(version == right);
  }
  for (const auto* wrong : {"", "3", "3.", "3.111", "2.7", "3.1a", "4.11", "3.1."})
    CHECK(set_python(version, wrong) == "expected 3.N, as in 3.11");
}

TEST_CASE("folders of DLLs are the sum of four flags, in either notation") {
  std::optional<std::uint32_t> flags;
  CHECK_FALSE(set_search_flags(flags, "0x1e00"));
  CHECK(flags == 0x1e00);
  CHECK_FALSE(set_search_flags(flags, "4096"));
  CHECK(flags == 0x1000);
  for (const auto* right : {"0x200", "0x400", "0x800"}) CHECK_FALSE(set_search_flags(flags, right));
  for (const auto* wrong : {"", "0", "0x", "0x100", "0x2000", "0x1", "0x200x", "1000g"})
    CHECK(set_search_flags(flags, wrong) == "expected a sum of 0x200, 0x400, 0x800 and 0x1000");
}

TEST_CASE("GPUs are named by either notation, each once") {
  std::vector<GpuArchitecture> gpus;
  for (const auto* gpu : {"sm_90", "9.0", "sm_80"}) CHECK_FALSE(add_gpu(gpus, gpu));
  CHECK(gpus == std::vector<GpuArchitecture>{{90, 0}, {80, 0}});
  const std::string wrong = "expected a GPU as sm_90 or, as nvidia-smi --query-gpu=compute_cap prints it, 9.0";
  CHECK(add_gpu(gpus, "rtx") == wrong);
  CHECK(add_gpu(gpus, "sm90") == wrong + "; did you mean `sm_90`?");
  CHECK(add_gpu(gpus, "H100") == wrong + "; did you mean `sm_90`?");
  CHECK(add_gpu(gpus, "RTX 4090") == wrong + "; did you mean `sm_89`?");
}

TEST_CASE("a file of its own is named with its format, another file alone, and a dash is standard output") {
  Options options;
  CHECK_FALSE(add_output(options, "report.txt"));
  CHECK(options.output.path == "report.txt");
  CHECK_FALSE(add_output(options, "-"));
  CHECK(options.output.path.empty());
  CHECK_FALSE(add_output(options, "odd=file"));
  CHECK(options.output.path == "odd=file");
  CHECK_FALSE(add_output(options, "sarif=a=b.sarif"));
  REQUIRE(options.output.documents.size() == 1);
  CHECK(options.output.documents[0].format == OutputFormat::sarif);
  CHECK(options.output.documents[0].path == "a=b.sarif");
  CHECK(add_output(options, "") == "it is empty");
  CHECK(add_output(options, "json=") == "`json=` names no file");
  CHECK(add_output(options, "json=-") == "`-f json` writes to standard output; `-o json=FILE` wants a file");
  options.command = Command::tree;
  CHECK(add_output(options, "sarif=x") == "`tree` does not write sarif");
  options.command = Command::check;
  for (int i = 1; i < 15; ++i) CHECK_FALSE(add_output(options, "json=x"));
  CHECK(add_output(options, "json=x") == "more than 15 files at a time");
}

TEST_CASE("words of few values mean what they say") {
  ColourWish colour{};
  ProgressWish progress{};
  const std::pair<const char*, ColourWish> colours[] = {
      {"always", ColourWish::always}, {"never", ColourWish::never}, {"auto", ColourWish::automatic}};
  for (const auto& [word, wish] : colours) {
    CHECK_FALSE(set_colour(colour, word));
    CHECK(colour == wish);
  }
  const std::pair<const char*, ProgressWish> ways[] = {
      {"plain", ProgressWish::plain}, {"never", ProgressWish::never}, {"auto", ProgressWish::automatic}};
  for (const auto& [word, wish] : ways) {
    CHECK_FALSE(set_progress(progress, word));
    CHECK(progress == wish);
  }
  std::optional<Level> level;
  for (const auto each : {Level::error, Level::warning, Level::note}) {
    CHECK_FALSE(set_level(level, std::string(to_string(each))));
    CHECK(level == each);
  }
  CHECK_FALSE(set_level(level, "never"));
  CHECK_FALSE(level);
  Options options;
  CHECK_FALSE(set_platform(options, "windows-x86_64"));
  CHECK(options.world.windows == true);
  CHECK_FALSE(set_platform(options, "linux-aarch64"));
  CHECK(options.world.windows == false);
  CHECK_FALSE(set_platform(options, "host"));
  CHECK_FALSE(options.world.windows);
  CHECK_FALSE(options.world.machine);
}

TEST_CASE("levels are given to codes by CODE=LEVEL") {
  std::vector<std::pair<std::string, Level>> levels;
  CHECK_FALSE(add_level(levels, "CUD1,symbol-missing=note"));
  CHECK(levels == std::vector<std::pair<std::string, Level>>{{"CUD1", Level::note}, {"CUD201", Level::note}});
  for (const auto* odd : {"", "CUD1", "=note"})
    CHECK(add_level(levels, odd) == "expected CODE=LEVEL, such as CUD108=error");
  CHECK(add_level(levels, "CUD1=errr") ==
        "unknown level `errr`; expected error, warning or note; did you mean `error`?");
  CHECK(add_level(levels, "CUX1=error")->starts_with("no finding is called `CUX1`"));
}

TEST_CASE("names of extras are normal, and none is empty") {
  std::vector<std::string> extras;
  CHECK_FALSE(add_extras(extras, "Big_Extra,b"));
  CHECK(extras == std::vector<std::string>{"big-extra", "b"});
  CHECK(add_extras(extras, "a,,b") == "an extra has a name");
}

TEST_CASE("a variable has a name") {
  Options options;
  CHECK_FALSE(add_variable(options, "A="));
  CHECK(options.process.variables == std::vector<std::pair<std::string, std::string>>{{"A", ""}});
  CHECK(add_variable(options, "=x") == "expected NAME=VALUE");
}

TEST_CASE("a processor is told by its level, a driver by its version") {
  std::optional<int> level;
  for (const auto* word : {"x86-64-v1", "x86-64-v4"}) CHECK_FALSE(set_cpu(level, word));
  CHECK(level == 4);
  CHECK_FALSE(set_cpu(level, "host"));
  CHECK_FALSE(level);
  for (const auto* odd : {"", "x86-64-v0", "x86-64-v5", "x86-64-v", "x86-64-v22", "v3"})
    CHECK(set_cpu(level, odd) == "expected a level from x86-64-v1 to x86-64-v4");
  std::string driver;
  for (const auto* odd : {"", ".1", "1.", "1..2", "v1"})
    CHECK(set_driver(driver, odd) == "expected a driver version as printed by nvidia-smi: 535.104.05");
  CHECK_FALSE(set_driver(driver, "535"));
  CHECK(driver == "535");
}

TEST_CASE("a format, a flag of dlopen and a code that there is not are told") {
  OutputFormat format{};
  CHECK_FALSE(set_format(format, "dot"));
  CHECK(format == OutputFormat::dot);
  CHECK(set_format(format, "odt") == "unknown format");
  std::vector<DlopenRequest> requests;
  CHECK(add_dlopen(requests, "a.so,glbal") == "`glbal` is not a flag of dlopen; did you mean `global`?");
  CHECK(add_dlopen(requests, "a.so,") == "`` is not a flag of dlopen");
  CHECK(requests.empty());
}

}  // namespace
}  // namespace cudald
