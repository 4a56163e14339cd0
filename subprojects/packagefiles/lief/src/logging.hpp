// Replaces LIEF's src/logging.hpp: nothing is logged. LIEF's logger is one global object made
// without a lock at the first message, so it must not be there when files are parsed in several
// threads; and spdlog, which it needs in nearly every source, takes most of the build time.
#ifndef LIEF_PRIVATE_LOGGING_H_
#define LIEF_PRIVATE_LOGGING_H_

// LIEF's sources count on getting these from here.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <unordered_map>

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ostr.h>

#include "LIEF/config.h"
#include "LIEF/logging.hpp"
#include "LIEF/types.hpp"
#include "LIEF/visibility.h"

#define LIEF_TRACE(...) ((void)0)
#define LIEF_DEBUG(...) ((void)0)
#define LIEF_INFO(...) ((void)0)
#define LIEF_WARN(...) ((void)0)
#define LIEF_ERR(...) ((void)0)

#define LIEF_SW_START(X)
#define LIEF_SW_END(...) ((void)0)

#define CHECK(X, ...) ((void)(X))

#endif
