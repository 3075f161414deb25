
use builtin;
use str;

set edit:completion:arg-completer[bsh] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'bsh'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'bsh'= {
            cand -t 'Stop the command after this time: 90s, 2m 30s, 500ms'
            cand --timeout 'Stop the command after this time: 90s, 2m 30s, 500ms'
            cand -C 'Run in this folder'
            cand --cwd 'Run in this folder'
            cand --request 'Read the request as JSON from a file, or from standard input'
            cand --default-timeout 'The timeout when none is given [default: 2m, env: BSH_DEFAULT_TIMEOUT]'
            cand --max-timeout 'The longest timeout that may be asked for [default: 10m, env: BSH_MAX_TIMEOUT]'
            cand -k 'The time between the stop signal and SIGKILL [default: 2s, env: BSH_KILL_GRACE]'
            cand --kill-grace 'The time between the stop signal and SIGKILL [default: 2s, env: BSH_KILL_GRACE]'
            cand --max-output 'Bytes of text that are shown [default: 30kB, env: BSH_MAX_OUTPUT]'
            cand --max-lines 'Lines that are shown [default: 2000, env: BSH_MAX_LINES]'
            cand --head-percent 'Share of both that goes to the front of the output [default: 20, env: BSH_HEAD_PERCENT]'
            cand --max-capture 'Bytes of output past which the command is stopped [default: 10MiB, env: BSH_MAX_CAPTURE]'
            cand -e 'Set a variable'
            cand --env 'Set a variable'
            cand --unset-env 'Remove a variable'
            cand --pass-env 'Take a variable as bsh itself has it'
            cand --shell 'The shell, found on the PATH of bsh [default: bash]'
            cand --stdin 'What the command reads: null, inherit or a file [default: null]'
            cand --pass-fd 'Leave a descriptor of bsh open in the command'
            cand --stop-signal 'What a stop begins with [default: TERM]'
            cand --background 'What becomes of processes that outlive the shell [default: keep]'
            cand --before-run 'Ask this program before the run; it may refuse or rewrite the command. Repeatable'
            cand --authorize 'Ask this program whether the final command may run'
            cand --after-run 'Show the result to this program; it may replace the view or the notes. Repeatable'
            cand --runner 'Where the command runs [default: local]'
            cand --serve 'How one bsh talks to another: `version`, or the version to speak'
            cand --hook-timeout 'Stop a hook program after this time [default: 30s]'
            cand --spill 'Keep every byte of the output in this file'
            cand --spill-dir 'Keep every byte of the output in a new file of this folder'
            cand --mask 'Print *** in place of what matches, in everything that is printed'
            cand --mask-env 'Print *** in place of the value that this variable has in the environment of bsh'
            cand --schema 'Print the JSON Schema of a request or a result, or a tool definition for a language model'
            cand --exit-status 'What the exit code of bsh says: that of the command, or 0 too when it is no error [default: raw]'
            cand --progress 'Show a status line on standard error while it runs [default: auto, on a terminal]'
            cand --color 'Colour the text of the report [default: auto, on a terminal without NO_COLOR]'
            cand --explain 'Say what this exit code of COMMAND would mean'
            cand --completions 'Print the completions for a shell'
            cand --clear-env 'Remove every variable, the defaults too'
            cand --lifeline 'Abort when the standard input of bsh ends; what comes in is thrown away'
            cand --usage 'Say what the command used: processor time and memory'
            cand --json 'Print the report as one JSON object'
            cand --pretty 'Print the report as indented JSON'
            cand --events 'Print what happens as it happens, one JSON object a line, the report last'
            cand --view 'Leave the notes out of the text'
            cand --live 'Show the output on standard error as it comes'
            cand --man 'Print the manual page'
            cand -h 'Print help: -h the short, --help the whole'
            cand --help 'Print help: -h the short, --help the whole'
            cand -V 'Print the version'
            cand --version 'Print the version'
        }
    ]
    $completions[$command]
}
