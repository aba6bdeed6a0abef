#!/bin/sh
# Before removing, and in dpkg and rpm also before an upgrade, which stops nothing: dpkg
# says upgrade, rpm says how many versions stay.
set -e
case "$1" in
remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl disable --now glovebox.socket glovebox.service
	fi
	;;
esac
