#include "check/fixes/whereabouts.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <cudald/image.h>

#include "base/path.h"
#include "base/version_order.h"
#include "base/windows_path.h"
#include "check/findings/cuda_objects.h"
#include "check/findings/system_packages.h"
#include "check/fixes/install_commands.h"
#include "check/fixes/meant_directories.h"
#include "check/fixes/patchelf_fix.h"
#include "check/fixes/symbol_definers.h"
#include "knowledge/linux_names.h"
#include "knowledge/providers.h"
#include "machine/ld_so_cache.h"
#include "machine/ld_so_conf.h"
#include "package/site_packages.h"

namespace cudald {
namespace {

constexpr std::size_t most_folders = 2000;

/// "libsystemd-shared" of "libsystemd-shared-247.so", whose number is in the name; empty of others.
std::string name_before_number(std::string_view name) {
  const auto end = name.find(".so");
  const auto dash = name.rfind('-', end);
  if (end == std::string_view::npos || dash == std::string_view::npos || dash + 1 >= end) return "";
  const auto number = name.substr(dash + 1, end - dash - 1);
  return number.find_first_not_of("0123456789.") == std::string_view::npos ? std::string(name.substr(0, dash)) : "";
}

class Finder {
 public:
  Finder(const std::string& name, ImageStore& images, const Image& requester)
      : name_(name),
        folded_(folded(name)),
        stem_(unversioned_name(name)),
        original_(original_name(name)),
        before_number_(name_before_number(name)),
        images_(images),
        requester_(requester) {
    if (auto named = name_of_systems(name)) same_names_ = std::move(named->same);
  }

  void look_in(const std::string& given) {
    auto folder = normal_path(given);
    if (!is_new(folder)) return;
    // By another name it was looked in already: /lib for /usr/lib, lib64 for lib.
    const auto real = images_.files().real_path(folder);
    if (real && *real != folder && !is_new(*real)) return;
    search(folder);
  }

  /// The directories below one that is searched, and lib in each of them: /opt/rocm/lib/llvm/lib. Of those of the
  /// system each is another program's.
  void look_below(const std::string& folder) {
    constexpr std::size_t most_entries = 200;
    const auto& entries = images_.list(folder);
    if (is_system_path(folder + "/x") || folder.size() < 2 || entries.size() > most_entries) return;
    for (const auto& entry : entries) {
      const auto each = folder + "/" + entry;
      if (entry.find(".so") != std::string::npos || !images_.folder_exists(each)) continue;
      for (const auto* below : {"", "/lib", "/lib64"}) look_in(each + below);
    }
  }

  /// Each folder FOLDER/*/BELOW.
  void look_in_each(const std::string& folder, const std::string& below) {
    for (const auto& entry : images_.list(folder))
      if (!entry.ends_with(".dist-info"))
        if (auto each = normal_path(folder + "/" + entry + below); is_new(each)) search(each);
  }

  std::vector<Whereabouts> take() {
    std::stable_sort(found_.begin(), found_.end(), [](const Whereabouts& a, const Whereabouts& b) {
      const auto rank = [](const Whereabouts& w) {
        return std::tuple(!w.exact_name, !w.other_case, !w.same_soname, !w.renamed, !w.fits);
      };
      return rank(a) < rank(b);
    });
    return std::move(found_);
  }

 private:
  bool is_new(const std::string& folder) { return folders_.size() < most_folders && folders_.insert(folder).second; }

