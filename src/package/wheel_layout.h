#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/zip_directory.h"
#include "package/wheel_texts.h"

namespace cudald {

/// Folders of an environment, relative to its prefix, that installers fill.
struct InstallFolders {
  std::string site_packages = "site-packages";  ///< purelib and platlib
  std::string scripts = "bin";
  std::string headers = "include";
  std::string data;                   ///< empty: the prefix itself
  std::string site_packages_in_data;  ///< below `data` means site_packages, in any case of letters; empty: nothing does
};

/// Where installers put a member, relative to the prefix and without `.` and empty parts; nullopt if nowhere: a
/// folder, a name that pip refuses, or an unknown part of the .data folder. `prefix` is NAME-VERSION, as in
/// NAME-VERSION.dist-info and NAME-VERSION.data. A pure function of the names.
/// Source: the binary distribution format (PEP 427), "Installing a wheel"; pip _internal/operations/install/wheel.py.
std::optional<std::string> installed_path(std::string_view member, std::string_view prefix, const InstallFolders& = {});

enum class WheelProblemKind {
  no_dist_info,          ///< pip: ".dist-info directory not found"
  several_dist_info,     ///< pip: "multiple .dist-info directories found"
  name_differs,          ///< the file name, the .dist-info folder and METADATA name different packages or versions
  wheel_version,         ///< WHEEL gives none, or one that installers refuse
  foreign_data_folder,   ///< another package's .data folder: pip spreads its files, others leave them in it
  unknown_data_scheme,   ///< a part of .data that is none of those known: pip refuses the wheel
  same_place,            ///< two members are installed as one file
  record_broken,         ///< rows of RECORD that cannot be read
  record_lacks_member,   ///< a member that RECORD does not list
  record_lists_missing,  ///< a row of RECORD for a member that is not there
  record_twice,          ///< two rows for one path
  record_size,           ///< a row and the directory give different sizes
  record_hash,           ///< a row without a hash, or with one that may not be used
};

constexpr std::size_t wheel_problem_kinds = static_cast<std::size_t>(WheelProblemKind::record_hash) + 1;

/// "several-dist-info", for machines to read.
std::string_view to_string(WheelProblemKind);

struct WheelProblem {
  WheelProblemKind kind = WheelProblemKind::no_dist_info;
  std::optional<std::size_t> member;  ///< index into the members; else the problem is the wheel's
  std::string message;                ///< said of the wheel or the member, as in ZipProblem
};

/// The prefix of the wheel's .dist-info folder: "torch-2.9.1". Of several, the one that the file name asks for, else
/// the first.
std::optional<std::string> find_dist_info(std::span<const ZipMember>, const WheelFileName*, std::vector<WheelProblem>&);

struct InstalledFile {
  std::string path;  ///< as installed_path() gives it
  std::size_t member = 0;
};

struct WheelLayout {
  std::vector<InstalledFile> files;  ///< by path; of members for one place the one that pip writes last
  std::vector<WheelProblem> problems;
};

WheelLayout lay_out_wheel(std::span<const ZipMember>, std::string_view prefix, const InstallFolders& = {});

/// Holds what the file name, the folder and the texts say against one another. Texts that could not be read are null.
std::vector<WheelProblem> check_wheel_identity(const WheelFileName*, std::string_view prefix, const WheelMetadata*,
                                               const WheelSettings*);

/// Holds RECORD against the members. pip does not, PyPI does; hashes are for whoever reads the bytes.
std::vector<WheelProblem> check_record(const Record&, std::span<const ZipMember>, std::string_view prefix);

}  // namespace cudald
