#include "fs/image_tar.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/path.h"
#include "fs/decompressed_file.h"
#include "fs/path_tree.h"
#include "fs/tar_list.h"
#include "fs/zip_names.h"

namespace cudald {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t most_json_bytes = std::uint64_t{4} << 20;
constexpr std::size_t most_layers = 1024;
constexpr std::uint64_t image_device = 0x696d616765;  // no device number of a real disk
constexpr std::string_view whiteout = ".wh.", opaque = ".wh..wh..opq";

/// Layers of tars over one another, as one tree.
class TarTree final : public FileSystem {
 public:
  /// Puts a layer over what is there: first what it removes, then what it brings. `outer`: of the archive it lies in.
  std::optional<Error> apply(std::shared_ptr<const File> tar, const std::string& name, Compression outer,
                             const Rehearsal& rehearse, const std::shared_ptr<SieveBudget>& budget, bool whiteouts) {
    const auto compression = compression_of(*tar);
    tar = make_decompressed_file(std::move(tar), compression, name);
    const bool sequential = is_sequential(compression) || is_sequential(outer);
    std::shared_ptr<SievedFile> sieve;
    if (compression != Compression::none || outer != Compression::none)
      tar = sieve = std::make_shared<SievedFile>(tar, rehearse, budget);
    std::vector<TarMember> members;
    const auto error = list_tar(*tar, name, [&](TarMember& member) {
      if (sequential && member.kind == TarMember::Kind::file && member.extents.empty())
        sieve->sift(plain_zip_name(member.name), member.offset, member.size);
      members.push_back(std::move(member));
    });
    if (error) return error;
    if (whiteouts) remove_whited_out(members);
    // In a gzip stream every place can be reached, but not at once: each file is gone through when it is first opened.
    layers_.push_back({std::move(tar), sequential ? nullptr : std::move(sieve)});
    for (auto& member : members) add(member, whiteouts);
    return std::nullopt;
  }

  std::size_t left_out = 0;
  std::string first_left_out;

  Result<FileStatus> status(const std::string& path) const override {
    const auto place = tree_.find(path);
    if (!place) return place.error();
    return status_of(*place->node);
  }

  Result<std::unique_ptr<File>> open(const std::string& path) const override {
    const auto place = tree_.find(path);
    if (!place) return place.error();
    const auto& node = *place->node;
    if (node.kind == PathTree::Kind::folder) return error_of_errno(EISDIR, path);
    if (node.kind != PathTree::Kind::file) {
      auto error = error_of_errno(EINVAL, path);
      error.message = "neither a regular file nor a folder (a pipe, socket or device)";
      return error;
    }
    const auto& stored = files_[node.number];
    TarMember member;
    member.offset = stored.offset;
    member.size = stored.size;
    if (stored.sparse != 0) member.extents = sparse_[stored.sparse - 1];
    const auto& layer = layers_[stored.layer];
    if (layer.sieve && stored.sparse == 0) {
      const std::lock_guard lock(mutex_);
      if (sifted_.insert(node.number).second) layer.sieve->sift(place->path.substr(1), stored.offset, stored.size);
    }
    return share_file(open_tar_member(layer.tar, member, status_of(node)));
  }

  Result<std::string> real_path(const std::string& path) const override {
    auto place = tree_.find(path);
    if (!place) return place.error();
    return std::move(place->path);
  }

  Result<std::vector<std::string>> list(const std::string& path) const override {
    const auto place = tree_.find(path);
    if (!place) return place.error();
    if (place->node->kind != PathTree::Kind::folder) return error_of_errno(ENOTDIR, path);
    return PathTree::names_in(*place->node);
  }

 private:
  struct Layer {
    std::shared_ptr<const File> tar;
    std::shared_ptr<SievedFile> sieve;  ///< the same, if files are to be sifted when they are opened
  };
  struct Stored {
    std::uint64_t offset = 0, size = 0;
    std::uint16_t layer = 0, mode = 0;
    std::uint32_t sparse = 0;  ///< number of its extents, from 1; 0: not sparse
  };

  FileStatus status_of(const PathTree::Node& node) const {
    FileStatus status;
    status.kind = node.kind == PathTree::Kind::folder ? FileKind::folder : FileKind::other;
    if (node.kind != PathTree::Kind::file) return status;
    const auto& stored = files_[node.number];
    status.kind = FileKind::regular;
    status.size = stored.size;
    status.id = {image_device, node.number + std::uint64_t{1}};
    status.executable = (stored.mode & 0111) != 0;
    status.set_user_id = (stored.mode & 04000) != 0;
    return status;
  }

