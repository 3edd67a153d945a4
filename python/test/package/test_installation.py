"""What `cmake --install` and the wheel put on a machine."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import triton

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(triton.__file__).parents[2]
PROGRAM = """
#include <triton/triton.h>
#include <cstdio>
int main() { std::puts(triton::version()); }
"""


def output(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prefix")
    output("cmake", "--install", str(BUILD), "--component", "library", "--prefix", str(folder))
    return folder


def flags_of(description):
    """What pkg-config makes of the file, without it."""
    text = description.read_text()
    variables = {"pcfiledir": str(description.parent)}

    def expand(value):
        return re.sub(r"\$\{(\w+)\}", lambda match: variables[match[1]], value)

    for name, value in re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE):
        variables[name] = expand(value)
    return [flag for kind in ("Cflags", "Libs") for flag in expand(re.search(rf"{kind}: (.*)", text)[1]).split()]


def test_programs_are_built_with_the_flags_of_the_package(prefix, tmp_path):
    if "TRITON_SANITIZE:BOOL=ON" in (BUILD / "CMakeCache.txt").read_text():
        pytest.skip("a program without sanitizers cannot load the library of this build")
    (description,) = prefix.rglob("triton.pc")
    (tmp_path / "program.cpp").write_text(PROGRAM)
    command = ["clang++-22", "-std=c++20", str(tmp_path / "program.cpp"), *flags_of(description)]
    output(*command, "-o", str(tmp_path / "program"))
    libraries = next(prefix.rglob("libtriton.so")).parent
    environment = os.environ | {"LD_LIBRARY_PATH": str(libraries)}
    assert output(str(tmp_path / "program"), env=environment).strip() == triton.__version__


KERNEL = """
import triton
import triton.language as tl

@triton.jit
def scale(x, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + offsets, tl.load(x + offsets, mask=offsets < n) * 2, mask=offsets < n)
"""
PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(application CXX)
find_package(Triton REQUIRED)
add_executable(application main.cpp)
target_compile_options(application PRIVATE -Wall -Wextra -Werror)
triton_add_kernels(application kernels/scale.py:scale
  SIGNATURE "*fp32:16, i32, 64" "*fp32, i32, 64"
  GRID "(n + BLOCK - 1) / BLOCK, 1, 1"
  TARGETS cpu:x86-64-v2 cuda:80 cuda:90 hip:gfx942
  NUM_WARPS 2 NAMESPACE app::kernels NAME twice)
"""
APPLICATION = """
#include "twice.h"
#include <cstdio>
#include <vector>
int main(int count, char **arguments) {
  using triton_aot::Device;
  const std::string name = count > 1 ? arguments[1] : "cpu";
  std::vector<float> x(101, 21);
  try {
    app::kernels::TwiceOperator twice(name == "cuda" ? Device::cuda() : name == "hip" ? Device::hip() : Device::cpu());
    twice(nullptr, x.data() + 1, 99);
    app::kernels::twice(Device::cpu(), nullptr, x.data(), 1);
    std::printf("%g %g %g %s\\n", x[0], x[99], x[100], twice.target());
  } catch (const triton_aot::Error &error) {
    std::printf("%s\\n", error.what());
  }
}
"""


def configure(source, build, prefix):
    """The command that configures a project, with the compiler that the set-up installs."""
    settings = {"CMAKE_PREFIX_PATH": prefix, "CMAKE_CXX_COMPILER": "clang++-22"}
    return ["cmake", "-S", str(source), "-B", str(build), *(f"-D{name}={value}" for name, value in settings.items())]


def test_projects_are_built_with_kernels(prefix, tmp_path):
    source, build = tmp_path / "source", tmp_path / "build"
    (source / "kernels").mkdir(parents=True)
    (source / "CMakeLists.txt").write_text(PROJECT)
    (source / "main.cpp").write_text(APPLICATION)
    kernel = source / "kernels/scale.py"
    kernel.write_text(KERNEL)
    output(*configure(source, build, prefix))

    def built(*arguments):
        output("cmake", "--build", str(build))
        environment = os.environ | {"TRITON_LIBCUDA_PATH": str(tmp_path), "TRITON_LIBHIP_PATH": str(tmp_path)}
        return output(str(build / "application"), *arguments, env=environment).strip()

    assert built() == "42 42 21 cpu:x86-64-v2"
    for device in ("cuda", "hip"):
        assert built(device).startswith(f"cannot load the {device.upper()} driver: ")
    kernel.write_text(KERNEL.replace("* 2", "* 3"))
    assert built() == "63 63 21 cpu:x86-64-v2"


