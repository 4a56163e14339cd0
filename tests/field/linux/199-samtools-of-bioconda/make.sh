. "$(dirname "$0")/../tools/lib.sh"
E=envs/sv; mkdir -p $E/bin $E/conda-meta; touch $E/conda-meta/history
lib ./libcrypto.so.1.0.0 '' -nostdlib <<<'int EVP_cleanup(void) { return 0; }'
lib $E/lib/libcrypto.so.1.1 '' -nostdlib <<<'int EVP_new(void) { return 0; }'
program $E/bin/samtools EVP_cleanup ./libcrypto.so.1.0.0 -Wl,-rpath,'$ORIGIN/../lib'; rm libcrypto.so.1.0.0
echo '{"name":"openssl","version":"1.1.1a","channel":"conda-forge","files":["lib/libcrypto.so.1.1"]}' \
  >$E/conda-meta/openssl-1.1.1a-h14c3975_1000.json
echo '{"name":"samtools","version":"1.9","channel":"https://conda.anaconda.org/bioconda/linux-64",
  "depends":["zlib"],"files":["bin/samtools"]}' >$E/conda-meta/samtools-1.9-h91753b0_5.json
