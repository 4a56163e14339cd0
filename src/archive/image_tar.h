#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <cudald/file_system.h>
#include <cudald/limits.h>

#include "archive/sieved_file.h"

namespace cudald {

/// How a container of an image starts. Source: OCI image specification, "Image Configuration".
struct ImageConfig {
  std::vector<std::string> command;                            ///< Entrypoint, else Cmd
  std::vector<std::pair<std::string, std::string>> variables;  ///< Env
  std::string folder;                                          ///< WorkingDir
};

/// The root file system in a tar, read in place.
struct ImageTar {
  std::unique_ptr<FileSystem> files;
  std::optional<ImageConfig> config;  ///< none: the tar is a root file system itself
  std::size_t left_out = 0;           ///< members with unsafe names, or below what is no folder
  std::string first_left_out;
};

/// ".tar" and its compressed forms.
bool is_tar_name(std::string_view path);

/// Opens what `docker save` and other tools write (manifest.json and layers), an OCI layout (index.json and blobs), or
/// a plain root file system (`docker export`), each possibly compressed as a whole. Of images for several machines, the
/// one for linux and `architecture` ("amd64"). Errors: unreadable, malformed; limit, also
/// of what all streams inflate to (InflateLimits::total).
/// Sources: moby image/spec/v1.2; OCI image specification, "Image Layout" and "Image Layer Filesystem Changeset".
Result<ImageTar> open_image_tar(std::shared_ptr<const File>, const std::string& path, const Rehearsal&,
                                std::string_view architecture, const InflateLimits& = {});

}  // namespace cudald
