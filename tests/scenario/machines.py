"""The machines on which fixtures are built and started: this one, and others by a cross compiler and QEMU."""
import os
import shutil
from dataclasses import dataclass
from typing import Tuple


@dataclass(frozen=True)
class Machine:
    name: str
    compiler: str
    interpreter: str
    runner: Tuple[str, ...]  # what starts its programs here; static, as an environment with LD_ variables reaches it
    packages: str            # of Debian
    multiarch: str           # Debian's folder of its libraries
    bits: int = 64
    order: str = "little"

    def lacking(self):
        """What this system lacks to build and start its programs, or None."""
        for program in (self.compiler, *self.runner):
            if not shutil.which(program):
                return f"{program} (Debian: {self.packages})"
        return None if os.path.exists(self.interpreter) else f"{self.interpreter} (Debian: {self.packages})"


def crossed(name, triplet, interpreter, architecture, qemu=None, **more):
    packages = f"gcc-{triplet} libc6-dev-{architecture}-cross libc6:{architecture}"
    runner = (f"qemu-{qemu}-static",) if qemu else ()
    return Machine(name, f"{triplet}-gcc", interpreter, runner, packages + (" qemu-user-static" if qemu else ""),
                   triplet.replace("i686", "i386"), **more)


MACHINES = {machine.name: machine for machine in (
    Machine("x86_64", "gcc", "/lib64/ld-linux-x86-64.so.2", (), "gcc", "x86_64-linux-gnu"),
    crossed("i386", "i686-linux-gnu", "/lib/ld-linux.so.2", "i386", bits=32),
    crossed("aarch64", "aarch64-linux-gnu", "/lib/ld-linux-aarch64.so.1", "arm64", "aarch64"),
    crossed("arm", "arm-linux-gnueabihf", "/lib/ld-linux-armhf.so.3", "armhf", "arm", bits=32),
    crossed("ppc64le", "powerpc64le-linux-gnu", "/lib64/ld64.so.2", "ppc64el", "ppc64le"),
    crossed("riscv64", "riscv64-linux-gnu", "/lib/ld-linux-riscv64-lp64d.so.1", "riscv64", "riscv64"),
    crossed("s390x", "s390x-linux-gnu", "/lib/ld64.so.1", "s390x", "s390x", order="big"),
)}
