#pragma once

#include <cudald/probe.h>

#include "report/json/json_text.h"

namespace cudald {

Json probe_json(const ProbeReport&);

}  // namespace cudald
