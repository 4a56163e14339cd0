#pragma once

#include <string>

#include "common/world.h"

namespace cudald {

inline const std::string python_library = "/venv/lib/python3.11/";
inline const std::string python_packages = python_library + "site-packages/";

/// A world that is asked about the environment /venv, in which there is a Python.
inline TestWorld world_with_python() {
  TestWorld world;
  world.query.prefix = "/venv";
  world.files.add_file("/venv/bin/python3.11", elf(program({})), {.executable = true});
  world.files.add_file(python_library + "os.py", "");
  return world;
}

/// One whose Python has ctypes.
inline TestWorld world_with_ctypes() {
  auto world = world_with_python();
  world.files.add_file(python_library + "ctypes/__init__.py", "import _ctypes\nclass CDLL:\n  pass\n");
  world.add(python_library + "lib-dynload/_ctypes.cpython-311-x86_64-linux-gnu.so", {});
  return world;
}

}  // namespace cudald
