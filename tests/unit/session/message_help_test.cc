#include "session/message_help.h"

#include <doctest/doctest.h>

#include "common/built_in.h"
#include "common/memory_file_system.h"

namespace cudald {
namespace {

/// What a message says once what helps against it is added.
MessageReading helped(const std::string& text) {
  const MemoryFileSystem nothing;
  auto message = read_message(text, built_in());
  REQUIRE(message);
  add_help(*message, nothing, built_in());
  return *message;
}

TEST_CASE("a name that a release removed or added: the releases that have it, before what the row says") {
  const auto removed = helped("AttributeError: module 'torchaudio' has no attribute 'AudioMetaData'");
  CHECK(removed.command == "pip install 'torchaudio<2.9'");
  CHECK(removed.means.ends_with("torchaudio removed AudioMetaData in 2.9"));
  CHECK(helped("ImportError: cannot import name 'HybridCache' from 'transformers' (/a/transformers/__init__.py)")
            .command.starts_with("pip install 'transformers<"));
  const auto submodule = helped("ModuleNotFoundError: No module named 'torch._six'");
  CHECK(submodule.command == "pip install 'torch<2.0'");
  CHECK(submodule.fix == "use a torch that has it: there are wheels of it up to Python 3.11");
  CHECK(helped("ModuleNotFoundError: No module named 'yaml'").command == "pip install pyyaml");
  CHECK(helped("AttributeError: module 'jax.numpy' has no attribute 'DeviceArray'").command ==
        "pip install 'jax<0.4.14' 'jaxlib<0.4.14'");
}

TEST_CASE("a module below a package: the package is there, in a release without it") {
  const auto part = helped("ModuleNotFoundError: No module named 'einops.layers.nothing_of_that_name'");
  CHECK(part.command.empty());
  CHECK(part.means.find("einops.layers is there") != std::string::npos);
  CHECK(part.fix.starts_with("install the release of einops that the code was written for"));
  CHECK(helped("ModuleNotFoundError: No module named 'google.protobuf'").command == "pip install protobuf");
}

TEST_CASE("a name without its module, by the one package that removed or added a name of that kind") {
  const auto alone = helped("ImportError: cannot import name 'AutoModelForVision2Seq'");
  CHECK(alone.command == "pip install 'transformers<5.0'");
  CHECK(alone.means.ends_with("transformers removed AutoModelForVision2Seq in 5.0"));
  CHECK(helped("ImportError: cannot import name 'setters'").command == "");
  CHECK(helped("ImportError: cannot import name 'parse_everything'").command == "");
}

TEST_CASE("sources of a package in the place of its wheel: the wheel, and another directory") {
  const std::string start = "Could not find the bitsandbytes CUDA binary at PosixPath('";
  const auto sources = helped(start + "/notebooks/bitsandbytes/bitsandbytes/libbitsandbytes_cuda124.so')");
  CHECK(sources.command == "cd /notebooks\npip install --force-reinstall --no-deps bitsandbytes");
  const auto wheel = helped(start + "/v/lib/python3.11/site-packages/bitsandbytes/libbitsandbytes_cuda124.so')");
  CHECK(wheel.command == "unset BNB_CUDA_VERSION\npip install --upgrade bitsandbytes");
}

TEST_CASE("the cuDNN that something was built with tells for which CUDA it is") {
  const auto built = [](const std::string& release) {
    return helped("Loaded runtime CuDNN library: 8.5.0 but source was compiled with: " + release + ".").command;
  };
  CHECK(built("7.6.4") == "conda install -c conda-forge cudnn=7.6");
  CHECK(built("8.6.0") == "pip install 'nvidia-cudnn-cu11>=8.6,<9'");
  CHECK(built("8.9.4") == "pip install 'nvidia-cudnn-cu12~=8.9'");
}

TEST_CASE("where paths lead into an environment of conda, its packages") {
  const std::string message = "NvvmSupportError: libNVVM cannot be found. Do `conda install cudatoolkit`:";
  CHECK(helped(message).command == "pip install 'numba-cuda[cu12]'");
  CHECK(
      helped("  File \"/home/z/miniconda3/envs/m/lib/python3.8/site-packages/numba/cuda/libs.py\", line 64\n" + message)
          .command == "conda install -p /home/z/miniconda3/envs/m -c conda-forge cudatoolkit");
}

TEST_CASE("a driver that is too old for the code: the system's newer one") {
  MemoryFileSystem files;
  const auto command_on = [&](const std::string& text) {
    auto message = read_message(text, built_in());
    REQUIRE(message);
    add_help(*message, files, built_in());
    return message->command;
  };
  files.add_file("/etc/os-release", "ID=ubuntu\nVERSION_ID=\"22.04\"\n");
  const std::string newer = "sudo apt install ubuntu-drivers-common && sudo ubuntu-drivers install";
  CHECK(command_on("CUDA error: the provided PTX was compiled with an unsupported toolchain.") == newer);
  CHECK(command_on("CUDA driver version is insufficient for CUDA runtime version") == newer);
  CHECK(command_on("libcuda.so.1: cannot open shared object file") == "docker run --gpus all IMAGE");
}

TEST_CASE("a program whose library no release of the system had runs in a container of one that has it") {
  const auto on_debian = [](const std::string& text, const std::string& container = "") {
    MemoryFileSystem files;
    files.add_file("/etc/os-release", "ID=debian\nVERSION_ID=\"12\"\n");
    if (!container.empty()) files.add_file(container, "");
    auto message = read_message(text + ": cannot open shared object file: No such file or directory", built_in());
    REQUIRE(message);
    add_help(*message, files, built_in());
    return *message;
  };
  const std::string loading = ": error while loading shared libraries: libmysqlclient.so.20";
  const std::string inside = " ubuntu:18.04 sh -c 'apt-get update && apt-get install -y libmysqlclient20 && ";
  CHECK(on_debian("./a/prog" + loading).command ==
        "docker run --rm -it -v \"$PWD\":\"$PWD\" -w \"$PWD\"" + inside + "./a/prog'");
  CHECK(on_debian("bash: /opt/a/prog" + loading).command ==
        "docker run --rm -it -v /opt/a:/opt/a" + inside + "/opt/a/prog'");
  CHECK(on_debian("prog" + loading).command == "");
  CHECK(on_debian("ImportError: libmysqlclient.so.20").command == "");
  CHECK(on_debian("./prog: error while loading shared libraries: libperl.so.5.30").command.find("ubuntu:20.04") !=
        std::string::npos);
  CHECK(on_debian("./a/prog" + loading, "/.dockerenv").command == "");
  CHECK(on_debian("./a/prog" + loading, "/.dockerenv").fix.find(", or base this image on ubuntu:18.04") !=
        std::string::npos);
}

TEST_CASE("the library of the Python that runs, where no package of the system has it") {
  MemoryFileSystem files;
  files.add_file("/etc/os-release", "ID=debian\nVERSION_ID=\"12\"\n");
  auto message = read_message("ImportError: libpython3.10.so.1.0: cannot open shared object file", built_in());
  REQUIRE(message);
  add_help(*message, files, built_in());
  CHECK(message->command ==
        "export LD_LIBRARY_PATH=$(python3.10 -c 'import sys; print(sys.base_prefix + \"/lib\")')"
        "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}");
}

TEST_CASE("a library that an environment of conda has lost goes into that environment") {
  MemoryFileSystem files;
  files.add_file("/etc/os-release", "ID=debian\nVERSION_ID=\"12\"\n");
  auto message = read_message(
      "  File \"/home/xx/anaconda3/lib/python3.7/ctypes/__init__.py\", line 7, in <module>\n"
      "ImportError: libffi.so.6: cannot open shared object file: No such file or directory",
      built_in());
  REQUIRE(message);
  add_help(*message, files, built_in());
  CHECK(message->command == "conda install -p /home/xx/anaconda3 -c conda-forge libffi=3.2.1");
}

TEST_CASE("an extension of a framework: both anew if they are released in step, else compiled against it") {
  const auto companion =
      helped("/v/lib/python3.8/dist-packages/torchaudio/lib/libtorchaudio.so: undefined symbol: _ZNK3c10a");
  CHECK(companion.command == "pip install --force-reinstall torch torchaudio");
  const auto other = helped("/v/lib/python3.10/site-packages/torch_sparse/_x.so: undefined symbol: _ZN2at1xE");
  CHECK(other.command ==
        "pip install --force-reinstall --no-deps --no-cache-dir --no-build-isolation --no-binary torch_sparse "
        "torch_sparse");
  CHECK(helped("/v/lib/python3.10/site-packages/pytorch3d/_C.so: undefined symbol: _ZN2at1xE").command ==
        "pip install --force-reinstall --no-deps --no-cache-dir --no-build-isolation "
        "git+https://github.com/facebookresearch/pytorch3d.git@stable");
  // Without a path nobody knows whose it is.
  CHECK(helped("undefined symbol: _ZN2at1xE").command == "");
}

TEST_CASE("a driver that is too old: the newest build for its major of CUDA; a GPU: the newest with code for it") {
  CHECK(helped("The NVIDIA driver on your system is too old (found version 11040).").command ==
        "pip uninstall -y torch torchvision torchaudio\n"
        "pip install torch torchvision torchaudio --index-url https://download.pytorch.org/whl/cu118");
  CHECK(helped("The NVIDIA driver on your system is too old (found version 9010).").command == "");
  const auto old_gpu =
      helped("GeForce GTX 1080 with CUDA capability sm_61 is not compatible with the current PyTorch installation.");
  CHECK(old_gpu.command ==
        "pip uninstall -y torch torchvision torchaudio\n"
        "pip install torch torchvision torchaudio --index-url https://download.pytorch.org/whl/cu126");
  CHECK(old_gpu.fix == "the build of torch for CUDA 12.6, in the place of the one that is installed");
}

TEST_CASE("a version of the C library names systems, one of libstdc++ these or the environment of conda") {
  const auto glibc = helped("/lib/libc.so.6: version `GLIBC_2.34' not found (required by ./a)");
  CHECK(glibc.fix.starts_with("use a system whose glibc is 2.34 or newer, as Debian 12 or Ubuntu 22.04 and later"));
  const std::string file = "(required by /home/u/miniconda3/envs/a/lib/python3.9/site-packages/x/y.so)";
  CHECK(glibc.command == "docker run --rm -it -v \"$PWD\":\"$PWD\" -w \"$PWD\" debian:12-slim ./a");
  CHECK(helped("/lib/libc.so.6: version `GLIBC_2.34' not found (required by ./a.so)").command == "");
  CHECK(helped("/lib/libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by ./a)").command == glibc.command);
  CHECK(helped("/lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.29' not found (required by ./a)").command ==
        "sudo add-apt-repository -y ppa:ubuntu-toolchain-r/test && sudo apt update && sudo apt install -y libstdc++6");
  CHECK(helped("/lib/libstdc++.so.6: version `GLIBCXX_3.4.99' not found (required by ./a)").command == "");
  CHECK(helped("/lib/libstdc++.so.6: version `GLIBCXX_3.4.29' not found " + file).command ==
        "conda install -p /home/u/miniconda3/envs/a -c conda-forge libstdcxx-ng\n"
        "export LD_LIBRARY_PATH=/home/u/miniconda3/envs/a/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}");
}

TEST_CASE("a library of a framework is there once that is imported; one of CUDA by its package and the variable") {
  const auto of_torch = helped("ImportError: libc10.so: cannot open shared object file: No such file or directory");
  CHECK(of_torch.fix ==
        "libc10.so is a part of torch, and is found once that is imported: `import torch` before what needs it. Where "
        "it is not installed:");
  CHECK(of_torch.command == "pip install torch");
  const auto of_cuda =
      helped("ImportError: libcublas.so.12: cannot open shared object file: No such file or directory");
  CHECK(of_cuda.command.starts_with("pip install nvidia-cublas-cu12\nsite=$(python3 -c "));
  CHECK(
      of_cuda.command.ends_with("export LD_LIBRARY_PATH=$site/nvidia/cublas/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"));
}

TEST_CASE("a DLL of CUDA by its package and PATH; a library of the driver by what brings the driver") {
  CHECK(helped("Could not load dynamic library 'cudart64_110.dll'; dlerror: cudart64_110.dll not found").command ==
        "pip install nvidia-cuda-runtime-cu11\n"
        "for /f \"delims=\" %i in ('python -c \"import sysconfig; print(sysconfig.get_path('purelib'))\"') do "
        "set \"PATH=%i\\nvidia\\cuda_runtime\\bin;%PATH%\"");
  const auto driver = helped("OSError: libcuda.so.1: cannot open shared object file: No such file or directory");
  CHECK(driver.fix == "in a container the driver is the host's");
  CHECK(driver.command == "docker run --gpus all IMAGE");
  CHECK(helped("libcuda.so: cannot open shared object file: No such file or directory")
            .command.starts_with("sudo ln -s "));
}

TEST_CASE("a library of the system by the package of its newest release; what a row says stays") {
  CHECK(helped("error while loading shared libraries: libGL.so.1: cannot open shared object file").command ==
        "sudo apt install libgl1");
  CHECK(helped("numpy.core.multiarray failed to import").command == "pip install 'numpy<2'");
}

TEST_CASE("a system where only a search helps is not told what another system's program would install") {
  constexpr auto text = "error while loading shared libraries: libXxf86vm.so.1: cannot open shared object file";
  MemoryFileSystem files;
  files.add_file("/etc/os-release", "ID=nixos\n");
  auto message = read_message(text, built_in());
  REQUIRE(message);
  add_help(*message, files, built_in());
  CHECK(message->command == "nix-locate --top-level lib/libXxf86vm.so.1");
  CHECK(helped(text).command == "sudo apt install libxxf86vm1");
}

TEST_CASE("directories that files of ld.so.conf.d bring into the search are taken out there") {
  const std::string error = "Error 804: forward compatibility was attempted on non supported HW";
  const auto command = [&](const MemoryFileSystem& files) {
    auto message = read_message(error, built_in());
    REQUIRE(message);
    add_help(*message, files, built_in());
    return message->command;
  };
  MemoryFileSystem files;
  files.add_file("/.dockerenv", "");
  files.add_file("/etc/ld.so.conf.d/libc.conf", "/usr/local/lib\n");
  CHECK(command(files).starts_with("export LD_LIBRARY_PATH="));
  files.add_file("/etc/ld.so.conf.d/both.conf", "/usr/local/cuda/compat\n/opt/lib\n");
  CHECK(command(files).starts_with("export LD_LIBRARY_PATH="));
  files.add_file("/etc/ld.so.conf.d/00-compat-1.conf", "# of the toolkit\n/usr/local/cuda/compat\n\n");
  files.add_file("/etc/ld.so.conf.d/00-compat-1.old", "/usr/local/cuda/compat\n");
  CHECK(command(files) == "rm /etc/ld.so.conf.d/00-compat-1.conf && ldconfig");
}

TEST_CASE("a function of a library of C that the file was not linked with") {
  const auto message = helped("/lib/libutils.so: undefined symbol: inflate");
  CHECK(message.command == "export LD_PRELOAD=libz.so.1");
  CHECK(message.fix.starts_with("inflate is a function of zlib"));
  CHECK(helped("/lib/libutils.so: undefined symbol: frobnicate").command.empty());
  CHECK(helped("/lib/libutils.so: undefined symbol: curl_url, version CURL_OPENSSL_4").command.find("PRELOAD") ==
        std::string::npos);
}

}  // namespace
}  // namespace cudald
