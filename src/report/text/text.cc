#include "report/text/text.h"

#include <algorithm>

#include <fmt/format.h>

#include <cudald/finding.h>

#include "base/path.h"
#include "base/utf8.h"

namespace cudald {
namespace {

// Select Graphic Rendition parameters (ECMA-48): the terminal's own palette, so that its theme is
// respected.
std::string_view parameters(Tone tone) {
  switch (tone) {
    case Tone::plain: return "";
    case Tone::strong: return "1";
    case Tone::faint: return "2";
    case Tone::label: return "36";
    case Tone::good: return "1;32";
    case Tone::caution: return "1;33";
    case Tone::bad: return "1;31";
    case Tone::info: return "1;36";
  }
  return "";
}

void wrap_line(std::string_view text, std::size_t width, std::vector<std::string>& lines) {
  const std::size_t first = lines.size();
  for (const std::string_view word : split(text, " ")) {
    const bool starts_line = lines.size() == first;
    if (starts_line || display_width(lines.back()) + 1 + display_width(word) > width) {
      if (word.empty() && !starts_line) continue;
      lines.emplace_back(word);
    } else {
      (lines.back() += ' ') += word;
    }
  }
  for (std::size_t i = first; i < lines.size(); ++i)
    while (lines[i].ends_with(' ')) lines[i].pop_back();
}

}  // namespace

Tone tone_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::loads: return Tone::good;
    case Verdict::cpu_only:
    case Verdict::risk: return Tone::caution;
    case Verdict::fails:
    case Verdict::unknown: break;
  }
  return Tone::bad;
}

Tone tone_of(Level level) {
  switch (level) {
    case Level::error: return Tone::bad;
    case Level::warning: return Tone::caution;
    case Level::note: break;
  }
  return Tone::info;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, "\n")) wrap_line(line, width, lines);
  return lines;
}

std::string TextWriter::painted(Tone tone, std::string_view text) const {
  const std::string_view code = parameters(tone);
  if (!style_.colour || code.empty() || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

// OSC 8, "Hyperlinks in terminal emulators": ESC ] 8 ; ; URI ESC \\ text ESC ] 8 ; ; ESC \\.
std::string TextWriter::linked(std::string_view code, std::string_view text) const {
  if (style_.pages.empty()) return std::string(text);
  return fmt::format("\x1b]8;;{}/findings/{}/\x1b\\{}\x1b]8;;\x1b\\", style_.pages, code, text);
}

void TextWriter::paragraph(std::string_view text, std::size_t indent, Tone tone) {
  const std::size_t room = std::max(width(), indent + 20) - indent;
  for (const std::string& part : wrapped(text, room))
    line(part.empty() ? part : std::string(indent, ' ') + painted(tone, part));
}

void TextWriter::paragraph_before(std::string_view text, std::string_view command) {
  const auto all = std::string(text) + "  " + std::string(command);
  const auto whole = wrapped(all, std::max(width(), std::size_t{20}));
  const bool breaks = std::none_of(whole.begin(), whole.end(),
                                   [&](const std::string& part) { return part.find(command) != std::string::npos; });
  if (!breaks) return paragraph(all);
  if (display_width(text) < width()) return line(all);
  paragraph(text);
  line(command);
}

void TextWriter::labelled(std::string_view label, std::string_view body, std::size_t indent, std::string_view note) {
  std::string head = std::string(indent, ' ') + painted(Tone::label, label);
  const std::size_t head_width = indent + display_width(label);
  if (head_width + 1 > body_column) {
    line(head);
    head.clear();
  }
  std::string padding(head.empty() ? body_column : body_column - head_width, ' ');
  const std::size_t room = std::max(width(), body_column + 20) - body_column;
  bool note_written = note.empty();
  for (const std::string& part : wrapped(body, room)) {
    std::string text = head + padding + part;
    const std::size_t used = body_column + display_width(part);
    const std::size_t note_width = display_width(note);
    if (!note_written && used + 2 + note_width <= width()) {
      text += std::string(width() - used - note_width, ' ') + painted(Tone::faint, note);
      note_written = true;
    }
    while (text.ends_with(' ')) text.pop_back();
    line(text);
    head.clear();
    padding.assign(body_column, ' ');
  }
  if (!note_written) line(padding + painted(Tone::faint, note));
}

}  // namespace cudald
