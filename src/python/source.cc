#include "python/source.h"

#include <algorithm>

#include "base/find_bytes.h"
#include "python/parser.h"

namespace cudald::python {

Source::Source(std::string source_path, std::string source_text, Budget& budget)
    : path(std::move(source_path)), text_(std::move(source_text)), budget_(budget), tree_(text_) {
  complete_ = budget.keep(sizeof(*this) + path.size() + text_.size());
  if (!complete_) return;
  Parser parser(tree_, budget);
  block_ = parser.parse({0, text_.size()});
  complete_ = parser.complete();
}

std::shared_ptr<const Source> Source::parse(std::string path, std::string text, Budget& budget) {
  return std::shared_ptr<const Source>(new Source(std::move(path), std::move(text), budget));
}

Node Source::body(const Node& function) const {
  const auto body = function.back();
  if (!body.is(NodeKind::unread_body)) return body;
  const auto [at, is_new] = bodies_.try_emplace(body.index(), 0);
  if (is_new) {
    const auto row = tree_.row(body.index());
    Parser parser(tree_, budget_);
    at->second = parser.parse_body({row.begin, std::size_t{row.begin} + row.size, row.line});
    complete_ = complete_ && parser.complete();
  }
  return {tree_, at->second};
}

std::string Source::line(std::uint32_t number) const {
  std::size_t begin = 0;
  for (std::uint32_t i = 1; i < number && begin < text_.size(); ++i)
    begin = std::min(text_.find('\n', begin), text_.size() - 1) + 1;
  auto text = std::string_view(text_).substr(begin, text_.find('\n', begin) - begin);
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return std::string(text.substr(0, text.find_last_not_of(" \t\r") + 1));
}

std::optional<std::uint32_t> Source::first_mention(std::span<const std::string_view> words) const {
  const std::string_view text = text_;
  for (auto found = find_any_bytes(text, words); found; found = find_any_bytes(text, words, found->at + 1)) {
    const auto end = found->at + words[found->part].size();
    const bool begins = found->at == 0 || !is_name_part(text[found->at - 1]);
    const bool ends = end >= text.size() || !is_name_part(text[end]);
    if (!begins || !ends) continue;
    return static_cast<std::uint32_t>(1 + std::count(text.begin(), text.begin() + found->at, '\n'));
  }
  return std::nullopt;
}

}  // namespace cudald::python
