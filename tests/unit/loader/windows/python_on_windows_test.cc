#include <doctest/doctest.h>

#include <cudald/image.h>

#include "loader/windows/python_on_windows.h"

namespace cudald {
namespace {

TEST_CASE("the DLLs that python.exe imports have its version in the name") {
  CHECK(dlls_of_python(7) == std::vector<std::string>{"python37.dll", "vcruntime140.dll"});
  CHECK(dlls_of_python(12) == std::vector<std::string>{"python312.dll", "vcruntime140.dll"});
  CHECK(dlls_of_python(4) == std::vector<std::string>{"python34.dll"});
  CHECK(python_minor_of_dll("Python38.DLL") == 8);
  CHECK(python_minor_of_dll("C:\\x\\python312.dll") == 12);
  for (const auto* name :
       {"python3.dll", "python27.dll", "python38_d.dll", "pythonw.exe", "apython38.dll", "python3123.dll"})
    CHECK_MESSAGE(python_minor_of_dll(name) == 0, name);
  CHECK(is_stable_python_dll("Python3.dll"));
  CHECK_FALSE(is_stable_python_dll("python38.dll"));
}

TEST_CASE("a module is of another Python by the first pythonNN.dll that it imports") {
  const auto other = [](const std::vector<ImportedDll>& imports, int minor = 9) {
    Image image;
    image.pe.emplace().imports = imports;
    return other_python_of(image, minor);
  };
  CHECK(other({{"kernel32.dll"}, {"python38.dll"}}) == "python38.dll");
  CHECK(other({{"PYTHON38.dll"}}).empty());  // the word is compared as it is spelled
  CHECK(other({{"python39.dll"}, {"python38.dll"}}).empty());
  CHECK(other({{"python3.dll"}}).empty());
  CHECK(other({{"python27.dll"}}) == "python27.dll");
  CHECK(other({{"python3x.dll"}}).empty());
  CHECK(other({{"python38.dll", true}}).empty());
  CHECK(other({{"python38.dll"}}, 0).empty());
  CHECK(other_python_of(Image(), 9).empty());
}

}  // namespace
}  // namespace cudald