  void remove_whited_out(const std::vector<TarMember>& members) {
    for (const auto& member : members) {
      const auto path = plain_zip_name(member.name);
      const auto name = file_name(path);
      if (!name.starts_with(whiteout) || !is_safe_zip_name(path)) continue;
      const auto folder = "/" + std::string(parent_path(path));
      if (name == opaque) {
        tree_.clear(folder);
      } else if (!name.starts_with(".wh..wh.")) {
        tree_.remove(folder + "/" + std::string(name.substr(whiteout.size())));
      }
    }
  }

  void add(TarMember& member, bool whiteouts) {
    // `docker export` and `tar -P` write what belongs below the root with a slash in front, or without.
    const auto path = plain_zip_name(member.name);
    if (path.empty() && member.kind == TarMember::Kind::folder) return;
    if (whiteouts && file_name(path).starts_with(whiteout)) return;
    if (!is_file_name(path) || !put(path, member)) {
      if (left_out++ == 0) first_left_out = member.name;
    }
  }

  /// Any name that a Linux disk can have; others lead out of the tree.
  static bool is_file_name(const std::string& path) {
    if (path.empty() || path.size() > 4095 || path.find('\0') != std::string::npos) return false;
    const auto parts = split(path, "/");
    return std::none_of(parts.begin(), parts.end(),
                        [](std::string_view part) { return part == ".." || part.size() > 255; });
  }

  bool put(const std::string& path, TarMember& member) {
    switch (member.kind) {
      case TarMember::Kind::folder: return tree_.add_folder(path);
      case TarMember::Kind::other: return tree_.add_other(path);
      case TarMember::Kind::symlink: return tree_.add_link(path, std::move(member.link));
      case TarMember::Kind::hard_link: {
        const auto original = tree_.find(plain_zip_name(member.link), false);
        if (!original || original->node->kind != PathTree::Kind::file) return false;
        return tree_.add_file(path, original->node->number);
      }
      case TarMember::Kind::file: break;
    }
    if (!tree_.add_file(path, static_cast<std::uint32_t>(files_.size()))) return false;
    Stored stored{member.offset, member.size, static_cast<std::uint16_t>(layers_.size() - 1), member.mode, 0};
    if (!member.extents.empty()) {
      sparse_.push_back(std::move(member.extents));
      stored.sparse = static_cast<std::uint32_t>(sparse_.size());
    }
    files_.push_back(stored);
    return true;
  }

  PathTree tree_;
  std::vector<Layer> layers_;
  std::vector<Stored> files_;  ///< by number
  std::vector<std::vector<SparseExtent>> sparse_;
  mutable std::mutex mutex_;
  mutable std::set<std::uint32_t> sifted_;  ///< files that were opened before
};

std::string string_at(const Json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto value = object.find(key);
  return value != object.end() && value->is_string() ? value->get<std::string>() : "";
}

std::vector<std::string> strings_at(const Json& object, const char* key) {
  std::vector<std::string> strings;
  if (!object.is_object()) return strings;
  const auto value = object.find(key);
  if (value == object.end() || !value->is_array()) return strings;
  for (const auto& entry : *value)
    if (entry.is_string()) strings.push_back(entry.get<std::string>());
  return strings;
}

/// What the tar holds in place of a root: the layers of an image, from the lowest, and its config.
struct Image {
  std::vector<std::string> layers;
  std::string config;
};

class ImageReader {
 public:
  ImageReader(const TarTree& outer, const std::string& path, std::string_view architecture)
      : outer_(outer), path_(path), architecture_(architecture) {}

  /// nullopt: no image, so a root file system.
  Result<std::optional<Image>> find() const {
    if (outer_.status("/manifest.json")) return from_docker();
    if (outer_.status("/oci-layout") || (outer_.status("/index.json") && outer_.status("/blobs"))) return from_oci();
    return std::optional<Image>();
  }

  Result<Json> json(const std::string& file) const {
    const auto text = read_file(outer_, file, most_json_bytes);
    if (!text) return fault(fmt::format("{}: {}", file, text.error().message));
    auto json = Json::parse(*text, nullptr, false);
    if (json.is_discarded()) return fault(file + " is no JSON");
    return json;
  }

 private:
  Error fault(std::string what) const { return {ErrorCode::malformed, std::move(what), path_, std::nullopt, 0}; }

  Result<std::optional<Image>> from_docker() const {
    const auto manifest = json("/manifest.json");
    if (!manifest) return manifest.error();
    if (!manifest->is_array() || manifest->empty()) return fault("its manifest.json names no image");
    if (manifest->size() > 1)
      return fault(fmt::format("holds {} images; save one of them into a tar of its own", manifest->size()));
    const auto& only = manifest->front();
    Image image;
    image.config = "/" + string_at(only, "Config");
    for (const auto& layer : strings_at(only, "Layers")) image.layers.push_back("/" + layer);
    return std::optional(std::move(image));
  }

