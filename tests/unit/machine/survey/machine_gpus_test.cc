#include <doctest/doctest.h>

#include "common/memory_file_system.h"
#include "machine/survey/machine_gpus.h"

namespace cudald {
namespace {

std::string told(const MemoryFileSystem& files) {
  std::string text;
  for (const auto& gpu : machine_gpus(files))
    text += (text.empty() ? "" : ", ") + gpu.model + "=" + (gpu.architecture ? to_string(*gpu.architecture) : "?");
  return text;
}

TEST_CASE("the GPUs of a machine are those that the driver lists, and their numbers on the bus tell what they are") {
  MemoryFileSystem files;
  CHECK(told(files) == "");
  const std::string driver = "/proc/driver/nvidia/gpus/", bus = "/sys/bus/pci/devices/";
  files.add_file(driver + "0000:00:06.0/information", "Model: \t\t NVIDIA H200\nIRQ:   \t\t 41\nModel: X\n");
  CHECK(told(files) == "NVIDIA H200=?");
  CHECK(machine_gpus(files).at(0).uuid.empty());
  files.add_file(bus + "0000:00:06.0/device", "0x2335\n");
  files.add_file(bus + "0000:00:05.0/device", "0x2b85\n");  // no GPU of the driver
  CHECK(told(files) == "NVIDIA H200=sm_90");
  files.add_file(driver + "0000:00:07.0/information", "IRQ: 1\nThe Model: Y\nGPU UUID: \t GPU-5e86e41f\n");
  files.add_file(bus + "0000:00:07.0/device", "0x20b5\n");
  CHECK(machine_gpus(files).at(1).uuid == "GPU-5e86e41f");
  files.add_file(driver + "0000:00:08.0/information", "Model:\n");
  for (const auto* number : {"2335\n", "0x\n", "0xfffffffff\n", "0x0001\n"}) {
    files.add_file(bus + "0000:00:08.0/device", number);
    CHECK(told(files) == "NVIDIA H200=sm_90, =sm_80, =?");
  }
}

TEST_CASE("a container has the GPUs whose device files it has, whatever /proc lists") {
  MemoryFileSystem files;
  for (const std::string place : {"0", "1", "2"})
    files.add_file("/proc/driver/nvidia/gpus/0000:0" + place + ":00.0/information",
                   "Model: \t\t GPU" + place + "\nDevice Minor: \t " + place + "\nGPU Excluded:\t No\n");
  CHECK(told(files) == "GPU0=?, GPU1=?, GPU2=?");  // no device file is made yet
  files.add_file("/dev/nvidiactl", "");
  files.add_file("/dev/nvidia", "");
  CHECK(told(files) == "GPU0=?, GPU1=?, GPU2=?");
  files.add_file("/dev/nvidia1", "");
  CHECK(told(files) == "GPU1=?");
  files.add_file("/dev/nvidia2", "");
  CHECK(told(files) == "GPU1=?, GPU2=?");
  files.add_file("/proc/driver/nvidia/gpus/0000:03:00.0/information", "Model: \t\t GPU3\n");
  CHECK(told(files) == "GPU1=?, GPU2=?, GPU3=?");  // its driver does not tell
}

TEST_CASE("chips are known from the first to the last of each run of numbers") {
  const auto name = [](std::uint32_t device) {
    const auto gpu = architecture_of_chip(device);
    return gpu ? to_string(*gpu) : "?";
  };
  struct Edge {
    std::uint32_t device;
    const char* architecture;
  };
  for (const auto& [device, architecture] :
       {Edge{0x133f, "?"},      Edge{0x1340, "sm_50"},  Edge{0x13bf, "sm_50"},  Edge{0x13c0, "sm_52"},
        Edge{0x13ff, "sm_52"},  Edge{0x1400, "?"},      Edge{0x1401, "sm_52"},  Edge{0x147f, "sm_52"},
        Edge{0x1480, "?"},      Edge{0x15ef, "?"},      Edge{0x15f0, "sm_60"},  Edge{0x15ff, "sm_60"},
        Edge{0x1600, "?"},      Edge{0x1616, "?"},      Edge{0x1617, "sm_52"},  Edge{0x167f, "sm_52"},
        Edge{0x1680, "?"},      Edge{0x1724, "?"},      Edge{0x1725, "sm_60"},  Edge{0x172f, "sm_60"},
        Edge{0x1730, "?"},      Edge{0x174c, "?"},      Edge{0x174d, "sm_50"},  Edge{0x174e, "sm_50"},
        Edge{0x174f, "?"},      Edge{0x1788, "?"},      Edge{0x1789, "sm_50"},  Edge{0x179c, "sm_50"},
        Edge{0x179d, "?"},      Edge{0x17c1, "?"},      Edge{0x17c2, "sm_52"},  Edge{0x17ff, "sm_52"},
        Edge{0x1800, "?"},      Edge{0x1aff, "?"},      Edge{0x1b00, "sm_61"},  Edge{0x1d7f, "sm_61"},
        Edge{0x1d80, "?"},      Edge{0x1d81, "sm_70"},  Edge{0x1dff, "sm_70"},  Edge{0x1e00, "?"},
        Edge{0x1e02, "sm_75"},  Edge{0x1fff, "sm_75"},  Edge{0x2000, "?"},      Edge{0x207f, "?"},
        Edge{0x2080, "sm_80"},  Edge{0x20ff, "sm_80"},  Edge{0x2100, "?"},      Edge{0x2181, "?"},
        Edge{0x2182, "sm_75"},  Edge{0x21ff, "sm_75"},  Edge{0x2200, "sm_86"},  Edge{0x227f, "sm_86"},
        Edge{0x2280, "?"},      Edge{0x2301, "?"},      Edge{0x2302, "sm_90"},  Edge{0x237f, "sm_90"},
        Edge{0x2380, "?"},      Edge{0x2413, "?"},      Edge{0x2414, "sm_86"},  Edge{0x25ff, "sm_86"},
        Edge{0x2600, "?"},      Edge{0x2680, "?"},      Edge{0x2681, "sm_89"},  Edge{0x28ff, "sm_89"},
        Edge{0x2900, "sm_100"}, Edge{0x29ff, "sm_100"}, Edge{0x2a00, "?"},      Edge{0x2aff, "?"},
        Edge{0x2b00, "sm_110"}, Edge{0x2b01, "?"},      Edge{0x2b7f, "?"},      Edge{0x2b80, "sm_120"},
        Edge{0x2dff, "sm_120"}, Edge{0x2e00, "sm_121"}, Edge{0x2e7f, "sm_121"}, Edge{0x2e80, "?"},
        Edge{0x2eff, "?"},      Edge{0x2f00, "sm_120"}, Edge{0x2f7f, "sm_120"}, Edge{0x2f80, "?"},
        Edge{0x317f, "?"},      Edge{0x3180, "sm_103"}, Edge{0x327f, "sm_103"}, Edge{0x3280, "?"}}) {
    const auto& seen_device = device;
    CAPTURE(seen_device);
    CHECK(name(device) == architecture);
  }
}

TEST_CASE("the GPUs that are seen are those before the first entry that names none") {
  const std::vector<MachineGpu> three = {
      {"A", "GPU-5685fa4e-5e8e", {}}, {"A", "GPU-8932f937-d72c", {}}, {"A", "MIG", {}}};
  for (const auto* seen : {"0", "1", "0,1", "0,-1", "GPU-8932f937", "GPU-5685fa4e-5e8e", "GPU-", "MIG-1", "2", "0abc",
                           "0x7", " 0", "\t 1", "+0", "-0", "00", " +2"}) {
    CAPTURE(seen);
    CHECK_FALSE(hides_all_gpus(seen, three));
    CHECK_FALSE(hides_all_gpus(seen, {}));
  }
  for (const auto* hidden : {"", "-1", "-1,0", ",0", "NoDevFiles", "none", "all", " ", "+", "-", "gpu-8932f937"}) {
    CAPTURE(hidden);
    CHECK(hides_all_gpus(hidden, three));
    CHECK(hides_all_gpus(hidden, {}));
  }
  for (const auto* absent : {"3", "GPU-1", "GPU-5685fa4e-5e8e-ba3c", "99999999999"}) {
    CAPTURE(absent);
    CHECK(hides_all_gpus(absent, three));
    CHECK_FALSE(hides_all_gpus(absent, {}));
  }
  CHECK_FALSE(hides_all_gpus("GPU-1", {{"A", "", {}}}));  // one whose UUID is not told
  CHECK(hides_all_gpus("99999999999999999999", {}));
}

}  // namespace
}  // namespace cudald
