#include "session/active_python.h"

#include <doctest/doctest.h>

#include "common/memory_file_system.h"

namespace cudald {
namespace {

struct Machine {
  MemoryFileSystem files;
  Query query;

  Machine() { query.environment.variables["PATH"] = "/usr/bin"; }

  void add_python(const std::string& prefix, const std::string& version) {
    add_program(prefix + "/bin/python" + version,
                "\x7f"
                "ELF");
    files.add_symlink(prefix + "/bin/python3", "python" + version);
    files.add_file(prefix + "/lib/python" + version + "/os.py", "");
  }
  void add_program(const std::string& path, const std::string& text) {
    files.add_file(path, text, {.executable = true});
  }
  void set(const std::string& name, const std::string& value) { query.environment.variables[name] = value; }

  /// The interpreter, or why there is none.
  std::string active() const {
    const auto found = find_active_python(query, files);
    return found ? found->interpreter : found.error().message;
  }
};

Machine with_pyenv() {
  Machine machine;
  machine.add_python("/usr", "3.11");
  for (const std::string version : {"3.9.18", "3.12.2", "3.12.10"})
    machine.add_python("/pyenv/versions/" + version, version.substr(0, version.rfind('.')));
  machine.add_program("/pyenv/shims/python3", "#!/usr/bin/env bash\nexec \"/pyenv/libexec/pyenv\" exec python3\n");
  machine.set("PATH", "/pyenv/shims:/usr/bin");
  machine.query.environment.cwd = "/home/me/project";
  return machine;
}

TEST_CASE("without an environment it is python3 on PATH, then that of /usr") {
  Machine machine;
  CHECK(machine.active() == "no Python environment is active; name one: --prefix DIR");
  machine.add_python("/usr", "3.11");
  machine.set("PATH", "/nowhere");
  CHECK(machine.active() == "/usr/bin/python3.11");
  machine.add_python("/opt/new", "3.13");
  machine.set("PATH", "/opt/new/bin:/usr/bin");
  CHECK(machine.active() == "/opt/new/bin/python3.13");
}

TEST_CASE("a link to a Python elsewhere is that Python") {
  Machine machine;
  machine.add_python("/usr", "3.11");
  machine.add_python("/opt/new", "3.13");
  machine.files.add_symlink("/usr/local/bin/python3", "/opt/new/bin/python3.13");
  machine.set("PATH", "/usr/local/bin:/usr/bin");
  CHECK(machine.active() == "/opt/new/bin/python3.13");
}

TEST_CASE("an environment that is said to be active, and is gone, is an error") {
  Machine machine;
  machine.add_python("/usr", "3.11");
  machine.set("VIRTUAL_ENV", "/gone");
  CHECK(machine.active() ==
        "VIRTUAL_ENV names /gone, which is not a directory: the environment that was active is gone; name one: "
        "--prefix DIR");
  machine.files.add_folder("/gone");
  CHECK(machine.active() == "VIRTUAL_ENV names /gone, in which no Python is; name one: --prefix DIR");
  machine.set("VIRTUAL_ENV", "");
  machine.set("CONDA_PREFIX", "/gone");
  CHECK(machine.active() == "/usr/bin/python3.11");
}

TEST_CASE("a shim of pyenv leads to the version that is chosen") {
  auto machine = with_pyenv();
  CHECK(machine.active() == "/usr/bin/python3.11");  // nothing chooses
  machine.files.add_file("/pyenv/version", "3.12.2\n");
  CHECK(machine.active() == "/pyenv/versions/3.12.2/bin/python3.12");
  machine.files.add_file("/home/me/.python-version", "# ours\n3.9\n");
  CHECK(machine.active() == "/pyenv/versions/3.9.18/bin/python3.9");
  machine.set("PYENV_VERSION", "3.12");
  CHECK(machine.active() == "/pyenv/versions/3.12.10/bin/python3.12");
  machine.set("PYENV_VERSION", "python-3.12.2");  // as releases of CPython may be called
  CHECK(machine.active() == "/pyenv/versions/3.12.2/bin/python3.12");
  machine.set("PYENV_VERSION", "system");
  CHECK(machine.active() == "/usr/bin/python3.11");
  machine.set("PYENV_VERSION", "3.7");
  CHECK(machine.active() == "pyenv is set to use Python 3.7, which is not in /pyenv/versions; name one: --prefix DIR");
}

TEST_CASE("a script that is no known shim is not taken for the Python of /usr") {
  Machine machine;
  machine.add_python("/usr", "3.11");
  machine.add_program("/opt/bin/python3", "#!/bin/sh\nexec something\n");
  machine.set("PATH", "/opt/bin:/usr/bin");
  CHECK(machine.active() == "python3 on PATH is /opt/bin/python3, which is not a Python; name one: --prefix DIR");
}

TEST_CASE("a shim of pyenv that leads to what is no Python is an error") {
  auto machine = with_pyenv();
  machine.add_program("/pyenv/versions/broken/bin/python3", "#!/bin/sh\n");
  machine.set("PYENV_VERSION", "broken");
  CHECK(machine.active() ==
        "python3 on PATH leads to /pyenv/versions/broken/bin/python3, which is not a Python; name one: --prefix DIR");
}

TEST_CASE("an environment that is said to be active is taken, VIRTUAL_ENV before CONDA_PREFIX, and both before PATH") {
  Machine machine;
  machine.add_python("/usr", "3.11");
  machine.add_python("/conda", "3.12");
  machine.add_python("/project/venv", "3.13");
  machine.query.environment.cwd = "/project";
  machine.set("CONDA_PREFIX", "/conda");
  CHECK(machine.active() == "/conda/bin/python3.12");
  machine.set("VIRTUAL_ENV", "venv");
  CHECK(machine.active() == "/project/venv/bin/python3.13");
  machine.set("VIRTUAL_ENV", "");
  machine.set("CONDA_PREFIX", "/none");
  CHECK(
      machine.active() ==
      "CONDA_PREFIX names /none, which is not a directory: the environment that was active is gone; name one: --prefix "
      "DIR");
  CHECK(find_active_python(machine.query, machine.files).error().code == ErrorCode::absent);
}

TEST_CASE("a shim of pyenv is a short script of its own folder that names pyenv") {
  const auto taken = [](const std::string& folder, const std::string& text) {
    Machine machine;
    machine.add_python("/usr", "3.11");
    machine.add_program(folder + "/python3", text);
    machine.set("PATH", folder + ":/usr/bin");
    return machine.active() == "/usr/bin/python3.11";  // nothing chooses a version
  };
  const std::string script = "#!/bin/sh\nexec pyenv\n";
  CHECK(taken("/pyenv/shims", script));
  CHECK(taken("/pyenv/shims", script + std::string(4096 - script.size(), '#')));
  CHECK_FALSE(taken("/pyenv/shims", script + std::string(4097 - script.size(), '#')));
  CHECK_FALSE(taken("/pyenv/bin", script));
  CHECK_FALSE(taken("/pyenv/shims", "# pyenv\n"));
  CHECK_FALSE(taken("/pyenv/shims", "#!/bin/sh\nexec asdf\n"));
}

TEST_CASE("where pyenv's version is looked for, and what is no name of one") {
  auto machine = with_pyenv();
  machine.files.add_file("/pyenv/version", "3.12.2\n");
  machine.set("PYENV_VERSION", "");
  CHECK(machine.active() == "/pyenv/versions/3.12.2/bin/python3.12");
  machine.set("PYENV_VERSION", "/x:.:..:3.9.18");
  CHECK(machine.active() == "/pyenv/versions/3.9.18/bin/python3.9");
  machine.set("PYENV_VERSION", "3.7:3.9.18:3.12.2");
  CHECK(machine.active() == "/pyenv/versions/3.9.18/bin/python3.9");
  machine.set("PYENV_VERSION", "3.7:system");
  CHECK(machine.active() == "/usr/bin/python3.11");
  machine.set("PYENV_VERSION", "");
  machine.query.environment.cwd = "";
  CHECK(machine.active() == "/pyenv/versions/3.12.2/bin/python3.12");
  machine.files.add_file("/.python-version", "3.9.18");
  machine.query.environment.cwd = "/home/me";
  CHECK(machine.active() == "/pyenv/versions/3.9.18/bin/python3.9");
  machine.files.add_file("/home/me/.python-version", "# 3.9.18\n\t3.12.10\r\n");
  CHECK(machine.active() == "/pyenv/versions/3.12.10/bin/python3.12");
  machine.set("PYENV_ROOT", "/gone");
  CHECK(machine.active() ==
        "pyenv is set to use Python 3.12.10, which is not in /gone/versions; name one: --prefix DIR");
}

}  // namespace
}  // namespace cudald
