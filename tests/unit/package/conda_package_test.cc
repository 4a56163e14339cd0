#include "package/conda_package.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "unit/archive/tar_builder.h"
#include "unit/archive/zip_builder.h"
#include "unit/package/faulty_file.h"

namespace cudald {
namespace {

using Texts = std::vector<std::string>;

const TarEntry plain_index{.name = "info/index.json",
                           .data = R"({"name":"cudatoolkit","version":"11.8.0","build":"h4ba93d1_9",
                                       "depends":["__glibc >=2.17",5,"libgcc-ng"]})"};

std::string conda_of(const std::vector<TarEntry>& content, const std::vector<TarEntry>& info = {plain_index}) {
  return archive_of({{.name = "metadata.json", .data = "{}"},
                     {.name = "pkg-x-1-0.tar.zst", .data = zstd_of(tar_of(content))},
                     {.name = "info-x-1-0.tar.zst", .data = zstd_of(tar_of(info))}})
      .bytes;
}

Result<CondaPackage> opened(
    const std::string& bytes, const std::string& path = "/d/x-1.0-h_0.conda", const InflateLimits& limits = {},
    const Rehearsal& rehearse = [](const File&) {}) {
  return open_conda_package(std::make_shared<BytesFile>(bytes), path, rehearse, limits);
}

CondaPackage package_in(const std::string& bytes, const std::string& path = "/d/x-1.0-h_0.conda",
                        const InflateLimits& limits = {}) {
  auto package = opened(bytes, path, limits);
  if (!package) FAIL(package.error().message);
  return std::move(*package);
}

/// "lib/a", "lib/b -> a", "lib/c = lib/a" (a name of the bytes of another member).
Texts files_of(const CondaPackage& package) {
  Texts files;
  for (const auto& file : package.files) {
    auto text = file.path;
    if (!file.link.empty())
      text += " -> " + file.link;
    else if (file.member != file.entry)
      text += " = " + std::string(package.archive->name(file.member));
    files.push_back(text);
  }
  return files;
}

std::string text_of_member(const CondaPackage& package, std::size_t number) {
  const auto status = package.archive->status(number);
  const auto file = package.archive->open(number, status, "shown");
  REQUIRE(file.has_value());
  CHECK((*file)->status().size == status.size);
  std::string text(status.size + 1, '?');
  const auto got = (*file)->read(0, std::as_writable_bytes(std::span(text)));
  REQUIRE(got.has_value());
  return text.substr(0, *got);
}

TEST_CASE("conda installs a noarch package's modules for the environment's Python") {
  const std::pair<std::string, std::string> rows[] = {
      {"lib/libcudart.so.12", "lib/libcudart.so.12"},
      {"lib/python3.11/site-packages/torch/_C.so", "lib/python3/site-packages/torch/_C.so"},
      {"lib/python3.11", "lib/python3.11"},
      {"lib/python3.x/a", "lib/python3.x/a"},
      {"lib/python3.9x/a", "lib/python3.9x/a"},
      {"lib/python3./a", "lib/python3./a"},
      {"lib/python2.7/a", "lib/python2.7/a"},
      {"lib/python3.9/", "lib/python3/"},
      {"site-packages/x.py", "site-packages/x.py"},
      {"python-scripts/run", "python-scripts/run"},
  };
  for (const auto& [name, path] : rows) CHECK(conda_installed_path(name, false) == path);
  CHECK(conda_installed_path("site-packages/x.py", true) == "lib/python3/site-packages/x.py");
  CHECK(conda_installed_path("python-scripts/run", true) == "bin/run");
  CHECK(conda_installed_path("share/x", true) == "share/x");
  CHECK(conda_installed_path("lib/python3.12/x", true) == "lib/python3/x");
}

TEST_CASE("conda packages are known by the ends of their names") {
  for (const auto* name : {"a.conda", "/x/a.tar.bz2"}) CHECK_MESSAGE(is_conda_package_name(name), name);
  for (const auto* name : {"a.conda.zip", "a.tar", "a.bz2", "conda", "a.tar.gz"})
    CHECK_MESSAGE(!is_conda_package_name(name), name);
}

TEST_CASE("both formats of a package hold the same files, and read the same") {
  const std::vector<TarEntry> content{{.name = "lib/liba.so.1", .data = "library", .mode = 0755},
                                      {.name = "lib/", .type = '5'},
                                      {.name = "lib/liba.so", .type = '2', .link = "liba.so.1"},
                                      {.name = "./share/x", .data = "text"}};
  auto with_info = content;
  with_info.insert(with_info.begin(), plain_index);
  for (const auto& package : {package_in(conda_of(content)), package_in(zstd_of(tar_of(with_info)), "/d/x.tar.bz2"),
                              package_in(tar_of(with_info), "/d/x.tar.bz2")}) {
    CHECK(package.index.name == "cudatoolkit");
    CHECK(package.index.version == "11.8.0");
    CHECK(package.index.build == "h4ba93d1_9");
    CHECK(package.index.depends == Texts{"__glibc >=2.17", "libgcc-ng"});
    CHECK_FALSE(package.index.noarch_python);
    CHECK(package.placeholder == "");
    CHECK(words(package.problems) == "");
    CHECK(files_of(package) == Texts{"lib/liba.so.1", "lib/liba.so -> liba.so.1", "share/x"});
    CHECK(text_of_member(package, package.files[0].member) == "library");
    CHECK(text_of_member(package, package.files[2].member) == "text");
    CHECK(package.archive->status(package.files[0].member).executable);
    CHECK_FALSE(package.archive->status(package.files[2].member).executable);
    CHECK(package.archive->status(package.files[2].member).kind == FileKind::regular);
    CHECK(package.archive->name(package.files[2].member) == "./share/x");
  }
}

TEST_CASE("what was inflated of a package is its tars") {
  const std::vector<TarEntry> content{{.name = "a", .data = std::string(5000, 'a')}};
  CHECK(package_in(conda_of(content)).inflated == tar_of(content).size() + tar_of({plain_index}).size());
  CHECK(package_in(tar_of({plain_index}), "/x.tar.bz2").inflated == 0);
}

TEST_CASE("an index says noarch python by that word alone") {
  const auto noarch = [](const std::string& value) {
    return package_in(conda_of({{.name = "site-packages/a.so"}},
                               {{.name = "info/index.json", .data = R"({"name":"x","noarch":)" + value + "}"}}));
  };
  CHECK(noarch("\"python\"").index.noarch_python);
  CHECK(files_of(noarch("\"python\"")) == Texts{"lib/python3/site-packages/a.so"});
  for (const auto* value : {"\"generic\"", "true", "null"}) {
    CHECK_FALSE(noarch(value).index.noarch_python);
    CHECK(files_of(noarch(value)) == Texts{"site-packages/a.so"});
  }
}

TEST_CASE("a package without a readable index is known by its file's name") {
  struct Row {
    std::string path, name, version, build;
  };
  for (const auto& row : {Row{"/d/cuda-nvcc-12.4-h_0.conda", "cuda-nvcc", "12.4", "h_0"},
                          Row{"x-1.conda", "x-1", "", ""}, Row{"x.conda", "x", "", ""}, Row{"-x.conda", "-x", "", ""},
                          Row{"a--b.conda", "a", "", "b"}, Row{"-1-b.conda", "", "1", "b"}}) {
    for (const auto* json : {"", "[", "[]", "5", "{}", R"({"name":5})", R"({"name":""})"}) {
      const auto package = package_in(conda_of({}, {{.name = "info/index.json", .data = json}}), row.path);
      CHECK(package.index.name == row.name);
      CHECK(package.index.version == row.version);
      CHECK(package.index.build == row.build);
      CHECK(words(package.problems) == "truncated: has no readable info/index.json\n");
    }
  }
  const auto error = opened(tar_of({{.name = "info/index.json", .data = "{}"}}), "/d/x-1-0.tar.bz2");
  REQUIRE_FALSE(error.has_value());
  CHECK(error.error().message ==
        "no conda package (no info/index.json that can be read; a root file system is for --sysroot)");
  CHECK(error.error().code == ErrorCode::malformed);
  CHECK(error.error().path == "/d/x-1-0.tar.bz2");
  const auto cut = opened(tar_of({plain_index}).substr(0, 600), "/d/x-1-0.tar.bz2");
  REQUIRE_FALSE(cut.has_value());
  CHECK(cut.error().message ==
        "no conda package (no info/index.json that can be read; a root file system is for --sysroot): "
        "x-1-0.tar.bz2 cut short within member 1, which should end at " +
            std::to_string(512 + plain_index.data.size()));
}

TEST_CASE("a package without a readable index is installed as it lies there, and its names are UTF-8") {
  const auto package = package_in(conda_of({{.name = "site-packages/a.py"}, {.name = "lib/\xc3\xbc.so"}},
                                           {{.name = "info/index.json", .data = ""}}));
  CHECK_FALSE(package.index.noarch_python);
  const auto files = files_of(package);
  CHECK(std::count(files.begin(), files.end(), "site-packages/a.py") == 1);
  CHECK(std::count(files.begin(), files.end(), "lib/\xc3\xbc.so") == 1);
  CHECK(words(package.problems) == "truncated: has no readable info/index.json\n");
}

TEST_CASE("an index is a file, and one of 4 MiB is read whole") {
  const auto index_with = [](std::size_t size) {
    const std::string end = R"({"name":"x"})";
    return package_in(conda_of({}, {{.name = "./info/index.json", .data = std::string(size - end.size(), ' ') + end}}),
                      "/given.conda");
  };
  constexpr std::size_t most = std::size_t{4} << 20;
  CHECK(index_with(most).index.name == "x");
  CHECK(index_with(most + 1).index.name == "given");
  CHECK(package_in(conda_of({}, {{.name = "info/index.json", .type = '2', .link = "a"}, plain_index})).index.name ==
        "cudatoolkit");
}

TEST_CASE("the placeholder of conda-build is taken from paths.json, else from has_prefix") {
  const std::string made_up = "/home/b/_h_env_placehold_placehold", oldest = "/opt/anaconda1anaconda2anaconda3";
  const auto placeholder = [](const std::string& paths, const std::string& has_prefix) {
    std::vector<TarEntry> info{plain_index};
    if (!paths.empty()) info.push_back({.name = "info/paths.json", .data = paths});
    if (!has_prefix.empty()) info.push_back({.name = "info/has_prefix", .data = has_prefix});
    return package_in(conda_of({}, info)).placeholder;
  };
  const auto paths = [](const std::string& text) {
    return R"({"paths":[{"prefix_placeholder": ")" + text + R"(","path":"a"}]})";
  };
  CHECK(placeholder("", "") == "");
  CHECK(placeholder(paths(made_up), "") == made_up);
  CHECK(placeholder(paths(oldest), "") == oldest);
  CHECK(placeholder(paths(oldest + "x"), "") == "");
  CHECK(placeholder(paths("/usr/lib"), "") == "");
  CHECK(placeholder(paths("relative_placehold"), "") == "");
  CHECK(placeholder(paths(made_up), oldest + " binary lib/a\n") == made_up);
  CHECK(placeholder(paths("/usr/lib"), oldest + " binary lib/a\n") == "");
  CHECK(placeholder(R"({"paths":[]})", oldest + " binary lib/a\n") == oldest);
  CHECK(placeholder(R"("prefix_placeholder")", oldest + " binary lib/a\n") == oldest);
  CHECK(placeholder(R"("prefix_placeholder": "/cut_placehold)", oldest + " text a\n") == oldest);
  CHECK(placeholder("", "\"" + made_up + "\" \"binary\" \"lib/a\"\n") == made_up);
  CHECK(placeholder("", oldest) == oldest);
  CHECK(placeholder("", oldest + "\nlib/a") == oldest);
  CHECK(placeholder("", "\"\"") == "");
  CHECK(placeholder("", "lib/a\n") == "");
  // In the older format it stands in the same tar.
  CHECK(package_in(tar_of({plain_index, {.name = "info/has_prefix", .data = oldest + " text a\n"}}), "/x.tar.bz2")
            .placeholder == oldest);
}

TEST_CASE("names of one file have the bytes of the member that holds them") {
  const auto package = package_in(conda_of({
      {.name = "lib/a", .data = "bytes"},
      {.name = "lib/b", .type = '1', .link = "./lib/a"},
      {.name = "lib/c", .type = '1', .link = "lib/b"},
      {.name = "info/test", .data = "test"},
      {.name = "d", .type = '1', .link = "info/test"},
  }));
  CHECK(words(package.problems) == "");
  CHECK(files_of(package) == Texts{"lib/a", "lib/b = lib/a", "lib/c = lib/a", "d = info/test"});
}

TEST_CASE(
    "the modules of a package of any Python are found in the environment's, and by the package's own name of it") {
  const auto package = package_in(conda_of({{.name = "lib/python3.11/site-packages/a.py"},
                                            {.name = "lib/python3.11/site-packages/b.so"},
                                            {.name = "lib/c"}}));
  CHECK(files_of(package) == Texts{"lib/python3/site-packages/a.py", "lib/python3.11 -> python3",
                                   "lib/python3/site-packages/b.so", "lib/c"});
}

TEST_CASE("of a name that is there twice the last member stays, in the place of the first, for links as well") {
  const auto package = package_in(conda_of({{.name = "a", .data = "first"},
                                            {.name = "b"},
                                            {.name = "./a", .data = "last"},
                                            {.name = "c", .type = '1', .link = "a"}}));
  CHECK(files_of(package) == Texts{"a", "b", "c = ./a"});
  CHECK(text_of_member(package, package.files[0].member) == "last");
  CHECK(words(package.problems) == "duplicate-name: `./a` is there twice\n");
}

TEST_CASE("members that cannot be installed are left out, each with its reason") {
  const std::string long_link(4096, 'l');
  struct Row {
    TarEntry entry;
    std::string problem;
    bool installed = false;
  };
  const Row rows[] = {
      {{.name = "pipe", .type = '6'}, "special-file: `pipe` is a device, FIFO or socket\n"},
      {{.name = "link", .type = '2', .link = long_link}, "name-too-long: `link` is a link to a path of 4096 bytes\n"},
      {{.name = "link", .type = '2', .link = long_link.substr(1)}, "", true},
      {{.name = "link", .type = '2'}, "outside: `link` is a link to nothing\n"},
      {{.name = "hard", .type = '1', .link = "none"},
       "outside: `hard` is a hard link to `none`, which the package does not hold\n"},
      {{.name = "hard", .type = '1', .link = "first-link"},
       "outside: `hard` is a hard link to `first-link`, which the package does not hold\n"},
      {{.name = "hard", .type = '1', .link = "first"}, "", true},
      {{.name = "/abs"}, "name-absolute: `/abs` has an absolute name\n"},
      {{.name = "./", .type = '5'}, ""},
      {{.name = "folder/", .type = '5'}, ""},
  };
  for (const auto& [entry, problem, installed] : rows) {
    const auto package =
        package_in(conda_of({{.name = "first"}, {.name = "first-link", .type = '2', .link = "first"}, entry}));
    CHECK(words(package.problems) == problem);
    CHECK(package.files.size() == (installed ? 3 : 2));
    if (!package.problems.empty()) {
      CHECK(package.problems.kept()[0].offset == 1024);
      CHECK_FALSE(package.problems.kept()[0].member);
      CHECK_FALSE(package.problems.kept()[0].fatal);
    }
  }
  const auto upwards = package_in(conda_of({{.name = "../up"}}));
  CHECK(upwards.problems.count(ZipProblemKind::name_parent) == 1);
  CHECK(upwards.files.empty());
}

TEST_CASE("a link that leads out of the package is told, and stays") {
  const std::pair<std::string, bool> rows[] = {
      {"b", false},           {"../b", false},        {"../../b", true},   {"/b", true},          {"c/../../b", false},
      {"c/../../../b", true}, {"./../b", false},      {"./../../b", true}, {"c//../../b", false}, {"..", false},
      {"../..", true},        {"..c/../../b", false}, {"...", false},
  };
  for (const auto& [target, out] : rows) {
    const auto package = package_in(conda_of({{.name = "lib/a", .type = '2', .link = target}}));
    CHECK(words(package.problems) ==
          (out ? "symlink: `lib/a` is a link out of the package, to `" + target + "`\n" : ""));
    CHECK(files_of(package) == Texts{"lib/a -> " + target});
  }
}

TEST_CASE("a member as large as --max-member is read, a larger one is not") {
  const auto package = package_in(tar_of({plain_index,
                                          {.name = "a", .data = std::string(300, 'a')},
                                          {.name = "b", .data = std::string(301, 'b')},
                                          {.name = "c", .type = '1', .link = "b"}}),
                                  "/x.tar.bz2", {.member = 300});
  CHECK(files_of(package) == Texts{"a"});
  CHECK(words(package.problems) ==
        "too-large: `b` has 301 bytes, and --max-member is 300: it is not read\n"
        "outside: `c` is a hard link to `b`, which the package does not hold\n");
}

TEST_CASE("a package that inflates to more than --max-total ends there") {
  const std::vector<TarEntry> content{
      plain_index, {.name = "a"}, {.name = "b", .data = std::string(std::size_t{4} << 20, 'b')}, {.name = "c"}};
  const auto package = package_in(zstd_of(tar_of(content)), "/x.tar.bz2", {.total = 2'000'000});
  CHECK(words(package.problems) == "over-total: x.tar.bz2 inflates to more than the 2000000 bytes of --max-total\n");
  CHECK(package.index.name == "cudatoolkit");
  CHECK(files_of(package) == Texts{"a", "b"});
}

TEST_CASE("100,000 members of a package are read, and that there are more is told") {
  const auto with = [](std::size_t count) {
    std::string tar = open_tar_of({plain_index});
    const auto folder = tar_header({.name = "f/", .type = '5'});
    for (std::size_t i = 2; i < count; ++i) tar += folder;
    return package_in(tar + tar_of({{.name = "last"}}), "/x.tar.bz2");
  };
  const auto whole = with(most_zip_members), more = with(most_zip_members + 1);
  CHECK(words(whole.problems) == "");
  CHECK(files_of(whole) == Texts{"last"});
  CHECK(words(more.problems) == "too-many-members: x.tar.bz2 has over 100000 members; the first are read\n");
  CHECK(files_of(more).empty());
}

TEST_CASE("a tar in a package that is damaged or cut counts as far as it can be read") {
  const auto tar = tar_of({plain_index, {.name = "a", .data = std::string(600, 'a')}, {.name = "b"}});
  const auto package = package_in(tar.substr(0, 2000), "/d/x-1-0.tar.bz2");
  CHECK(files_of(package) == Texts{"a"});
  REQUIRE(package.problems.kept().size() == 1);
  CHECK(words(package.problems) == "truncated: x-1-0.tar.bz2 cut short within member 2, which should end at 2136\n");
  CHECK(package.problems.kept()[0].offset == 2136);
  CHECK_FALSE(package.problems.kept()[0].fatal);
}

TEST_CASE("a .conda is a zip with a tar of content; that of information may be missing") {
  const auto pkg = zstd_of(tar_of({{.name = "a"}})), info = zstd_of(tar_of({plain_index}));
  const auto names = [&](const std::string& of_content, const std::string& of_info) {
    return opened(archive_of({{.name = of_content, .data = pkg}, {.name = of_info, .data = info}}).bytes);
  };
  CHECK(names("pkg-x.tar.zst", "info-x.tar.zst")->index.name == "cudatoolkit");
  CHECK(names("pkg-x.tar.zst", "info-x.tar.bz2")->index.name == "x");
  CHECK(names("pkg-x.tar.zst", "x-info-x.tar.zst")->index.name == "x");
  for (const auto* name : {"pkg-x.tar", "x-pkg-x.tar.zst", "pkg"}) {
    const auto package = names(name, "info-x.tar.zst");
    REQUIRE_FALSE(package.has_value());
    CHECK(package.error().code == ErrorCode::malformed);
    CHECK(package.error().message == "no conda package (no pkg-*.tar.zst in it that can be read)");
    CHECK(package.error().path == "/d/x-1.0-h_0.conda");
  }
  const auto no_zip = opened("<!DOCTYPE html>");
  REQUIRE_FALSE(no_zip.has_value());
  CHECK(no_zip.error().message == "no conda package (no pkg-*.tar.zst in it that can be read): is not a zip archive");
}

TEST_CASE("what is wrong with the zip of a .conda is told of its member by name") {
  auto zip = archive_of({{.name = "../up"},
                         {.name = "pkg-x.tar.zst", .data = zstd_of(tar_of({{.name = "a"}}))},
                         {.name = "info-x.tar.zst", .data = zstd_of(tar_of({plain_index}))}});
  const auto package = package_in(zip.bytes);
  REQUIRE(package.problems.kept().size() == 1);
  CHECK(package.problems.kept()[0].message.starts_with("`../up` "));
  CHECK_FALSE(package.problems.kept()[0].member);
  zip.put(zip.local[1], "KP");
  const auto broken = opened(zip.bytes);
  REQUIRE_FALSE(broken.has_value());
  CHECK(broken.error().message.starts_with("no conda package (no pkg-*.tar.zst in it that can be read): `../up` "));
}

TEST_CASE("the libraries of a compressed package are rehearsed as they go by") {
  const std::string library =
      "\x7f"
      "ELF library";
  const std::vector<TarEntry> entries{
      plain_index, {.name = "a.so", .data = library}, {.name = "b.so", .data = library}};
  for (const auto& [bytes, times] : {std::pair(zstd_of(tar_of(entries)), 2), {tar_of(entries), 0}}) {
    int rehearsed = 0;
    const auto package = opened(bytes, "/x.tar.bz2", {}, [&rehearsed](const File&) { ++rehearsed; });
    REQUIRE(package.has_value());
    CHECK(rehearsed == times);
    CHECK(text_of_member(*package, package->files[1].member) == library);
  }
}

TEST_CASE("a library with holes is not rehearsed") {
  const std::string library =
      "\x7f"
      "ELF library";
  const auto tar = open_tar_of({plain_index}) + sparse_member("a.so", {{0, library.size()}}, 1024, library) +
                   tar_of({{.name = "b.so", .data = library}});
  std::vector<std::size_t> rehearsed;
  const auto package = opened(zstd_of(tar), "/x.tar.bz2", {},
                              [&rehearsed](const File& file) { rehearsed.push_back(file.status().size); });
  REQUIRE(package.has_value());
  CHECK(files_of(*package) == Texts{"a.so", "b.so"});
  CHECK(rehearsed == std::vector<std::size_t>{library.size()});
  CHECK(text_of_member(*package, package->files[0].member) == library + std::string(1024 - library.size(), '\0'));
}

TEST_CASE("what a package depends on is a list") {
  for (const auto* json : {R"({"name":"x","depends":"a"})", R"({"name":"x"})", R"({"name":"x","depends":{"a":"b"}})"}) {
    CAPTURE(json);
    const auto package = package_in(conda_of({}, {{.name = "info/index.json", .data = json}}));
    CHECK(package.index.name == "x");
    CHECK(package.index.version == "");
    CHECK(package.index.build == "");
    CHECK(package.index.depends.empty());
  }
}

TEST_CASE("a member without a name is installed nowhere") {
  const auto package = package_in(conda_of({{.name = "."}, {.name = "././"}, {.name = "a"}}));
  CHECK(files_of(package) == Texts{"a"});
}

TEST_CASE("of several inner tars the first is taken that can be read") {
  const auto package =
      package_in(archive_of({{.name = "pkg-a.tar.zst", .data = zstd_of(tar_of({{.name = "a"}})), .flags = 1},
                             {.name = "pkg-b.tar.zst", .data = zstd_of(tar_of({{.name = "b"}}))},
                             {.name = "pkg-c.tar.zst", .data = zstd_of(tar_of({{.name = "c"}}))},
                             {.name = "info-a.tar.zst", .data = zstd_of(tar_of({plain_index}))}})
                     .bytes);
  CHECK(files_of(package) == Texts{"b"});
  CHECK(words(package.problems) == "encrypted: `pkg-a.tar.zst` is encrypted\n");
}

TEST_CASE("a package on a bad disk gives the disk's error, or what is missing then") {
  const auto error_of = [](const std::string& bytes, const std::string& path, std::uint64_t begin, std::uint64_t end) {
    const auto package =
        open_conda_package(std::make_shared<FaultyFile>(bytes, begin, end), path, [](const File&) {}, {});
    return package ? Error{ErrorCode::usage, "none", "", std::nullopt, 0} : package.error();
  };
  const auto unreadable = error_of(conda_of({}), "/d/x.conda", 0, 1'000'000);
  CHECK(unreadable.code == ErrorCode::unreadable);
  CHECK(unreadable.message == "Input/output error");
  CHECK(unreadable.system_error == EIO);
  const auto no_index = error_of(tar_of({plain_index}), "/d/x.tar.bz2", 512, 513);
  CHECK(no_index.code == ErrorCode::malformed);
  CHECK(no_index.message ==
        "no conda package (no info/index.json that can be read; a root file system is for --sysroot)");
  CHECK(no_index.path == "/d/x.tar.bz2");
}

/// Some bytes, then the same ones again and again.
class RepeatingFile final : public File {
 public:
  RepeatingFile(std::string front, std::string folder, std::string long_name)
      : front_(std::move(front)), folder_(std::move(folder)), long_name_(std::move(long_name)) {
    status_.kind = FileKind::regular;
    status_.size = folders_end() + 100 * long_name_.size();
  }
  const FileStatus& status() const override { return status_; }
  Result<std::size_t> read(std::uint64_t offset, std::span<std::byte> into) const override {
    std::size_t done = 0;
    while (done < into.size() && offset + done < status_.size) {
      const auto bytes = bytes_at(offset + done);
      const auto length = std::min(bytes.size(), into.size() - done);
      std::memcpy(into.data() + done, bytes.data(), length);
      done += length;
    }
    return done;
  }
  std::uint64_t folders_end() const { return front_.size() + most_zip_members * folder_.size(); }

 private:
  std::string_view bytes_at(std::uint64_t offset) const {
    if (offset < front_.size()) return std::string_view(front_).substr(offset);
    if (offset < folders_end()) return std::string_view(folder_).substr((offset - front_.size()) % folder_.size());
    return std::string_view(long_name_).substr((offset - folders_end()) % long_name_.size());
  }

  std::string front_, folder_, long_name_;
  FileStatus status_;
};

TEST_CASE("names of 64 MiB in a tar are read, and that there are more is told with their place") {
  const auto file = std::make_shared<RepeatingFile>(open_tar_of({plain_index}), tar_header({.name = "f/", .type = '5'}),
                                                    open_tar_of({{.name = std::string(1'000'000, 'n')}}));
  const auto package = open_conda_package(file, "/x.tar.bz2", [](const File&) {}, {});
  REQUIRE(package.has_value());
  CHECK(words(package->problems) ==
        "too-many-members: x.tar.bz2 has over 100000 members; the first are read\n"
        "too-many-members: x.tar.bz2 more than 700000 members, or 67108864 bytes of names and sparse extents\n");
  CHECK(package->problems.kept()[0].offset == 0);
  CHECK(package->problems.kept()[1].offset > file->folders_end());
}

TEST_CASE("what is told of a conda package has its place in the tar, or none, and leaves its members known") {
  CHECK(placed(package_in(conda_of({}, {}), "/d/x-1.0-h_0.conda").problems) == "truncated at 0\n");
  const auto many = [] {
    std::string tar = open_tar_of({plain_index});
    const auto folder = tar_header({.name = "f/", .type = '5'});
    for (std::size_t i = 1; i <= most_zip_members; ++i) tar += folder;
    return package_in(tar + tar_of({}), "/x.tar.bz2");
  }();
  CHECK(placed(many.problems) == "too-many-members at 0\n");
  const std::vector<TarEntry> content{
      plain_index, {.name = "a"}, {.name = "b", .data = std::string(std::size_t{4} << 20, 'b')}, {.name = "c"}};
  CHECK(placed(package_in(zstd_of(tar_of(content)), "/x.tar.bz2", {.total = 2'000'000}).problems) ==
        "over-total at 0\n");
  auto zip = archive_of({{.name = "pkg-x.tar.zst", .data = zstd_of(tar_of({{.name = "a"}}))},
                         {.name = "info-x.tar.zst", .data = zstd_of(tar_of({plain_index}))}});
  zip.put(zip.local[1], "KP");
  const auto package = package_in(zip.bytes);
  CHECK(placed(package.problems) == "local-header at " + std::to_string(zip.local[1]) + "\ntruncated at 0\n");
  CHECK(words(package.problems) ==
        "local-header: info-x.tar.zst: its place in the archive cannot be trusted\n"
        "truncated: has no readable info/index.json\n");
}

TEST_CASE("members of a conda package may be executed by whomever, and have no other rights") {
  const auto package = package_in(conda_of({{.name = "user", .data = "1", .mode = 0100},
                                            {.name = "group", .data = "22", .mode = 0010},
                                            {.name = "other", .data = "333", .mode = 0001},
                                            {.name = "none", .mode = 06666}}));
  REQUIRE(package.files.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto status = package.archive->status(package.files[i].member);
    CHECK(status.kind == FileKind::regular);
    CHECK(status.executable == (i < 3));
    CHECK(status.size == (i + 1) % 4);
    CHECK_FALSE(status.set_user_id);
  }
}

}  // namespace
}  // namespace cudald
