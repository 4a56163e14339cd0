// Stands in for LIEF 1.0's <LIEF/logging.hpp>, as ELF.hpp beside it.

#pragma once

namespace LIEF::logging {

void disable();

}  // namespace LIEF::logging
