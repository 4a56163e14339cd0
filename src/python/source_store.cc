#include "python/source_store.h"

#include <algorithm>
#include <functional>

#include "base/find_bytes.h"
#include "python/parser.h"
#include "python/run_import.h"

namespace cudald::python {
namespace {

/// What binds names of a module unseen.
constexpr std::string_view tricks[] = {"globals",     "locals",   "vars",        "setattr",  "exec",
                                       "__getattr__", "__dict__", "global_enum", "_convert_"};
constexpr std::ptrdiff_t most_alike = 16;  ///< texts of one hash

/// What one source after another is parsed in, so that memory is not asked for each.
struct ParserRoom {
  static constexpr std::size_t most_tokens = 1 << 17;

  SyntaxTree tree{""};
  std::vector<Token> tokens;
};

}  // namespace

ParsedSource::ParsedSource(std::string text, std::shared_ptr<std::atomic<std::uint64_t>> kept)
    : text_(std::move(text)), kept_(std::move(kept)) {
  *kept_ += sizeof(*this) + text_.size();
}

template <typename Parse>
ParsedSource::PartRef ParsedSource::made_once(PartRef& known, Budget& budget, const Parse& parse) const {
  if (known && budget.allows(known->cost) && budget.add(known->cost)) return known;
  const auto before = budget.cost();
  thread_local ParserRoom room;
  room.tree.begin(text_);
  Parser parser(room.tree, budget, std::move(room.tokens));
  const auto block = parse(parser);
  auto made = std::make_shared<Part>(room.tree);
  made->block = block;
  made->complete = parser.complete();
  room.tokens = parser.take_room();
  if (room.tokens.capacity() > ParserRoom::most_tokens) room = ParserRoom();
  if (known || budget.exhausted()) return made;
  made->cost = budget.cost() - before;
  *kept_ += sizeof(Part) + made->tree.bytes();
  return known = made;
}

ParsedSource::PartRef ParsedSource::whole(Budget& budget) {
  const std::lock_guard lock(mutex_);
  return made_once(whole_, budget, [this](Parser& parser) { return parser.parse({0, text_.size()}); });
}

ParsedSource::PartRef ParsedSource::body(const Node& unread, Budget& budget) {
  const std::lock_guard lock(mutex_);
  const auto part = unread.text();
  const auto begin = static_cast<std::size_t>(part.data() - text_.data());
  return made_once(bodies_[unread.id()], budget,
                   [&](Parser& parser) { return parser.parse_body({begin, begin + part.size(), unread.line()}); });
}

std::optional<std::uint32_t> ParsedSource::first_trick() {
  std::call_once(trick_sought_, [this] { trick_ = first_mention(text_, tricks); });
  return trick_;
}

std::uint64_t SourceStore::forget() {
  const std::lock_guard lock(mutex_);
  const std::uint64_t bytes = *kept_;
  begin_anew();
  return bytes;
}

void SourceStore::begin_anew() {
  sources_.clear();
  kept_ = std::make_shared<std::atomic<std::uint64_t>>(0);
}

std::shared_ptr<ParsedSource> SourceStore::source(std::string_view path, std::string text) {
  const auto hash = std::hash<std::string_view>()(path) ^ text.size();
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = sources_.equal_range(hash);
  for (auto known = begin; known != end; ++known)
    if (known->second.path == path && known->second.source->text() == text) return known->second.source;
  const bool is_one_more = std::distance(begin, end) < most_alike;
  if (*kept_ > python_limits.kept) begin_anew();
  auto made = std::make_shared<ParsedSource>(std::move(text), kept_);
  if (is_one_more) sources_.emplace(hash, Known{std::string(path), made});
  return made;
}

std::optional<std::uint32_t> first_mention(std::string_view text, std::span<const std::string_view> words) {
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
