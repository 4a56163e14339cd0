// Replaces LIEF's src/logging.cpp: the public switches, for a logger that never speaks.
#include "LIEF/logging.hpp"

namespace LIEF {
namespace logging {

const char* to_string(LOGGING_LEVEL level) {
  switch (level) {
    case LOG_TRACE: return "TRACE";
    case LOG_DEBUG: return "DEBUG";
    case LOG_INFO: return "INFO";
    case LOG_WARN: return "WARNING";
    case LOG_ERR: return "ERROR";
    case LOG_CRITICAL: return "CRITICAL";
  }
  return "UNDEFINED";
}

void disable() {}
void enable() {}
void set_level(LOGGING_LEVEL) {}

}
}
