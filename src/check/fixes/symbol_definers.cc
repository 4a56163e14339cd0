// A symbol that nothing in the process defines may be defined by a library that nobody loads: one that its file was not
// linked with, beside it or among the libraries of the system, or another copy of a library that is loaded.

#include "check/fixes/symbol_definers.h"

#include <algorithm>
#include <set>

#include <elf.h>

#include <fmt/format.h>

#include <cudald/image.h>

#include "audit/policy_table.h"
#include "base/listed.h"
#include "base/path.h"
#include "base/shell_word.h"
#include "binary/elf/symbol_table.h"
#include "binary/elf/unexported_symbols.h"
#include "check/findings/checks.h"
#include "check/findings/lacking_library.h"
#include "check/findings/system_packages.h"
#include "check/fixes/host_of_module.h"
#include "check/fixes/patchelf_fix.h"
#include "check/fixes/php_module_order.h"
#include "check/fixes/whereabouts.h"
#include "loader/loader.h"
#include "machine/abi.h"
#include "process/library_kind.h"

namespace cudald {
namespace {

constexpr std::size_t most_definer_files = 1500;    ///< that are looked into for one process
constexpr std::size_t most_symbols_sought = 16;     ///< of one file that are looked for
constexpr std::size_t most_findings_completed = 8;  ///< that are completed

/// A library that defines what is missing.
struct Definer {
  std::string path;
  std::size_t count = 0;  ///< of the symbols that are missing
  bool promised = false;  ///< a library that every system has: of several, it is the one that is meant
};

bool is_library_name(std::string_view name) {
  return name.ends_with(".so") || name.find(".so.") != std::string_view::npos;
}

class DefinerSearch {
 public:
  DefinerSearch(const Case& given, ObjectId object)
      : given_(given), id_(object), object_(given.report.resolution.objects[object]) {
    for (const auto& missing : given.report.symbols->missing)
      if (missing.object == object && missing_.size() < most_symbols_sought) missing_.push_back(&missing);
    for (const auto& other : given.report.resolution.objects) seen_.insert(other.path);
  }

  /// The library that defines most of what is missing: another copy of one that the file needs, else of those that are
  /// nearest; nullopt if none defines any.
  std::optional<Definer> run(std::size_t& files) {
    look_at_other_copies(files);
    if (best_) return best_;
    for (const auto& folder : neighbourhood_of(object_.path, given_.store.images)) look_in(folder, files);
    if (best_) return best_;
    for (const auto& other : given_.report.resolution.objects)
      if (!other.known_by_name && !other.main_program) look_in(std::string(parent_path(other.path)), files);
    return best_;
  }

  /// The same of copies alone; not of packages, which go together as they are.
  std::optional<Definer> run_over_copies(std::size_t& files) {
    if (!object_.package) look_at_other_copies(files);
    return best_;
  }

  std::size_t wanted() const { return missing_.size(); }
  const MissingSymbol& first() const { return *missing_.front(); }

 private:
  void look_in(const std::string& folder, std::size_t& files) {
    if (!folders_.insert(folder).second) return;
    for (const auto& name : given_.store.images.list(folder)) {
      if (!is_library_name(name) || files >= most_definer_files) continue;
      consider(folder + "/" + name, files);
    }
  }

  void consider(const std::string& path, std::size_t& files) {
    const auto& opened = given_.store.images.open(path);
    if (opened.error || !seen_.insert(opened.real_path).second) return;
    const auto& image = *opened.image;
    if (image.machine != object_.image->machine || image.format != object_.image->format ||
        image.type != FileType::shared || !image.elf.has_dynamic_segment)
      return;
    ++files;
    const auto count =
        static_cast<std::size_t>(std::count_if(missing_.begin(), missing_.end(), [&](const MissingSymbol* missing) {
          return defines(opened, *missing, given_.store);
        }));
    const bool promised = image.soname && is_promised(*image.soname);
    if (count > 0 && (!best_ || std::pair(count, promised) > std::pair(best_->count, best_->promised)))
      best_ = Definer{opened.real_path, count, promised};
  }

