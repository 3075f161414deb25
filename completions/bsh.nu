module completions {

  def "nu-complete bsh background" [] {
    [ "keep" "stop" ]
  }

  def "nu-complete bsh schema" [] {
    [ "request" "result" "tool" ]
  }

  def "nu-complete bsh exit_status" [] {
    [ "raw" "meaning" ]
  }

  def "nu-complete bsh progress" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete bsh color" [] {
    [ "auto" "always" "never" ]
  }

  def "nu-complete bsh completions" [] {
    [ "bash" "zsh" "fish" "powershell" "elvish" "nushell" ]
  }

  # Run one shell command safely: always a timeout, bounded output, one true report
  export extern bsh [
    --timeout(-t): string     # Stop the command after this time: 90s, 2m 30s, 500ms
    --cwd(-C): directory      # Run in this folder
    --request: path           # Read the request as JSON from a file, or from standard input
    --default-timeout: string # The timeout when none is given [default: 2m, env: BSH_DEFAULT_TIMEOUT]
    --max-timeout: string     # The longest timeout that may be asked for [default: 10m, env: BSH_MAX_TIMEOUT]
    --kill-grace(-k): string  # The time between the stop signal and SIGKILL [default: 2s, env: BSH_KILL_GRACE]
    --max-output: string      # Bytes of text that are shown [default: 30kB, env: BSH_MAX_OUTPUT]
    --max-lines: string       # Lines that are shown [default: 2000, env: BSH_MAX_LINES]
    --head-percent: string    # Share of both that goes to the front of the output [default: 20, env: BSH_HEAD_PERCENT]
    --max-capture: string     # Bytes of output past which the command is stopped [default: 10MiB, env: BSH_MAX_CAPTURE]
    --env(-e): string         # Set a variable
    --unset-env: string       # Remove a variable
    --clear-env               # Remove every variable, the defaults too
    --pass-env: string        # Take a variable as bsh itself has it
    --shell: path             # The shell, found on the PATH of bsh [default: bash]
    --stdin: path             # What the command reads: null, inherit or a file [default: null]
    --pass-fd: string         # Leave a descriptor of bsh open in the command
    --stop-signal: string     # What a stop begins with [default: TERM]
    --background: string@"nu-complete bsh background" # What becomes of processes that outlive the shell [default: keep]
    --lifeline                # Abort when the standard input of bsh ends; what comes in is thrown away
    --usage                   # Say what the command used: processor time and memory
    --before-run: path        # Ask this program before the run; it may refuse or rewrite the command. Repeatable
    --authorize: path         # Ask this program whether the final command may run
    --after-run: path         # Show the result to this program; it may replace the view or the notes. Repeatable
    --runner: string          # Where the command runs [default: local]
    --serve: string           # How one bsh talks to another: `version`, or the version to speak
    --hook-timeout: string    # Stop a hook program after this time [default: 30s]
    --json                    # Print the report as one JSON object
    --pretty                  # Print the report as indented JSON
    --events                  # Print what happens as it happens, one JSON object a line, the report last
    --spill: path             # Keep every byte of the output in this file
    --spill-dir: directory    # Keep every byte of the output in a new file of this folder
    --mask: string            # Print *** in place of what matches, in everything that is printed
    --mask-env: string        # Print *** in place of the value that this variable has in the environment of bsh
    --schema: string@"nu-complete bsh schema" # Print the JSON Schema of a request or a result, or a tool definition for a language model
    --exit-status: string@"nu-complete bsh exit_status" # What the exit code of bsh says: that of the command, or 0 too when it is no error [default: raw]
    --view                    # Leave the notes out of the text
    --live                    # Show the output on standard error as it comes
    --progress: string@"nu-complete bsh progress" # Show a status line on standard error while it runs [default: auto, on a terminal]
    --color: string@"nu-complete bsh color" # Colour the text of the report [default: auto, on a terminal without NO_COLOR]
    --explain: string         # Say what this exit code of COMMAND would mean
    --completions: string@"nu-complete bsh completions" # Print the completions for a shell
    --man                     # Print the manual page
    --help(-h)                # Print help: -h the short, --help the whole
    --version(-V)             # Print the version
    ...words: string          # One word: a shell command line. Several: a program and its arguments, each kept whole
  ]

}

export use completions *
