"""Puts the Go program and the licences into the wheel and names the platform it was built for.

The build command (scripts/build-wheel.sh) compiles the program first and says
where it is and what platform tag it deserves; nothing is compiled here.
"""

import os

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# File of the repository -> file in the wheel: Vigil's licence, and that of the
# plotting library which the program carries for the HTML report.
LICENCES = {
    "LICENSE": "vigil/licenses/LICENSE",
    "internal/report/page/vendor/uPlot.LICENSE": "vigil/licenses/uPlot.LICENSE",
}


class BinaryHook(BuildHookInterface):
    def initialize(self, version, build_data):
        binary = os.environ.get("VIGIL_WHEEL_BINARY")
        platform = os.environ.get("VIGIL_WHEEL_PLATFORM")
        if not binary or not platform:
            raise RuntimeError("build the wheel with scripts/build-wheel.sh: it compiles the program that goes inside")
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + platform
        build_data["force_include"][binary] = "vigil/bin/vigil"
        build_data["force_include"][os.path.join(os.path.dirname(binary), "THIRD_PARTY_LICENSES")] = "vigil/licenses/THIRD_PARTY_LICENSES"
        repository = os.path.dirname(self.root)
        for path, inside in LICENCES.items():
            build_data["force_include"][os.path.join(repository, *path.split("/"))] = inside