  /// Copies of the libraries that the file needs: what its own search finds where another copy was loaded before, and
  /// those of ld.so.cache, ld.so.conf and the directories near it.
  void look_at_other_copies(std::size_t& files) {
    const auto& report = given_.report;
    constexpr std::size_t most_needed = 16;
    std::size_t asked = 0;
    for (const auto& edge : object_.edges) {
      if (!edge.hard || !edge.object || edge.kind != EdgeKind::needed || ++asked > most_needed) continue;
      const auto& loaded = report.resolution.objects[*edge.object];
      if (loaded.known_by_name || (loaded.image->soname && is_promised(*loaded.image->soname))) continue;
      if (given_.loader != nullptr)
        if (const auto* own = own_choice(given_, {edge.name, edge.kind, id_, true}); own != nullptr)
          consider(own->real_path, files);
      for (const auto& where : find_whereabouts(edge.name, id_, edge, report, given_.store.images))
        if (where.exact_name && where.fits) consider(where.path, files);
    }
  }

  /// libstdc++.so.6 rather than libc++abi.so.1: a policy of platform tags promises it.
  bool is_promised(const std::string& soname) const {
    const auto* abi = find_abi(object_.image->machine, object_.image->format, object_.image->byte_order);
    const auto* table =
        abi == nullptr ? nullptr : PolicyTable::find(given_.report.resolution.libc.kind, abi->musl_name);
    return table != nullptr && table->first_with_library(soname) < table->count();
  }

