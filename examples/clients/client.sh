#!/usr/bin/env bash
# Runs a shell command through bsh: client.sh COMMAND [TIMEOUT]. Needs jq.
#
# A caller that is cancelled takes the command with it by the lifeline: bsh aborts when its standard
# input ends. The coprocess's pipe ends when this script dies, by SIGKILL too. For the signals that a
# script can see there is a trap, since bash goes on after them otherwise.
set -u

# bash forgets a coprocess and closes its pipes once that has ended, so it begins when the script has its own.
coproc BSH {
  read -r
  exec bsh --json --lifeline --timeout "${2:-2m}" -- "$1"
}
pid=$BSH_PID
exec {answer}<&"${BSH[0]}"
echo >&"${BSH[1]}"

cancel() {
  kill -TERM "$pid" 2>/dev/null
  # bsh ends once the whole tree is gone.
  wait "$pid"
  echo cancelled
  exit 4
}
trap cancel INT TERM

# A builtin, so that a signal interrupts it and the trap runs at once; in turns of a second, since one that comes
# just before it sleeps would not.
report=
while :; do
  read -r -t 1 part <&"$answer"
  status=$?
  report+=$part
  # Above 128: the second is over.
  ((status > 128)) || break
done

field() { jq -r "$1" <<<"$report"; }
code=3
case $(field .status) in
  ok)
    echo ok
    code=0
    ;;
  failed)
    echo "failed: $(field '.run.signal // .run.exitCode')"
    code=1
    ;;
  timeout)
    echo "timed out after $(field .run.timeoutMs) ms"
    code=2
    ;;
  error) echo "error $(field .error.code)" ;;
  *) echo "no report" ;;
esac
jq -j '.output.head // ""' <<<"$report"
exit "$code"
