. "$(dirname "$0")/../tools/lib.sh"
P=perl5/lib/perl5/x86_64-linux; mkdir -p $P/Net $P/auto/Net/SSLeay
cat >$P/Net/SSLeay.pm <<'P'
package Net::SSLeay;
our $VERSION = "1.88";
require XSLoader;
XSLoader::load("Net::SSLeay", $VERSION);
1;
P
gcc -shared -fPIC -o $P/auto/Net/SSLeay/SSLeay.so -xc - <<'C'
int Perl_xs_handshake(unsigned key, void *perl, const char *file, ...);
void Perl_xs_boot_epilog(void *perl, int ax);
void boot_Net__SSLeay(void *perl, void *cv) {
  Perl_xs_boot_epilog(perl, Perl_xs_handshake(0xde000e7, perl, "SSLeay.c", cv, "v5.26.0", "1.88"));
}
C
