#!/usr/bin/env bash
# Opens the HTML reports in a real browser: the golden files, the hostile one among them,
# in light, dark, at the width of a phone and printed. It fails when a text of a server
# became markup, when something was loaded or run, or when the phone has to scroll
# sideways. With a folder, the pictures are kept there for a person to look at.
#
#   risk/score/report/browser.sh [FOLDER]
set -euo pipefail
cd "$(dirname "$0")"
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
out=${1:-$(mktemp -d)}
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
open() { timeout 120 "$chromium" --headless --no-sandbox --force-color-profile=srgb --disable-gpu --hide-scrollbars --disable-background-networking --no-first-run --user-data-dir="$work/profile" "$@" 2>>"$work/log"; }
bad=0
complain() { echo "$1" >&2; bad=1; }
for name in honest hostile; do
	page=file://$PWD/testdata/$name.html
	open --window-size=1280,1600 --screenshot="$out/$name-light.png" "$page"
	open --window-size=1280,1600 --blink-settings=preferredColorScheme=0 --screenshot="$out/$name-dark.png" "$page"
	# A window has at least 500 pixels; a frame has what it is told.
	sed "s|@PAGE|$page|" >"$work/phone.html" <<-'END'
		<body style="margin:0"><iframe id="f" src="@PAGE" style="border:0;width:390px;height:1600px"></iframe>
		<script>f.onload = () => { const d = f.contentDocument.documentElement; document.body.dataset.wide = d.scrollWidth }</script></body>
	END
	open --window-size=500,1600 --screenshot="$out/$name-phone.png" "file://$work/phone.html"
	open --allow-file-access-from-files --virtual-time-budget=5000 --dump-dom "file://$work/phone.html" >"$work/phone.dom"
	wide=$(grep -o 'data-wide="[0-9]*"' "$work/phone.dom" | tr -dc 0-9 || true)
	[ -n "$wide" ] && [ "$wide" -le 390 ] || complain "$name: ${wide:-no} pixels wide where a phone has 390"
	open --no-pdf-header-footer --print-to-pdf="$out/$name.pdf" "$page"
	open --dump-dom "$page" >"$work/dom"
	# What the browser made of it, not what was written.
	if grep -Eio '<(script|iframe|object|embed|img|link|base|form)\b[^>]*' "$work/dom" || grep -Eio '<[a-z]+[^>]*\s(on[a-z]+|srcset)=[^>]*' "$work/dom"; then
		complain "$name: the elements above load or run something"
	fi
	[ "$(head -c 8 "$out/$name-light.png" | od -An -tx1 | tr -d ' \n')" = 89504e470d0a1a0a ] || complain "$name: no picture"
	[ "$(head -c 5 "$out/$name.pdf")" = %PDF- ] || complain "$name: cannot be printed"
	cmp -s "$out/$name-light.png" "$out/$name-dark.png" && complain "$name: dark looks like light"
done
[ $bad = 0 ] && echo "reports open in $("$chromium" --version 2>/dev/null)"
exit $bad
