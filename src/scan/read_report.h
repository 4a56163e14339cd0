#pragma once

#include <optional>
#include <string_view>

#include <cudald/report.h>

namespace cudald {

/// What a document cudald/report says, as far as findings are told of: verdict, what the user asked for, paths of
/// objects, findings. None if it is no such document, or has findings that this version does not know.
std::optional<Report> read_report(std::string_view json);

}  // namespace cudald
