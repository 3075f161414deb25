# Runs one command in a session of its own where setsid is there, else in a process group of its own, and
# stops it when it is told to on standard input, or when that ends. Set before: mark, shell, dir, cmd, sig,
# ticks (the grace in tenths of a second). Says what happens on standard error, in lines with the mark.
exec 3<&0 4>&2
say() { printf '\000bsh-%s %s\n' "$mark" "$1" >&4; }
# Caught, not ignored: what is started gets the defaults.
trap : HUP INT TERM PIPE
if ! cd -- "$dir" 2>/dev/null; then
  if [ -d "$dir" ]; then say 'failed folder'
  elif [ -e "$dir" ]; then say 'failed no-folder'
  else say 'failed missing-folder'
  fi
  exit 0
fi
# A command that begins with a sign would be read as an option.
case $cmd in
  [-+]*) set -- -c -- "$cmd" ;;
  *) set -- -c "$cmd" ;;
esac
program=$(command -v -- "$shell" 2>/dev/null)
if [ -z "$program" ]; then say 'failed shell'; exit 0; fi
# Whether the group has a member that has not ended. Nobody may ever wait for one that has, where the
# first process of a container does not.
there() {
  kill -s 0 -- "-$pid" 2>/dev/null || return 1
  [ -r /proc/self/stat ] || return 0
  for file in /proc/[0-9]*/stat; do
    { read -r line <"$file"; } 2>/dev/null || continue
    set -- ${line##*) }
    if [ "$3" = "$pid" ] && [ "$1" != Z ]; then return 0; fi
  done
  return 1
}
tell() { kill -s "$1" -- "-$pid" 2>/dev/null; }
stop() {
  tell "$sig"; tell CONT
  n=0
  while [ "$n" -lt "$ticks" ] && there; do sleep 0.1; n=$((n + 1)); done
  tell KILL
  n=0
  while [ "$n" -lt 9 ] && there; do sleep 0.1; n=$((n + 1)); done
  if there; then say left; else say stopped; fi
}
# with_environment becomes the program, so its process is the one that $! names.
session=$(command -v setsid 2>/dev/null)
if [ -n "$session" ]; then
  with_environment "$session" "$program" "$@" </dev/null 3<&- 4>&- &
  pid=$!
else
  set -m
  with_environment "$program" "$@" </dev/null 3<&- 4>&- &
  pid=$!
  set +m
fi
say started
{
  trap : HUP INT TERM PIPE
  stopping=
  while read -r order <&3; do
    case $order in
      stop) stop & stopping=$! ;;
      kill) if [ -z "$stopping" ]; then ticks=0; stop & stopping=$!; fi; tell KILL ;;
      hold) tell STOP; say held ;;
      go) tell CONT ;;
      bye) exit 0 ;;
    esac
  done
  # The connection is gone.
  if [ -z "$stopping" ]; then stop; else wait "$stopping"; fi
} </dev/null >/dev/null 2>&1 &
dog=$!
wait "$pid"
code=$?
while kill -s 0 "$pid" 2>/dev/null; do wait "$pid"; code=$?; done
say "ended $code"
exec </dev/null >/dev/null 2>&1
wait "$dog"
