// `import matplotlib.style` and then `style.core.x`: a part of a package is an attribute of it once anything has
// imported it, be it a function that was not followed. What may have done so is loaded, and says so in its text: in an
// import statement, as the name that it hands to import_module(), or in the bytes of a compiled module.
// Source: Python Language Reference, 5.4.2, Submodules.
#include "pyimport/run/unseen_imports.h"

#include <algorithm>
#include <vector>

#include "base/find_bytes.h"
#include "pyimport/run/interpreter.h"
#include "pyimport/syntax/scanner.h"

namespace cudald::python {
namespace {

/// Bytes of texts that one import divides into tokens for this; then nothing is sure any more.
constexpr std::uint64_t most_tokenised = std::uint64_t{32} << 20;
constexpr CostLimits limits_of_scanning{.kept = std::uint64_t{64} << 20, .steps = 20'000'000};

bool holds_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return holds_bytes(text, word); });
}

/// The letters of a text literal between its quotes.
std::string_view between_quotes(std::string_view literal) {
  const auto begin = literal.find_first_of("'\"");
  if (begin == std::string_view::npos) return {};
  const auto inner = literal.find_first_not_of(literal[begin], begin);
  const auto end = literal.find_last_not_of(literal[begin]);
  return inner == std::string_view::npos || end < inner ? std::string_view() : literal.substr(inner, end + 1 - inner);
}

/// The part of a package that is asked for, as code may name it.
struct WantedPart {
  std::string whole;      ///< "matplotlib.style.core"
  std::string_view part;  ///< "core"
  std::string_view top;   ///< "matplotlib"
};

/// Walks through the tokens of a source, and knows in which class or function at its top they stand.
class Walk {
 public:
  Walk(std::string_view text, const std::vector<Token>& tokens) : text_(text), tokens_(tokens) {
    look_for_definition();
  }

  bool at_end() const { return at_ == tokens_.size(); }
  const Token& token() const { return tokens_[at_]; }
  std::string_view word() const { return text_.substr(token().begin, token().size); }
  /// Empty outside of any.
  std::string_view definition() const { return definition_; }

  void go_on() {
    if (opens(token().word)) ++open_;
    if (closes(token().word)) --open_;
    ++at_;
    look_for_definition();
  }

 private:
  void look_for_definition() {
    if (at_end() || open_ > 0) return;
    const auto begin = token().begin;
    const bool is_first = begin == 0 || text_[begin - 1] == '\n';
    if (!is_first || token().kind == TokenKind::line_end) return;
    const auto def = at_ + (token().word == Word::async ? 1 : 0);
    const bool defines =
        def + 1 < tokens_.size() && (tokens_[def].word == Word::def || tokens_[def].word == Word::class_);
    definition_ = defines ? text_.substr(tokens_[def + 1].begin, tokens_[def + 1].size) : std::string_view();
  }

  std::string_view text_;
  const std::vector<Token>& tokens_;
  std::size_t at_ = 0;
  int open_ = 0;
  std::string_view definition_;
};

/// The definitions at the top in which code may import the part: by an import statement that has its names, or by a
/// text that names it, for a function that imports it. Of the package's own code, of which the names may be relative,
/// the name of the part is enough.
std::vector<std::string_view> places_of_imports(std::string_view text, const std::vector<Token>& tokens,
                                                const WantedPart& wanted, bool own, bool computes) {
  std::vector<std::string_view> places;
  Walk walk(text, tokens);
  const auto names_part = [&](std::string_view literal) {
    const auto words = between_quotes(literal);
    const bool is_whole = words == wanted.whole || words.starts_with(wanted.whole + ".");
    return is_whole || (own && (words == wanted.part || words.ends_with("." + std::string(wanted.part))));
  };
  for (; !walk.at_end(); walk.go_on()) {
    const auto word = walk.token().word;
    if (computes && walk.token().kind == TokenKind::string && names_part(walk.word()))
      places.push_back(walk.definition());
    if (word != Word::import && word != Word::from && word != Word::cimport) continue;
    const auto place = walk.definition();
    bool has_part = false, has_top = own;
    for (; !walk.at_end() && walk.token().kind != TokenKind::line_end; walk.go_on()) {
      has_part = has_part || walk.word() == wanted.part;
      has_top = has_top || walk.word() == wanted.top;
    }
    if (has_part && has_top) places.push_back(place);
    if (walk.at_end()) break;
  }
  return places;
}

}  // namespace

bool UnseenImports::may_import_by_source(const Module& module, const Module& package, const std::string& part) {
  const auto kept = module.source->text();
  const std::string_view text = *kept;
  heap_.look_at(text.size());
  const WantedPart wanted{package.name + "." + part, part,
                          std::string_view(package.name).substr(0, package.name.find('.'))};
  const bool own = is_within(module.name, wanted.top);
  const bool computes = holds_any(text, {"import_module", "__import__", "exec("});
  const bool lists = holds_any(text, {"iter_modules", "walk_packages", "listdir", "scandir", ".glob(", "iterdir"});
  if (text.size() != module.source->size() || (own && computes && lists)) return true;
  if (!holds_bytes(text, part) || (!own && !holds_bytes(text, wanted.top))) return false;
  effort_ += text.size();
  Budget budget(limits_of_scanning);
  bool complete = effort_ <= most_tokenised;
  const auto tokens = complete ? scan(text, {0, text.size()}, budget, complete) : std::vector<Token>();
  heap_.work(tokens.size());
  if (!complete) return true;
  const auto places = places_of_imports(text, tokens, wanted, own, computes);
  // What was followed has imported it. A function that was not has not run, unless code that is not followed calls it.
  return std::any_of(places.begin(), places.end(), [&](std::string_view definition) {
    return definition.empty() || python_.escapes.has_escaped(module, definition);
  });
}

bool UnseenImports::may_import(const Module& module, const Module& package, const std::string& part) {
  if (module.source != nullptr) return may_import_by_source(module, package, part);
  if (!module.opaque || module.name == "__main__" || finder_.is_standard(module.name.substr(0, module.name.find('.'))))
    return false;
  return module.path.empty() || python_.sys_modules.names_module(module.path, package.name + "." + part, part);
}

bool UnseenImports::is_part(const Module& package, std::string_view name) const {
  return package.package && finder_.find(name, package.search, false).kind != ModulePlace::Kind::absent;
}

bool UnseenImports::may_have_imported(const Module& package, std::string_view part) {
  const std::string name(part), whole = package.name + "." + name;
  // Python itself imports some of its own before any code.
  if (finder_.in_standard_library(package.path) || package.path.empty() || possible_.contains(whole)) return true;
  const auto& modules = python_.sys_modules.modules();
  heap_.work(modules.size());
  const bool may = std::any_of(modules.begin(), modules.end(),
                               [&](const auto& entry) { return may_import(*entry.second, package, name); });
  if (may) {
    heap_.keep(sizeof(whole) + whole.size());
    possible_.insert(whole);
  }
  return may;
}

}  // namespace cudald::python
