#pragma once

// Included before each source that tests/common/switched_faults.py has written; ask_faults.cc sets what is on.
#ifdef __cplusplus

#include <cstdlib>

inline constexpr int most_faults = 1 << 17;

/// The number of the fault that is on; 0: none.
inline int switched_fault = [] {
  const char* said = std::getenv("CUDALD_FAULT");
  return said == nullptr ? 0 : std::atoi(said);
}();

/// Which switches were passed.
inline bool reached_faults[most_faults];

inline bool is_on(int number) {
  reached_faults[number] = true;
  return switched_fault == number;
}

/// Where the compiler may evaluate it too.
constexpr bool may_be_on(int number) {
  if (__builtin_is_constant_evaluated()) return false;
  return is_on(number);
}

#define FAULT(number) is_on(number)
#define MAYBE_FAULT(number) may_be_on(number)

#endif
