#include "pyimport/sources/source.h"

#include <algorithm>

#include "pyimport/syntax/scanner.h"

namespace cudald::python {

Source::Source(SourceIdentity identity, SourceTexts* texts, Budget& budget, SourceStore* store)
    : identity_(std::move(identity)), texts_(texts), budget_(budget) {
  SourceStore own;
  parsed_ = (store == nullptr ? own : *store).source(identity_);
  identity_.text = parsed_->identity().text;  // the same letters, kept once
  const auto kept = identity_.text == nullptr ? 0 : identity_.text->size();
  complete_ = budget.keep(sizeof(*this) + path().size() + kept);
  if (!complete_) return;
  whole_ = parsed_->whole(reader(), budget);
  complete_ = whole_->complete;
}

std::shared_ptr<const Source> Source::parse(std::string path, std::string text, Budget& budget, SourceStore* store) {
  SourceIdentity identity{std::move(path), std::make_shared<const std::string>(std::move(text)), {}};
  return std::shared_ptr<const Source>(new Source(std::move(identity), nullptr, budget, store));
}

std::shared_ptr<const Source> Source::parse(SourceIdentity identity, SourceTexts& texts, Budget& budget,
                                            SourceStore* store) {
  return std::shared_ptr<const Source>(new Source(std::move(identity), &texts, budget, store));
}

SourceText Source::text() const {
  static const auto none = std::make_shared<const std::string>();
  auto text = texts_ == nullptr ? identity_.text : texts_->text(identity_);
  lost_ = lost_ || text == nullptr;
  return text == nullptr ? none : text;
}

Node Source::body(const Node& function) const {
  const auto body = function.back();
  if (!body.is(NodeKind::unread_body)) return body;
  auto& known = bodies_[body.id()];
  if (known == nullptr) {
    constexpr std::uint64_t bytes_of_a_step = 32;  // the text may have to be read anew
    complete_ = budget_.step(size() / bytes_of_a_step) && complete_;
    known = parsed_->body(body, reader(), budget_);
    complete_ = complete_ && known->complete;
  }
  return {known->tree, known->block};
}

bool Source::mentions_alone(std::string_view word) const {
  if (!mentions(word)) return false;
  const auto kept = text();
  const std::string_view all = *kept;
  bool complete = true;
  const auto tokens = scan(all, {0, all.size()}, budget_, complete);
  if (!complete) return true;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool behind_dot = i > 0 && tokens[i - 1].word == Word::dot;
    if (!behind_dot && all.substr(tokens[i].begin, tokens[i].size) == word) return true;
  }
  return false;
}

std::string Source::line(std::uint32_t number) const {
  const auto kept = text();
  const std::string_view all = *kept;
  std::size_t begin = 0;
  for (std::uint32_t i = 1; i < number && begin < all.size(); ++i)
    begin = std::min(all.find('\n', begin), all.size() - 1) + 1;
  auto line = all.substr(begin, all.find('\n', begin) - begin);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return std::string(line.substr(0, line.find_last_not_of(" \t\r") + 1));
}

}  // namespace cudald::python
