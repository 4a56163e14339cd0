#include "cli/options/option_values.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include <cudald/gpu_architecture.h>
#include <cudald/writers.h>

#include "base/path.h"
#include "base/similar_word.h"
#include "cli/options/option_table.h"
#include "package/wheel_texts.h"

namespace cudald {

std::optional<std::string> set(bool& flag) {
  flag = true;
  return std::nullopt;
}

std::optional<std::string> set_text(std::string& text, const std::string& value) {
  if (value.empty()) return "it is empty";
  text = value;
  return std::nullopt;
}

std::optional<std::string> add_extras(std::vector<std::string>& extras, const std::string& value) {
  for (const auto name : split(value, ",")) {
    if (name.empty()) return "an extra has a name";
    extras.push_back(normal_distribution_name(name));
  }
  return std::nullopt;
}

std::optional<std::string> add_text(std::vector<std::string>& texts, const std::string& value) {
  return set_text(texts.emplace_back(), value);
}

std::optional<std::string> set_number(std::optional<std::size_t>& number, const std::string& value, std::size_t least,
                                      std::size_t most) {
  std::size_t parsed = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, parsed);
  if (error != std::errc() || stop != end || parsed < least || parsed > most)
    return fmt::format("expected a number from {} to {}", least, most);
  number = parsed;
  return std::nullopt;
}

std::optional<std::string> set_number(std::uint64_t& number, const std::string& value, std::size_t least,
                                      std::size_t most) {
  std::optional<std::size_t> parsed;
  auto complaint = set_number(parsed, value, least, most);
  if (parsed) number = *parsed;
  return complaint;
}

std::optional<std::string> set_size(std::uint64_t& bytes, const std::string& value) {
  constexpr std::array<std::string_view, 5> units = {"", "KiB", "MiB", "GiB", "TiB"};
  constexpr std::uint64_t most = std::uint64_t{1} << 60;
  std::uint64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  const auto unit = std::find(units.begin(), units.end(), std::string_view(stop, end));
  const auto shift = 10 * (unit - units.begin());
  if (error != std::errc() || unit == units.end() || number == 0 || number > most >> shift)
    return "expected a size such as 500000, 64MiB or 8GiB";
  bytes = number << shift;
  return std::nullopt;
}

std::optional<std::string> set_time(std::chrono::milliseconds& time, const std::string& value) {
  constexpr unsigned most = 24 * 60 * 60;
  unsigned number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  const std::string_view unit(stop, end);
  if (unit == "min" && number <= most) number *= 60;
  if (error != std::errc() || (unit != "" && unit != "s" && unit != "min") || number == 0 || number > most)
    return "expected a time of up to a day, such as 60s or 5min";
  time = std::chrono::seconds(number);
  return std::nullopt;
}

std::optional<std::string> set_shard(Options& options, const std::string& value) {
  const auto shard = shard_of(value);
  if (!shard) return shard.error().message;
  options.scan.shard = *shard;
  return std::nullopt;
}

std::optional<std::string> set_libc(std::optional<LibcVersion>& libc, const std::string& value) {
  const auto parsed = parse_libc(value);
  if (!parsed) return parsed.error().message;
  libc = *parsed;
  return std::nullopt;
}

std::optional<std::string> set_platform(Options& options, const std::string& value) {
  const auto dash = value.find('-');
  options.world.machine.reset();
  options.world.windows.reset();
  if (dash == std::string::npos) return std::nullopt;
  options.world.machine = machine_number(value.substr(dash + 1));
  options.world.windows = value.starts_with("windows");
  return std::nullopt;
}

std::optional<std::string> set_python(std::string& version, const std::string& value) {
  const bool digits = value.size() > 2 && value.size() < 5 && value.starts_with("3.") &&
                      value.find_first_not_of("0123456789", 2) == std::string::npos;
  if (!digits) return "expected 3.N, as in 3.11";
  version = value;
  return std::nullopt;
}

std::optional<std::string> set_sandbox(SandboxWish& wish, const std::string& value) {
  wish = value == "auto" ? SandboxWish::automatic : value == "require" ? SandboxWish::required : SandboxWish::off;
  return std::nullopt;
}

