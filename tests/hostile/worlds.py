"""Hostile surroundings: the loader's variables, and foreign roots."""

import os
import struct

from case import Case, Question, write


def environments(samples):
    """cudald honours the loader's variables, so they are input as well. A variable holds at most 128 kB."""
    values = {
        "LD_LIBRARY_PATH": {
            "100,000 colons": ":" * 100_000,
            "20,000 folders": ":".join(f"/d{i}" for i in range(12_000)),
            "15,000 tokens": "$ORIGIN" * 15_000,
            "an escape sequence": "/\x1b[31m:\x07",
            "bytes that are not UTF-8": os.fsdecode(b"/\xff\xfe"),
            "a file": "/etc/passwd",
            "a device": "/dev/zero:/dev/stdin",
        },
        "LD_PRELOAD": {
            "a folder": "/etc",
            "a device": "/dev/zero",
            "text": "/etc/passwd",
            "20,000 names": " ".join(f"l{i}" for i in range(20_000)),
            "an escape sequence": "\x1b[31m.so",
        },
    }
    for variable, choices in values.items():
        for what, value in choices.items():

            def build(folder, variable=variable, value=value):
                write(os.path.join(folder, "libbad.so"), samples.library_bytes)
                write(os.path.join(folder, "main"), samples.program_bytes)
                return [Question([os.path.join(folder, "main")], env={variable: value})]

            yield Case(f"{variable} is {what}", build)


def sysroots(samples):
    """A foreign root whose ld.so.cache or ld.so.conf is not what it should be."""
    with open("/etc/ld.so.cache", "rb") as file:
        cache = file.read()
    new = cache.index(b"glibc-ld.so.cache1.1")

    def edited(offset, layout, value):
        data = bytearray(cache)
        struct.pack_into("<" + layout, data, new + offset, value)
        return bytes(data)

    caches = {
        "empty": b"",
        "all zero": bytes(len(cache)),
        "text": b"no cache" * 1000,
        "the magic alone": cache[: new + 20],
        "cut in the header": cache[: new + 40],
        "cut in the entries": cache[: new + 48 + 24 * 3 + 5],
        "cut in the strings": cache[: len(cache) * 3 // 4],
        "of the old kind, without end": b"ld.so-1.7.0\0" + struct.pack("<I", 0xFFFFFFFF),
        "of the old kind, with entries nowhere": b"ld.so-1.7.0\0" + struct.pack("<I", 2) + b"\xff" * 24,
    }
    for value in (0, 0x7FFFFFFF, 0xFFFFFFFF):
        caches[f"with {value:#x} entries"] = edited(20, "I", value)
        caches[f"with {value:#x} bytes of strings"] = edited(24, "I", value)
        caches[f"with its extensions at {value:#x}"] = edited(32, "I", value)
        caches[f"with the flags {value & 0xFF:#x}"] = edited(28, "B", value & 0xFF)
    for name, offset in (("key", 4), ("value", 8)):
        for value in (0, len(cache) - 1, 0xFFFFFFFF):
            data = bytearray(cache)
            count = struct.unpack_from("<I", cache, new + 20)[0]
            for i in range(count):
                struct.pack_into("<I", data, new + 48 + 24 * i + offset, value)
            caches[f"with every {name} at {value:#x}"] = bytes(data)

    yield Case(
        "a foreign root, in order", lambda folder: sysroot(folder, samples, {"etc/ld.so.cache": cache})
    )
    for what, data in caches.items():
        yield Case(
            f"ld.so.cache is {what}",
            lambda folder, data=data: sysroot(folder, samples, {"etc/ld.so.cache": data}),
        )

    configurations = {
        "includes itself": b"include /etc/ld.so.conf\n",
        "includes all of /etc": b"include /etc/*\ninclude *\n",
        "includes the whole root": b"include /*/*/*/*\n",
        "includes itself through a folder": b"include ld.so.conf.d/*.conf\n",
        "has a line of 1 MB": b"/" * (1 << 20),
        "has 100,000 folders": b"".join(b"/d%d\n" % i for i in range(100_000)),
        "has an escape sequence": b"/\x1b[31m\n",
        "has zero bytes": b"\0" * 1000,
        "is not UTF-8": b"/\xff\xfe\n",
    }
    for what, data in configurations.items():
        files = {"etc/ld.so.conf": data, "etc/ld.so.conf.d/x.conf": b"include /etc/ld.so.conf\n"}
        yield Case(f"ld.so.conf {what}", lambda folder, files=files: sysroot(folder, samples, files))

    def loops(folder):
        questions = sysroot(folder, samples, {})
        for link in ("lib64", "lib32", "usr/lib64"):
            os.symlink("/" + link, os.path.join(folder, link))
        os.symlink("..", os.path.join(folder, "usr", "up"))
        return questions

    def special(make):
        def build(folder):
            questions = sysroot(folder, samples, {})
            make(os.path.join(folder, "etc", "ld.so.cache"))
            make(os.path.join(folder, "etc", "ld.so.conf"))
            return questions

        return build

    def out_of_the_root(folder):
        # A link with an absolute path means the foreign root, not this machine's.
        questions = sysroot(folder, samples, {})
        os.symlink("/etc/passwd", os.path.join(folder, "etc", "ld.so.conf"))
        return questions

    yield Case("a foreign root with links in circles", loops)
    yield Case("ld.so.cache and ld.so.conf are folders", special(os.mkdir))
    yield Case("ld.so.cache and ld.so.conf are FIFOs", special(os.mkfifo))
    yield Case("ld.so.cache and ld.so.conf are endless", special(lambda path: os.symlink("/dev/zero", path)))
    yield Case("ld.so.conf is a link out of the root", out_of_the_root)


def sysroot(folder, samples, files):
    """A root with /usr/bin/main and its library, and the given files."""
    for name, data in {
        "usr/bin/main": samples.program_bytes,
        "usr/bin/libbad.so": samples.library_bytes,
        **files,
    }.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write(path, data)
    os.makedirs(os.path.join(folder, "etc"), exist_ok=True)
    return [Question(["/usr/bin/main"], options=["--sysroot", folder])]
