#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cudald {

/// A name that only some distributions give a library.
struct NameOfSystems {
  std::vector<std::string> systems;  ///< words of os-release: "debian"
  std::string who;                   ///< "Debian and Ubuntu"
  std::string elsewhere;             ///< "libcurl.so.4": what others call it
  std::vector<std::string> same;     ///< "libbz2.so.1": those of these names that are the same library, with one ABI
  std::string source;                ///< with the day on which it was checked
};
std::optional<NameOfSystems> name_of_systems(const std::string& library);

/// The next number of a library, which serves whatever uses none of the functions that it lacks.
struct SuccessorOfLibrary {
  std::string soname, says;
  std::string source;
};
std::optional<SuccessorOfLibrary> successor_of(const std::string& library);

/// Libraries that lie where no loader looks: of a toolchain, a Python of pyenv, Java.
struct InstalledLibrary {
  std::string who;                       ///< what they belong to: "Java"; empty: others have such libraries as well
  std::vector<std::string> directories;  ///< where they are, with {home}, and * for one name
  std::string fix, command;              ///< where it is in none of them; may be empty
  std::string source;
};
std::optional<InstalledLibrary> installation_of(const std::string& library);

/// A library of C that has a function, by the name of that.
struct CLibrary {
  std::string who;      ///< "zlib"
  std::string library;  ///< "libz.so.1"
  std::string other;    ///< what others than Debian and Ubuntu call it; often the same
  std::string link;     ///< "-lz"
  std::string source;   ///< with the day on which it was checked
};
std::optional<CLibrary> c_library_with(const std::string& symbol);

/// A package of who makes what lies in a directory of its own, as /opt/rocm, which has a library that a file there
/// needs.
struct VendorPackage {
  std::string who;                   ///< "ROCm"
  std::string package;               ///< "rocm-hip-runtime"
  std::vector<std::string> systems;  ///< words of os-release
  std::string source;                ///< with the day on which it was checked
};
std::optional<VendorPackage> vendor_package(const std::string& path, const std::string& library);

/// What compiled a file where it is, by the path of the file.
struct CompiledHere {
  std::string what;     ///< "Ruby 2.7.3"
  std::string command;  ///< that compiles it again: "rbenv install --force 2.7.3"
};
std::optional<CompiledHere> compiled_here(std::string_view path);

/// A file of what is installed that is in another package than the rest.
struct SeparatePart {
  std::string says;                             ///< "it is of the Java that has windows, ..."
  std::map<std::string, std::string> packages;  ///< by a word of os-release
  std::string source;                           ///< with the day on which it was checked
};
/// nullopt if none is known at this path.
std::optional<SeparatePart> separate_part(const std::string& path);

/// What builds packages again that no repository has.
struct ForeignBuilder {
  std::string program;  ///< "/usr/bin/paru"; empty: none is needed
  std::string command;  ///< with {name} and {base} of the package
};
const std::vector<ForeignBuilder>& foreign_builders();

/// Where programs are that open a file of such a name; empty if nothing is known of it.
std::vector<std::string> openers_of(const std::string& path);

/// A program that opens modules of its own. Module and program state, each in a text, for which release they are.
struct ModuleHost {
  std::string name;                             ///< "PHP"
  std::vector<std::string> module;              ///< functions of which a module uses or defines one
  std::vector<std::string> program;             ///< functions of which the program, or its library, defines one
  std::vector<std::string> texts;               ///< "API#,NTS", with # for digits
  std::map<std::string, std::string> releases;  ///< what a number in the text means; may be empty
  std::string result, fix;
  std::string source;  ///< with the day on which it was checked
};
const std::vector<ModuleHost>& module_hosts();

/// A module of such a program whose functions other modules of it use.
struct HostPart {
  std::string host;                             ///< "PHP"
  std::string module;                           ///< "sockets"
  std::map<std::string, std::string> packages;  ///< by a word of os-release, with {release} and {number}
  bool bundled = false;                         ///< its source comes with that of the program
  std::string source;                           ///< with the day on which it was checked
};
/// By the name of a function or variable; nullopt if none is known to have it.
std::optional<HostPart> host_part_with(const std::string& symbol);

}  // namespace cudald
