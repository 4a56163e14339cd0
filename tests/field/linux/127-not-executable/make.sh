. "$(dirname "$0")/../tools/lib.sh"
echo 'int main(void){return 0;}' | gcc -o tool -xc -; chmod 644 tool
