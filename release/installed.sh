#!/bin/sh
# After installing or upgrading: systemd learns of the units, and what runs is restarted
# with the new program. What is not enabled stays as it is.
set -e
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart glovebox.service
fi
