#!/bin/sh
# as-container.sh DIR COMMAND …: runs a command as the chart's containers run: as user 1000, without capabilities, and with no file that it can
# write but those in DIR/data and DIR/tmp. It needs root, and a mount namespace of its own: unshare -m.
set -e
dir=$1
shift
mount --make-rprivate /
for own in data tmp; do
  chown 1000:1000 "$dir/$own"
  mount --bind "$dir/$own" "$dir/$own"
done
while read -r _ at _; do
  case $at in
    "$dir"/* | /proc* | /dev* | /sys*) ;;
    *) mount -o remount,ro,bind "$at" || true ;;
  esac
done < /proc/mounts
if touch "$dir/written" 2> /dev/null; then exit 1; fi
exec setpriv --reuid 1000 --regid 1000 --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all "$@"
