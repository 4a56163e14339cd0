#include "python/source.h"

#include <algorithm>

namespace cudald::python {

Source::Source(std::string source_path, std::shared_ptr<ParsedSource> parsed, Budget& budget)
    : path(std::move(source_path)), parsed_(std::move(parsed)), budget_(budget) {
  complete_ = budget.keep(sizeof(*this) + path.size() + text().size());
  if (!complete_) return;
  whole_ = parsed_->whole(budget);
  complete_ = whole_->complete;
}

std::shared_ptr<const Source> Source::parse(std::string path, std::string text, Budget& budget, SourceStore* store) {
  SourceStore own;
  auto parsed = (store == nullptr ? own : *store).source(path, std::move(text));
  return std::shared_ptr<const Source>(new Source(std::move(path), std::move(parsed), budget));
}

Node Source::body(const Node& function) const {
  const auto body = function.back();
  if (!body.is(NodeKind::unread_body)) return body;
  auto& known = bodies_[body.id()];
  if (known == nullptr) {
    known = parsed_->body(body, budget_);
    complete_ = complete_ && known->complete;
  }
  return {known->tree, known->block};
}

std::string Source::line(std::uint32_t number) const {
  std::size_t begin = 0;
  for (std::uint32_t i = 1; i < number && begin < text().size(); ++i)
    begin = std::min(text().find('\n', begin), text().size() - 1) + 1;
  auto line = text().substr(begin, text().find('\n', begin) - begin);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return std::string(line.substr(0, line.find_last_not_of(" \t\r") + 1));
}

}  // namespace cudald::python
