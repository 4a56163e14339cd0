. "$(dirname "$0")/../tools/lib.sh"
mkdir -p jail/bin jail/lib/x86_64-linux-gnu; cp /bin/bash jail/bin/
for l in libtinfo.so.6 libc.so.6; do cp -L /lib/x86_64-linux-gnu/$l jail/lib/x86_64-linux-gnu/; done
