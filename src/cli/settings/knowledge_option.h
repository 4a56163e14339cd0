#pragma once

#include <optional>
#include <ostream>

#include <cudald/result.h>

#include "cli/options/options.h"
#include "cli/output/host.h"

namespace cudald {

/// The tables that are built in, with the rows of --knowledge laid over them.
std::optional<Error> take_knowledge(Options&, const Host&);

/// The day of each table, for `--version -v`.
void write_table_days(const Knowledge&, std::ostream&);

/// Says on standard error, under -v, which tables are older than half a year. Today is that of SOURCE_DATE_EPOCH, if it
/// is set.
void tell_old_tables(const Options&, const Host&);

}  // namespace cudald
