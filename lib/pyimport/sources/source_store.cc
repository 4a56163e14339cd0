#include "pyimport/sources/source_store.h"

#include <algorithm>
#include <functional>
#include <set>

#include "base/find_bytes.h"
#include "pyimport/run_import.h"
#include "pyimport/syntax/parser.h"

namespace cudald::python {
namespace {

/// What binds names of a module unseen.
constexpr std::string_view tricks[] = {"globals",     "locals",   "vars",        "setattr",  "exec",
                                       "__getattr__", "__dict__", "global_enum", "_convert_"};
/// What functions do it with.
constexpr std::string_view rebinding[] = {"global", "globals", "setattr", "exec", "__dict__", "modules"};
constexpr std::string_view tricks_unseen[] = {"locals", "vars", "exec", "global_enum", "_convert_"};
/// Of CDLL, WinDLL, PyDLL, LoadLibrary, find_library and dlopen.
constexpr std::string_view signs_of_loading[] = {"DLL", "LoadLibrary", "find_library", "dlopen"};
constexpr std::ptrdiff_t most_alike = 16;  ///< sources of one hash

/// What one source after another is parsed in, so that memory is not asked for each.
struct ParserRoom {
  static constexpr std::size_t most_tokens = 1 << 17;

  SyntaxTree tree{""};
  std::vector<Token> tokens;
};

bool has_sign_of_loading(std::string_view text) {
  return std::any_of(std::begin(signs_of_loading), std::end(signs_of_loading),
                     [&](std::string_view sign) { return holds_bytes(text, sign); });
}

/// Whether the dictionary of the module's names, which a call at this place gives, goes into a name, an item or a
/// method that is followed, or where it is only read.
bool follows_names(std::string_view text, std::size_t at, std::string_view call) {
  constexpr std::string_view followed[] = {"[", ".get(", ".keys(", ".update(", ".items(", ".values(", ".copy("};
  constexpr std::string_view readers[] = {" in ", "set(", "list(", "tuple(", "sorted(", "dict(", "len(", "iter("};
  const auto before = text.substr(0, at), rest = text.substr(at + call.size());
  const bool is_bound = before.ends_with("= ") && (rest.empty() || rest.front() == '\n');
  const bool is_read = std::any_of(std::begin(readers), std::end(readers), [&](std::string_view one) {
    return before.ends_with(one) &&
           (one.front() == ' ' || before.size() == one.size() || !is_name_part(before[before.size() - one.size() - 1]));
  });
  return is_bound || is_read ||
         std::any_of(std::begin(followed), std::end(followed), [&](auto one) { return rest.starts_with(one); });
}

/// Whether what globals() gives goes anywhere else.
bool hands_on_globals(std::string_view text) {
  constexpr std::string_view call = "globals()";
  for (auto at = find_bytes(text, call); at != std::string_view::npos; at = find_bytes(text, call, at + call.size()))
    if (!follows_names(text, at, call)) return true;
  return false;
}

/// Whether a dictionary, of which the text has what stands behind it, is only read: its names, or an item that is
/// called, given away or assigned.
bool reads_item(std::string_view behind) {
  constexpr std::string_view reading[] = {".get(", ".keys()", ".copy()"};
  if (std::any_of(std::begin(reading), std::end(reading), [&](auto one) { return behind.starts_with(one); }))
    return true;
  if (!behind.starts_with('[')) return false;
  std::size_t end = 1;
  for (int open = 1; end < behind.size() && behind[end] != '\n' && open > 0; ++end)
    open += behind[end] == '[' ? 1 : behind[end] == ']' ? -1 : 0;
  return end >= behind.size() || behind[end] == '\n' || behind[end] == '(' || behind[end] == ')';
}

/// The line of the first of these words, as a name, of which `counts(place, word)` says so.
template <typename Counts>
std::optional<std::uint32_t> first_mention(std::string_view text, std::span<const std::string_view> words,
                                           const Counts& counts) {
  for (auto found = find_any_bytes(text, words); found; found = find_any_bytes(text, words, found->at + 1)) {
    const auto end = found->at + words[found->part].size();
    const bool begins = found->at == 0 || !is_name_part(text[found->at - 1]);
    const bool ends = end >= text.size() || !is_name_part(text[end]);
    if (!begins || !ends || !counts(found->at, words[found->part])) continue;
    return static_cast<std::uint32_t>(1 + std::count(text.begin(), text.begin() + found->at, '\n'));
  }
  return std::nullopt;
}

/// Whether a place is in the body of a class or function, by its indentation; nullopt where that begins far before it.
std::optional<bool> is_in_body(std::string_view text, std::size_t at) {
  constexpr std::size_t most_lines = 500;  // it is asked of each place
  std::size_t depth = std::string_view::npos;
  for (std::size_t lines = 0, end = text.find('\n', at); lines < most_lines; ++lines) {
    const auto begin = end == 0 ? 0 : text.rfind('\n', end == std::string_view::npos ? end : end - 1) + 1;
    auto line = text.substr(begin, end - begin);
    const auto indent = std::min(line.find_first_not_of(" \t"), line.size());
    line.remove_prefix(indent);
    const bool is_code = !line.empty() && line.front() != '#' && line.front() != '\r';
    if (is_code && depth != std::string_view::npos && indent < depth &&
        (line.starts_with("class ") || line.starts_with("def ") || line.starts_with("async def ")))
      return true;
    if (is_code) depth = std::min(depth, indent);
    if (depth == 0 || begin == 0) return false;
    end = begin - 1;
  }
  return std::nullopt;
}

/// A name at the beginning of a text.
std::string_view name_at(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_name_part(text[end])) ++end;
  return text.substr(0, end);
}

/// The classes and functions that a source defines: none of these is the module itself.
class DefinedNames {
 public:
  explicit DefinedNames(std::string_view text) : text_(text) {}

