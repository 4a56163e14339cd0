#include "pyimport/sources/source.h"

#include <string>

#include <doctest/doctest.h>

using namespace cudald::python;

TEST_CASE("a source that costs too much is cut short, and says so") {
  cudald::Budget little(cudald::CostLimits{.kept = 100'000});
  const auto source = Source::parse("m.py", std::string(80'000, 'a') + "\n" + std::string(50'000, '('), little);
  CHECK_FALSE(source->complete());
  CHECK(little.exhausted());
  cudald::Budget enough;
  CHECK(Source::parse("m.py", "a, b\n", enough)->complete());
}

TEST_CASE("a function's body is read when it is asked for, once") {
  cudald::Budget budget;
  const auto source = Source::parse("m.py", "def f():\n  def g():\n    import b\n  return 1\n", budget);
  const auto before = budget.cost().kept;
  const auto body = source->body(source->block()[0]);
  CHECK(budget.cost().kept > before);
  REQUIRE(body.size() == 2);
  CHECK(body[0].back().is(NodeKind::block));  // what stands in a function is read with it
  CHECK(source->body(source->block()[0]).id() == body.id());
}

TEST_CASE("where a source first binds names unseen") {
  cudald::Budget budget;
  CHECK(Source::parse("m.py", "setattrs\na.setattr(x)\n", budget)->first_trick() == 2);
  CHECK_FALSE(Source::parse("m.py", "setattrs\n", budget)->first_trick().has_value());
  for (const std::string text :
       {"setattr(self, a, b)", "vars(cls)", "how exec() works", "locals", "a.exec(b)", "self.__dict__",
        "x = globals()[y]\n", "globals()[y[0]](1)", "f(globals()[y])", "globals().get(y)"})
    CHECK_FALSE(Source::parse("m.py", text, budget)->first_trick().has_value());
  for (const std::string text :
       {"class C: pass\nsetattr(C, a, b)", "def f(): pass\nf.__dict__", "if x:\n  class C(B): pass\nC.__dict__"})
    CHECK_FALSE(Source::parse("m.py", text, budget)->first_trick().has_value());
  for (const std::string text : {"class C:\n  for x in y:\n    locals()[x] = z", "def f():\n  vars()",
                                 "class C:\n\n  # d\n  f(locals())", "async def f():\n  if x:\n\n    y = locals()\n"})
    CHECK_FALSE(Source::parse("m.py", text, budget)->first_trick().has_value());
  std::string far = "class C:\n";
  for (int i = 0; i < 1000; ++i) far += "  x = 1\n";
  CHECK(Source::parse("m.py", far + "  locals()[x] = y\n", budget)->first_trick().has_value());
  for (const std::string text : {"class C: pass\nfor x in y:\n  locals()[x] = z", "locals()[x] = y", "if x:\n  vars()"})
    CHECK(Source::parse("m.py", text, budget)->first_trick().has_value());
  for (const std::string text :
       {"class C: pass\nsetattr(a.C, b, c)", "def f(): pass\na.f.__dict__", "class C: pass\nsetattr(D, a, b)"})
    CHECK(Source::parse("m.py", text, budget)->first_trick() == 2);
  for (const std::string text : {"setattr(selfish, a, b)", "vars(a)", "a.__dict__", "globals()[y] = x", "globals()",
                                 "del globals()[y]", "globals()[y], x = z", "globals().update(y)"})
    CHECK(Source::parse("m.py", text, budget)->first_trick() == 1);
}

TEST_CASE("a word is mentioned where it stands alone") {
  cudald::Budget budget;
  const auto source = Source::parse("m.py", "setattrs\na.setattr(x)\n", budget);
  CHECK(first_mention(*source->text(), std::vector<std::string_view>{"exec", "setattr"}) == 2);
  CHECK(source->mentions("setattrs"));
  CHECK_FALSE(source->mentions("attr"));
}

TEST_CASE("a line of a source is told without the blanks around it") {
  cudald::Budget budget;
  const auto source = Source::parse("m.py", "first\n\t  second  \r\n\nfourth \t", budget);
  CHECK(source->path() == "m.py");
  CHECK(source->line(1) == "first");
  CHECK(source->line(2) == "second");
  CHECK(source->line(3) == "");
  CHECK(source->line(4) == "fourth");
  CHECK(Source::parse("m.py", "", budget)->line(1) == "");
  CHECK(Source::parse("m.py", "a\n\t \nb", budget)->line(2) == "");
}

TEST_CASE("a word is mentioned where its name begins and ends, at either end of the text too") {
  cudald::Budget budget;
  const auto mentions = [&](const std::string& text) { return Source::parse("m.py", text, budget)->mentions("exec"); };
  CHECK(mentions("exec"));
  CHECK(mentions("exec(a)"));
  CHECK(mentions("(exec"));
  CHECK(mentions("execute, exec"));
  CHECK_FALSE(mentions("execute"));
  CHECK_FALSE(mentions("an_exec"));
  CHECK_FALSE(mentions("1exec"));
  CHECK_FALSE(mentions("exec\xc3\xa9"));
  CHECK_FALSE(mentions("exe"));
  for (const std::string trick :
       {"globals", "locals(", "vars(", "setattr", "exec(", "__getattr__", "__dict__", "global_enum", "_convert_"}) {
    CAPTURE(trick);
    CHECK(Source::parse("m.py", "a\n\nb = " + trick, budget)->first_trick() == 3);
    CHECK_FALSE(Source::parse("m.py", "s" + trick, budget)->first_trick().has_value());
  }
}

TEST_CASE("a source for which there is no room has no statements") {
  cudald::Budget none(cudald::CostLimits{.kept = 10});
  const auto source = Source::parse("m.py", "import a\n", none);
  CHECK_FALSE(source->complete());
  CHECK_FALSE(source->block().there());
  CHECK(source->block().size() == 0);
}

TEST_CASE("a source is not complete if the body of one of its functions is not") {
  cudald::Budget budget(cudald::CostLimits{.steps = 6'000});
  const auto source = Source::parse(
      "m.py",
      "def f():\n  a\ndef g():\n  " +
          [] {
            std::string sum = "a";
            for (int i = 0; i < 5'000; ++i) sum += " + a";
            return sum;
          }() +
          "\n",
      budget);
  REQUIRE(source->complete());
  CHECK(source->body(source->block()[0]).size() == 1);
  CHECK(source->complete());
  source->body(source->block()[1]);
  CHECK_FALSE(source->complete());
  source->body(source->block()[0]);
  CHECK_FALSE(source->complete());
}
