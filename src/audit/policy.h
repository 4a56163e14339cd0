#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include <cudald/knowledge.h>
#include <cudald/wheel.h>

#include "audit/policy_table.h"
#include "binary/image_store.h"
#include "package/package_tree.h"

namespace cudald {

/// Adds the ELF files of an installed wheel that a loader can load, by member. Nothing is judged yet.
void add_elf_files(const Package&, const PackageTree&, ImageStore&, WheelReport&);

/// Finds what the files of `report` need, by the rules of the real loader with only the wheel's own files there, so
/// that nothing of this machine plays a part. Each extension module is loaded by itself, as `import` of it alone would
/// do; then the libraries that none of them brought in.
void resolve_needs(const Package&, const PackageTree&, const ImageStore&, LibcKind, const Knowledge&,
                   WheelReport& report);

/// The libraries that have to come from outside, by name, for all files that are judged.
std::vector<ExternalLibrary> external_libraries(const WheelReport&);

/// Names of the symbols that a file uses and does not define; weak ones are left out.
using UndefinedSymbols = std::function<std::set<std::string>(const WheelFile&)>;

/// Holds a wheel whose needs are known against the policies. Symbols are asked for only where they decide.
PolicyFit judge_policy(const WheelReport&, const PolicyTable&, const UndefinedSymbols&);

/// The tags of a wheel: those of its file's name, else of its WHEEL. None for other packages.
struct PackageTags {
  std::vector<std::string> python, abi, platform;
};
PackageTags tags_of(const Package&);

/// All of the above for one wheel. `images` must see the tree.
WheelReport audit_wheel(const Package&, const PackageTree&, ImageStore&, const Knowledge&);

}  // namespace cudald
