#include "archive/image_tar.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <sstream>

#include "unit/archive/tar_builder.h"
#include "unit/archive/zip_builder.h"

namespace cudald {
namespace {

using Texts = std::vector<std::string>;

void rehearse_nothing(const File&) {}

Result<ImageTar> opened(const std::string& tar, std::string_view architecture = "amd64",
                        const Rehearsal& rehearse = rehearse_nothing, const InflateLimits& limits = {}) {
  return open_image_tar(std::make_shared<BytesFile>(tar), "/img.tar", rehearse, architecture, limits);
}

ImageTar image_in(const std::string& tar, std::string_view architecture = "amd64") {
  auto image = opened(tar, architecture);
  if (!image) FAIL(image.error().message);
  return std::move(*image);
}

Error error_in(const std::string& tar, std::string_view architecture = "amd64") {
  const auto image = opened(tar, architecture);
  REQUIRE_FALSE(image.has_value());
  CHECK(image.error().path == "/img.tar");
  return image.error();
}

std::string gzip_of(const std::string& bytes) {
  std::ostringstream out;
  CompressingBuffer buffer(Compression::gzip, out);
  std::ostream(&buffer) << bytes;
  REQUIRE_FALSE(buffer.finish());
  return out.str();
}

std::string quoted_list(const Texts& texts) {
  std::string list;
  for (const auto& text : texts) list += (list.empty() ? "\"" : ",\"") + text + "\"";
  return "[" + list + "]";
}

/// What `docker save` writes of an image with these layers, from the lowest.
std::string docker_tar(const std::vector<std::string>& layers, const std::string& config = "{}") {
  std::vector<TarEntry> entries;
  Texts names;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    names.push_back(std::to_string(i) + "/layer.tar");
    entries.push_back({.name = names.back(), .data = layers[i]});
  }
  entries.push_back({.name = "config.json", .data = config});
  entries.push_back(
      {.name = "manifest.json", .data = R"([{"Config":"config.json","Layers":)" + quoted_list(names) + "}]"});
  return tar_of(entries);
}

std::string docker_tar_of_names(const Texts& names, std::vector<TarEntry> entries) {
  entries.push_back({.name = "config.json", .data = "{}"});
  entries.push_back(
      {.name = "manifest.json", .data = R"([{"Config":"config.json","Layers":)" + quoted_list(names) + "}]"});
  return tar_of(entries);
}

Texts all_below(const FileSystem& files, const std::string& folder = "") {
  Texts found;
  const auto names = files.list(folder.empty() ? "/" : folder);
  if (!names) return {"error: " + names.error().message};
  for (const auto& name : *names) {
    const auto path = folder + "/" + name;
    found.push_back(path);
    if (!is_folder(files, path)) continue;
    const auto below = all_below(files, path);
    found.insert(found.end(), below.begin(), below.end());
  }
  return found;
}

TEST_CASE("tars are known by the ends of their names") {
  for (const auto* name : {"a.tar", "/x/a.tar.gz", "a.tgz", "a.tar.zst", "a.tar.bz2", "a.tar.xz"})
    CHECK_MESSAGE(is_tar_name(name), name);
  for (const auto* name : {"a.tar.lz", "a.gz", "tar", "a.tar/", "a.tarx", "", "a.zst", "a.conda"})
    CHECK_MESSAGE(!is_tar_name(name), name);
}

TEST_CASE("a root file system is a tree of its files, links and folders") {
  const auto image = image_in(tar_of({
      {.name = "./", .type = '5', .mode = 0755},
      {.name = "./usr/bin/tool", .data = "run", .mode = 0755},
      {.name = "usr/lib/liba.so", .data = "library"},
      {.name = "/lib", .type = '2', .link = "usr/lib"},
      {.name = "usr/lib/libb.so", .type = '1', .link = "./usr/lib/liba.so"},
      {.name = "usr/bin/su", .mode = 04755},
      {.name = "dev/null", .type = '3'},
      {.name = "run/", .type = '5'},
  }));
  const auto& files = *image.files;
  CHECK_FALSE(image.config);
  CHECK(image.left_out == 0);
  CHECK(image.first_left_out == "");
  CHECK(*files.list("/") == Texts{"dev", "lib", "run", "usr"});
  CHECK(*files.list("/lib/") == Texts{"liba.so", "libb.so"});
  CHECK(text_at(files, "/lib/liba.so") == "library");
  CHECK(text_at(files, "/usr/bin/tool") == "run");
  CHECK(*files.real_path("/lib/../bin/tool") == "/usr/bin/tool");
  CHECK(*files.real_path("/lib/libb.so") == "/usr/lib/libb.so");
  CHECK(files.status("/usr")->kind == FileKind::folder);
  CHECK(files.status("/usr")->size == 0);
  CHECK(files.status("/dev/null")->kind == FileKind::other);
  CHECK(files.status("/run")->kind == FileKind::folder);

  const auto tool = *files.status("/usr/bin/tool"), su = *files.status("/usr/bin/su");
  const auto library = *files.status("/lib/liba.so");
  CHECK(tool.kind == FileKind::regular);
  CHECK(tool.size == 3);
  CHECK(tool.executable);
  CHECK_FALSE(tool.set_user_id);
  CHECK(su.executable);
  CHECK(su.set_user_id);
  CHECK(library.size == 7);
  CHECK_FALSE(library.executable);
  CHECK(library.id == files.status("/usr/lib/libb.so")->id);
  CHECK_FALSE(library.id == tool.id);
  CHECK(tool.id.device == library.id.device);
  CHECK(tool.id.inode != 0);
}

TEST_CASE("one bit of execution is enough, and set-user-ID is not set-group-ID") {
  const auto image = image_in(tar_of({{.name = "user", .mode = 0100},
                                      {.name = "group", .mode = 0010},
                                      {.name = "other", .mode = 0001},
                                      {.name = "none", .mode = 02666}}));
  for (const auto* path : {"/user", "/group", "/other"}) CHECK_MESSAGE(image.files->status(path)->executable, path);
  CHECK_FALSE(image.files->status("/none")->executable);
  CHECK_FALSE(image.files->status("/none")->set_user_id);
}

TEST_CASE("what is not there, is a folder, or is a device, is told with its errno") {
  const auto image = image_in(tar_of({{.name = "a/file"}, {.name = "pipe", .type = '6'}}));
  const auto& files = *image.files;
  struct Row {
    const char* path;
    int open, list;
  };
  for (const auto& [path, open, list] : {Row{"/none", ENOENT, ENOENT}, Row{"/a", EISDIR, 0}, Row{"/a/file", 0, ENOTDIR},
                                         Row{"/a/file/x", ENOTDIR, ENOTDIR}, Row{"/pipe", EINVAL, ENOTDIR}}) {
    const auto& seen_path = path;
    CAPTURE(seen_path);
    const auto file = files.open(path);
    const auto names = files.list(path);
    CHECK((file ? 0 : file.error().system_error) == open);
    CHECK((names ? 0 : names.error().system_error) == list);
  }
  CHECK(files.open("/pipe").error().message == "neither a regular file nor a directory (a pipe, socket or device)");
  CHECK(files.open("/pipe").error().path == "/pipe");
  CHECK(files.status("/none").error().system_error == ENOENT);
  CHECK(files.real_path("/none").error().system_error == ENOENT);
}

TEST_CASE("names that lead out of the tree are left out and counted, the first by its name") {
  const std::string longest_part(255, 'p');
  std::string longest;
  while (longest.size() + 256 <= 4094) longest += longest_part + "/";
  longest += std::string(4094 - longest.size(), 'e');
  const auto image = image_in(tar_of({
      {.name = "a", .data = "x"},
      {.name = "../b"},
      {.name = "c/../../d"},
      {.name = std::string(255, 'q')},
      {.name = std::string(256, 'q')},
      {.name = longest},
      {.name = longest + "e"},
      {.name = "a/below"},
      {.name = "hard", .type = '1', .link = "none"},
      {.name = "hard2", .type = '1', .link = "folder"},
      {.name = "folder/", .type = '5'},
      {.name = "..c"},
  }));
  CHECK(image.left_out == 7);
  CHECK(image.first_left_out == "../b");
  CHECK(*image.files->list("/") == Texts{"..c", "a", "folder", longest_part, std::string(255, 'q')});
  CHECK(is_file(*image.files, "/" + longest));
  CHECK(is_file(*image.files, "/..c"));
  CHECK_FALSE(is_file(*image.files, "/d"));
}

TEST_CASE("a hard link stands for its file, not for what a link of that name leads to") {
  const auto image = image_in(tar_of({
      {.name = "file", .data = "x"},
      {.name = "link", .type = '2', .link = "file"},
      {.name = "second", .type = '1', .link = "link"},
  }));
  CHECK(image.left_out == 1);
  CHECK(image.first_left_out == "second");
}

TEST_CASE("the last member of a name is what stays") {
  const auto image = image_in(tar_of({{.name = "a", .data = "first"}, {.name = "a", .data = "second"}}));
  CHECK(text_at(*image.files, "/a") == "second");
}

TEST_CASE("in a root file system names of whiteouts are names") {
  const auto image = image_in(tar_of({{.name = "a", .data = "x"}, {.name = ".wh.a"}, {.name = ".wh..wh..opq"}}));
  CHECK(*image.files->list("/") == Texts{".wh..wh..opq", ".wh.a", "a"});
}

TEST_CASE("a sparse file of a root file system is read with its holes, in whatever it is compressed") {
  const auto tar = open_tar_of({{.name = "plain", .data = "p"}}) + sparse_member("sparse", {{2, 3}}, 7, "abc") +
                   sparse_member("second", {{0, 1}, {5, 2}}, 7, "xyz") + tar_of({});
  for (const auto& bytes : {tar, zstd_of(tar), gzip_of(tar)}) {
    const auto image = image_in(bytes);
    CHECK(text_at(*image.files, "/sparse") == std::string("\0\0abc\0\0", 7));
    CHECK(text_at(*image.files, "/second") == std::string("x\0\0\0\0yz", 7));
    CHECK(text_at(*image.files, "/plain") == "p");
  }
}

TEST_CASE("upper layers replace what lower ones hold") {
  const auto image = image_in(docker_tar({
      tar_of({{.name = "a", .data = "low"}, {.name = "b/c", .data = "low"}, {.name = "d", .data = "low"}}),
      tar_of({{.name = "a", .data = "high"}, {.name = "b", .data = "file now"}}),
  }));
  REQUIRE(image.config);
  CHECK(all_below(*image.files) == Texts{"/a", "/b", "/d"});
  CHECK(text_at(*image.files, "/a") == "high");
  CHECK(text_at(*image.files, "/b") == "file now");
  CHECK(text_at(*image.files, "/d") == "low");
}

TEST_CASE("whiteouts remove what lower layers hold, never what their own layer brings") {
  const auto lower = tar_of({{.name = "a/one"},
                             {.name = "a/two"},
                             {.name = "b/three"},
                             {.name = "b/deep/four"},
                             {.name = "c", .data = "low"},
                             {.name = "wh..wh.x"},
                             {.name = "e"}});
  const auto upper = tar_of({
      {.name = "a/.wh.one"},
      {.name = "b/new", .data = "new"},
      {.name = "b/.wh..wh..opq"},
      {.name = "c", .data = "high"},
      {.name = ".wh.c"},
      {.name = ".wh..wh.e"},
      {.name = "a/../.wh.e"},
      {.name = "a/.wh.none"},
  });
  const auto image = image_in(docker_tar({lower, upper}));
  CHECK(all_below(*image.files) == Texts{"/a", "/a/two", "/b", "/b/new", "/c", "/e", "/wh..wh.x"});
  CHECK(text_at(*image.files, "/c") == "high");
  CHECK(image.left_out == 0);
}

TEST_CASE("a whiteout at the root and one of a folder remove all that is below") {
  const auto lower = tar_of({{.name = "a/one"}, {.name = "b/two"}});
  CHECK(all_below(*image_in(docker_tar({lower, tar_of({{.name = ".wh.a"}})})).files) == Texts{"/b", "/b/two"});
  CHECK(all_below(*image_in(docker_tar({lower, tar_of({{.name = ".wh..wh..opq"}})})).files).empty());
}

TEST_CASE("a layer that is named again lies over what came between") {
  const std::vector<TarEntry> entries{{.name = "A", .data = tar_of({{.name = "a", .data = "A"}, {.name = ".wh.b"}})},
                                      {.name = "B", .data = tar_of({{.name = "a", .data = "B"}, {.name = "b"}})}};
  const auto tree = [&](const Texts& names) {
    const auto image = image_in(docker_tar_of_names(names, entries));
    return all_below(*image.files).size() == 1 ? text_at(*image.files, "/a") : text_at(*image.files, "/a") + "b";
  };
  CHECK(tree({"A"}) == "A");
  CHECK(tree({"A", "B"}) == "Bb");
  CHECK(tree({"A", "B", "A"}) == "A");
  CHECK(tree({"A", "B", "B", "A", "A"}) == "A");
  CHECK(tree({"A", "B", "A", "B"}) == "Bb");
}

TEST_CASE("layers are compressed each in its own way, and so is the whole") {
  const auto lower = tar_of({{.name = "a", .data = "a"}}), upper = tar_of({{.name = "b", .data = "b"}});
  for (const auto& tar : {docker_tar({gzip_of(lower), zstd_of(upper)}), docker_tar({lower, gzip_of(upper)}),
                          zstd_of(docker_tar({lower, gzip_of(upper)})), gzip_of(docker_tar({zstd_of(lower), upper}))}) {
    const auto image = image_in(tar);
    CHECK(text_at(*image.files, "/a") == "a");
    CHECK(text_at(*image.files, "/b") == "b");
  }
}

TEST_CASE("libraries are rehearsed as they go by, in a gzip stream when they are opened first, else never") {
  const std::string library =
      "\x7f"
      "ELF library";
  const auto layer =
      tar_of({{.name = "a", .data = library}, {.name = "b", .data = library}, {.name = "text", .data = "t"}});
  struct Row {
    std::string tar;
    int listed, first, again;
  };
  for (const auto& row : {Row{layer, 0, 0, 0}, Row{zstd_of(layer), 2, 2, 2}, Row{gzip_of(layer), 0, 1, 1},
                          Row{docker_tar({layer}), 0, 0, 0}, Row{docker_tar({zstd_of(layer)}), 2, 2, 2},
                          Row{docker_tar({gzip_of(layer)}), 0, 1, 1}, Row{zstd_of(docker_tar({layer})), 2, 2, 2},
                          Row{gzip_of(docker_tar({layer})), 0, 1, 1}}) {
    int rehearsed = 0;
    const auto image = opened(row.tar, "amd64", [&rehearsed](const File&) { ++rehearsed; });
    REQUIRE(image.has_value());
    CHECK(rehearsed == row.listed);
    CHECK(text_at(*image->files, "/a") == library);
    CHECK(rehearsed == row.first);
    CHECK(text_at(*image->files, "/a") == library);
    CHECK(rehearsed == row.again);
  }
}

TEST_CASE("how a container starts is read from the config") {
  const auto config_of = [](const std::string& settings) {
    return *image_in(docker_tar({tar_of({})}, R"({"config":)" + settings + "}")).config;
  };
  const auto whole = config_of(R"({"Entrypoint":["/bin/app",7,"-x"],"Cmd":["no"],"WorkingDir":"/srv",
                                   "Env":["PATH=/bin","A=b=c","EMPTY=","none"]})");
  CHECK(whole.command == Texts{"/bin/app", "-x"});
  CHECK(whole.folder == "/srv");
  using Variables = std::vector<std::pair<std::string, std::string>>;
  CHECK(whole.variables == Variables{{"PATH", "/bin"}, {"A", "b=c"}, {"EMPTY", ""}});
  CHECK(config_of(R"({"Entrypoint":null,"Cmd":["sh","-c"]})").command == Texts{"sh", "-c"});
  CHECK(config_of(R"({"Entrypoint":[],"Cmd":["sh"]})").command == Texts{"sh"});
  CHECK(config_of(R"({"Entrypoint":"sh","WorkingDir":5,"Env":"A=b"})").command.empty());
  for (const auto* nothing : {"{}", "null", "[]", "5"}) {
    const auto config = config_of(nothing);
    CHECK(config.command.empty());
    CHECK(config.variables.empty());
    CHECK(config.folder == "");
  }
}

