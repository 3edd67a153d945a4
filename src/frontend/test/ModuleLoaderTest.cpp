#include "frontend/ModuleLoader.h"
#include "base/Diagnostics.h"
#include "frontend/AST.h"
#include "frontend/lowering/BuiltinModules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

using namespace triton::frontend;
using testing::HasSubstr;

namespace {

std::string pathOf(const std::string &name) { return TRITON_SOURCE_DIR "/src/frontend/test/modules/" + name; }

class Modules : public testing::Test {
protected:
  std::string value(const std::string &name) {
    ObjectRef object = module->lookup(name);
    return object ? repr(*object) : "undefined";
  }
  std::shared_ptr<LoadedModule> module = LoadedModule::fromFile(pathOf("kernels.py"), builtinModule);
};

template <typename Action> std::string errorOf(Action action) {
  try {
    action();
  } catch (const DiagnosticError &error) {
    return error.str();
  }
  return "no error";
}

TEST_F(Modules, ListsKernelsInTheOrderOfTheFile) {
  EXPECT_THAT(module->functionNames(), testing::ElementsAre("first", "second", "third"));
}

TEST_F(Modules, EvaluatesConstants) {
  EXPECT_EQ(value("FOUR"), "4");
  EXPECT_EQ(value("EIGHT"), "8");
  EXPECT_EQ(value("BIG"), "422550200076076467165567735125");
  EXPECT_EQ(value("NEGATIVE"), "-4");
  EXPECT_EQ(value("REMAINDER"), "2");
  EXPECT_EQ(value("HALF"), "0.5");
  EXPECT_EQ(value("NAME"), "'ab'");
  EXPECT_EQ(value("PAIR"), "(1, 2.5)");
  EXPECT_EQ(value("SECOND"), "2.5");
  EXPECT_EQ(value("ROUNDED"), "128");
  EXPECT_EQ(value("FIRST"), "1");
  EXPECT_EQ(value("NOTHING"), "None");
  EXPECT_EQ(value("ORIGIN"), "Point(x=1, y=2)");
}

TEST_F(Modules, KnowsTypesAndModules) {
  EXPECT_EQ(value("DTYPE"), "triton.language.float32");
  EXPECT_EQ(value("LOW"), "triton.language.float16");
  EXPECT_EQ(value("dtype"), "triton.language.float16");
  EXPECT_EQ(value("tl"), "<module 'triton.language'>");
  EXPECT_EQ(value("t"), "<module 'triton'>");
  EXPECT_EQ(value("constants"), "<module 'constants'>");
  EXPECT_EQ(value("Point"), "<class 'Point'>");
  EXPECT_THAT(module->lookup("Size")->get<NamedTupleClass>()->fieldNames, testing::ElementsAre("rows", "columns"));
  EXPECT_THAT(module->lookup("Shape")->get<NamedTupleClass>()->fieldNames, testing::ElementsAre("rows", "columns"));
}

TEST_F(Modules, RefusesWhatCouldChange) {
  EXPECT_EQ(value("PLAIN"), "<an int that is not a tl.constexpr>");
  EXPECT_EQ(value("COUNT"), "<an int that is not a tl.constexpr>");
  EXPECT_EQ(value("ANNOTATED"), "<an int that is not a tl.constexpr>");
  EXPECT_EQ(value("TEXT"), "<a str that is not a tl.constexpr>");
  EXPECT_EQ(value("UNCHECKED"), "<an int that is not a tl.constexpr>");
  EXPECT_EQ(value("LIST"), "<a list>");
  EXPECT_EQ(value("TABLE"), "<a dict>");
  EXPECT_EQ(value("FUNCTION"), "<a lambda>");
  EXPECT_EQ(value("Plain"), "<a class>");
  EXPECT_EQ(value("plain"), "<a function without `@triton.jit`>");
  EXPECT_EQ(value("host"), "<a constexpr_function, which only Python can run>");
  EXPECT_THAT(value("np"), HasSubstr("the module `numpy`"));
  for (const char *name : {"COMPUTED", "ITSELF", "AUGMENTED", "BRANCHED", "LAST_OF", "looped"})
    EXPECT_TRUE(!module->lookup(name) || module->lookup(name)->is<Unsupported>()) << name;
  EXPECT_EQ(value("UNKNOWN"), "<a constexpr whose value only Python can compute>");
  EXPECT_EQ(module->lookup("no_such_name"), nullptr);
}

TEST_F(Modules, AllowsOtherGlobalsOnRequest) {
  setenv("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS", "1", 1);
  EXPECT_EQ(value("COUNT"), "2");
  EXPECT_EQ(value("TEXT"), "'text'");
  unsetenv("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS");
}

TEST_F(Modules, ChoosesKnownBranches) {
  EXPECT_EQ(value("SIZE"), "64");
  EXPECT_EQ(value("HAS_MISSING"), "1");
  EXPECT_EQ(value("ONLY_FAST"), "1");
}

TEST_F(Modules, FollowsImports) {
  EXPECT_EQ(value("RELATIVE"), "64");
  EXPECT_EQ(value("rescale"), "<kernel scale>");
  EXPECT_EQ(value("helper"), "<kernel helper>");
  EXPECT_EQ(value("DEPTH"), "6");
  auto attribute = [&](const char *name, const char *member) {
    ObjectRef object = (*module->lookup(name)->get<std::shared_ptr<const Module>>())->attribute(member);
    return object ? repr(*object) : "undefined";
  };
  // Members of modules are not checked for being constexpr.
  EXPECT_EQ(attribute("constants", "UNCHECKED"), "5");
  EXPECT_EQ(attribute("constants", "CIRCULAR"), "4");
  EXPECT_EQ(attribute("inner", "DEPTH"), "6");
  EXPECT_EQ(attribute("again", "DEPTH"), "6");
  EXPECT_EQ(attribute("constants", "nothing"), "undefined");
}

TEST_F(Modules, MakesFunctions) {
  std::shared_ptr<const Function> first = module->function("first");
  EXPECT_EQ(first->name, "first");
  EXPECT_FALSE(first->noInline);
  EXPECT_EQ(first->definition->parameters.size(), 3u);
  // Defaults may use any global.
  EXPECT_EQ(repr(*first->defaults.at("BLOCK")), "4");
  EXPECT_EQ(repr(*first->defaults.at("width")), "3");
  EXPECT_TRUE(module->function("third")->noInline);
  EXPECT_EQ(module->function("wrapped")->name, "plain");
  EXPECT_EQ(module->function("first"), first);
}

TEST_F(Modules, LivesAsLongAsAFunction) {
  std::shared_ptr<const Function> function = module->function("rescale");
  std::weak_ptr<LoadedModule> weak = module;
  module.reset();
  EXPECT_FALSE(weak.expired());
  EXPECT_EQ(repr(*function->scope->lookup("SIZE")), "64");
  function.reset();
  EXPECT_TRUE(weak.expired());
}

TEST_F(Modules, ReportsMissingKernels) {
  EXPECT_THAT(errorOf([&] { module->function("nothing"); }),
              HasSubstr("defines no kernel named `nothing`\nhelp: its kernels are `first`, `second`, `third`"));
  EXPECT_THAT(errorOf([&] { module->function("plain"); }), HasSubstr("`plain` is a plain function, not a kernel"));
  EXPECT_THAT(errorOf([] { LoadedModule::fromText("x = 1\n", "text.py", builtinModule)->function("f"); }),
              HasSubstr("`text.py` defines no kernel named `f`, nor any other"));
}

TEST(ModuleLoader, ReportsUnreadableFiles) {
  EXPECT_THAT(errorOf([] { LoadedModule::fromFile(pathOf("absent.py"), builtinModule); }), HasSubstr("cannot read"));
  EXPECT_THAT(errorOf([] { LoadedModule::fromFile(pathOf("package"), builtinModule); }), HasSubstr("it is a folder"));
  EXPECT_THAT(errorOf([] { LoadedModule::fromFile(pathOf("broken.py"), builtinModule); }),
              HasSubstr("broken.py:2:5: error: "));
}

TEST(ModuleLoader, LoadsSiblingsOnlyWhenAsked) {
  auto module = LoadedModule::fromFile(pathOf("imports_broken.py"), builtinModule);
  EXPECT_EQ(module->function("kernel")->name, "kernel");
  EXPECT_THAT(errorOf([&] { module->lookup("broken"); }), HasSubstr("broken.py:2:5: error: "));
}

TEST(ModuleLoader, FindsEveryKernelOfAText) {
  auto module = LoadedModule::fromText("import os, triton\nfrom triton import jit as compiled\n"
                                       "if os.a:\n    @triton.jit\n    def one(): pass\n"
                                       "else:\n    @compiled\n    def one(): pass\n"
                                       "def make(width):\n    @triton.jit\n    def two(): pass\n    return two\n"
                                       "class A:\n    @triton.jit\n    def three(): pass\n"
                                       "def four(): pass\n",
                                       "kernels.py", builtinModule);
  std::vector<std::string> names;
  for (const std::shared_ptr<const Function> &kernel : module->kernels())
    names.push_back(kernel->name);
  EXPECT_THAT(names, testing::ElementsAre("one", "one", "two", "three"));
  EXPECT_THAT(module->names(), testing::ElementsAre("A", "compiled", "four", "make", "one", "os", "triton"));
  Scope &inner = *module->kernels()[2]->scope;
  ObjectRef width = inner.lookup("width");
  ASSERT_TRUE(width && width->is<Unsupported>());
  EXPECT_TRUE(width->get<Unsupported>()->isUnknown);
  EXPECT_FALSE(inner.lookup("height"));
  EXPECT_TRUE(inner.lookup("triton")->is<std::shared_ptr<const Module>>());
}

TEST_F(Modules, FindsDefinitions) {
  auto lineOf = [&](const std::string &name) {
    std::optional<DefinitionPlace> place = module->definition(name);
    return place ? place->source->lineAt(place->range.begin).str() : "none";
  };
  EXPECT_THAT(lineOf("first"), HasSubstr("def first("));
  EXPECT_THAT(lineOf("rescale"), HasSubstr("def scale("));
  EXPECT_EQ(lineOf("tl"), "import triton.language as tl") << "the compiler's own modules have no file";
  EXPECT_EQ(lineOf("no_such_name"), "none");
}

TEST(ModuleLoader, AsksTheHostForWhatNoTextTells) {
  std::string text = "import triton\nfrom settings import WIDTH, exp, helper, other\nKNOWN = 1\n"
                     "@triton.jit\ndef near(x): pass\n";
  std::vector<std::string> asked;
  auto module = LoadedModule::fromText(text, "host.py", builtinModule,
                                       [&](const std::string &file, std::string_view name) -> std::optional<HostValue> {
                                         asked.push_back(file + " " + std::string(name));
                                         HostValue value;
                                         if (name == "WIDTH") {
                                           value.object = makeInteger(8);
                                           value.isConstexpr = true;
                                         } else if (name == "exp") {
                                           value.member = "triton.language.exp";
                                         } else if (name == "helper") {
                                           value.file = pathOf("kernels.py");
                                           value.function = "second";
                                         } else {
                                           value.description = "of the type `dict`";
                                         }
                                         return value;
                                       });
  EXPECT_EQ(repr(*module->lookup("WIDTH")), "8");
  EXPECT_TRUE(module->lookup("exp")->is<const Builtin *>());
  EXPECT_EQ((*module->lookup("helper")->get<std::shared_ptr<const Function>>())->name, "second");
  EXPECT_THAT(repr(*module->lookup("other")), HasSubstr("of the type `dict`"));
  EXPECT_TRUE(module->lookup("near")->is<std::shared_ptr<const Function>>());
  EXPECT_EQ(module->lookup("range"), nullptr) << "a name that the file does not bind is none of the host's";
  EXPECT_THAT(asked, testing::ElementsAre("host.py WIDTH", "host.py exp", "host.py helper", "host.py other"));
}

TEST(ModuleLoader, BranchesAndChainsTakeNoExponentialTime) {
  std::string text = "import os\nif os.a: A = 1\n";
  for (int i = 0; i < 300; ++i)
    text += "elif os.a: A" + std::to_string(i) + " = 1\n";
  text += "X0 = 1\n";
  for (int i = 0; i < 200; ++i)
    text += "X" + std::to_string(i + 1) + " = X" + std::to_string(i) + " + X" + std::to_string(i) + "\n";
  for (int i = 0; i < 100000; ++i)
    text += "Y" + std::to_string(i + 1) + " = Y" + std::to_string(i) + "\n";
  auto module = LoadedModule::fromText(text, "chain.py", builtinModule);
  EXPECT_EQ(repr(*module->lookup("X200")), "<an int that is not a tl.constexpr>");
  EXPECT_TRUE(module->lookup("Y100000")->is<Unsupported>());
}

} // namespace
