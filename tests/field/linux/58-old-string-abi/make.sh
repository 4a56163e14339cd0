. "$(dirname "$0")/../tools/lib.sh"

echo '#include <string>
namespace NNPluginx{int make(const std::string&s){return s.size();}}' | \
  g++ -D_GLIBCXX_USE_CXX11_ABI=0 -shared -fPIC -o libNNx.so -Wl,-soname,libNNx.so -xc++ -
echo '#include <string>
namespace NNPluginx{int make(const std::string&);} extern "C" int go(){return \
  NNPluginx::make("x");}' | \
  g++ -shared -fPIC -o _nn.so -xc++ - -x none -Wl,--no-as-needed libNNx.so -Wl,-z,now -Wl,-rpath,'$ORIGIN'
echo '#include <dlfcn.h>
#include <stdio.h>
int main(){if(dlopen("./_nn.so",RTLD_NOW))return 0;puts(dlerror());return 1;}' | gcc -o py -xc -
