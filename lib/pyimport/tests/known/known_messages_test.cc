#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "pyimport/tests/code_outcome.h"

using namespace cudald;

namespace {

void with_logging(ImportWorld& world) {
  world.add("warnings.py", "def warn(message): other(message)\n");
  world.add("logging/__init__.py",
            "class Filterer:\n  def addFilter(self, f): other(f)\n"
            "class Logger(Filterer):\n  def info(self, m): other(m)\n  def debug(self, m): other(m)\n"
            "  def isEnabledFor(self, m): return True\n  def setLevel(self, m): other(m)\n"
            "def getLogger(name=None): return other(name)\ndef info(m): other(m)\n");
}

}  // namespace

TEST_CASE("a message changes nothing, and what is behind it in a try is certain") {
  const std::string code =
      "import logging, warnings\nlogger = logging.getLogger(__name__)\ndef f():\n  try:\n    SAY\n    return False\n"
      "  except ValueError: return True\nif not f(): raise RuntimeError('x')\n1";
  const auto with = [&](std::string_view says) {
    auto text = code;
    return outcome(text.replace(text.find("SAY"), 3, says), with_logging);
  };
  for (const std::string_view says : {"logger.info('x')", "logger.debug('x')", "logging.info('x')",
                                      "warnings.warn('x')", "logger.setLevel(1)", "logger.addFilter(1)"}) {
    CAPTURE(says);
    CHECK(with(says) == "RuntimeError: x");
  }
  CHECK(with("logger.other('x')") == "yes");
  CHECK(with("json.dumps('x')") == "yes");
}

TEST_CASE("of a logger it is not known what else it has") {
  const std::string code = "import logging\nlogger = logging.getLogger()\n";
  CHECK(outcome(code + "hasattr(logger, 'loud')", with_logging) == "unknown");
  CHECK(outcome(code + "logger.isEnabledFor(1)", with_logging) == "unknown");
  CHECK(outcome(code + "logger.info('x') is None", with_logging) == "yes");
  // A package puts a method of its own into the class.
  CHECK(outcome(code + "def once(self, m):\n  self.info(m)\n  return 5\nlogging.Logger.once = once\n"
                       "logging.getLogger().once('x') == 5",
                with_logging) == "yes");
}