std::optional<std::string> set_progress(ProgressWish& wish, const std::string& value) {
  wish = value == "auto" ? ProgressWish::automatic : value == "plain" ? ProgressWish::plain : ProgressWish::never;
  return std::nullopt;
}

// Source: Microsoft's SetDefaultDllDirectories, which takes these flags and no other.
std::optional<std::string> set_search_flags(std::optional<std::uint32_t>& flags, const std::string& value) {
  constexpr std::uint32_t allowed = 0x200 | 0x400 | 0x800 | 0x1000;
  const bool hex = value.starts_with("0x");
  std::uint32_t number = 0;
  const auto* end = value.data() + value.size();
  const auto read = std::from_chars(value.data() + (hex ? 2 : 0), end, number, hex ? 16 : 10);
  if (read.ec != std::errc() || read.ptr != end || number == 0 || (number & ~allowed) != 0)
    return "expected a sum of 0x200, 0x400, 0x800 and 0x1000";
  flags = number;
  return std::nullopt;
}

std::optional<std::string> set_cpu(std::optional<int>& level, const std::string& value) {
  level.reset();
  if (value == "host") return std::nullopt;
  const std::string_view before = "x86-64-v";
  const auto number = value.starts_with(before) ? std::string_view(value).substr(before.size()) : "";
  if (number.size() != 1 || number[0] < '1' || number[0] > '4') return "expected a level from x86-64-v1 to x86-64-v4";
  level = number[0] - '0';
  return std::nullopt;
}

std::optional<std::string> set_driver(std::string& driver, const std::string& value) {
  const bool good = !value.empty() && value.find_first_not_of("0123456789.") == std::string::npos &&
                    value.front() != '.' && value.back() != '.' && value.find("..") == std::string::npos;
  if (!good) return "expected a driver version as printed by nvidia-smi: 535.104.05";
  driver = value;
  return std::nullopt;
}

/// What was probably meant by a word that is not a GPU: "sm_90" for "sm90" and for "H100"; else empty.
/// Source: NVIDIA's list of GPUs and their compute capability, developer.nvidia.com/cuda-gpus.
std::string similar_gpu(const std::string& value) {
  constexpr std::pair<std::string_view, std::string_view> models[] = {
      {"p100", "sm_60"},   {"v100", "sm_70"}, {"t4", "sm_75"},   {"a100", "sm_80"},  {"a10", "sm_86"},
      {"a40", "sm_86"},    {"3090", "sm_86"}, {"l4", "sm_89"},   {"l40", "sm_89"},   {"l40s", "sm_89"},
      {"4090", "sm_89"},   {"h100", "sm_90"}, {"h200", "sm_90"}, {"gh200", "sm_90"}, {"b200", "sm_100"},
      {"gb200", "sm_100"}, {"5090", "sm_120"}};
  std::string word, digits;
  for (const char c : value) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (c >= '0' && c <= '9') digits += c;
  }
  if (word.starts_with("rtx")) word.erase(0, 3);
  for (const auto& [model, gpu] : models)
    if (word == model) return std::string(gpu);
  const bool architecture = word.starts_with("sm") || word.starts_with("compute") || word == digits;
  return architecture && parse_gpu("sm_" + digits) ? "sm_" + digits : "";
}

std::optional<std::string> add_gpu(std::vector<GpuArchitecture>& gpus, const std::string& value) {
  const auto gpu = parse_gpu(value);
  if (!gpu)
    return std::string("expected a GPU as sm_90 or, as nvidia-smi --query-gpu=compute_cap prints it, 9.0") +
           did_you_mean(similar_gpu(value));
  if (std::find(gpus.begin(), gpus.end(), *gpu) == gpus.end()) gpus.push_back(*gpu);
  return std::nullopt;
}

std::optional<std::string> add_gpus(Options& options, const std::string& value) {
  if (value != "none") return add_gpu(options.world.gpus, value);
  options.world.machine_gpus = false;
  return std::nullopt;
}

std::optional<std::string> set_level(std::optional<Level>& level, const std::string& value) {
  level.reset();
  for (const Level each : {Level::error, Level::warning, Level::note})
    if (to_string(each) == value) level = each;
  return std::nullopt;
}

std::optional<std::string> set_format(OutputFormat& format, const std::string& value) {
  const auto known = find_format(value);
  if (!known) return "unknown format";
  format = *known;
  return std::nullopt;
}