  /// Whether `setattr(NAME, ...)` or `NAME.__dict__` is about one of them.
  bool own(std::size_t at, std::string_view word) {
    if (word == "setattr" && text_.substr(at + word.size()).starts_with("(")) {
      const auto name = name_at(text_.substr(at + word.size() + 1));
      return text_.substr(at + word.size() + 1 + name.size()).starts_with(",") && holds(name);
    }
    if (word != "__dict__" || at == 0 || text_[at - 1] != '.') return false;
    auto begin = at - 1;
    while (begin > 0 && is_name_part(text_[begin - 1])) --begin;
    const bool whole = begin == 0 || text_[begin - 1] != '.';
    return whole && holds(text_.substr(begin, at - 1 - begin));
  }

 private:
  bool holds(std::string_view name) {
    constexpr std::size_t most = 10'000;
    constexpr std::string_view words[] = {"class ", "def "};
    for (auto found = is_read_ ? std::nullopt : find_any_bytes(text_, words); found && names_.size() < most;
         found = find_any_bytes(text_, words, found->at + 1)) {
      const bool begins = found->at == 0 || text_[found->at - 1] == '\n' || text_[found->at - 1] == ' ';
      if (begins) names_.insert(name_at(text_.substr(found->at + words[found->part].size())));
    }
    is_read_ = true;
    return names_.contains(name);
  }

  std::string_view text_;
  std::set<std::string_view> names_;
  bool is_read_ = false;
};

/// Whether a function gives names to the module that it is in by `setattr(dtypes, name, value)`, as numpy.dtypes does:
/// compiled code may call it.
bool sets_own_attributes(std::string_view text, std::string_view path) {
  auto own = path.substr(0, path.rfind('.'));
  if (own.ends_with("/__init__")) own = own.substr(0, own.rfind('/'));
  const auto call = "setattr(" + std::string(own.substr(own.rfind('/') + 1)) + ",";
  return holds_bytes(text, call);
}

}  // namespace

ParsedSource::ParsedSource(const SourceIdentity& identity, std::shared_ptr<std::atomic<std::uint64_t>> kept)
    : identity_(identity), kept_(std::move(kept)) {
  *kept_ += sizeof(*this) + (identity_.text == nullptr ? 0 : identity_.text->size());
}

template <typename Parse>
ParsedSource::PartRef ParsedSource::made_once(PartRef& known, const Reader& read, Budget& budget,
                                              const Parse& parse) const {
  if (known && budget.allows(known->cost) && budget.add(known->cost)) return known;
  const auto before = budget.cost();
  const auto text = read();
  if (text->size() != identity_.size()) {
    auto lost = std::make_shared<Part>(SyntaxTree(""), true);
    lost->complete = false;
    return lost;
  }
  thread_local ParserRoom room;
  room.tree.begin(*text);
  Parser parser(room.tree, budget, std::move(room.tokens));
  const auto block = parse(parser);
  auto made = std::make_shared<Part>(room.tree, identity_.text != nullptr);
  room.tree.begin("");
  made->block = block;
  made->malformed = parser.malformed();
  made->complete = parser.complete() && budget.keep(made->tree.bytes_of_texts());
  room.tokens = parser.take_room();
  if (room.tokens.capacity() > ParserRoom::most_tokens) room = ParserRoom();
  if (known || budget.exhausted()) return made;
  made->cost = budget.cost() - before;
  *kept_ += sizeof(Part) + made->tree.bytes() + made->tree.bytes_of_texts();
  return known = made;
}

ParsedSource::PartRef ParsedSource::whole(const Reader& read, Budget& budget) {
  const std::lock_guard lock(mutex_);
  return made_once(whole_, read, budget, [this](Parser& parser) { return parser.parse({0, identity_.size()}); });
}