  void search(const std::string& folder) {
    for (const auto& entry : images_.list(folder)) {
      const bool exact = entry == name_;
      const bool sibling = entry.size() > stem_.size() && entry.starts_with(stem_) && entry[stem_.size()] == '.';
      const auto original = original_name(entry);
      const bool renamed =
          !exact && is_renamed_copy(entry) && (original == original_ || original.starts_with(original_ + "."));
      // The library itself under the name for linking: only libx.so was copied, and its soname is libx.so.0.
      const bool unnumbered = !exact && entry == stem_ && has_soname(folder + "/" + entry);
      const bool other_case = !exact && entry.size() == name_.size() && folded(entry) == folded_;
      const bool other_number = !exact && !before_number_.empty() && entry.starts_with(before_number_) &&
                                name_before_number(entry) == before_number_;
      if (exact || sibling || renamed || unnumbered || other_case || other_number)
        add(folder + "/" + entry, exact, renamed, other_case);
    }
  }

  /// Whether a link with the name that is asked for lies beside libx.so.1.2, and leads elsewhere: it was made for that
  /// file. Of libx.so itself only the linker asks, for whichever version there is.
  bool is_meant_by_link(const std::string& path) {
    const auto entry = file_name(path);
    return !name_.ends_with(".so") && entry.starts_with(name_ + ".") &&
           entry.find_first_not_of("0123456789.", name_.size()) == std::string_view::npos &&
           images_.has_name(std::string(parent_path(path)) + "/" + name_);
  }

  /// "libaio.so.1t64" for libaio.so.1: Debian and Ubuntu renamed libraries for a time_t of 64 bits, which processors of
  /// 64 bits have had before: there the library is the same. Source: Debian wiki, ReleaseGoals/64bit-time.
  bool is_renamed_for_time(std::string_view entry, const Image& image) const {
    return image.format == Format::elf64 && entry == name_ + "t64";
  }

  /// "libbz2.so.1" for libbz2.so.1.0: one library, which distributions name differently.
  bool is_called_so_elsewhere(const Image& image) const {
    return image.soname && std::find(same_names_.begin(), same_names_.end(), *image.soname) != same_names_.end();
  }

  bool has_soname(const std::string& path) {
    const auto& opened = images_.open(path);
    return !opened.error && opened.image->soname == name_;
  }

  void add(const std::string& path, bool exact, bool renamed, bool other_case) {
    const auto& opened = images_.open(path);
    if (opened.error || std::any_of(found_.begin(), found_.end(), [&](const Whereabouts& known) {
          return images_.open(known.path).status.id == opened.status.id && known.exact_name == exact;
        }))
      return;
    const auto& image = *opened.image;
    const bool same = image.soname == name_ || is_meant_by_link(path) || is_renamed_for_time(file_name(path), image) ||
                      is_called_so_elsewhere(image);
    found_.push_back({path, exact, !exact && same,
                      image.format == requester_.format && image.machine == requester_.machine &&
                          image.type == FileType::shared && image.elf.has_dynamic_segment,
                      renamed, other_case});
  }

