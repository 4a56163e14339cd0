#pragma once

#include <cudald/probe.h>

#include "report/json_text.h"

namespace cudald {

Json probe_json(const ProbeReport&);

}  // namespace cudald