  const Case& given_;
  const ObjectId id_;
  const Object& object_;
  std::vector<const MissingSymbol*> missing_;
  std::set<std::string> seen_, folders_;
  std::optional<Definer> best_;
};

/// Whether the loader finds a library by its own means when the object asks for it by this name.
bool is_found_by(const Case& given, ObjectId object, const std::string& name, const std::string& path) {
  if (given.loader == nullptr) return false;
  const auto* found = own_choice(given, {name, EdgeKind::needed, object, true});
  return found != nullptr && found->real_path == path;
}

void add_link_fix(const Case& given, const Definer& definer, Finding& finding) {
  const auto& object = given.report.resolution.objects[*finding.object];
  const auto& image = *given.store.images.open(definer.path).image;
  const auto name = image.soname.value_or(std::string(file_name(definer.path)));
  if (has_to_be_first(definer.path)) {
    finding.fixes.push_back(
        {fmt::format("{} was compiled with a sanitizer and linked without: load its runtime first", short_name(object)),
         fmt::format("export LD_PRELOAD={}${{LD_PRELOAD:+:$LD_PRELOAD}}", shell_word(definer.path)),
         "every program that this shell starts then runs with it"});
    finding.fixes.push_back(
        {fmt::format("or build {} without it, or the program with it (-fsanitize=address)", short_name(object)), "",
         ""});
    return;
  }
  if (given.store.packages.package_of(object.path) != nullptr) {
    finding.fixes.push_back(
        {fmt::format("maintainer fix: link {} with {}", short_name(object), file_name(definer.path)), "", ""});
    return;
  }
  std::vector<FileEdit> edits{{object.path, FileEdit::Kind::add_needed, name}};
  if (!is_found_by(given, *finding.object, name, definer.path))
    edits.push_back(added_directory(object, std::string(parent_path(definer.path))));
  finding.fixes.push_back(
      patchelf_fix(fmt::format("make {} depend on {}, which it was not linked with", short_name(object), name),
                   std::move(edits), object, given.store.packages));
}

/// The rule by which a library came into the process.
SearchRule rule_that_found(const Report& report, const Object& library) {
  const auto& objects = report.resolution.objects;
  for (const auto& object : objects)
    for (const auto& edge : object.edges)
      if (edge.object && &objects[*edge.object] == &library && edge.status == EdgeStatus::loaded) return edge.rule;
  return SearchRule::default_folder;
}

/// Whether packages of the system put a file there, and nobody by hand.
bool is_of_system_alone(const std::string& path) { return is_system_path(path) && !path.starts_with("/usr/local/"); }

/// A copy that somebody installed in /usr/local goes where ldconfig does not look, with all names of it: those that
/// stay it would make a link of again. Source: ldconfig(8).
Fix move_out_of_cache(const Case& given, const Object& copy) {
  const SystemPackages system(given.store.images);
  const std::string folder(parent_path(copy.path));
  const auto stem = std::string(file_name(copy.path)).substr(0, file_name(copy.path).find(".so"));
  const auto unused = shell_word(folder + "/unused");
  return {fmt::format("move the copy in {} out of the way: all programs of the system then get the system's", folder),
          system.as_root("mkdir -p " + unused) + " && " +
              system.as_root(fmt::format("mv {}.so* {}", shell_word(folder + "/" + stem), unused)) + " && " +
              system.as_root("ldconfig"),
          "what was built for that copy may need it"};
}

/// Of what the file needs already, and gets from another copy: that copy has to go first.
void add_copy_fix(const Case& given, const Definer& definer, const Object& loaded, Finding& finding) {
  finding.evidence.push_back(
      {fmt::format("{} is the copy that loads, and lacks it", loaded.path), loaded.path, Basis::proven, ""});
  // What was found by DT_RPATH or by a path comes before LD_LIBRARY_PATH.
  const auto rule = rule_that_found(given.report, loaded);
  // A directory for newer processors below that of the other copy is searched before it. Source: ld.so(8), Hardware
  // capabilities.
  const bool below = loaded.path.starts_with(std::string(parent_path(definer.path)) + "/glibc-hwcaps/");
  const auto& soname = loaded.image->soname;
  if (parent_path(loaded.path) == parent_path(definer.path) && soname && *soname != file_name(loaded.path)) {
    // Where the copy that has it is the file of that name, the other one is a copy under the name of a link.
    const bool is_link = *soname != file_name(definer.path);
    const auto name = is_link ? *soname : std::string(file_name(loaded.path));
    auto command = fmt::format("ln -sf {} {}", shell_word(std::string(file_name(definer.path))),
                               shell_word(std::string(parent_path(definer.path)) + "/" + name));
    if (is_system_path(loaded.path)) command = SystemPackages(given.store.images).as_root(command);
    finding.fixes.push_back({fmt::format("let {} lead to the copy that has it", name), std::move(command),
                             is_link ? "for all programs that use the library"
                                     : "for all programs that use the library; the older copy is replaced"});
    return;
  }
  if (rule == SearchRule::rpath || rule == SearchRule::path || below || is_in_appimage(loaded.path)) {
    finding.fixes.push_back({"for this shell: load the copy that has it first, whatever the search paths say",
                             fmt::format("export LD_PRELOAD={}${{LD_PRELOAD:+:$LD_PRELOAD}}", shell_word(definer.path)),
                             "for all programs of this shell"});
    if (!is_system_path(loaded.path))
      finding.fixes.push_back(
          {fmt::format("maintainer fix: leave {} out, so that {} serves both", loaded.path, definer.path), "", ""});
    return;
  }
  // What the system starts by itself has no shell.
  const auto& program = given.report.resolution.objects.front();
  if (rule == SearchRule::cache && program.main_program && is_of_system_alone(program.path) &&
      is_of_system_alone(definer.path) && loaded.path.starts_with("/usr/local/"))
    finding.fixes.push_back(move_out_of_cache(given, loaded));
  finding.fixes.push_back(
      {"for this shell: use the copy that has it",
       fmt::format("export LD_LIBRARY_PATH={}", shell_word(std::string(parent_path(definer.path)))) +
           "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}",
       "every program started from it then prefers the libraries in that directory"});
  if (rule == SearchRule::cache && finding.fixes.size() == 1)
    finding.fixes.push_back(
        {fmt::format("or move {} to a directory that /etc/ld.so.conf does not name, and run ldconfig", loaded.path), "",
         ""});
}

const Object* same_library_in_process(const Report& report, const Image& image) {
  for (const auto& object : report.resolution.objects)
    if (!object.unmapped && image.soname && object.image->soname == image.soname) return &object;
  return nullptr;
}

constexpr std::string_view nowhere = "which nothing in the process defines";

/// What a file of the process has for itself: nobody else finds what it does not export.
void tell_unexported(const Case& given, const std::string& name, Finding& finding) {
  constexpr std::size_t most_files = 8;
  std::size_t asked = 0;
  for (const auto& object : given.report.resolution.objects) {
    if (object.known_by_name || !object.path.starts_with('/') || is_system_path(object.path)) continue;
    if (++asked > most_files) return;
    const auto& opened = given.store.images.open(object.path);
    const auto file = given.store.images.files().open(object.path);
    if (opened.error || !opened.image->is_elf() || !file) continue;
    FileWindow window(**file, opened.image->byte_order, &given.store.budget);
    if (!has_symbol_in_full_table(window, *opened.image, name)) continue;
    if (const auto at = finding.message.find(nowhere); at != std::string::npos)
      finding.message.replace(at, nowhere.size(), fmt::format("which {} has and does not export", short_name(object)));
    finding.evidence.insert(finding.evidence.begin(),
                            {fmt::format("{} has it in .symtab, and not among its dynamic symbols", object.path),
                             object.path, Basis::proven, "System V ABI, Symbol Table: loaders read .dynsym alone"});
    finding.fixes.push_back(
        object.main_program
            ? Fix{fmt::format("maintainer fix: link {} with -rdynamic, so that it exports its functions",
                              short_name(object)),
                  "", ""}
            : Fix{fmt::format("maintainer fix: let {} export it: no -fvisibility=hidden and no version script that "
                              "leaves it out",
                              short_name(object)),
                  "", ""});
    return;
  }
}

/// A definer as the process would have it, to ask for its symbols.
Object file_of(const Case& given, const Definer& definer) {
  Object file;
  file.path = definer.path;
  file.image = given.store.images.open(definer.path).image;
  return file;
}

/// The file of the process that has other functions of the asker's which the definer has as well: two of one kind, as
/// libluajit-5.1.so.2 and liblua5.4.so.0, whose data know nothing of each other. nullptr if there is none.
const Object* same_functions_in_process(const Case& given, const Definer& definer, const Object& asker) {
  constexpr std::size_t most_files = 64;
  const auto references = references_of(given, asker);
  const auto file = file_of(given, definer);
  std::set<std::string, std::less<>> both;
  given.store.symbols.get(file)->visit_all([&](std::string_view name, std::uint16_t, bool defined) {
    if (defined && !name.starts_with("_") && references.contains(name)) both.emplace(name);
  });
  const auto& objects = given.report.resolution.objects;
  for (std::size_t id = 0; id < std::min(objects.size(), most_files); ++id) {
    const auto& object = objects[id];
    if (!may_serve(object, asker)) continue;
    bool has = false;
    given.store.symbols.get(object)->visit_all(
        [&](std::string_view name, std::uint16_t, bool defined) { has |= defined && both.contains(name); });
    if (has) return &object;
  }
  return nullptr;
}

/// The file is made for the definer's release, and the process has another: a second one beside it is no help.
void tell_second_of_kind(const Case& given, const Definer& definer, const Object& loaded, Finding& finding) {
  const auto& asker = given.report.resolution.objects[*finding.object];
  const auto name = short_name(asker), own = short_name(loaded), other = std::string(file_name(definer.path));
  if (const auto at = finding.message.find(nowhere); at != std::string::npos)
    finding.message.replace(at, nowhere.size(),
                            fmt::format("which {} defines, and not {}, which is loaded and has the other functions "
                                        "that it uses: {} is made for the former",
                                        other, own, name));
  finding.evidence.push_back({definer.path + " defines it", definer.path, Basis::proven, ""});
  finding.evidence.push_back(
      {fmt::format("{} has others that {} uses, and lacks it", loaded.path, name), loaded.path, Basis::proven, ""});
  finding.fixes.push_back(
      {fmt::format("build {} for {}, or install the build of it for that; else use a program with {}", name, own,
                   other),
       "", ""});
  finding.does_not_help.push_back(
      fmt::format("loading {} as well: the process would have two sets of the same functions", other));
}

/// Whether a file takes functions from a program that opens it: it is a plug-in as well, and no library to link with.
bool is_module_of(const Case& given, const Definer& definer) {
  const auto& objects = given.report.resolution.objects;
  if (objects.empty() || !objects.front().main_program || !objects.front().image) return false;
  const auto references = references_of(given, file_of(given, definer));
  bool uses = false;
  given.store.symbols.get(objects.front())->visit_all([&](std::string_view name, std::uint16_t, bool defined) {
    uses |= defined && references.contains(name) && !name.starts_with('_');
  });
  return uses;
}

void tell_definer(const Case& given, const DefinerSearch& search, const Definer& definer, Finding& finding) {
  const auto& report = given.report;
  const auto* loaded = same_library_in_process(report, *given.store.images.open(definer.path).image);
  if (const auto at = finding.message.find(nowhere); at != std::string::npos)
    finding.message.replace(
        at, nowhere.size(),
        loaded == nullptr
            ? fmt::format("which {} defines, but nothing loads that file", file_name(definer.path))
            : fmt::format("which {} defines, but not the copy that loads, {}", definer.path, loaded->path));
  finding.evidence.insert(finding.evidence.begin(),
                          {search.wanted() == 1 ? fmt::format("{} defines it", definer.path)
                                                : fmt::format("{} defines {} of {} missing symbols", definer.path,
                                                              definer.count, search.wanted()),
                           definer.path, Basis::proven, ""});
  if (loaded != nullptr) return add_copy_fix(given, definer, *loaded, finding);
  if (is_module_of(given, definer)) {
    const auto& program = report.resolution.objects.front();
    finding.evidence.push_back({fmt::format("{} is a module of {} itself: it uses functions of that program",
                                            file_name(definer.path), short_name(program)),
                                definer.path, Basis::proven, ""});
    const auto& user = report.resolution.objects[*finding.object];
    if (auto order = earlier_php_module(definer.path, user.path, given.store.images)) {
      // Linked with it, it would be mapped, and not set up as a module.
      finding.fixes.push_back(*std::move(order));
      return;
    }
    finding.fixes.push_back(
        {fmt::format("let {} load {} before {}", short_name(program), definer.path, short_name(user)), "",
         "where it opens its modules with RTLD_GLOBAL, as nginx, httpd and PHP do"});
  }
  add_link_fix(given, definer, finding);
}

/// Whether a library has a function of that name for a purpose of its own: one that the file needs has functions that
/// begin alike, as libssl.so.3 has for SSL_library_init, and the two are not parts of one project (libmkl_core.so and
/// libmkl_avx2.so).
bool is_unrelated(const Case& given, const Definer& definer, const MissingSymbol& missing) {
  constexpr std::size_t word = 3, same_project = 5;  // "SSL" of "SSL_"; "libmk"
  const auto& objects = given.report.resolution.objects;
  if (missing.name.starts_with("_Z") || !missing.version.empty()) return false;
  const auto lacking = lacking_library(given, objects[missing.object], missing.name);
  const auto end_of_word = lacking ? missing.name.substr(0, lacking->alike).rfind('_') : std::string::npos;
  if (end_of_word == std::string::npos || end_of_word < word) return false;
  const auto one = file_name(objects[lacking->object].path), other = file_name(definer.path);
  const auto end = std::mismatch(one.begin(), one.end(), other.begin(), other.end()).first;
  return static_cast<std::size_t>(end - one.begin()) < same_project;
}

/// Whether a file needs the library that has the symbol, or does without the symbol.
bool does_with(const Image& image, const std::string& path, const Image& definer, const MissingSymbol& missing,
               Store& store) {
  const auto& needed = image.elf.needed;
  if (std::any_of(needed.begin(), needed.end(), [&](const auto& each) { return definer.soname == each.name; }))
    return true;
  Object object;
  object.path = path;
  object.image = store.images.open(path).image;
  bool refers = false;
  store.symbols.get(object)->visit_all(
      [&](std::string_view name, std::uint16_t, bool defined) { refers |= !defined && name == missing.name; });
  return !refers;
}

/// The file that misses the symbol came from LD_LIBRARY_PATH, and the one that loads without that does not miss it: a
/// program that was started from a bundle has the bundle's directory there, as those of PyInstaller have.
void add_copy_without_variable(const Case& given, const MissingSymbol& missing, const Definer& definer,
                               Finding& finding) {
  const auto& objects = given.report.resolution.objects;
  for (ObjectId id = 0; given.loader != nullptr && id < objects.size(); ++id)
    for (const auto& edge : objects[id].edges) {
      if (edge.object != finding.object || edge.rule != SearchRule::ld_library_path) continue;
      const auto other = next_in_search(given, id, edge);
      if (other.empty()) return;
      const auto& opened = given.store.images.open(other);
      const auto& definer_image = *given.store.images.open(definer.path).image;
      if (opened.error || !does_with(*opened.image, other, definer_image, missing, given.store)) return;
      finding.message += fmt::format("; LD_LIBRARY_PATH leads to that {}", edge.name);
      finding.evidence.push_back(
          {fmt::format("without LD_LIBRARY_PATH {} loads, which does not miss it", other), other, Basis::proven, ""});
      Fix fix{fmt::format("let {} load, which does not miss it", other), "unset LD_LIBRARY_PATH",
              "for all libraries and programs of this shell"};
      fix.sets_search_path = true;
      finding.fixes.insert(finding.fixes.begin(), std::move(fix));
      return;
    }
}

enum class SearchedFiles { copies, all };

void complete(const Case& given, SearchedFiles where, Finding& finding, std::size_t& files) {
  DefinerSearch search(given, *finding.object);
  if (search.wanted() == 0) return;
  const auto definer = where == SearchedFiles::copies ? search.run_over_copies(files) : search.run(files);
  if (definer && is_unrelated(given, *definer, search.first())) return;
  const auto& report = given.report;
  const auto* second =
      definer ? same_functions_in_process(given, *definer, report.resolution.objects[*finding.object]) : nullptr;
  if (second != nullptr && same_library_in_process(report, *given.store.images.open(definer->path).image) == nullptr) {
    tell_second_of_kind(given, *definer, *second, finding);
  } else if (definer) {
    tell_definer(given, search, *definer, finding);
    add_copy_without_variable(given, search.first(), *definer, finding);
  } else if (where == SearchedFiles::all) {
    tell_unexported(given, search.first().name, finding);
  }
}

/// Completes the first findings of missing symbols that nothing else has explained.
void complete_first(const Case& given, SearchedFiles where) {
  if (!given.report.symbols || !given.report.query.fixes) return;
  std::size_t files = 0, completed = 0;
  for (auto& finding : given.report.findings)
    if (finding.code == "CUD201" && finding.object && finding.level != Level::note && finding.fixes.empty() &&
        completed++ < most_findings_completed)
      complete(given, where, finding, files);
}

}  // namespace

bool defines(const OpenedFile& file, const MissingSymbol& missing, Store& store) {
  if (file.error) return false;
  Object object;
  object.path = file.real_path;
  object.image = file.image;
  const auto table = store.symbols.get(object);
  bool found = false;
  table->visit(HashedName(missing.name), [&](const SymbolTable::Candidate& candidate) {
    found |= candidate.symbol.section != SHN_UNDEF && (missing.version.empty() || !table->has_versions() ||
                                                       table->version(candidate.version_index).name == missing.version);
    return found;
  });
  return found;
}

namespace {

/// What is unpacked somewhere has its libraries below lib/ as it likes, lib/x86_64-linux or lib/NAME, or beside the
/// program. In directories of the system each such directory is another program's.
void add_below(const std::string& folder, ImageStore& images, std::vector<std::string>& result) {
  constexpr std::size_t most_entries = 200;
  if (is_system_path(folder + "/x")) return;
  for (const auto* below : {"/lib", "/lib64", "/libs", "/../lib", "/../lib64", "/../libs", ""}) {
    const auto place = normal_path(folder + below);
    const auto& entries = images.list(place);
    if (is_system_path(place + "/x") || entries.size() > most_entries) continue;
    for (const auto& entry : entries)
      if (auto each = place + "/" + entry; entry.find(".so") == std::string::npos && images.folder_exists(each) &&
                                           std::find(result.begin(), result.end(), each) == result.end())
        result.push_back(std::move(each));
  }
}

}  // namespace

std::vector<std::string> neighbourhood_of(const std::string& path, ImageStore& images) {
  const std::string folder(parent_path(path));
  std::vector<std::string> result;
  const auto add = [&](const std::string& below) {
    auto place = normal_path(folder + below);
    if (images.folder_exists(place) && std::find(result.begin(), result.end(), place) == result.end())
      result.push_back(std::move(place));
  };
  for (const auto* below : {"", "/lib", "/lib64", "/libs", "/../lib", "/../lib64", "/../libs"}) add(below);
  // A program or plug-in below the directory of its libraries: lib/NAME/program.
  constexpr std::size_t most_above = 200;
  if (const auto above = normal_path(folder + "/..");
      above.size() > 1 && !is_system_path(above + "/x") && images.list(above).size() <= most_above)
    add("/..");
  // A snap, an AppImage and other trees with directories as those of the system: usr/lib/x86_64-linux-gnu.
  for (const std::string above : {"", "/.."})
    for (const auto* below : {"/lib", "/usr/lib", "/usr/lib64"}) {
      const auto libraries = above + below;
      if (std::string_view(below) != "/lib") add(libraries);
      for (const auto& entry : images.list(normal_path(folder + libraries)))
        if (entry.ends_with("-linux-gnu")) add(libraries + "/" + entry);
    }
  for (const auto* above : {"", "/.."})
    for (const auto& entry : images.list(normal_path(folder + above)))
      if (entry.ends_with(".libs")) add(std::string(above) + "/" + entry);
  add_below(folder, images, result);
  return result;
}

void check_other_copies(const Case& given) { complete_first(given, SearchedFiles::copies); }

void check_symbol_definers(const Case& given) { complete_first(given, SearchedFiles::all); }

// Source: AppImageKit, src/runtime.c, "/.mount_"; --appimage-extract; AppRun.
bool is_in_appimage(const std::string& path) {
  return path.find("/.mount_") != std::string::npos || path.find("/squashfs-root/") != std::string::npos;
}

}  // namespace cudald
