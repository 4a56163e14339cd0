. "$(dirname "$0")/../tools/lib.sh"
mkdir -p devel/lib/mavros
echo 'int plugin(void){return 0;}' | lib devel/lib/libmavros_extras.so
echo | host devel/lib/mavros/mavros_node
