#include "pyimport/syntax/source_coding.h"

#include <doctest/doctest.h>

using namespace cudald::python;

TEST_CASE("an encoding is named in a comment of the first two lines") {
  CHECK(source_coding("# -*- coding: UTF_8 -*-\n") == "utf-8");
  CHECK(source_coding("#!/usr/bin/python\n# vim: set fileencoding=latin-1 :\n") == "latin-1");
  CHECK(source_coding("\xef\xbb\xbf# coding:utf-8\r\nx = 1\n") == "utf-8");
  CHECK(source_coding("\n\n# coding: latin-1\n") == "");
  CHECK(source_coding("x = 1\n# coding: latin-1\n") == "");
  CHECK(source_coding("# coding is hard: utf\n") == "");
  CHECK(source_coding("x = 'coding: latin-1'\n") == "");
  CHECK(source_coding("") == "");
}

TEST_CASE("ASCII is a part of UTF-8") {
  for (const auto* name : {"", "utf-8", "utf8", "utf-8-sig", "ascii"}) CHECK(is_utf8(name));
  for (const auto* name : {"latin-1", "utf-16", "gbk"}) CHECK_FALSE(is_utf8(name));
}
