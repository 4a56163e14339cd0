#include "archive/image_tar.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <mutex>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "archive/decompressed_file.h"
#include "archive/tar_list.h"
#include "archive/zip_names.h"
#include "base/bounded_json.h"
#include "base/path.h"
#include "tree/path_tree.h"
#include "tree/system_error.h"

namespace cudald {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t most_json_bytes = std::uint64_t{4} << 20;
constexpr std::size_t most_layers = 1024;
constexpr std::size_t most_members = 1'000'000;       // of all layers
constexpr std::uint64_t image_device = 0x696d616765;  // no device number of a real disk
constexpr std::string_view whiteout = ".wh.", opaque = ".wh..wh..opq";

/// What reading the tars of one image costs and keeps.
struct Reading {
  const Rehearsal& rehearse;
  std::shared_ptr<SieveBudget> sieves = std::make_shared<SieveBudget>();
  std::shared_ptr<StreamBudget> streams;
};

/// A tar that was gone through.
struct Layer {
  std::shared_ptr<const File> tar;
  std::shared_ptr<SievedFile> sieve;  ///< the same, if files are to be sifted when they are opened
  std::vector<TarMember> members;
};

/// `outer`: of the archive it lies in.
Result<Layer> read_layer(std::shared_ptr<const File> tar, const std::string& name, Compression outer,
                         const Reading& reading) {
  const auto compression = compression_of(*tar);
  tar = make_decompressed_file(std::move(tar), compression, name, reading.streams);
  const bool sequential = is_sequential(compression) || is_sequential(outer);
  std::shared_ptr<SievedFile> sieve;
  if (compression != Compression::none || outer != Compression::none)
    tar = sieve = std::make_shared<SievedFile>(tar, reading.rehearse, reading.sieves);
  Layer layer;
  auto error = list_tar(*tar, name, [&](TarMember& member) {
    if (sequential && member.kind == TarMember::Kind::file && member.extents.empty())
      sieve->sift(plain_zip_name(member.name), member.offset, member.size);
    layer.members.push_back(std::move(member));
  });
  if (error) return std::move(*error);
  // In a gzip stream every place can be reached, but not at once: each file is gone through when it is first opened.
  layer.tar = std::move(tar);
  layer.sieve = sequential ? nullptr : std::move(sieve);
  return layer;
}

/// Layers of tars over one another, as one tree.
class TarTree final : public FileSystem {
 public:
  /// Puts a layer over what is there: first what it removes, then what it brings.
  std::optional<Error> apply(const Layer& layer, const std::string& name, bool whiteouts) {
    if ((members_ += layer.members.size()) > most_members)
      return Error{ErrorCode::limit, fmt::format("with it the layers have more than {} members", most_members), name};
    if (whiteouts) remove_whited_out(layer.members);
    layers_.push_back({layer.tar, layer.sieve, {}});
    for (const auto& member : layer.members) {
      add(member, whiteouts);
      if (tree_.budget().exhausted())
        return Error{ErrorCode::limit,
                     "its directories and files are more than are kept: " + tree_.budget().error().message, name,
                     member.header_offset, 0};
    }
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
      error.message = "neither a regular file nor a directory (a pipe, socket or device)";
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

  void add(const TarMember& member, bool whiteouts) {
    // `docker export` and `tar -P` write what belongs below the root with a slash in front, or without.
    const auto path = plain_zip_name(member.name);
    if (path.empty() && member.kind == TarMember::Kind::folder) return;
    if (whiteouts && file_name(path).starts_with(whiteout)) return;
    if (!is_file_name(path) || !put(path, member)) {
      if (left_out++ == 0) first_left_out = member.name.substr(0, longest_path);
    }
  }

  /// Any name that a Linux disk can have; others lead out of the tree.
  static bool is_file_name(const std::string& path) {
    if (path.empty() || path.size() > longest_path || path.find('\0') != std::string::npos) return false;
    const auto parts = split(path, "/");
    return std::none_of(parts.begin(), parts.end(),
                        [](std::string_view part) { return part == ".." || part.size() > 255; });
  }

  bool put(const std::string& path, const TarMember& member) {
    switch (member.kind) {
      case TarMember::Kind::folder: return tree_.add_folder(path);
      case TarMember::Kind::other: return tree_.add_other(path);
      case TarMember::Kind::symlink: return tree_.add_link(path, member.link);
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
      sparse_.push_back(member.extents);
      stored.sparse = static_cast<std::uint32_t>(sparse_.size());
    }
    files_.push_back(stored);
    return true;
  }

  PathTree tree_;
  std::size_t members_ = 0;    ///< of all layers
  std::vector<Layer> layers_;  ///< without their members
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
    Budget budget(json_limits);
    auto json = parse_json(*text, budget);
    if (!json) return fault(fmt::format("{} {}", file, json.error().message));
    return std::move(*json);
  }