@pytest.mark.parametrize(
    "change, message",
    [
        (("GRID", "GRIDS"), "GRID is missing"),
        (("scale.py:scale", "scale.py"), "is no <file>:<kernel>"),
        (("kernels/scale.py", "other/scale.py"), "there is no file"),
        (("triton_add_kernels(application", "triton_add_kernels(program"), "there is no target `program`"),
        ((PROJECT, PROJECT + PROJECT[PROJECT.index("triton_add") :]), "`application` has kernels named `twice`; give"),
    ],
)
def test_calls_that_add_kernels_are_checked(prefix, tmp_path, change, message):
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels/scale.py").write_text(KERNEL)
    (tmp_path / "main.cpp").write_text(APPLICATION)
    assert PROJECT.count(change[0]) >= 1
    (tmp_path / "CMakeLists.txt").write_text(PROJECT.replace(*change))
    done = subprocess.run(configure(tmp_path, tmp_path / "build", prefix), capture_output=True, text=True)
    assert done.returncode != 0 and "triton_add_kernels" in done.stderr
    assert message in " ".join(done.stderr.split())


def test_the_licence_comes_with_it(prefix):
    assert (prefix / "share/doc/nereid/copyright").read_text() == (ROOT / "LICENSE").read_text()


def test_the_manual_describes_every_command(prefix):
    tritonc = str(prefix / "bin/tritonc")
    commands = re.findall(r"^  (\w+) +- ", output(tritonc, "--help").partition("OPTIONS")[0], re.MULTILINE)
    assert "compile" in commands
    (page,) = prefix.rglob("tritonc.1")
    assert re.findall(r"^\.SS (\w+)$", page.read_text(), re.MULTILINE) == commands
    assert "signature" in page.read_text()


def test_the_manual_names_options_that_exist(prefix):
    (page,) = prefix.rglob("triton-opt.1")
    options = re.findall(r"--([a-z][a-z-]+)", page.read_text().replace("\\", ""))
    known = output(str(prefix / "bin/triton-opt"), "--help")
    assert len(options) >= 5 and not [option for option in {*options} - {"help"} if f"--{option}" not in known]


def test_the_shell_completes_commands_and_options(prefix):
    (script,) = prefix.rglob("completions/tritonc")

    def complete(*words):
        quoted = " ".join(f"'{word}'" for word in ("tritonc", *words))
        text = f". {script}; COMP_WORDS=({quoted}); COMP_CWORD={len(words)}; _tritonc; echo ${{COMPREPLY[@]}}"
        path = f"{prefix / 'bin'}:{os.environ['PATH']}"
        return output("bash", "-c", text, env=os.environ | {"PATH": path}).split()

    assert complete("com") == ["compile"]
    assert "--signature" in complete("compile", "--s")
    assert complete("compile", f"{ROOT}/README") == [f"{ROOT}/README.md"]


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the versions are those of x86-64")
def test_programs_link_against_the_functions_of_an_older_glibc(tmp_path):
    output(sys.executable, str(ROOT / "packaging/old_glibc.py"), "2.28", str(tmp_path / "old"))
    source = tmp_path / "program.cpp"
    source.write_text(
        "#include <chrono>\n#include <cmath>\n#include <condition_variable>\n#include <cstdio>\n#include <random>\n"
        "#include <sys/stat.h>\n#include <thread>\n"
        "int main(int count, char **arguments) {\n"
        "  struct stat facts;\n"
        "  if (stat(arguments[0], &facts) != 0 || facts.st_size == 0) return 1;\n"
        "  std::thread([&] { facts.st_size = std::pow(count, 3) + std::random_device()() * 0.0; }).join();\n"
        "  std::mutex mutex; std::condition_variable condition; std::unique_lock lock(mutex);\n"
        "  const auto begin = std::chrono::steady_clock::now();\n"
        "  const auto status = condition.wait_until(lock, begin + std::chrono::milliseconds(30));\n"
        "  const auto passed = std::chrono::steady_clock::now() - begin;\n"
        "  return status != std::cv_status::timeout || passed < std::chrono::milliseconds(20) || facts.st_size != 1;\n"
        "}\n"
    )
    objects = [str(tmp_path / "glibc.o"), str(tmp_path / "program.o")]
    output("clang-22", "-c", str(ROOT / "packaging/glibc_2_28.c"), "-fPIC", "-o", objects[0])
    output("clang++-22", "-std=c++20", "-c", str(source), "-fPIC", "-o", objects[1])
    library = str(tmp_path / "program.so")
    output(
        "clang++-22",
        "-shared",
        "-fuse-ld=lld-22",
        "-Wl,-z,defs",
        f"-L{tmp_path / 'old'}",
        "-static-libstdc++",
        *objects,
        "-o",
        library,
    )
    needed = re.findall(r"GLIBC_(\d+)\.(\d+)", output("objdump", "-T", library))
    assert needed and max(tuple(map(int, version)) for version in needed) <= (2, 28)
    output(
        sys.executable,
        "-c",
        "import ctypes, sys; run = ctypes.CDLL(sys.argv[1]).main;"
        "sys.exit(run(1, (ctypes.c_char_p * 2)(sys.argv[1].encode(), None)))",
        library,
    )
