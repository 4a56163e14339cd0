// Which code runs on which GPU. Source: CUDA Programming Guide, "Compute Capabilities", "Feature Set Compiler Targets".

#include <cudald/gpu_architecture.h>

#include <string>

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("a GPU is named as nvcc or as nvidia-smi names it, code may have a suffix") {
  CHECK(parse_gpu("sm_90") == GpuArchitecture{90, 0});
  CHECK(parse_gpu("sm_120") == GpuArchitecture{120, 0});
  CHECK(parse_gpu("9.0") == GpuArchitecture{90, 0});
  CHECK(parse_gpu("12.1") == GpuArchitecture{121, 0});
  CHECK(parse_gpu("sm_10") == GpuArchitecture{10, 0});
  CHECK(parse_gpu("sm_999") == GpuArchitecture{999, 0});
  for (const auto* odd :
       {"", "90", "sm_", "sm_9", "sm_1000", "sm_90a", "sm_100f", "9.", "9.00", "9", "x.0", "9.x", ".9"}) {
    CAPTURE(odd);
    CHECK_FALSE(parse_gpu(odd));
  }
  CHECK(to_string(GpuArchitecture{90, 0}) == "sm_90");
  CHECK(to_string(GpuArchitecture{90, 'a'}) == "sm_90a");
  CHECK(GpuArchitecture{121, 0}.major() == 12);
}

struct Pair {
  GpuArchitecture code, gpu;
  bool sass, ptx;
};

TEST_CASE("machine code runs on its own major version and not on older GPUs, PTX is compiled for all newer ones") {
  const Pair rows[] = {
      {{80, 0}, {80, 0}, true, true},
      {{80, 0}, {86, 0}, true, true},
      {{86, 0}, {80, 0}, false, false},
      {{80, 0}, {90, 0}, false, true},
      {{90, 0}, {80, 0}, false, false},
      {{120, 0}, {121, 0}, true, true},
      // For exactly that GPU.
      {{90, 'a'}, {90, 0}, true, true},
      {{120, 'a'}, {121, 0}, false, false},
      {{90, 'a'}, {100, 0}, false, false},
      // For its family: sm_101 has the number of sm_100's, and is none of it.
      {{100, 'f'}, {100, 0}, true, true},
      {{100, 'f'}, {103, 0}, true, true},
      {{103, 'f'}, {100, 0}, false, false},
      {{100, 'f'}, {101, 0}, false, false},
      {{101, 'f'}, {101, 0}, true, true},
      {{101, 'f'}, {103, 0}, false, false},
      {{100, 'f'}, {110, 0}, false, false},
      {{100, 0}, {101, 0}, true, true},
  };
  for (const auto& row : rows) {
    CAPTURE(to_string(row.code));
    CAPTURE(to_string(row.gpu));
    CHECK(sass_runs_on(row.code, row.gpu) == row.sass);
    CHECK(ptx_compiles_for(row.code, row.gpu) == row.ptx);
  }
}

TEST_CASE("numbers of GPUs have two or three digits, in both ways to write them") {
  CHECK(parse_gpu("1.0") == GpuArchitecture{10, 0});
  CHECK(parse_gpu("99.9") == GpuArchitecture{999, 0});
  for (const auto* odd : {"0.9", "100.0", "sm_09", "SM_90", "sm90", "sm_+90", "-9.0", "9.0.0", "90.", ".90"}) {
    CAPTURE(odd);
    CHECK_FALSE(parse_gpu(odd).has_value());
  }
  CHECK(parse_gpu("sm_090") == GpuArchitecture{90, 0});
  CHECK(to_string(GpuArchitecture{100, 'f'}) == "sm_100f");
}

TEST_CASE("code for the GPU with the number of another family runs there alone") {
  CHECK(sass_runs_on({101, 'a'}, {101, 0}));
  CHECK_FALSE(sass_runs_on({101, 'f'}, {100, 0}));
  CHECK_FALSE(sass_runs_on({103, 'f'}, {101, 0}));
  CHECK_FALSE(sass_runs_on({90, 'a'}, {91, 0}));
  CHECK(ptx_compiles_for({90, 0}, {90, 0}));
  CHECK_FALSE(ptx_compiles_for({91, 0}, {90, 0}));
  CHECK_FALSE(ptx_compiles_for({90, 'f'}, {100, 0}));
}

}  // namespace
}  // namespace cudald
