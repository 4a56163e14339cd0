#include "os/linux_errors.h"

#include <cstring>

namespace cudald {

int linux_error_number(int number) { return number; }

std::string linux_error_text(int number) { return std::strerror(number); }

}  // namespace cudald
