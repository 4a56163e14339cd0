#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <system_error>

#include "cli/options/exit_status.h"
#include "cli/output/output.h"
#include "cli/run.h"
#include "os/console.h"
#include "os/loaded_library.h"
#include "os/own_process.h"

namespace {

int report_bug(const char* what) {
  std::cerr << "cudald: a bug in cudald " CUDALD_VERSION ": " << what
            << "\nPlease report it with this line, the command line and, if you can, the file that "
               "was the target.\n";
  return cudald::exit_bug;
}

/// What the system refuses is no fault of the question, nor of the program: nothing is claimed.
int report_refusal(const char* what) {
  std::cerr << "cudald: " << what << "; nothing is claimed\n";
  return cudald::exit_incomplete;
}

#ifdef __has_feature
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
constexpr bool looks_for_leaks = true;
#else
constexpr bool looks_for_leaks = false;
#endif

/// Everything is written. To take tables down again that end with the process anyway would take a part of its time.
int end(int status) {
  std::cout.flush();
  std::fflush(nullptr);
  cudald::leave_console();
  if (!looks_for_leaks) std::_Exit(status);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    cudald::take_standard_descriptors();
    cudald::prepare_signals();
    cudald::enter_console();
    const auto words = cudald::own_words(argc, argv);
    if (words == std::vector<std::string>{"--version"}) return end(cudald::tell_version(cudald::standard_error()));
    return end(cudald::run(
        words, {cudald::host_environment(), cudald::host_terminal(), std::cin, cudald::standard_error(), true}));
  } catch (const cudald::MissingLibrary& missing) {
    std::cerr << "cudald: " << missing.what() << "\n";
    return cudald::exit_usage;
  } catch (const std::bad_alloc&) {
    return report_refusal("there is not enough memory for this question");
  } catch (const std::system_error& refused) {
    return report_refusal(refused.what());
  } catch (const std::exception& error) {
    return report_bug(error.what());
  } catch (...) {
    return report_bug("an exception of no known type");
  }
}