ParsedSource::PartRef ParsedSource::body(const Node& unread, const Reader& read, Budget& budget) {
  const std::lock_guard lock(mutex_);
  return made_once(bodies_[unread.id()], read, budget,
                   [&](Parser& parser) { return parser.parse_body(unread.excerpt()); });
}

std::optional<std::uint32_t> ParsedSource::first_trick(const Reader& read) {
  std::call_once(trick_sought_, [&] {
    const auto text = read();
    const bool is_lost = text->size() != identity_.size();  // then it may name anything
    DefinedNames defined(*text);
    const auto may_bind = [&](auto at, auto word) { return !binds_no_name(*text, at, word) && !defined.own(at, word); };
    trick_ = is_lost ? std::optional<std::uint32_t>(1) : first_mention(*text, tricks, may_bind);
  });
  return trick_;
}

bool ParsedSource::may_bind_unseen(const Reader& read) {
  std::call_once(unseen_sought_, [&] {
    const auto text = read();
    const bool is_lost = text->size() != identity_.size();
    const auto may_bind = [&](std::size_t at, std::string_view word) {
      // At the top of a module these two give what globals() gives.
      const bool is_plain = word == "locals" || word == "vars";
      if (is_plain && std::string_view(*text).substr(at + word.size()).starts_with("()"))
        return is_in_body(*text, at) != true && !follows_names(*text, at, std::string(word) + "()");
      return !binds_no_name(*text, at, word);
    };
    may_bind_unseen_ = is_lost || first_mention(*text, tricks_unseen, may_bind) || hands_on_globals(*text) ||
                       sets_own_attributes(*text, identity_.path);
  });
  return may_bind_unseen_;
}

bool ParsedSource::may_rebind(const Reader& read) {
  std::call_once(rebinding_sought_, [&] {
    const auto text = read();
    DefinedNames defined(*text);
    const auto may_rebind = [&](std::size_t at, std::string_view word) {
      if (is_in_body(*text, at) == false) return false;
      if (word == "modules") return std::string_view(*text).substr(0, at).ends_with("sys.");
      return !binds_no_name(*text, at, word) && !defined.own(at, word);
    };
    may_rebind_ = text->size() != identity_.size() || first_mention(*text, rebinding, may_rebind);
  });
  return may_rebind_;
}

bool ParsedSource::may_load_libraries(const Reader& read) {
  std::call_once(signs_sought_, [&] { has_sign_of_loading_ = has_sign_of_loading(*read()); });
  return has_sign_of_loading_;
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

std::shared_ptr<ParsedSource> SourceStore::source(const SourceIdentity& identity) {
  const auto hash = std::hash<std::string_view>()(identity.path) ^ identity.size();
  const std::lock_guard lock(mutex_);
  const auto [begin, end] = sources_.equal_range(hash);
  for (auto known = begin; known != end; ++known)
    if (known->second->identity() == identity) return known->second;
  const bool is_one_more = std::distance(begin, end) < most_alike;
  if (*kept_ > python_limits.kept) begin_anew();
  auto made = std::make_shared<ParsedSource>(identity, kept_);
  if (is_one_more) sources_.emplace(hash, made);
  return made;
}

std::optional<std::uint32_t> first_mention(std::string_view text, std::span<const std::string_view> words) {
  return first_mention(text, words, [](std::size_t, std::string_view) { return true; });
}

bool may_bind_for_callers(std::string_view text) {
  constexpr std::string_view words[] = {"f_globals"};
  return first_mention(text, words, [&](auto at, auto word) { return !binds_no_name(text, at, word); }).has_value();
}

bool binds_no_name(std::string_view text, std::size_t at, std::string_view word) {
  const auto before = text.substr(0, at), behind = text.substr(at + word.size());
  const auto follows = [&](std::initializer_list<std::string_view> words) {
    return std::any_of(words.begin(), words.end(), [&](auto one) { return behind.starts_with(one); });
  };
  // Prose mentions these, and methods are called so.
  const bool called = follows({"("}) && !follows({"() "}) && !before.ends_with('.');
  if ((word == "locals" || word == "vars") && follows({"()"}) && is_in_body(text, at) == true) return true;
  if (word == "locals" || word == "vars" || word == "exec") return !called || follows({"(self)", "(cls)"});
  if (word == "setattr") return follows({"(self,", "(cls,"});
  if (word == "__dict__") return before.ends_with("self.") || before.ends_with(".__class__.");
  if (word == "f_globals") return reads_item(behind);
  if (word != "globals") return false;
  // An attribute or a parameter of that name, as engines of templates have; `other = globals` is none.
  const auto next = std::min(behind.find_first_not_of(" \t"), behind.size());
  const bool ends = next == behind.size() || behind[next] == '\n';
  if (before.ends_with('.') || (ends ? !before.ends_with("= ") : behind[next] != '(')) return true;
  return !before.ends_with("del ") && behind.starts_with("()") && reads_item(behind.substr(2));
}

}  // namespace cudald::python
