#include "pyimport/compiled/call_arguments.h"

#include <algorithm>
#include <array>

namespace cudald::python {
namespace {

using StepKind = CodeStep::Kind;

constexpr std::uint8_t rax = 0;  // of the result
/// rbx, rbp, r12 to r15 keep what they hold while another function runs.
bool is_kept(std::uint8_t reg) { return reg == 3 || reg == 5 || reg >= 12; }

bool makes_text(std::string_view function) {
  return function == "PyUnicode_FromString" || function == "PyUnicode_InternFromString";
}

}  // namespace

const CodeStep* source_of_argument(const std::vector<CodeStep>& steps, std::size_t at, std::uint8_t wanted) {
  while (at-- > 0) {
    const auto& step = steps[at];
    const bool calls = step.kind == StepKind::call || step.kind == StepKind::imported;
    if (calls && wanted == rax && step.kind == StepKind::imported && makes_text(step.name))
      return source_of_argument(steps, at, rdi);
    if (calls && !is_kept(wanted)) return nullptr;
    if (calls || step.kind == StepKind::branch || step.into != wanted) continue;
    if (step.kind == StepKind::address || step.kind == StepKind::load) return &step;
    wanted = step.from;
  }
  return nullptr;
}

std::optional<std::uint64_t> address_argument(const std::vector<CodeStep>& steps, std::size_t at, std::uint8_t wanted) {
  const auto* step = source_of_argument(steps, at, wanted);
  return step != nullptr && step->kind == StepKind::address ? std::optional(step->place) : std::nullopt;
}

std::optional<std::string_view> text_argument(const FunctionCode& code, const std::vector<CodeStep>& steps,
                                              std::size_t at, std::uint8_t wanted) {
  const auto address = address_argument(steps, at, wanted);
  return address ? code.text_at(*address) : std::nullopt;
}

bool imports_module(std::string_view function) {
  constexpr std::array<std::string_view, 5> functions{"PyImport_ImportModule", "PyImport_ImportModuleNoBlock",
                                                      "PyImport_Import", "PyImport_ImportModuleLevel",
                                                      "PyImport_ImportModuleLevelObject"};
  return std::find(functions.begin(), functions.end(), function) != functions.end();
}

}  // namespace cudald::python