TEST_CASE("a config that no program could be started with is a limit, at its border not yet") {
  const auto with_variable = [](std::size_t size) {
    return docker_tar({tar_of({})}, R"({"config":{"Env":["A=)" + std::string(size - 2, 'x') + R"("]}})");
  };
  const auto with_folder = [](std::size_t size) {
    return docker_tar({tar_of({})}, R"({"config":{"WorkingDir":")" + std::string(size, '/') + R"("}})");
  };
  CHECK(image_in(with_variable(131'071)).config->variables[0].second.size() == 131'069);
  const auto variable = opened(with_variable(131'072));
  REQUIRE_FALSE(variable.has_value());
  CHECK(variable.error().code == ErrorCode::limit);
  CHECK(variable.error().message ==
        "its config has a variable of 131072 bytes, more than a program can be started with");
  CHECK(image_in(with_folder(4095)).config->folder.size() == 4095);
  const auto folder = opened(with_folder(4096));
  REQUIRE_FALSE(folder.has_value());
  CHECK(folder.error().code == ErrorCode::limit);
  CHECK(folder.error().message == "its config has a directory of more bytes than a path can have");
}

TEST_CASE("a manifest that names no image, several, or too many layers, is malformed") {
  const auto with = [](const std::string& manifest) {
    return tar_of(
        {{.name = "manifest.json", .data = manifest}, {.name = "c", .data = "{}"}, {.name = "l", .data = tar_of({})}});
  };
  const auto layers = [](std::size_t count) { return quoted_list(Texts(count, "l")); };
  CHECK(image_in(with(R"([{"Config":"c","Layers":["l"]}])")).config);
  CHECK(image_in(with(R"([{"Config":"c","Layers":)" + layers(1024) + "}]")).config);
  const std::pair<std::string, std::string> rows[] = {
      {"[]", "its manifest.json names no image"},
      {"{}", "its manifest.json names no image"},
      {"[{},{}]", "holds 2 images; save one of them into a tar of its own"},
      {R"([{"Config":"c"}])", "an image of 0 layers"},
      {R"(["text"])", "an image of 0 layers"},
      {R"([{"Config":"c","Layers":)" + layers(1025) + "}]", "an image of 1025 layers"},
      {R"([{"Config":"none","Layers":["l"]}])", "/none: No such file or directory"},
      {R"([{"Config":"c","Layers":["none"]}])", "its layer /none: No such file or directory"},
      {R"([{"Config":"c","Layers":["l","c"]}])", "its layer /c: not a directory, nor a tar that can be read"},
  };
  for (const auto& [manifest, message] : rows) {
    const auto error = error_in(with(manifest));
    CHECK(error.code == ErrorCode::malformed);
    CHECK(error.message == message);
  }
  CHECK(error_in(with("[")).message.starts_with("/manifest.json "));
  CHECK(error_in(with(R"([{"Config":"l","Layers":["l"]}])")).message.starts_with("/l "));
}

TEST_CASE("json of more than 4 MiB is not read") {
  constexpr std::size_t most = std::size_t{4} << 20;
  const std::string manifest = R"([{"Config":"c","Layers":["l"]}])";
  const auto with = [&](std::size_t size) {
    return tar_of({{.name = "manifest.json", .data = manifest + std::string(size - manifest.size(), ' ')},
                   {.name = "c", .data = "{}"},
                   {.name = "l", .data = tar_of({})}});
  };
  CHECK(opened(with(most)).has_value());
  CHECK(error_in(with(most + 1)).message.starts_with("/manifest.json: "));
}

/// An OCI layout: its blobs by name, of which index.json is the text of `index`.
std::string oci_tar(const std::string& index, const std::vector<std::pair<std::string, std::string>>& blobs,
                    bool with_layout = true) {
  std::vector<TarEntry> entries;
  if (with_layout) entries.push_back({.name = "oci-layout", .data = "{}"});
  if (!index.empty()) entries.push_back({.name = "index.json", .data = index});
  for (const auto& [name, data] : blobs) entries.push_back({.name = "blobs/sha256/" + name, .data = data});
  return tar_of(entries);
}

std::string manifest_of(const std::string& layer) {
  return R"({"config":{"digest":"sha256:cfg"},"layers":[{"digest":"sha256:)" + layer + R"("}]})";
}

std::string entry_of(const std::string& digest, const std::string& architecture = "", const std::string& os = "linux") {
  const auto platform =
      architecture.empty() ? "" : R"(,"platform":{"architecture":")" + architecture + R"(","os":")" + os + R"("})";
  return R"({"digest":"sha256:)" + digest + "\"" + platform + "}";
}

std::string index_of(const Texts& entries) {
  std::string list;
  for (const auto& entry : entries) list += (list.empty() ? "" : ",") + entry;
  return R"({"manifests":[)" + list + "]}";
}

/// Two images whose layers hold one file each: /one, /two.
std::string two_images(const std::string& index, bool with_layout = true) {
  return oci_tar(index,
                 {{"cfg", "{}"},
                  {"m1", manifest_of("l1")},
                  {"m2", manifest_of("l2")},
                  {"l1", tar_of({{.name = "one"}})},
                  {"l2", gzip_of(tar_of({{.name = "two"}}))}},
                 with_layout);
}

TEST_CASE("of an OCI layout the image for the machine is taken") {
  const auto files = [](const std::string& index, std::string_view architecture) {
    return all_below(*image_in(two_images(index), architecture).files);
  };
  const auto both = index_of({entry_of("m1", "amd64"), entry_of("m2", "arm64")});
  CHECK(files(both, "amd64") == Texts{"/one"});
  CHECK(files(both, "arm64") == Texts{"/two"});
  CHECK(files(index_of({entry_of("m2")}), "amd64") == Texts{"/two"});
  CHECK(files(index_of({entry_of("m2"), entry_of("m1", "amd64")}), "amd64") == Texts{"/one"});
  CHECK(files(index_of({entry_of("m2"), entry_of("m1", "arm64")}), "amd64") == Texts{"/two"});
  CHECK(files(index_of({entry_of("m1", "amd64", "windows"), entry_of("m2", "amd64")}), "amd64") == Texts{"/two"});
  CHECK(files(index_of({entry_of("m1", "unknown", "unknown"), entry_of("m2", "amd64")}), "amd64") == Texts{"/two"});
}

TEST_CASE("an OCI layout without an image for the machine says which there are") {
  const auto message = [](const Texts& entries) { return error_in(two_images(index_of(entries))).message; };
  CHECK(message({}) == "its index.json names no image");
  CHECK(message({entry_of("m1", "unknown", "unknown")}) == "its index.json names no image");
  CHECK(message({entry_of("m1", "arm64")}) == "holds no image for amd64 (but for arm64); see --platform");
  CHECK(message({entry_of("m1", "arm64"), entry_of("m2", "riscv64")}) ==
        "holds no image for amd64 (but for arm64, riscv64); see --platform");
  CHECK(message({entry_of("m1", "amd64", "windows")}) == "holds no image for amd64 (but for amd64); see --platform");
  CHECK(message({entry_of("m1", "amd64"), entry_of("m2", "amd64")}) ==
        "holds 2 images; save one of them into a tar of its own");
  CHECK(message({entry_of("m1"), entry_of("m2"), entry_of("m2")}) ==
        "holds 3 images; save one of them into a tar of its own");
  const std::string shorter(499, 's'), longer(501, 'l');
  CHECK(message({entry_of("m1", shorter), entry_of("m1", "b"), entry_of("m1", "c")}) ==
        "holds no image for amd64 (but for " + shorter + ", b); see --platform");
  CHECK(message({entry_of("m1", longer), entry_of("m1", "b")}) ==
        "holds no image for amd64 (but for " + longer.substr(0, 500) + "); see --platform");
  for (const auto* index : {"[]", "{}", R"({"manifests":{}})", "7"})
    CHECK(error_in(two_images(index)).message == "its index.json names no image");
  CHECK(error_in(two_images(R"({"manifests":["text"]})")).message == "/blobs/: Is a directory");
}

TEST_CASE("an index may lead to three more, and no further") {
  const auto chain = [](int depth) {
    std::vector<std::pair<std::string, std::string>> blobs{
        {"cfg", "{}"}, {"l1", tar_of({{.name = "one"}})}, {"i0", manifest_of("l1")}};
    for (int i = 1; i < depth; ++i)
      blobs.emplace_back("i" + std::to_string(i), index_of({entry_of("i" + std::to_string(i - 1))}));
    return oci_tar(index_of({entry_of("i" + std::to_string(depth - 1))}), blobs);
  };
  CHECK(all_below(*image_in(chain(1)).files) == Texts{"/one"});
  CHECK(all_below(*image_in(chain(3)).files) == Texts{"/one"});
  CHECK(error_in(chain(4)).message == "its index.json leads from index to index");
}

TEST_CASE("an OCI layout is known by its marker, or by index.json beside blobs") {
  const auto index = index_of({entry_of("m1")});
  CHECK(image_in(two_images(index, true)).config);
  CHECK(image_in(two_images(index, false)).config);
  CHECK(error_in(two_images("")).message == "/index.json: No such file or directory");
  CHECK_FALSE(image_in(two_images("", false)).config);
  CHECK_FALSE(image_in(tar_of({{.name = "index.json", .data = index}})).config);
}

TEST_CASE("manifest.json goes before an OCI layout beside it") {
  const auto image = image_in(tar_of({
      {.name = "oci-layout", .data = "{}"},
      {.name = "index.json", .data = "{}"},
      {.name = "manifest.json", .data = R"([{"Config":"c","Layers":["l"]}])"},
      {.name = "c", .data = "{}"},
      {.name = "l", .data = tar_of({{.name = "of-docker"}})},
  }));
  CHECK(all_below(*image.files) == Texts{"/of-docker"});
}

TEST_CASE("an OCI image whose layers are no list has none") {
  const auto tar = oci_tar(R"({"config":{"digest":"sha256:cfg"},"layers":{}})", {{"cfg", "{}"}});
  CHECK(error_in(tar).message == "an image of 0 layers");
}

TEST_CASE("what all streams of an image inflate to is limited") {
  const auto layer = zstd_of(tar_of({{.name = "a", .data = std::string(100'000, 'a')}}));
  const auto with = [&](std::uint64_t total) {
    return opened(docker_tar({layer}), "amd64", rehearse_nothing, {.total = total});
  };
  CHECK(with(200'000).has_value());
  const auto image = with(50'000);
  REQUIRE_FALSE(image.has_value());
  CHECK(image.error().code == ErrorCode::limit);
  CHECK(image.error().message == "its layer /0/layer.tar: inflates to more than the 50000 bytes of --max-total");
  CHECK(image.error().path == "/img.tar");
}

TEST_CASE("a tar that is cut short is no image") {
  const auto tar = tar_of({{.name = "a", .data = std::string(1000, 'x')}});
  CHECK(error_in(tar.substr(0, 1000)).message == "cut short within member 1, which should end at 1512");
  const auto error = error_in(docker_tar({tar.substr(0, 1000)}));
  CHECK(error.message == "its layer /0/layer.tar: cut short within member 1, which should end at 1512");
}

TEST_CASE("a file whose name is that of the root is left out, and a folder is the root itself") {
  const auto image = image_in(tar_of({{.name = "./", .type = '5'}, {.name = "a", .data = "x"}, {.name = "/"}}));
  CHECK(image.left_out == 0);
  const auto file = image_in(tar_of({{.name = "."}, {.name = "a", .data = "x"}}));
  CHECK(file.left_out == 1);
  CHECK(file.first_left_out == ".");
  CHECK(*file.files->list("/") == Texts{"a"});
}

}  // namespace
}  // namespace cudald