  Result<std::optional<Image>> from_oci() const {
    auto file = std::string("/index.json");
    constexpr int deepest = 4;  // an index in an index is allowed; more is a trap
    for (int depth = 0; depth < deepest; ++depth) {
      const auto document = json(file);
      if (!document) return document.error();
      if (document->is_object() && document->contains("layers")) {
        Image image;
        image.config = blob(document->value("config", Json()));
        const auto& layers = (*document)["layers"];
        if (layers.is_array())
          for (const auto& layer : layers) image.layers.push_back(blob(layer));
        return std::optional(std::move(image));
      }
      auto next = choose(*document);
      if (!next) return next.error();
      file = *next;
    }
    return fault("its index.json leads from index to index");
  }

  /// The manifest for this machine, among those of an index.
  Result<std::string> choose(const Json& index) const {
    std::vector<const Json*> fitting, unknown;
    std::string others;
    const auto manifests = index.is_object() ? index.find("manifests") : index.end();
    if (manifests != index.end() && manifests->is_array())
      for (const auto& manifest : *manifests) {
        const auto platform = manifest.is_object() ? manifest.value("platform", Json()) : Json();
        const auto architecture = string_at(platform, "architecture");
        if (architecture.empty()) {
          unknown.push_back(&manifest);
        } else if (architecture == architecture_ && string_at(platform, "os") == "linux") {
          fitting.push_back(&manifest);
        } else if (architecture != "unknown") {  // "unknown": an attestation
          others += (others.empty() ? "" : ", ") + architecture;
        }
      }
    const auto& chosen = fitting.empty() ? unknown : fitting;
    if (chosen.size() == 1) return blob(*chosen.front());
    if (chosen.size() > 1)
      return fault(fmt::format("holds {} images; save one of them into a tar of its own", chosen.size()));
    return fault(others.empty()
                     ? "its index.json names no image"
                     : fmt::format("holds no image for {} (but for {}); see --platform", architecture_, others));
  }

  static std::string blob(const Json& descriptor) {
    auto digest = string_at(descriptor, "digest");
    std::replace(digest.begin(), digest.end(), ':', '/');
    return "/blobs/" + digest;
  }

  const TarTree& outer_;
  const std::string& path_;
  std::string_view architecture_;
};

ImageConfig read_config(const Json& document) {
  ImageConfig config;
  const auto settings = document.is_object() ? document.value("config", Json()) : Json();
  config.command = strings_at(settings, "Entrypoint");
  if (config.command.empty()) config.command = strings_at(settings, "Cmd");
  for (const auto& variable : strings_at(settings, "Env")) {
    const auto equals = variable.find('=');
    if (equals != std::string::npos)
      config.variables.emplace_back(variable.substr(0, equals), variable.substr(equals + 1));
  }
  config.folder = string_at(settings, "WorkingDir");
  return config;
}

}  // namespace

bool is_tar_name(std::string_view path) {
  constexpr std::array suffixes{".tar", ".tar.gz", ".tgz", ".tar.zst", ".tar.bz2", ".tar.xz"};
  return std::any_of(suffixes.begin(), suffixes.end(),
                     [path](std::string_view suffix) { return path.ends_with(suffix); });
}

Result<ImageTar> open_image_tar(std::shared_ptr<const File> file, const std::string& path, const Rehearsal& rehearse,
                                std::string_view architecture) {
  const auto compression = compression_of(*file);
  const auto budget = std::make_shared<SieveBudget>();
  const auto finished = [](std::unique_ptr<TarTree> tree, std::optional<ImageConfig> config) {
    ImageTar image;
    image.left_out = tree->left_out;
    image.first_left_out = tree->first_left_out;
    image.config = std::move(config);
    image.files = std::move(tree);
    return image;
  };

  auto outer = std::make_unique<TarTree>();
  if (auto error = outer->apply(std::move(file), path, Compression::none, rehearse, budget, false))
    return std::move(*error);
  const ImageReader reader(*outer, path, architecture);
  const auto image = reader.find();
  if (!image) return image.error();
  if (!*image) return finished(std::move(outer), std::nullopt);

  if ((*image)->layers.empty() || (*image)->layers.size() > most_layers)
    return Error{ErrorCode::malformed, fmt::format("an image of {} layers", (*image)->layers.size()), path,
                 std::nullopt, 0};
  const auto config = reader.json((*image)->config);
  if (!config) return config.error();
  auto tree = std::make_unique<TarTree>();
  for (const auto& layer : (*image)->layers) {
    auto opened = outer->open(layer);
    if (!opened)
      return Error{ErrorCode::malformed, fmt::format("its layer {}: {}", layer, opened.error().message), path,
                   std::nullopt, 0};
    if (auto error = tree->apply(std::move(*opened), layer, compression, rehearse, budget, true)) {
      error->message = fmt::format("its layer {}: {}", layer, error->message);
      error->path = path;
      return std::move(*error);
    }
  }
  return finished(std::move(tree), read_config(*config));
}

}  // namespace cudald
