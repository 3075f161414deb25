complete -c bsh -s t -l timeout -d 'Stop the command after this time: 90s, 2m 30s, 500ms' -r -f
complete -c bsh -s C -l cwd -d 'Run in this folder' -r -f -a "(__fish_complete_directories)"
complete -c bsh -l request -d 'Read the request as JSON from a file, or from standard input' -r -F
complete -c bsh -l default-timeout -d 'The timeout when none is given [default: 2m, env: BSH_DEFAULT_TIMEOUT]' -r -f
complete -c bsh -l max-timeout -d 'The longest timeout that may be asked for [default: 10m, env: BSH_MAX_TIMEOUT]' -r -f
complete -c bsh -s k -l kill-grace -d 'The time between the stop signal and SIGKILL [default: 2s, env: BSH_KILL_GRACE]' -r -f
complete -c bsh -l max-output -d 'Bytes of text that are shown [default: 30kB, env: BSH_MAX_OUTPUT]' -r -f
complete -c bsh -l max-lines -d 'Lines that are shown [default: 2000, env: BSH_MAX_LINES]' -r -f
complete -c bsh -l head-percent -d 'Share of both that goes to the front of the output [default: 20, env: BSH_HEAD_PERCENT]' -r -f
complete -c bsh -l max-capture -d 'Bytes of output past which the command is stopped [default: 10MiB, env: BSH_MAX_CAPTURE]' -r -f
complete -c bsh -s e -l env -d 'Set a variable' -r -f
complete -c bsh -l unset-env -d 'Remove a variable' -r -f
complete -c bsh -l pass-env -d 'Take a variable as bsh itself has it' -r -f
complete -c bsh -l shell -d 'The shell, found on the PATH of bsh [default: bash]' -r -F
complete -c bsh -l stdin -d 'What the command reads: null, inherit or a file [default: null]' -r -F
complete -c bsh -l pass-fd -d 'Leave a descriptor of bsh open in the command' -r -f
complete -c bsh -l stop-signal -d 'What a stop begins with [default: TERM]' -r -f
complete -c bsh -l background -d 'What becomes of processes that outlive the shell [default: keep]' -r -f -a "keep\t''
stop\t''"
complete -c bsh -l before-run -d 'Ask this program before the run; it may refuse or rewrite the command. Repeatable' -r -F
complete -c bsh -l authorize -d 'Ask this program whether the final command may run' -r -F
complete -c bsh -l after-run -d 'Show the result to this program; it may replace the view or the notes. Repeatable' -r -F
complete -c bsh -l runner -d 'Where the command runs [default: local]' -r -f -a "(__fish_print_hostnames)"
complete -c bsh -l serve -d 'How one bsh talks to another: `version`, or the version to speak' -r -f
complete -c bsh -l hook-timeout -d 'Stop a hook program after this time [default: 30s]' -r -f
complete -c bsh -l spill -d 'Keep every byte of the output in this file' -r -F
complete -c bsh -l spill-dir -d 'Keep every byte of the output in a new file of this folder' -r -f -a "(__fish_complete_directories)"
complete -c bsh -l mask -d 'Print *** in place of what matches, in everything that is printed' -r -f
complete -c bsh -l mask-env -d 'Print *** in place of the value that this variable has in the environment of bsh' -r -f
complete -c bsh -l schema -d 'Print the JSON Schema of a request or a result, or a tool definition for a language model' -r -f -a "request\t''
result\t''
tool\t''"
complete -c bsh -l exit-status -d 'What the exit code of bsh says: that of the command, or 0 too when it is no error [default: raw]' -r -f -a "raw\t''
meaning\t''"
complete -c bsh -l progress -d 'Show a status line on standard error while it runs [default: auto, on a terminal]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c bsh -l color -d 'Colour the text of the report [default: auto, on a terminal without NO_COLOR]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c bsh -l explain -d 'Say what this exit code of COMMAND would mean' -r -f
complete -c bsh -l completions -d 'Print the completions for a shell' -r -f -a "bash\t''
zsh\t''
fish\t''
powershell\t''
elvish\t''
nushell\t''"
complete -c bsh -l clear-env -d 'Remove every variable, the defaults too'
complete -c bsh -l lifeline -d 'Abort when the standard input of bsh ends; what comes in is thrown away'
complete -c bsh -l usage -d 'Say what the command used: processor time and memory'
complete -c bsh -l json -d 'Print the report as one JSON object'
complete -c bsh -l pretty -d 'Print the report as indented JSON'
complete -c bsh -l events -d 'Print what happens as it happens, one JSON object a line, the report last'
complete -c bsh -l view -d 'Leave the notes out of the text'
complete -c bsh -l live -d 'Show the output on standard error as it comes'
complete -c bsh -l man -d 'Print the manual page'
complete -c bsh -s h -l help -d 'Print help: -h the short, --help the whole'
complete -c bsh -s V -l version -d 'Print the version'
