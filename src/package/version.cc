#include "package/version.h"

#include <algorithm>
#include <cctype>

#include "base/ascii.h"
#include "base/path.h"
#include "base/trimmed.h"
#include "package/wheel_texts.h"

namespace cudald {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<DistributionVersion> run() {
    DistributionVersion version;
    take("v");
    const auto first = number();
    if (!first) return std::nullopt;
    version.release.push_back(*first);
    if (take("!")) {
      version.epoch = *first;
      const auto begin = number();
      if (!begin) return std::nullopt;
      version.release = {*begin};
    }
    while (rest().size() > 1 && rest()[0] == '.' && is_digit(rest()[1])) {
      ++at_;
      const auto part = number();
      if (!part) return std::nullopt;
      version.release.push_back(*part);
    }
    while (version.release.size() > 1 && version.release.back() == 0) version.release.pop_back();
    read_pre(version);
    read_post(version);
    if (word({"dev"})) version.dev = number().value_or(0);
    // "1.0.dev1" comes before "1.0a1".
    if (version.pre_kind == 4 && version.post == 0 && version.dev != UINT64_MAX) version.pre_kind = 0;
    if (take("+") && !read_local(version)) return std::nullopt;
    return rest().empty() ? std::optional(version) : std::nullopt;
  }

 private:
  std::string_view rest() const { return text_.substr(at_); }

  bool take(std::string_view what) {
    if (!rest().starts_with(what)) return false;
    at_ += what.size();
    return true;
  }

  std::optional<std::uint64_t> number() {
    std::uint64_t value = 0;
    std::size_t digits = 0;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_, ++digits)
      value = value * 10 + static_cast<std::uint64_t>(text_[at_] - '0');
    return digits > 0 && digits < 19 ? std::optional(value) : std::nullopt;
  }

  /// One of these words, with a separator before and after it or none.
  bool word(std::initializer_list<std::string_view> words) {
    const auto begin = at_;
    if (!rest().empty() && std::string_view(".-_").find(rest()[0]) != std::string_view::npos) ++at_;
    for (const auto one : words)
      if (take(one)) {
        if (!rest().empty() && std::string_view(".-_").find(rest()[0]) != std::string_view::npos) ++at_;
        return true;
      }
    at_ = begin;
    return false;
  }

  void read_pre(DistributionVersion& version) {
    version.pre_kind = word({"alpha", "a"}) ? 1 : word({"beta", "b"}) ? 2 : word({"rc", "c", "preview", "pre"}) ? 3 : 4;
    if (version.pre_kind != 4) version.pre = number().value_or(0);
  }

  void read_post(DistributionVersion& version) {
    if (rest().size() > 1 && rest()[0] == '-' && is_digit(rest()[1])) {
      ++at_;
      version.post = number().value_or(0) + 1;
    } else if (word({"post", "rev", "r"})) {
      version.post = number().value_or(0) + 1;
    }
  }

  bool read_local(DistributionVersion& version) {
    for (const auto part : split(rest(), ".-_")) {
      if (part.empty() || !std::all_of(part.begin(), part.end(),
                                       [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }))
        return false;
      const bool numeric = part.size() < 19 && std::all_of(part.begin(), part.end(), is_digit);
      // A number counts for more than any word.
      if (numeric)
        version.local.emplace_back(std::stoull(std::string(part)) + 1, "");
      else
        version.local.emplace_back(0, std::string(part));
    }
    at_ = text_.size();
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool begins_alike(const DistributionVersion& version, const DistributionVersion& beginning, std::size_t parts) {
  if (version.epoch != beginning.epoch) return false;
  for (std::size_t i = 0; i < parts; ++i) {
    const auto part = [i](const DistributionVersion& v) { return i < v.release.size() ? v.release[i] : 0; };
    if (part(version) != part(beginning)) return false;
  }
  return true;
}

/// Numbers with dots between, after an epoch: how many there are as they are written, with trailing zeros.
std::size_t count_parts(std::string_view version) {
  if (const auto epoch = version.find('!'); epoch != std::string_view::npos) version.remove_prefix(epoch + 1);
  std::size_t count = 1;
  for (std::size_t i = 0; i + 1 < version.size(); ++i) {
    if (version[i] == '.' && is_digit(version[i + 1]))
      ++count;
    else if (!is_digit(version[i]) && i > 0)
      break;
  }
  return count;
}

/// One of ">=1.2,!=1.3.*,<2".
struct Specifier {
  std::string_view sign, text;
  DistributionVersion version;
  std::size_t parts = 0;  ///< of the release, as written
  bool any_end = false;   ///< ".*"
};

/// nullopt for what PEP 440 does not allow: ".*" only ends a release behind "==" and "!=", "~=" wants two parts, and
/// only "==" and "!=" take a local version.
std::optional<Specifier> parse_specifier(std::string_view specifier) {
  for (const std::string_view sign : {"===", "==", "~=", "!=", "<=", ">=", "<", ">"}) {
    if (!specifier.starts_with(sign)) continue;
    Specifier result{.sign = sign, .text = trimmed(specifier.substr(sign.size()), all_blanks)};
    if (sign == "===") return result;
    const bool exact = sign == "==" || sign == "!=";
    auto text = result.text;
    result.any_end = text.ends_with(".*");
    if (result.any_end) text.remove_suffix(2);
    const auto version = parse_version(text);
    if (!version || (!exact && (result.any_end || !version->local.empty()))) return std::nullopt;
    const bool plain = !version->is_prerelease() && version->post == 0 && version->local.empty();
    if (result.any_end && !plain) return std::nullopt;
    result.version = *version;
    result.parts = count_parts(text);
    return sign == "~=" && result.parts < 2 ? std::nullopt : std::optional(result);
  }
  return std::nullopt;
}

bool allows_one(const Specifier& specifier, std::string_view given, const DistributionVersion& version) {
  const auto& [sign, text, wanted, parts, any_end] = specifier;
  if (sign == "===") return text == given;
  auto plain = version;
  if (wanted.local.empty()) plain.local.clear();
  const bool equal = any_end ? begins_alike(version, wanted, parts) : plain == wanted;
  if (sign == "==") return equal;
  if (sign == "!=") return !equal;
  if (sign == "<=") return plain <= wanted;
  if (sign == ">=") return plain >= wanted;
  if (sign == "~=") return plain >= wanted && begins_alike(version, wanted, parts - 1);
  // 1.0rc1 is not below 1.0, nor is 1.0.post1 above it.
  const bool same_release = begins_alike(version, wanted, std::max(version.release.size(), wanted.release.size()));
  if (sign == "<") return plain < wanted && (wanted.is_prerelease() || !version.is_prerelease() || !same_release);
  return plain > wanted && (wanted.post != 0 || version.post == 0 || !same_release);
}

}  // namespace

