#!/usr/bin/env bash
# Runs the lines of shell-cases.tsv in bash and compares the codes.
#
#   tests/data/run-shell-cases.sh [FILE]       says where a code differs
#   tests/data/run-shell-cases.sh -p LINES     prints "code<TAB>line" for a file of lines
#
# Lines whose command is not installed are skipped. Each line runs in a fresh copy of the
# fixture: small files a, b, c, a2, srt, uns, j.json, folder d, scripts, a makefile, and the
# git repositories r (clean), rd (changed) and rs (staged).
set -u
here=$(cd "$(dirname "$0")" && pwd)
print=
[ "${1-}" = -p ] && { print=1; shift; }
cases=$(realpath "${1:-$here/shell-cases.tsv}")
lab=$(mktemp -d)
trap 'rm -rf "$lab"' EXIT
mkdir "$lab/base" && cd "$lab/base" || exit
printf 'foo\n' > a; printf 'bar\n' > b; printf 'baz\n' > c; cp a a2
printf '1\n2\n3\n' > srt; printf '3\n1\n2\n' > uns; : > empty; mkdir d; echo x > d/x
printf '{"a":1,"n":null,"l":[1,2]}\n' > j.json; printf '{bad' > bad.json
printf '#!/bin/sh\nexit 7\n' > x7; printf '#!/bin/sh\nexit 127\n' > x127; chmod +x x7 x127
printf 'echo hi\n' > noexec.sh
printf '#!/no/such/interpreter\n' > badint; chmod +x badint
printf 'grep() { return 1; }\n' > defs.sh
printf 'ok:\n\t@true\nfail:\n\t@false\nold: fail\n' > Makefile
printf '%s  a\n' 0000000000000000000000000000000000000000000000000000000000000000 > badsums
tar cf t.tar a b; tar df t.tar >/dev/null 2>&1
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@x
for repo in r rd rs; do
    git init -q -b main "$repo"; printf '1\n2\n3\n' > "$repo/f"; echo ign > "$repo/.gitignore"
    git -C "$repo" add .; git -C "$repo" commit -qm one; git -C "$repo" branch old
    git -C "$repo" commit -q --allow-empty -m two
done
echo 4 >> rd/f; echo 4 >> rs/f; git -C rs add f
failed=0 ran=0 skipped=0
while IFS= read -r row; do
    case $row in line$'\t'code*) continue ;; '') continue ;; esac
    if [ -n "$print" ]; then text=$row code=; else
        text=${row%%$'\t'*} code=${row#*$'\t'} code=${code%%$'\t'*}; fi
    line=$(printf '%s.' "$text" | sed 's/\\n/\n/g; s/\\r/\r/g; s/\\t/\t/g'); line=${line%.}
    case $line in
        *'ssh -F cfg'* | *127.0.0.1:18080*) skipped=$((skipped + 1)); continue ;; # need a server
    esac
    rm -rf "$lab/work"; cp -a "$lab/base" "$lab/work"
    (cd "$lab/work" && exec timeout 20 bash -c "$line" < /dev/null > /dev/null 2> "$lab/err"); got=$?
    ran=$((ran + 1))
    if [ -n "$print" ]; then printf '%s\t%s\n' "$got" "$text"; continue; fi
    if [ "$got" != "$code" ]; then
        if [ "$got" = 127 ] || grep -q 'not found' "$lab/err"; then skipped=$((skipped + 1)); continue; fi
        failed=$((failed + 1)); printf 'gives %s, not %s: %s\n' "$got" "$code" "$text"
    fi
done < "$cases"
[ -n "$print" ] || echo "$ran ran, $skipped skipped, $failed differ"
[ "$failed" = 0 ]