  const std::string& name_;
  std::string folded_, stem_, original_, before_number_;
  ImageStore& images_;
  const Image& requester_;
  std::vector<std::string> same_names_;
  std::set<std::string> folders_;
  std::vector<Whereabouts> found_;
};

/// The directories of the libraries that ld.so.cache has under the same name with other numbers behind it.
void look_where_cache_names(const std::string& stem, const FileSystem& files, Finder& finder) {
  constexpr std::uint64_t most_cache = std::uint64_t{16} << 20;
  auto bytes = read_file(files, "/etc/ld.so.cache", most_cache);
  const auto cache = bytes ? LdSoCache::parse(std::move(*bytes)) : Result<LdSoCache>(Error{});
  for (std::size_t i = 0; cache && i < cache->size(); ++i)
    if (const auto entry = cache->entry(i); entry && entry->key.starts_with(stem))
      finder.look_in(std::string(parent_path(entry->value)));
}

/// What is unpacked as a whole has its libraries beside the directory of its program, or below that of its libraries:
/// /opt/julia/lib/julia of /opt/julia/bin/julia. sharun, by which AppImages are made, puts them into shared/lib.
/// Source: sharun, README, "How does it work".
void look_around(const std::string& program, Finder& finder) {
  const std::string above(parent_path(parent_path(program)));
  if (above.size() < 2 || is_system_path(program)) return;
  for (const auto* below : {"/lib", "/lib64", "/shared/lib"}) {
    finder.look_in(above + below);
    finder.look_below(above + below);
  }
}

/// Programs of the system keep libraries for themselves in a directory of their name, which their RUNPATH names.
/// Source: github.com/darktable-org/darktable issue 4105.
void look_in_own_directory(const std::string& program, Finder& finder) {
  if (!is_system_path(program)) return;
  for (const std::string folder :
       {"/usr/lib64/", "/usr/lib/", "/usr/lib/x86_64-linux-gnu/", "/usr/lib/aarch64-linux-gnu/"})
    finder.look_in(folder + std::string(file_name(program)));
}

/// Of Nix each package has a directory of its own, which only its own RPATH names. Source: Nix manual, "Store paths".
void look_in_nix_store(const std::string& library, ImageStore& images, Finder& finder) {
  constexpr std::size_t most_packages = 50000;
  const std::string store = "/nix/store";
  std::size_t count = 0;
  for (const auto& entry : images.list(store)) {
    if (++count > most_packages) return;
    const auto folder = store + "/" + entry + "/lib";
    if (is_file(images.files(), folder + "/" + library)) finder.look_in(folder);
  }
}

/// An add-on of Node finds its libraries by a path from its place in node_modules, and a bundler copies it away from
/// there: node_modules/sharp/vendor/lib, node_modules/@img/sharp-libvips-linux-x64/lib.
void look_in_node_modules(const std::string& path, const std::string& library, ImageStore& images, Finder& finder) {
  constexpr std::size_t most_asked = 8000;
  constexpr int most_levels = 6;
  if (!path.ends_with(".node")) return;
  std::size_t count = 0;
  const auto look = [&](const std::string& package) {
    for (const auto* below : {"/lib", "/vendor/lib", "/build/Release", ""})
      if (++count < most_asked && is_file(images.files(), package + below + "/" + library))
        finder.look_in(package + below);
  };
  auto above = parent_path(path);
  for (int i = 0; i < most_levels && above.size() > 1; ++i, above = parent_path(above)) {
    const auto modules = std::string(above) + "/node_modules";
    for (const auto& entry : images.list(modules)) {
      if (!entry.starts_with('@')) {
        look(modules + "/" + entry);
        continue;
      }
      for (const auto& scoped : images.list(modules + "/" + entry)) look(modules + "/" + entry + "/" + scoped);
    }
  }
}

/// The directories of users: that of who asks, and of a tree that is not this machine's, in which nobody is logged in,
/// each one's.
std::vector<std::string> homes_of(const Query& query, ImageStore& images) {
  constexpr std::size_t most_users = 50;
  std::vector<std::string> homes;
  if (const auto home = query.environment.variable("HOME")) homes.push_back(*home);
  if (query.sysroot == "/") return homes;
  for (const auto& entry : images.list("/home"))
    if (homes.size() < most_users) homes.push_back("/home/" + entry);
  homes.emplace_back("/root");
  return homes;
}

/// Where what installs a library of this name keeps it.
void look_where_installed(const std::string& library, const Query& query, ImageStore& images, Finder& finder) {
  const auto row = installation_of(library);
  if (!row) return;
  constexpr std::string_view in_home = "{home}";
  const auto look_in = [&](const std::string& directory) {
    const auto star = directory.find('*');
    if (star == std::string::npos)
      finder.look_in(directory);
    else
      finder.look_in_each(directory.substr(0, star - 1), directory.substr(star + 1));
  };
  const auto homes = homes_of(query, images);
  for (const auto& directory : row->directories) {
    if (!directory.starts_with(in_home)) look_in(directory);
    for (const auto& home : homes)
      if (directory.starts_with(in_home)) look_in(home + directory.substr(in_home.size()));
  }
}

/// The environment a file belongs to: the part of its path before /lib/pythonX.Y/, or before /bin/ where that is there.
std::string prefix_of(const std::string& path, ImageStore& images) {
  const auto python = path.find("/lib/python3");
  if (python != std::string::npos) return path.substr(0, python);
  const std::string folder(parent_path(path));
  if (!folder.ends_with("/bin") || folder.starts_with("/usr")) return "";
  const std::string prefix(parent_path(folder));
  return site_packages(prefix, images.files()).empty() ? "" : prefix;
}

/// That of the file, and the one that was stated for what belongs to no environment: the interpreter of a virtual
/// environment lies outside it.
std::vector<std::string> prefixes_of(const std::string& path, const Report& report, ImageStore& images) {
  std::vector<std::string> prefixes;
  if (auto own = prefix_of(path, images); !own.empty()) prefixes.push_back(std::move(own));
  const bool is_interpreter = path.find("/lib/python3") == std::string::npos;
  if (!report.query.prefix || (!prefixes.empty() && !is_interpreter)) return prefixes;
  auto stated = *report.query.prefix;
  if (prefixes.empty() || prefixes.front() != stated) prefixes.push_back(std::move(stated));
  return prefixes;
}

/// The site-packages of a prefix, each once: in a virtual environment lib64 is lib.
std::vector<std::string> site_packages_once(const std::string& prefix, const FileSystem& files) {
  auto packages = site_packages(prefix, files);
  if (packages.size() < 2) return packages;
  std::set<std::string> real_folders;
  std::erase_if(packages, [&](const std::string& folder) {
    const auto real = files.real_path(folder);
    return !real_folders.insert(real ? *real : folder).second;
  });
  return packages;
}

/// Other directories of sys.path: of PYTHONPATH, of the user, and those from which something is imported. A package
/// that looks beside itself, by $ORIGIN, does not look there.
std::vector<std::string> other_packages_of(const std::string& path, const Report& report, ImageStore& images) {
  std::vector<std::string> folders;
  const auto add = [&](std::string folder) {
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    const bool is_new = std::find(folders.begin(), folders.end(), folder) == folders.end();
    if (is_new && folder.starts_with('/') && images.folder_exists(folder)) folders.push_back(std::move(folder));
  };
  const auto& environment = report.query.environment;
  const auto stated = environment.variable("PYTHONPATH").value_or("");
  for (const auto element : split(stated, ":")) add(std::string(element));
  constexpr std::string_view lib = "/lib/python3";
  const auto at = path.find(lib);
  const auto home = environment.variable("HOME");
  if (home && at != std::string::npos) {
    const auto end = path.find('/', at + lib.size());
    add(*home + "/.local" + path.substr(at, end - at) + "/site-packages");
  }
  for (const auto& import : report.resolution.imports)
    for (const auto& package : import.packages)
      if (package.folder.size() > 1) add(std::string(parent_path(package.folder.substr(0, package.folder.size() - 1))));
  return folders;
}

}  // namespace

std::string unversioned_name(const std::string& library) {
  const auto end = library.find(".so");
  return end == std::string::npos ? library : library.substr(0, end + 3);
}

std::vector<Whereabouts> find_whereabouts(const std::string& name, ObjectId requester, const Edge& edge,
                                          const Report& report, ImageStore& images) {
  const auto& object = report.resolution.objects[requester];
  // Of a path, the library that it means lies elsewhere under its own name.
  const std::string base(file_name(name));
  Finder finder(base, images, *object.image);
  // What an environment has of a library tells more than what the system has.
  if (const auto prefix = conda_prefix_around(object.path, images); !prefix.empty()) finder.look_in(prefix + "/lib");
  for (const auto& loaded : report.resolution.objects) finder.look_in(std::string(parent_path(loaded.path)));
  const auto& cwd = report.query.environment.cwd;
  for (const auto& probe : edge.search.probes) {
    const std::string folder(parent_path(absolute_path(probe.path, cwd)));
    finder.look_in(folder);
    // An element of a search path that is the library itself: the directory is meant.
    if (is_file(images.files(), folder)) finder.look_in(std::string(parent_path(folder)));
    finder.look_below(normal_path(folder));
  }

  for (const auto& folder : neighbourhood_of(object.path, images)) finder.look_in(folder);
  look_around(report.resolution.objects.front().path, finder);
  look_in_own_directory(report.resolution.objects.front().path, finder);
  look_where_installed(base, report.query, images, finder);
  look_in_node_modules(object.path, base, images, finder);
  for (const auto& meant : meant_by_elements(report.query.environment)) finder.look_in(meant.folder);
  for (const auto& other : renumbered_elements(report.query.environment, images)) finder.look_in(other.folder);

  std::vector<std::string> packages;
  for (const auto& prefix : prefixes_of(object.path, report, images)) {
    finder.look_in(prefix + "/lib");
    for (auto& folder : site_packages_once(prefix, images.files())) packages.push_back(std::move(folder));
  }
  // A site-packages without an environment around it, as `pip install --target` makes it: two levels up at most.
  for (auto folder = parent_path(object.path); folder.size() > 1 && packages.empty(); folder = parent_path(folder))
    if (images.folder_exists(std::string(folder) + "/nvidia")) packages.emplace_back(folder);
  for (auto& folder : other_packages_of(object.path, report, images))
    if (std::find(packages.begin(), packages.end(), folder) == packages.end()) packages.push_back(std::move(folder));
  for (const auto& folder : packages) {
    finder.look_in(folder);
    finder.look_in_each(folder, "");
    finder.look_in_each(folder, "/lib");
    finder.look_in_each(folder + "/nvidia", "/lib");
    for (const auto& provider : providers_of(name, knowledge_of(report)))
      finder.look_in(folder + "/" + provider.folder);
  }
  look_where_cache_names(unversioned_name(base), images.files(), finder);
  look_in_nix_store(base, images, finder);
  for (const auto& entry : images.list("/usr/local"))
    if (entry.starts_with("cuda"))
      for (const auto* below : {"/lib64", "/lib", "/targets/x86_64-linux/lib"})
        finder.look_in("/usr/local/" + entry + below);
  for (const auto& folder : read_ld_so_conf(images.files())) finder.look_in(folder);
  for (const auto* folder : {"/usr/local/lib", "/usr/local/lib64"}) finder.look_in(folder);
  auto found = finder.take();
  if (base != name) std::erase_if(found, [](const Whereabouts& where) { return !where.exact_name || !where.fits; });
  return found;
}

namespace {

/// Below these directories, the nearest first, and of at most so many of them.
std::vector<Whereabouts> find_below(std::vector<std::string> folders, std::size_t most, const std::string& name,
                                    const Image& requester, ImageStore& images) {
  constexpr std::size_t most_found = 4;
  constexpr std::string_view passed_over[] = {"share", "doc", "include", "src", "pkgs", "node_modules", "__pycache__"};
  // Without asking for each entry what it is: "x.py" is a file, and "2023.1.0" may be a directory.
  const auto may_be_folder = [&](std::string_view entry) {
    const auto dot = entry.rfind('.');
    const bool numbered = dot != std::string_view::npos && dot > 0 &&
                          entry.find_first_not_of("0123456789", dot + 1) == std::string_view::npos;
    return (dot == std::string_view::npos || numbered) && entry.find(".so") == std::string_view::npos &&
           std::find(std::begin(passed_over), std::end(passed_over), entry) == std::end(passed_over);
  };
  const auto stem = unversioned_name(name);
  std::vector<Whereabouts> found;
  std::set<std::string> known;
  for (std::size_t i = 0; i < folders.size() && i < most && found.size() < most_found; ++i) {
    const auto real = images.files().real_path(folders[i]);
    if (!real || !known.insert(*real).second) continue;
    const auto folder = folders[i];
    for (const auto& entry : images.list(folder)) {
      // Also under the name for linking, libx.so, or all of its number, libx.so.3.1, to which no link leads.
      const bool other_name = entry != name && (entry == stem || entry.starts_with(name + "."));
      if (entry == name || other_name) {
        const auto& opened = images.open(folder + "/" + entry);
        const bool fits = !opened.error && opened.image->format == requester.format &&
                          opened.image->machine == requester.machine && opened.image->type == FileType::shared &&
                          opened.image->elf.has_dynamic_segment;
        if (fits && (!other_name || (stem != name && opened.image->soname == name)))
          found.push_back({folder + "/" + entry, !other_name, other_name, true, false, false});
      } else if (folders.size() < most && may_be_folder(entry)) {
        folders.push_back(folder + "/" + entry);
      }
    }
  }
  std::stable_partition(found.begin(), found.end(), [](const Whereabouts& where) { return where.exact_name; });
  return found;
}

}  // namespace

std::vector<Whereabouts> find_below_opt(const std::string& name, const Image& requester, ImageStore& images) {
  constexpr std::size_t most = 4000;
  return find_below({"/opt", "/usr/local"}, most, name, requester, images);
}

std::vector<Whereabouts> find_in_homes(const std::string& name, const Image& requester, const Query& query,
                                       ImageStore& images) {
  constexpr std::size_t most_entries = 300, most = 600;
  std::vector<std::string> folders;
  const auto add = [&](const std::string& prefix) {
    for (const auto* below : {"/lib", "/lib64"})
      if (folders.size() < most && images.has_name(prefix + below)) folders.push_back(prefix + below);
  };
  for (const auto& home : homes_of(query, images)) {
    const auto& entries = images.list(home);
    if (home.size() < 2 || entries.size() > most_entries) continue;
    add(home);
    add(home + "/.local");
    for (const auto& entry : entries)
      if (!entry.starts_with('.')) add(home + "/" + entry);
  }
  const auto count = folders.size();
  return find_below(std::move(folders), count, name, requester, images);
}

std::vector<Whereabouts> find_in_project(const std::string& name, const Object& requester, ImageStore& images) {
  constexpr std::size_t most = 1500, least_parts = 3;
  constexpr int most_levels = 3;
  // What a package of Python has is for itself.
  if (!requester.path.starts_with('/') || is_system_path(requester.path) ||
      requester.path.find("-packages/") != std::string::npos)
    return {};
  auto above = parent_path(requester.path);
  for (int i = 0; i < most_levels; ++i) {
    above = parent_path(above);
    // Not all that a user has, or a disk: /home/u, /mnt.
    if (static_cast<std::size_t>(std::count(above.begin(), above.end(), '/')) < least_parts) break;
    if (auto found = find_below({std::string(above)}, most, name, *requester.image, images); !found.empty())
      return found;
  }
  return {};
}

const Whereabouts* linker_target(const Edge& edge, const std::vector<Whereabouts>& found) {
  const auto name = file_name(edge.name);
  if (!name.ends_with(".so")) return nullptr;
  const Whereabouts* best = nullptr;
  for (const auto& where : found) {
    const auto other = file_name(where.path);
    const bool numbered = !where.exact_name && where.fits && other.starts_with(std::string(name) + ".") &&
                          other.find_first_not_of("0123456789.", name.size()) == std::string_view::npos;
    // The soname's link, libx.so.1, before the file itself, libx.so.1.0.8.
    const auto better = [&](std::string_view than) {
      const auto dots = std::count(other.begin(), other.end(), '.'), its = std::count(than.begin(), than.end(), '.');
      return dots != its ? dots < its : version_less(than, other);
    };
    if (numbered && (best == nullptr || better(file_name(best->path)))) best = &where;
  }
  return best;
}

}  // namespace cudald
