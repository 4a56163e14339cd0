// Prints the tree of each Python source that is named, in the form of tests/python/syntax_tree.py.

#include <fstream>
#include <iostream>
#include <iterator>

#include "python/tree_text.h"

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    cudald::Budget budget;
    const auto source = cudald::python::Source::parse(argv[i], std::move(text), budget);
    std::cout << "# " << argv[i] << '\n' << cudald::python::tree_text(*source);
  }
}
