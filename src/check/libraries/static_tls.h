#pragma once

#include <cudald/finding.h>
#include <cudald/report.h>

namespace cudald {

/// What helps where a dlopen finds no room for an object's static thread-local data.
void add_static_tls_fixes(const Report&, const Object&, Finding&);

}  // namespace cudald
