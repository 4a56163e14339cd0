. "$(dirname "$0")/../tools/lib.sh"
root root "$(ubuntu 20.04 focal)"; E=root/opt/conda; mkdir -p $E/conda-meta
json() { echo "{\"name\":\"$1\",\"version\":\"$2\",\"build\":\"0\",\"files\":[\"$3\"]," \
  "\"channel\":\"https://conda.anaconda.org/$4/linux-64\"}" >"$E/conda-meta/$1-$2-0.json"; }
json mash 2.3 bin/mash bioconda; json gsl 2.7 lib/libgsl.so.27 conda-forge
lib ./libgsl.so.25 '' -nostdlib <<<'int gsl(void) { return 0; }'; lib $E/lib/libgsl.so.27 '' -nostdlib <<<'int gsl;'
program $E/bin/mash gsl ./libgsl.so.25 -Wl,-rpath,'$ORIGIN/../lib'; rm libgsl*; ldconfig -r root
