#pragma once

#include <array>
#include <string>
#include <string_view>

#include <cudald/resolution.h>

#include "report/text/text.h"

namespace cudald {

struct Report;  // cudald/report.h

/// "FAILS": the verdict as people read it.
std::string_view spoken(Verdict);

/// The first line: the verdict and the sentence after it.
void write_verdict(const Report&, TextWriter&);

/// Below it, unless all loads: the names of all that is missing, and the one command that helps most.
void write_short_answer(const Report&, TextWriter&);
/// That command alone.
void write_best_fix(const Report&, TextWriter&);

/// The Python that the answer is for; nothing where no import was asked about.
void write_python(const Report&, TextWriter&);

/// Whether a finding only says that a target cannot be read, as the complaint about it does.
bool is_unreadable_target(const Finding&, const Report&);

/// "28 files: 9 by DT_RPATH in /opt/app/lib, 18 by /etc/ld.so.cache in /lib/x86_64-linux-gnu."
std::string origins_line(const Report&);

/// A command about the same world and targets, to paste: "cudald tree ./main".
std::string next_command(const Report&, std::string_view command);

/// "1 error, 2 warnings (28 files)."
std::string counts_line(const Report&);

/// "5 targets: 1 FAILS, 1 RISK, 3 LOADS"; `counts` in the order of Verdict.
std::string verdicts_line(const std::array<std::size_t, 5>& counts);

/// Counts, and what to ask next. `folded`: findings that were told in one line or only counted.
void write_closing_line(const Report&, std::size_t folded, TextWriter&);

}  // namespace cudald
