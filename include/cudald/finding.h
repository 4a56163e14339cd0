#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/resolution.h>
#include <cudald/symbols.h>

namespace cudald {

enum class Level { error, warning, note };

/// How a piece of evidence is known.
enum class Basis {
  proven,  ///< from the bytes of the files
  rule,    ///< from the loader's manual or source
  table,   ///< from a row of our knowledge tables
};

enum class Verdict { loads, cpu_only, risk, fails, unknown };

std::string_view to_string(Level);
std::string_view to_string(Basis);
std::string_view to_string(Verdict);  ///< "cpu-only", as JSON spells it
/// 0 for the worst: fails, unknown (nothing can be claimed), risk, cpu_only, loads.
int rank_of(Verdict);

struct Evidence {
  std::string text;
  std::string path;  ///< may be empty
  Basis basis = Basis::proven;
  std::string source;  ///< for Basis::table and Basis::rule; may be empty
};

/// A change of an ELF file that a fix makes, for those who apply it themselves (`cudald repair`). In a report, `path`
/// of a file in an archive is "x.whl!/pkg/a.so".
struct FileEdit {
  enum class Kind {
    add_directory,           ///< at the end of its search path: DT_RUNPATH, or DT_RPATH if it has only that
    set_directories,         ///< its whole search path; empty: none is left
    rename_needed,           ///< DT_NEEDED, and the table of needed versions
    add_needed,              ///< DT_NEEDED
    clear_executable_stack,  ///< the flag of PT_GNU_STACK
  };
  std::string path;  ///< of the file
  Kind kind = Kind::add_directory;
  std::string value = {};  ///< the directories, or the new name
  std::string old = {};    ///< the name that is replaced
};

struct Fix {
  std::string title;
  std::string command;              ///< to paste; may hold several lines; may be empty
  std::string side_effect;          ///< may be empty
  bool other_build = false;         ///< another build of what asks, which needs none of what is missing
  std::string reason = {};          ///< of another build: why the one that is there does not fit; may be empty
  bool sets_search_path = false;    ///< its command sets LD_LIBRARY_PATH, whose directories come before most others
  bool only_searches = false;       ///< it finds out what to install, and installs nothing
  std::vector<std::string> serves;  ///< the libraries that it provides, where it is for several findings; else empty
  /// What the author of a package adds to its Requires-Dist: "nvidia-cublas-cu12>=12.1,<13".
  std::vector<std::string> requirements = {};
  std::vector<FileEdit> edits = {};  ///< what the command changes in files, if it does nothing else but `requirements`
};

/// A judgement on what happened.
struct Finding {
  std::string_view code;  ///< "CUD101"; name and level are looked up in the catalogue
  std::string_view name;
  Level level = Level::error;
  std::optional<ObjectId> object;  ///< who asks, or whom it concerns
  std::string subject;             ///< the library, symbol or version concerned
  std::string message;             ///< one sentence
  std::string consequence;
  std::vector<Evidence> evidence;
  std::vector<Fix> fixes;
  std::vector<std::string> does_not_help;
  std::optional<std::size_t> edge;  ///< index into the object's edges, when it is about one search
};

/// What a finding that is there means for the verdict, by its level.
enum class VerdictEffect {
  by_level,  ///< an error: it fails; a warning: a risk
  cpu_only,  ///< an error: it fails; a warning: the GPU is not used
  risk,      ///< an error: a risk, as the target loads all the same
  unknown,   ///< at any level: nothing can be claimed
  of_tag,    ///< an error: it fails; a warning: a risk in the world of a tag, and nothing of a machine that is here
};

/// Where a finding stands among the others.
enum class FindingPlace { first, by_level, last_of_its_level };

/// How a kind of finding takes part in the verdict and in what is told, beside its level.
struct FindingTraits {
  VerdictEffect verdict = VerdictEffect::by_level;
  FindingPlace place = FindingPlace::by_level;
  bool about_driver = false;    ///< whatever of CUDA is lost is lost to the driver
  bool lacks_driver = false;    ///< there is no driver
  bool told_in_full = false;    ///< its evidence is the answer, and is never folded into a line
  bool lacks_library = false;   ///< a library is missing or unusable
  bool speaks_for_all = false;  ///< its sentence is the headline, and belongs to every library's story
};

/// One entry of the catalogue of findings. Codes are stable for ever and never reused.
struct FindingRule {
  std::string_view code, name;
  Level level;               ///< the level it usually has
  std::string_view summary;  ///< one line
  std::string_view explanation, example, remedy;
  FindingTraits traits = {};
};

/// All findings that this version can make, by code.
std::span<const FindingRule> finding_catalogue();
/// The rule of a code ("CUD101", in any case) or name ("library-not-found"); nullptr if there is none.
const FindingRule* find_rule(std::string_view code_or_name);
/// The traits of a finding's rule; the usual ones for a code that is not in the catalogue.
FindingTraits traits_of(const Finding&);

}  // namespace cudald