std::optional<std::string> add_output(Options& options, const std::string& value) {
  const auto equals = value.find('=');
  const auto format = equals == std::string::npos ? std::nullopt : find_format(value.substr(0, equals));
  if (!format) {
    auto complaint = set_text(options.output.path, value);
    if (options.output.path == "-") options.output.path.clear();
    return complaint;
  }
  const auto name = value.substr(0, equals), path = value.substr(equals + 1);
  if (path.empty()) return fmt::format("`{}=` names no file", name);
  if (path == "-") return fmt::format("`-f {}` writes to standard output; `-o {}=FILE` wants a file", name, name);
  if (!has_format(options.command, name))
    return fmt::format("`{}` does not write {}", rule_of(options.command).name, name);
  constexpr std::size_t most = 15;
  if (options.output.documents.size() == most) return fmt::format("more than {} files at a time", most);
  options.output.documents.push_back({*format, path});
  return std::nullopt;
}

std::optional<std::string> set_colour(ColourWish& wish, const std::string& value) {
  wish = value == "always" ? ColourWish::always : value == "never" ? ColourWish::never : ColourWish::automatic;
  return std::nullopt;
}

std::optional<std::string> add_variable(Options& options, const std::string& value) {
  const std::size_t equals = value.find('=');
  if (equals == std::string::npos || equals == 0) return "expected NAME=VALUE";
  options.process.variables.emplace_back(value.substr(0, equals), value.substr(equals + 1));
  return std::nullopt;
}

std::optional<std::string> add_dlopen(std::vector<DlopenRequest>& requests, const std::string& value) {
  const std::vector<std::string_view> parts = split(value, ",");
  DlopenRequest request;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i] == "global") {
      request.traits.global = true;
    } else if (parts[i] == "now") {
      request.traits.bind_now = true;
    } else if (parts[i] == "deepbind") {
      request.traits.deepbind = true;
    } else {
      return fmt::format("`{}` is not a flag of dlopen{}", escaped(parts[i]),
                         did_you_mean(parts[i], {"global", "now", "deepbind"}));
    }
  }
  const std::size_t at = parts.front().rfind('@');
  request.name = parts.front().substr(0, at);
  if (at != std::string_view::npos) request.caller = parts.front().substr(at + 1);
  requests.push_back(std::move(request));
  return std::nullopt;
}

std::optional<std::string> add_codes(std::vector<std::string>& codes, const std::string& value) {
  for (const std::string_view word : split(value, ",")) {
    if (const FindingRule* rule = find_rule(word)) {
      codes.emplace_back(rule->code);
      continue;
    }
    std::string beginning(word);
    std::transform(beginning.begin(), beginning.end(), beginning.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    const auto catalogue = finding_catalogue();
    const bool known =
        !beginning.empty() && std::any_of(catalogue.begin(), catalogue.end(),
                                          [&](const FindingRule& rule) { return rule.code.starts_with(beginning); });
    if (!known) {
      std::vector<std::string_view> words;
      for (const FindingRule& rule : catalogue) words.insert(words.end(), {rule.code, rule.name});
      const auto hint = did_you_mean(word, words);
      return fmt::format("no finding is called `{}`{}", escaped(word),
                         hint.empty() ? "; `cudald rule` lists them" : hint);
    }
    codes.push_back(std::move(beginning));
  }
  return std::nullopt;
}

std::optional<std::string> add_level(std::vector<std::pair<std::string, Level>>& levels, const std::string& value) {
  const auto equals = value.find('=');
  if (equals == std::string::npos || equals == 0) return "expected CODE=LEVEL, such as CUD108=error";
  std::vector<std::string> codes;
  if (auto complaint = add_codes(codes, value.substr(0, equals))) return complaint;
  const auto word = value.substr(equals + 1);
  for (const auto level : {Level::error, Level::warning, Level::note}) {
    if (word != to_string(level)) continue;
    for (const auto& code : codes) levels.emplace_back(code, level);
    return std::nullopt;
  }
  return fmt::format("unknown level `{}`; expected error, warning or note{}", escaped(word),
                     did_you_mean(word, {"error", "warning", "note"}));
}

}  // namespace cudald
