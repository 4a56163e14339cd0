. "$(dirname "$0")/../tools/lib.sh"
mkdir -p usr/bin lib/x86_64-linux-gnu/security
echo 'int pam_get_user(void){return 0;} int pam_putenv(void){return 0;}' | lib lib/x86_64-linux-gnu/libpam.so.0
echo 'int pam_get_user(void); int pam_putenv(void);
int pam_sm_open_session(void){return \
  pam_get_user()+pam_putenv();}' | lib lib/x86_64-linux-gnu/security/pam_jail_shell.so
echo | host usr/bin/teleport
