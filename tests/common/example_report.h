#pragma once

#include <functional>
#include <sstream>
#include <string>

#include <cudald/report.h>
#include <cudald/writers.h>

namespace cudald {

/// A program with a DT_RPATH; libfoo.so.1 is found by it and carries a DT_RUNPATH; libfoo needs
/// libcudart.so.12, which is missing, and libc.so.6, which is loaded already. Ids: 0 app, 1 libfoo,
/// 2 libc, 3 the loader.
Report failing_report();

/// The same, with libcudart.so.12 found by libfoo's DT_RUNPATH as object 4.
Report healthy_report();

/// A report about a target that could not be read.
Report unreadable_report();

/// Plain text: ASCII or not, 100 columns, no colour.
TextStyle plain_style();

template <typename Write>
std::string written(Write write) {
  std::ostringstream out;
  write(out);
  return out.str();
}

}  // namespace cudald