std::optional<DistributionVersion> parse_version(std::string_view text) {
  std::string lower(trimmed(text, all_blanks));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return Parser(lower).run();
}

bool is_pinned(std::string_view version, std::string_view pin) {
  if (normal_version(version) == normal_version(pin)) return true;
  auto plain = parse_version(version);
  const auto wanted = parse_version(pin);
  if (!plain || !wanted) return false;
  if (wanted->local.empty()) plain->local.clear();
  return *plain == *wanted;
}

bool is_specifier(std::string_view text) { return parse_specifier(trimmed(text, all_blanks)).has_value(); }

bool allows(std::string_view specifiers, std::string_view text) {
  const auto version = parse_version(text);
  if (!version) return false;
  for (const auto part : split(specifiers, ",")) {
    if (trimmed(part, all_blanks).empty()) continue;
    const auto specifier = parse_specifier(trimmed(part, all_blanks));
    if (!specifier || !allows_one(*specifier, text, *version)) return false;
  }
  return true;
}

bool exclude_each_other(std::string_view specifiers, std::string_view others) {
  std::vector<Specifier> all;
  for (const auto text : {specifiers, others})
    for (const auto clause : split(text, ",")) {
      const auto specifier = parse_specifier(trimmed(clause, all_blanks));
      if (!specifier || specifier->sign == "===") return false;
      all.push_back(*specifier);
    }
  // Where versions are allowed, so is one at an end of them: a bound, or the next one above or below it.
  return std::none_of(all.begin(), all.end(), [&](const Specifier& specifier) {
    auto above = specifier.version, below = specifier.version;
    above.pre_kind = below.pre_kind = 4;
    above.dev = below.dev = UINT64_MAX;
    above.release.resize(std::max<std::size_t>(above.release.size(), specifier.parts), 0);
    above.release.insert(above.release.end(), {0, 0, 1});
    if (!below.release.empty()) {  // its last part is no zero
      --below.release.back();
      below.release.push_back(UINT32_MAX);
    }
    const auto candidates = {specifier.version, above, below};
    return std::any_of(candidates.begin(), candidates.end(), [&](const DistributionVersion& version) {
      return std::all_of(all.begin(), all.end(),
                         [&](const Specifier& one) { return allows_one(one, one.text, version); });
    });
  });
}

std::string specifiers_of_both(std::string_view specifiers, std::string_view others) {
  std::vector<std::string_view> all;
  const auto bounds = [](std::string_view clause, std::string_view than) {
    const auto one = parse_specifier(clause), other = parse_specifier(than);
    if (!one || !other || one->sign != other->sign) return false;
    const bool is_upper = one->sign == "<" || one->sign == "<=", is_lower = one->sign == ">" || one->sign == ">=";
    return (is_upper && one->version <= other->version) || (is_lower && one->version >= other->version);
  };
  for (const auto text : {specifiers, others})
    for (const auto part : split(text, ",")) {
      const auto clause = trimmed(part, all_blanks);
      const bool is_said = clause.empty() || std::any_of(all.begin(), all.end(), [&](std::string_view other) {
                             return other == clause || bounds(other, clause);
                           });
      if (is_said) continue;
      std::erase_if(all, [&](std::string_view other) { return bounds(clause, other); });
      all.push_back(clause);
    }
  std::string both;
  for (const auto clause : all) both += (both.empty() ? "" : ",") + std::string(clause);
  return both;
}

}  // namespace cudald
