#pragma once

#include <string>

#include <cudald/file_system.h>
#include <cudald/resolution.h>

namespace cudald {

/// Of a directory that distributions share, and of which nothing is there, what the code asks for tells which part is
/// needed: "google.cloud.storage", where google is not found. The name of the missing module, if the line does not say
/// more, or cannot be read.
std::string part_asked_for(const Import::MissingModule&, const Import&, const FileSystem&);

}  // namespace cudald
