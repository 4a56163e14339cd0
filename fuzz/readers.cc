// The readers of strangers' bytes, as targets of libFuzzer: one program, whose variable CUDALD_FUZZ names the target.
// tools/fuzz builds and runs it. A fault is whatever the sanitizers report, a run of more than five seconds, or more
// than 512 MB. Source: https://llvm.org/docs/LibFuzzer.html

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "targets.h"

namespace cudald {
namespace {

const std::map<std::string_view, void (*)(const std::string&)> targets = {
    {"library", fuzz_library},     {"wheel", fuzz_wheel},
    {"conda", fuzz_conda},         {"tar", fuzz_tar},
    {"cache", fuzz_cache},         {"toml", fuzz_toml},
    {"lock", fuzz_lock},           {"metadata", fuzz_metadata},
    {"python", fuzz_python},       {"import", fuzz_import},
    {"message", fuzz_message},     {"kept", fuzz_kept},
    {"knowledge", fuzz_knowledge}, {"host", fuzz_host},
    {"conf", fuzz_conf},           {"index", fuzz_index},
    {"rewrite", fuzz_rewrite},     {"environment", fuzz_environment},
    {"question", fuzz_question},   {"machine", fuzz_machine},
    {"writers", fuzz_writers},
};

void (*target)(const std::string&) = nullptr;

}  // namespace
}  // namespace cudald

extern "C" int LLVMFuzzerInitialize(int* /*count*/, char*** /*arguments*/) {
  const char* name = std::getenv("CUDALD_FUZZ");
  const auto found = cudald::targets.find(name == nullptr ? "" : name);
  if (found == cudald::targets.end()) {
    std::fputs("CUDALD_FUZZ is one of:", stderr);
    for (const auto& known : cudald::targets) std::fprintf(stderr, " %s", known.first.data());
    std::fputs("\n", stderr);
    std::exit(2);
  }
  cudald::target = found->second;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  cudald::target(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
