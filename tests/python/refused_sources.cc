// Says of each Python source that is named on standard input, one in a line, what Python 3.N does not compile in it:
// "LINE<tab>CLASS: message", or an empty line. For tests/python/refused_sources.py.

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "pyimport/syntax/refused_syntax.h"

int main(int argc, char** argv) {
  if (argc != 2) return EXIT_FAILURE;
  const int minor = std::atoi(argv[1]);
  for (std::string path; std::getline(std::cin, path);) {
    std::ifstream file(path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    cudald::Budget budget;
    if (const auto found = cudald::python::refused_syntax(text, minor, budget))
      std::cout << found->line << '\t' << found->error() << ": " << found->message;
    std::cout << '\n';
  }
}
