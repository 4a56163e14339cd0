"""What the members of a wheel prove, for tools/refresh-knowledge: each proof reads a wheel and makes rows of
data/cuda.json of what all releases of a project said."""

import ast
import importlib.machinery
import importlib.util
import os
import re
import struct

HERE = os.path.dirname(os.path.abspath(__file__))


def load_program(name, path):
    loader = importlib.machinery.SourceFileLoader(name, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


members = load_program("fetch_member", os.path.join(HERE, "fetch-member"))


def version_key(version):
    """Orders versions as pip does, as far as these projects have them: 2.0.0rc1 < 2.0.0 < 2.0.0.post1."""
    match = re.fullmatch(r"([0-9.]+?)((?:a|b|rc|\.?dev)\d+)?((?:\.?post)\d+)?(\+.*)?", version)
    if not match:
        return ([], 0, "", 0, version)
    number, early, late, _ = match.groups()
    return ([int(part) for part in number.split(".")], 0 if early else 1, early or "",
            int(re.sub(r"\D", "", late)) if late else -1, "")


def is_early(version):
    return re.search(r"(a|b|rc|dev)\d+", version) is not None


def member_ending(wheel, *ends):
    """The first member with such an end; nothing if there is none."""
    for name in sorted(wheel.namelist()):
        if name.endswith(ends):
            return name
    return None


def numbers(version, count):
    return ".".join(version.split(".")[:count])


class Build:
    """The build-id of a library: where its code does not tell its release."""

    def __init__(self, kind, soname):
        self.kind, self.soname = kind, soname

    def __call__(self, wheel):
        name = member_ending(wheel, *(f"/{each}" for each in self.soname))
        if name is None:
            return None
        with wheel.open(name) as member:
            start = member.read(1 << 16)
        note = re.search(rb"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0(.{20})", start, re.DOTALL)
        return note.group(1).hex() if note else None

    def rows(self, project, platform, read):
        found = {}
        for version, build_id in read:
            if build_id and not is_early(version):
                found.setdefault(build_id, []).append(version)
        return "builds", [{"kind": self.kind, "build_id": build_id, "first": min(versions, key=version_key),
                           "last": max(versions, key=version_key)} for build_id, versions in found.items()]

    def owns(self, section, row, project):
        return False  # a file may be that of several projects


class Literal:
    """Literals of a Python source."""

    def __init__(self, end, *keys):
        self.end, self.keys = end, keys

    def __call__(self, wheel):
        name = member_ending(wheel, self.end)
        if name is None:
            return None
        text = wheel.read(name).decode("utf-8", "replace")
        found = {}
        for key in self.keys:
            match = (re.search(rf"^{key}\b[^=\n]*=\s*(None|['\"][^'\"]*['\"])", text, re.MULTILINE) or
                     re.search(rf"['\"]{key}['\"]\s*[,:]\s*(None|['\"][^'\"]*['\"])", text))
            if match:
                found[key] = ast.literal_eval(match.group(1))
        return found


class Framework:
    """What a release of a framework was built for."""

    def __init__(self, source, reader):
        self.source, self.reader = source, reader

    def __call__(self, wheel):
        return self.reader(wheel)

    def rows(self, project, platform, read):
        """One row for each run of releases that say the same. What is not a release in the end has no row."""
        rows = []
        for version, found in read:
            if found is None or is_early(version):
                continue
            cuda, cudnn = found.get("cuda"), found.get("cudnn")
            if rows and (rows[-1]["cuda"], rows[-1]["cudnn"]) == (cuda, cudnn):
                rows[-1]["last"] = version
            else:
                rows.append({"project": project, "platform": platform, "first": version, "last": version,
                             "cuda": cuda, "cudnn": cudnn, "source": self.source})
        return "frameworks", rows

    def owns(self, section, row, project):
        by_hand = row.get("proof", "") is None
        return section == "frameworks" and row["project"] == project and not by_hand


def requires(wheel, pattern):
    """The version that METADATA names for a requirement."""
    name = member_ending(wheel, ".dist-info/METADATA")
    text = wheel.read(name).decode("utf-8", "replace") if name else ""
    match = re.search(rf"^Requires-Dist: {pattern}[^\n]*?[~=>]=\s*([0-9.]+)", text, re.MULTILINE)
    return match.group(1) if match else None


def needed_names(data):
    """DT_NEEDED of an ELF file for 64 bits; of a PE file the names of DLLs that stand in it."""
    if data[:4] != b"\x7fELF":
        return [match.group().decode() for match in re.finditer(rb"[A-Za-z0-9_]+\.dll", data)]
    header, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    segments = [struct.unpack_from("<IIQQQQQQ", data, header + i * size) for i in range(count)]
    dynamic = next(each for each in segments if each[0] == 2)
    entries = [struct.unpack_from("<QQ", data, dynamic[2] + at) for at in range(0, dynamic[5], 16)]
    table = next(value for tag, value in entries if tag == 5)
    load = next(each for each in segments if each[0] == 1 and each[3] <= table < each[3] + each[6])
    start = table - load[3] + load[2]
    return [data[start + value:data.index(b"\0", start + value)].decode() for tag, value in entries if tag == 1]


class Names:
    """What CuPy's extension modules need: the names that libraries have in the release of CUDA they were built for."""

    parts = re.compile(r"cupy(_backends)?/cuda/(libs/)?(cublas|cufft|curand|cusolver|cusparse|nvrtc|runtime)"
                       r"\.[^/]+\.(so|pyd)")
    library = re.compile(r"(lib)?(cudart|cublas|cublasLt|cufft|curand|cusolver|cusparse|nvrtc)(\.so\.|64_).*")

    def __call__(self, wheel):
        names = set()
        for member in wheel.namelist():
            if self.parts.fullmatch(member):
                names |= {name for name in needed_names(wheel.read(member)) if self.library.fullmatch(name)}
        return sorted(names)

    def rows(self, project, platform, read):
        return "libraries", []

    def owns(self, section, row, project):
        return False


def read_torch(wheel):
    found = Literal("torch/version.py", "cuda")(wheel)
    if not found:
        return None
    cudnn = requires(wheel, r"nvidia-cudnn-cu\d+")
    return {"cuda": numbers(found["cuda"], 2) if found.get("cuda") else None,
            "cudnn": numbers(cudnn, 3) if cudnn and found.get("cuda") else None}


def release_in_framework(wheel, major):
    """The CUDA of TensorFlow's own library, where its Python says the major alone: the name of the runtime that it
    needs, or, where it opens that by name, the one release of that major among its constants."""
    name = member_ending(wheel, *(f"/libtensorflow_framework.so{end}" for end in ("", ".1", ".2")))
    data = wheel.read(name) if name else b""
    needed = [re.fullmatch(r"libcudart\.so\.(\d+\.\d+)", each) for each in (needed_names(data) if data else [])]
    releases = {each[1] for each in needed if each} or {
        text.decode() for text in re.findall(rb"(?<=\0)\d+\.\d(?=\0)", data)
        if major and text.startswith(major.encode() + b".")}
    return releases.pop() if len(releases) == 1 else None


def read_tensorflow(wheel):
    found = Literal("/platform/build_info.py", "cuda_version", "cudnn_version", "cuda_version_number",
                    "cudnn_version_number")(wheel)
    if found is None:  # 2.11 to 2.18.0 for Windows: no code at all
        return {"cuda": None, "cudnn": None}
    cuda = found.get("cuda_version", found.get("cuda_version_number"))
    cudnn = found.get("cudnn_version", found.get("cudnn_version_number"))
    if not cuda or "." not in cuda and not cuda.startswith("64_"):  # before 2.3
        cuda = release_in_framework(wheel, cuda)
        if cuda is None:
            return None
    if cuda and cuda.startswith("64_"):  # as the names of DLLs have it
        digits = cuda[3:]
        cuda = f"{digits[:-1]}.{digits[-1]}"
    return {"cuda": numbers(cuda, 2) if cuda else None, "cudnn": (cudnn or "").replace("64_", "").split(".")[0] or None}


def read_onnxruntime(wheel):
    for source in ("build_and_package_info.py", "version_info.py"):
        found = Literal(f"onnxruntime/capi/{source}", "cuda_version")(wheel)
        if found:
            break
    if not found or not found.get("cuda_version"):
        return None
    cudnn = requires(wheel, r"nvidia-cudnn-cu\d+")
    return {"cuda": numbers(found["cuda_version"], 2), "cudnn": cudnn.split(".")[0] if cudnn else None}


def read_paddle(wheel):
    for source in ("paddle/version/__init__.py", "paddle/version.py"):
        found = Literal(source, "cuda_version", "cudnn_version")(wheel)
        if found:
            cuda, cudnn = ("" if found.get(key) in (None, "False") else found[key]
                           for key in ("cuda_version", "cudnn_version"))
            return {"cuda": numbers(cuda, 2) or None, "cudnn": numbers(cudnn, 3) or None}
    return None


def read_jax_plugin(wheel):
    """The releases that its extras ask for at least."""
    cudnn = requires(wheel, r"nvidia-cudnn-cu\d+")
    name = member_ending(wheel, ".dist-info/METADATA")
    major = re.search(r"cuda(\d+)", name).group(1)
    return {"cuda": major, "cudnn": numbers(cudnn, 2) if cudnn else None}


def read_mxnet(wheel):
    """Its METADATA says it in a sentence."""
    name = member_ending(wheel, ".dist-info/METADATA")
    said = re.search(r"^Summary: .*\buses CUDA-(\d+\.\d+)", wheel.read(name).decode("utf-8", "replace"), re.MULTILINE)
    return {"cuda": said[1], "cudnn": None} if said else None


def read_faiss(wheel):
    """The oldest runtime that it allows is that of its build."""
    cuda = requires(wheel, r"nvidia-cuda-runtime-cu\d+")
    return {"cuda": numbers(cuda, 2), "cudnn": None} if cuda else None


def read_vllm(wheel):
    """By the smallest of its extension modules that needs a CUDA runtime; the others need the same."""
    modules = [each for each in wheel.infolist() if re.fullmatch(r"vllm/\w+\.abi3\.so", each.filename)]
    for module in sorted(modules, key=lambda each: each.compress_size):
        for name in needed_names(wheel.read(module)) if module.compress_size < 16 << 20 else ():
            needed = re.fullmatch(r"libcudart\.so\.(\d+)(\.0)?", name)
            if needed:
                return {"cuda": needed[1], "cudnn": None}
    return None


PROOFS = {
    "names": Names(),
    "cudart": Build("cudart", ["libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13"]),
    "cudnn": Build("cudnn", ["libcudnn.so.8", "libcudnn.so.9"]),
    "torch": Framework("torch/version.py and Requires-Dist in the wheels", read_torch),
    "tensorflow": Framework("tensorflow/python/platform/build_info.py in the wheels", read_tensorflow),
    "onnxruntime": Framework("cuda_version in onnxruntime/capi of the wheels, and Requires-Dist", read_onnxruntime),
    "paddle": Framework("cuda_version and cudnn_version of paddle/version in the wheels", read_paddle),
    "mxnet": Framework("Summary in the wheels' METADATA", read_mxnet),
    "faiss": Framework("Requires-Dist of the wheels: the oldest CUDA runtime that it allows", read_faiss),
    "vllm": Framework("the CUDA runtime that extension modules in the wheels need", read_vllm),
    "jax-plugin": Framework("Requires-Dist of the wheels' extra with-cuda: the oldest cuDNN that it allows",
                            read_jax_plugin),
}
