#pragma once

#include <ostream>
#include <string>
#include <vector>

#include <cudald/writers.h>

#include "report/views/facts.h"

namespace cudald {

/// What differs between two things that are called so.
void write_diff(const std::string& a, const std::string& b, const std::vector<Change>&, const TextStyle&,
                std::ostream&);
void write_diff_json(const std::string& a, const std::string& b, const std::vector<Change>&, bool compact,
                     std::ostream&);

}  // namespace cudald
