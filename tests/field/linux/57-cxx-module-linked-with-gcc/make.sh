. "$(dirname "$0")/../tools/lib.sh"

echo 'struct A{virtual ~A(){} virtual int f(){return 1;}}; struct B:A{int f()override{return 2;}}; A*volatile p;
extern "C" int go(){p=new B;return p->f();}' | g++ -O0 -fPIC -c -xc++ - -o s.o
gcc -shared -o superintervals.so s.o
echo '#include <dlfcn.h>
#include <stdio.h>
int main(){if(dlopen("./superintervals.so",RTLD_NOW))return 0;puts(dlerror());return 1;}' | gcc -o py -xc -
