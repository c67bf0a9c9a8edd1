#!/bin/bash
# Makes the objects and starts the origin on core 0: nginx with 1 KB and 10 KB, the latter also as no-store.
set -e
dir=/var/tmp/komainu-bench; mkdir -p $dir/www; chmod 755 $dir $dir/www
head -c 10240 /dev/urandom | base64 -w0 | head -c 10240 > $dir/www/10k
head -c 1024 $dir/www/10k > $dir/www/1k; cp $dir/www/10k $dir/www/pass10k
taskset -c 0 nginx -c "$(cd "$(dirname "$0")" && pwd)/origin.conf"