 private:
  Error fault(std::string what) const { return {ErrorCode::malformed, std::move(what), path_}; }

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
          constexpr std::size_t enough = 500;    // of a sentence
          if (others.size() < enough) others += (others.empty() ? "" : ", ") + architecture.substr(0, enough);
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

/// Error for what no container can be started with: execve(2) takes no text that is longer (MAX_ARG_STRLEN).
Result<ImageConfig> read_config(const Json& document) {
  constexpr std::size_t longest_text = 131'071;
  ImageConfig config;
  const auto settings = document.is_object() ? document.value("config", Json()) : Json();
  config.command = strings_at(settings, "Entrypoint");
  if (config.command.empty()) config.command = strings_at(settings, "Cmd");
  for (const auto& variable : strings_at(settings, "Env")) {
    const auto equals = variable.find('=');
    if (variable.size() > longest_text)
      return Error{ErrorCode::limit,
                   fmt::format("its config has a variable of {} bytes, more than a program can be started with",
                               variable.size())};
    if (equals != std::string::npos)
      config.variables.emplace_back(variable.substr(0, equals), variable.substr(equals + 1));
  }
  config.folder = string_at(settings, "WorkingDir");
  if (config.folder.size() > longest_path)
    return Error{ErrorCode::limit, "its config has a directory of more bytes than a path can have"};
  return config;
}

}  // namespace

bool is_tar_name(std::string_view path) {
  constexpr std::array suffixes{".tar", ".tar.gz", ".tgz", ".tar.zst", ".tar.bz2", ".tar.xz"};
  return std::any_of(suffixes.begin(), suffixes.end(),
                     [path](std::string_view suffix) { return path.ends_with(suffix); });
}

namespace {

/// An image names a layer more than once where two steps of its making came to the same: it is read once.
class LayerReader {
 public:
  LayerReader(const TarTree& outer, const std::vector<std::string>& names, Compression outer_compression,
              const Reading& reading)
      : outer_(outer), compression_(outer_compression), reading_(reading) {
    for (const auto& name : names)
      if (const auto status = outer.status(name)) ++times_[status->id.inode];
  }

  std::optional<Error> apply_to(TarTree& tree, const std::string& name) {
    auto file = outer_.open(name);
    if (!file) return Error{ErrorCode::malformed, file.error().message, name};
    const auto id = (*file)->status().id.inode;
    if (last_ == id) return std::nullopt;  // once more the same: nothing comes of it
    last_ = id;
    if (const auto known = known_.find(id); known != known_.end()) return tree.apply(known->second, name, true);
    auto layer = read_layer(std::move(*file), name, compression_, reading_);
    if (!layer) return layer.error();
    auto error = tree.apply(*layer, name, true);
    if (times_[id] > 1) known_.emplace(id, std::move(*layer));
    return error;
  }

 private:
  const TarTree& outer_;
  Compression compression_;
  const Reading& reading_;
  std::map<std::uint64_t, std::size_t> times_;
  std::map<std::uint64_t, Layer> known_;
  std::optional<std::uint64_t> last_;
};

ImageTar finished(std::unique_ptr<TarTree> tree, std::optional<ImageConfig> config) {
  ImageTar image;
  image.left_out = tree->left_out;
  image.first_left_out = tree->first_left_out;
  image.config = std::move(config);
  image.files = std::move(tree);
  return image;
}

}  // namespace

Result<ImageTar> open_image_tar(std::shared_ptr<const File> file, const std::string& path, const Rehearsal& rehearse,
                                std::string_view architecture, const InflateLimits& limits) {
  const auto compression = compression_of(*file);
  Reading reading{rehearse};
  reading.streams = std::make_shared<StreamBudget>(file->status().size, limits.total);

  auto outer = std::make_unique<TarTree>();
  {
    const auto whole = read_layer(std::move(file), path, Compression::none, reading);
    if (!whole) return whole.error();
    if (auto error = outer->apply(*whole, path, false)) return std::move(*error);
  }
  const ImageReader reader(*outer, path, architecture);
  const auto image = reader.find();
  if (!image) return image.error();
  if (!*image) return finished(std::move(outer), std::nullopt);

  if ((*image)->layers.empty() || (*image)->layers.size() > most_layers)
    return Error{ErrorCode::malformed, fmt::format("an image of {} layers", (*image)->layers.size()), path};
  const auto document = reader.json((*image)->config);
  if (!document) return document.error();
  auto config = read_config(*document);
  if (!config) return config.error();
  auto tree = std::make_unique<TarTree>();
  LayerReader layers(*outer, (*image)->layers, compression, reading);
  for (const auto& layer : (*image)->layers)
    if (auto error = layers.apply_to(*tree, layer)) {
      error->message = fmt::format("its layer {}: {}", layer, error->message);
      error->path = path;
      return std::move(*error);
    }
  return finished(std::move(tree), std::move(*config));
}

}  // namespace cudald
