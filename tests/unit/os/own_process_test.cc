#include "os/own_process.h"

#include <stdlib.h>

#include <filesystem>

#include <doctest/doctest.h>

namespace cudald {
namespace {

TEST_CASE("a process knows its words, variables and directory") {
  char name[] = "cudald", word[] = "check";
  char* words[] = {name, word, nullptr};
  CHECK(own_words(2, words) == std::vector<std::string>{"check"});
  CHECK(own_words(0, words).empty());
  ::setenv("CUDALD_TEST_OF_PROCESS", "a=b", 1);
  CHECK(own_variables()["CUDALD_TEST_OF_PROCESS"] == "a=b");
  ::unsetenv("CUDALD_TEST_OF_PROCESS");
  CHECK(own_directory() == std::filesystem::current_path().string());
}

TEST_CASE("the two numbers of a process stay as they are, and differ") {
  CHECK(own_random(0) == own_random(0));
  CHECK(own_random(0) != own_random(1));
}

}  // namespace
}  // namespace cudald
