#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cudald/environment.h>
#include <cudald/resolution.h>

#include "binary/image_store.h"
#include "loader/windows_search.h"
#include "machine/abi.h"
#include "machine/glibc_facts.h"

namespace cudald {

/// One name that one object (or the user, through dlopen) asks for.
struct Request {
  std::string name;  ///< tokens expanded, once the search begins
  EdgeKind kind = EdgeKind::needed;
  ObjectId requester = 0;    ///< for a search: whose RPATH or RUNPATH counts first
  bool in_dlopen = false;    ///< part of a dlopen, not of the start
  std::string spelled = {};  ///< how messages name it
  WindowsLoad load = {};     ///< of Windows: the call for whose sake it is made

  const std::string& shown_name() const { return spelled.empty() ? name : spelled; }
};

/// An object that answers a request without a search, and by what it was recognised.
struct Reuse {
  ObjectId object = 0;
  MatchedBy matched = MatchedBy::name;  ///< or by its soname
  SearchRule rule = SearchRule::already_loaded;
};

/// What the image of a file asks for by itself.
struct Need {
  std::string name;
  EdgeKind kind = EdgeKind::needed;
  bool hard = true;     ///< a miss makes the start or the dlopen fail
  bool on_use = false;  ///< it is looked for when it is used, and is not mapped now
};

/// A place to try: `folder` and the name that is looked for, or a whole path.
struct Candidate {
  std::string folder;  ///< with a slash at its end, as the loader spells it; empty for the current folder
  std::string name;    ///< the rest of the path
  SearchRule rule = SearchRule::path;
  std::optional<ObjectId> of;
  bool subfolders = false;   ///< the loader's subfolders() of this folder come first
  std::string refusal = {};  ///< why it is passed over unopened; empty if it is not
};

/// Takes part in a search: opens what the loader's rules name, in their order, and ends the search when it has enough.
class SearchVisitor {
 public:
  enum class Next { go_on, end_list, stop };

  virtual ~SearchVisitor() = default;
  virtual Next candidate(const Candidate&) = 0;
  virtual void skipped(SkippedRule) = 0;
};

/// A search written down in full, for tests and questions that need no file.
struct SearchPlan {
  struct Entry {
    std::string path;
    SearchRule rule = SearchRule::path;
    std::optional<ObjectId> of;
    bool optional_folder = false;  ///< in one of the loader's subfolders
    std::string refusal;
  };
  std::vector<Entry> candidates;
  std::vector<SkippedRule> skipped;
};

/// What the loader does with an opened candidate.
struct Judgement {
  enum class Action { take, next, end_list, stop };
  Action action = Action::take;
  ProbeResult result = ProbeResult::found;
  std::string text;      ///< the loader's own words, or ours where it is silent
  int system_error = 0;  ///< errno as the loader is left with it
};

/// The rules of one dynamic loader. It reads no file and asks nothing of the host: it answers from what
/// it was made with and from what it is given.
class Loader {
 public:
  virtual ~Loader() = default;

  /// What a file asks for, in the order in which the loader looks for it.
  virtual std::vector<Need> needs(const Image&) const = 0;
  /// The name that is really looked for: tokens expanded. Error if the loader refuses the name itself.
  virtual Result<std::string> expanded_name(const Request&, const Resolution&) const = 0;
  /// An object already mapped that satisfies this request. `named` are all objects that have the name of the request
  /// among their names, as soname or as load name, in order; others may be among them.
  virtual std::optional<Reuse> reuse(const Request&, const Resolution&, const std::vector<ObjectId>& named) const = 0;
  /// Names places to try in the loader's order, and the rules that do not apply, until the visitor has enough.
  virtual void search(const Request&, const Resolution&, SearchVisitor&) const = 0;
  /// Subfolders that are tried in a folder before the folder itself, each with a slash at its end.
  virtual const std::vector<std::string>& subfolders() const = 0;
  /// The whole search as a list.
  SearchPlan candidates(const Request&, const Resolution&) const;
  /// Whether a file of this path is there although the tree does not show it.
  virtual bool known_by_name(const std::string& path) const = 0;
  /// What becomes of an opened path before it is known whether the file is already mapped.
  virtual Judgement judge(const OpenedFile&, const Request&) const = 0;
  /// What becomes of a new file when it is mapped.
  virtual Judgement admit(const OpenedFile&, const Request&, const Resolution&) const = 0;
  /// Names by which later requests know the object that `path` leads to: those of a new one, or those that it takes on
  /// because this request has led to it as well.
  virtual std::vector<std::string> names(const Request&, const std::string& path, bool is_new) const = 0;
  /// What the loader finds wrong with an object once everything of its start or dlopen is mapped; empty if nothing.
  virtual std::string objection(ObjectId, const Resolution&) const = 0;
  /// The text for a name that was found nowhere.
  virtual std::string not_found(const Request&, const Resolution&, const Search&) const = 0;
  /// The text for a file that ends the search; `subject` is the path, or the name asked for once it was opened.
  virtual std::string refused(const Request&, const std::string& subject, const std::string& text,
                              const Resolution&) const = 0;
  /// What $ORIGIN will mean in an object opened as `load_name`; of Windows, its folder.
  virtual std::string origin(const std::string& load_name) const = 0;
  /// Whether the search paths of the object that calls dlopen count; else it is always the main program's.
  virtual bool dlopen_searches_for_caller() const = 0;
};

/// What the loaders of ELF files have beside that.
class ElfLoader : public Loader {
 public:
  std::vector<Need> needs(const Image&) const override;
  std::vector<std::string> names(const Request&, const std::string& path, bool is_new) const override;
  bool known_by_name(const std::string&) const override { return false; }

  /// Files to preload, in order.
  virtual std::vector<std::string> preloads() const = 0;
  /// Whether DT_FILTER and DT_AUXILIARY load anything.
  virtual bool follows_filters() const = 0;
  /// Whether a file is one with the main program's; glibc does not know the program's own identity.
  virtual bool knows_program_file() const = 0;

  /// What ends a start before anything is searched for, as the loader says it; empty if nothing does.
  virtual std::string start_refusal(const OpenedFile&, const std::string& path) const = 0;

  virtual LibcVersion libc() const = 0;
  virtual std::vector<std::string> notes() const = 0;
  /// What of these was not read, as a limit of ours was reached: one sentence each.
  virtual std::vector<std::string> limits() const { return {}; }
};

std::unique_ptr<ElfLoader> make_glibc_loader(const FileSystem&, const std::string& interpreter, const Abi&,
                                             const Environment&);
/// By facts that do not come from files.
std::unique_ptr<ElfLoader> make_glibc_loader(GlibcFacts, const Abi&, const Environment&);
std::unique_ptr<ElfLoader> make_musl_loader(const FileSystem&, const std::string& interpreter, const Abi&,
                                            const Environment&);
/// `system_path`: the folders, with colons between them.
std::unique_ptr<ElfLoader> make_musl_loader(const std::string& interpreter, const Abi&, const Environment&,
                                            std::string system_path);

}  // namespace cudald
