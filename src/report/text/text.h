#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/finding.h>
#include <cudald/writers.h>

#include "base/listed.h"

namespace cudald {

/// What a word means to the reader; the terminal gives it a colour.
enum class Tone { plain, strong, faint, label, good, caution, bad, info };

Tone tone_of(Verdict);
Tone tone_of(Level);

/// Breaks at blanks into lines of at most `width` columns. A longer word keeps its line: a path is
/// never cut. A newline in the text starts a new line.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

/// Writes text for people. Everything that goes through it must be fit for a terminal already
/// (escaped()).
class TextWriter {
 public:
  /// Where the bodies of sections start.
  static constexpr std::size_t body_column = 14;

  TextWriter(const TextStyle& style, std::ostream& out) : style_(style), out_(out) {}

  const TextStyle& style() const { return style_; }
  std::size_t width() const { return style_.width; }

  std::string painted(Tone, std::string_view text) const;
  /// Text that leads to the page of a finding, where such pages are published and the terminal has links.
  std::string linked(std::string_view code, std::string_view text) const;
  void line(std::string_view text = {}) { out_ << text << '\n'; }
  /// One paragraph from `indent` on.
  void paragraph(std::string_view text, std::size_t indent = 0, Tone tone = Tone::plain);
  /// One paragraph that ends with a sentence around a command, which stays on one line so that it can be pasted.
  void paragraph_before(std::string_view text, std::string_view command);
  /// A label, and a paragraph from body_column on; `note` stands at the right edge, where there is
  /// room for it.
  void labelled(std::string_view label, std::string_view body, std::size_t indent = 0, std::string_view note = {});

 private:
  const TextStyle& style_;
  std::ostream& out_;
};

}  // namespace cudald
