#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cudald/file_system.h>

#include "scan/work_list.h"

namespace cudald {

// What an index tells of a project: the JSON of PEP 691, or a page of links as PEP 503 describes it. Addresses without
// a host are files of the mirror that the page lies in.

/// The wheels that a page of JSON names, with size and SHA-256; none if it is no such page.
std::optional<std::vector<WorkItem>> read_index_json(std::string_view text, const std::string& folder);
/// Those that a page of links names, with the SHA-256 that stands behind `#sha256=`.
std::vector<WorkItem> read_index_links(std::string_view html, const std::string& folder);

/// The targets of a simple mirror: `path` or `path`/simple holds a folder for each project with its page. None if it
/// is no mirror. Sizes that a page leaves out are those of the files.
std::optional<std::vector<WorkItem>> read_mirror(const FileSystem&, const std::string& path);

}  // namespace cudald
