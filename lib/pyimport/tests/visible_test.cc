#include "pyimport/visible.h"

#include <string>

#include <doctest/doctest.h>

#include "package/package_tree.h"
#include "pyimport/tests/code_outcome.h"

using namespace cudald;
using namespace cudald::python;

namespace {

TEST_CASE("variables about loading are open, secrets are not") {
  for (const auto* name : {"LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES", "PATH",
                           "HOME", "PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX"})
    CHECK(is_open_variable(name));
  for (const auto* name : {"AWS_SECRET", "GITHUB_TOKEN", "NVIDIA_API_KEY", "CONDA_TOKEN", "PYTHON_KEYRING_PASSWORD",
                           "USER", "PATHS", "", "MY_PATH"})
    CHECK_FALSE(is_open_variable(name));
}

void plant(ImportWorld& world) {
  world.python.prefix = world.python.base_prefix = "/usr";
  world.python.path.emplace_back(PackageTree::site_packages);  // a package is judged
  world.python.variables = {{"SECRET_NAME", "hunter2"}, {"MODE", "hunter2"}, {"STATED", "a"}, {"HOME", "/home/me"}};
  world.python.stated_variables = {"STATED"};
  world.files.add_file("/etc/passwd", "hunter2\n");
  world.files.add_file("/home/me/hunter2.json", "{\"a\": \"hunter2\"}");
  world.files.add_file("/home/me/code.py", "word = 'hunter2'\n");
  world.files.add_file("/usr/lib/python3/text", "hunter2");
  world.files.add_file("/usr/etc/pip.conf", "hunter2");
  world.files.add_symlink("/s/link", "/etc/passwd");
  world.add("own.txt", "hunter2");
}

TEST_CASE("code sees what belongs to packages and Python, and nothing else of the machine") {
  const Outcome rows[] = {
      {"open('/s/own.txt').read() == 'hunter2'", "yes"},
      {"open('/usr/lib/python3/text').read() == 'hunter2'", "yes"},
      {"os.environ.get('HOME') == '/home/me' and os.environ['STATED'] == 'a'", "yes"},
      {"os.environ.get('UNSET') is None", "yes"},
      {"os.listdir('/usr/lib/python3') == ['text']", "yes"},
      {"os.path.exists('/etc/passwd')", "yes"},
      {"open('/etc/passwd').read() == 'hunter2\\n'", "unknown"},
      {"open('/s/../etc/passwd').read() == 'hunter2\\n'", "unknown"},
      {"open('/s/link').read() == 'hunter2\\n'", "unknown"},
      {"open('/usr/etc/pip.conf').read() == 'hunter2'", "unknown"},
      {"json.load(open('/home/me/hunter2.json'))['a'] == 'hunter2'", "unknown"},
      {"os.listdir('/home/me') == ['code.py', 'hunter2.json']", "unknown"},
      {"os.environ['SECRET_NAME'] == 'hunter2'", "unknown"},
      {"os.environ.get('MODE') == 'hunter2'", "unknown"},
      {"os.getenv('MODE', 'x') == 'hunter2'", "unknown"},
      {"os.environ['MODE'] = 'own'\nos.environ['MODE'] == 'own'", "yes"},
      {"sys.path.insert(0, '/home/me')\nfrom code import word\nword == 'hunter2'", "unknown"},
  };
  check_outcomes(rows, plant);
}

TEST_CASE("in an environment of the user, packages lie anywhere") {
  const auto installed = [](ImportWorld& world) { world.files.add_file("/home/me/code.py", "word = 'own'\n"); };
  CHECK(outcome("sys.path.insert(0, '/home/me')\nfrom code import word\nword == 'own'", installed) == "yes");
}

TEST_CASE("no error that code raises tells a secret") {
  for (const std::string code :
       {"raise ImportError(os.environ['MODE'])\n1", "raise ImportError(open('/etc/passwd').read())\n1",
        "raise ImportError('x' + os.environ.get('SECRET_NAME', ''))\n1", "ctypes.CDLL('/x/' + os.environ['MODE'])\n1",
        "for l in open('/etc/passwd'): ctypes.CDLL('/x/' + l)\n1", "importlib.import_module(os.environ['MODE'])\n1"})
    CHECK(outcome(code, plant).find("hunter2") == std::string::npos);
}

}  // namespace
