
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'bsh' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'bsh'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'bsh' {
            [CompletionResult]::new('-t', '-t', [CompletionResultType]::ParameterName, 'Stop the command after this time: 90s, 2m 30s, 500ms')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'Stop the command after this time: 90s, 2m 30s, 500ms')
            [CompletionResult]::new('-C', '-C ', [CompletionResultType]::ParameterName, 'Run in this folder')
            [CompletionResult]::new('--cwd', '--cwd', [CompletionResultType]::ParameterName, 'Run in this folder')
            [CompletionResult]::new('--request', '--request', [CompletionResultType]::ParameterName, 'Read the request as JSON from a file, or from standard input')
            [CompletionResult]::new('--default-timeout', '--default-timeout', [CompletionResultType]::ParameterName, 'The timeout when none is given [default: 2m, env: BSH_DEFAULT_TIMEOUT]')
            [CompletionResult]::new('--max-timeout', '--max-timeout', [CompletionResultType]::ParameterName, 'The longest timeout that may be asked for [default: 10m, env: BSH_MAX_TIMEOUT]')
            [CompletionResult]::new('-k', '-k', [CompletionResultType]::ParameterName, 'The time between the stop signal and SIGKILL [default: 2s, env: BSH_KILL_GRACE]')
            [CompletionResult]::new('--kill-grace', '--kill-grace', [CompletionResultType]::ParameterName, 'The time between the stop signal and SIGKILL [default: 2s, env: BSH_KILL_GRACE]')
            [CompletionResult]::new('--max-output', '--max-output', [CompletionResultType]::ParameterName, 'Bytes of text that are shown [default: 30kB, env: BSH_MAX_OUTPUT]')
            [CompletionResult]::new('--max-lines', '--max-lines', [CompletionResultType]::ParameterName, 'Lines that are shown [default: 2000, env: BSH_MAX_LINES]')
            [CompletionResult]::new('--head-percent', '--head-percent', [CompletionResultType]::ParameterName, 'Share of both that goes to the front of the output [default: 20, env: BSH_HEAD_PERCENT]')
            [CompletionResult]::new('--max-capture', '--max-capture', [CompletionResultType]::ParameterName, 'Bytes of output past which the command is stopped [default: 10MiB, env: BSH_MAX_CAPTURE]')
            [CompletionResult]::new('-e', '-e', [CompletionResultType]::ParameterName, 'Set a variable')
            [CompletionResult]::new('--env', '--env', [CompletionResultType]::ParameterName, 'Set a variable')
            [CompletionResult]::new('--unset-env', '--unset-env', [CompletionResultType]::ParameterName, 'Remove a variable')
            [CompletionResult]::new('--pass-env', '--pass-env', [CompletionResultType]::ParameterName, 'Take a variable as bsh itself has it')
            [CompletionResult]::new('--shell', '--shell', [CompletionResultType]::ParameterName, 'The shell, found on the PATH of bsh [default: bash]')
            [CompletionResult]::new('--stdin', '--stdin', [CompletionResultType]::ParameterName, 'What the command reads: null, inherit or a file [default: null]')
            [CompletionResult]::new('--pass-fd', '--pass-fd', [CompletionResultType]::ParameterName, 'Leave a descriptor of bsh open in the command')
            [CompletionResult]::new('--stop-signal', '--stop-signal', [CompletionResultType]::ParameterName, 'What a stop begins with [default: TERM]')
            [CompletionResult]::new('--background', '--background', [CompletionResultType]::ParameterName, 'What becomes of processes that outlive the shell [default: keep]')
            [CompletionResult]::new('--before-run', '--before-run', [CompletionResultType]::ParameterName, 'Ask this program before the run; it may refuse or rewrite the command. Repeatable')
            [CompletionResult]::new('--authorize', '--authorize', [CompletionResultType]::ParameterName, 'Ask this program whether the final command may run')
            [CompletionResult]::new('--after-run', '--after-run', [CompletionResultType]::ParameterName, 'Show the result to this program; it may replace the view or the notes. Repeatable')
            [CompletionResult]::new('--runner', '--runner', [CompletionResultType]::ParameterName, 'Where the command runs [default: local]')
            [CompletionResult]::new('--serve', '--serve', [CompletionResultType]::ParameterName, 'How one bsh talks to another: `version`, or the version to speak')
            [CompletionResult]::new('--hook-timeout', '--hook-timeout', [CompletionResultType]::ParameterName, 'Stop a hook program after this time [default: 30s]')
            [CompletionResult]::new('--spill', '--spill', [CompletionResultType]::ParameterName, 'Keep every byte of the output in this file')
            [CompletionResult]::new('--spill-dir', '--spill-dir', [CompletionResultType]::ParameterName, 'Keep every byte of the output in a new file of this folder')
            [CompletionResult]::new('--mask', '--mask', [CompletionResultType]::ParameterName, 'Print *** in place of what matches, in everything that is printed')
            [CompletionResult]::new('--mask-env', '--mask-env', [CompletionResultType]::ParameterName, 'Print *** in place of the value that this variable has in the environment of bsh')
            [CompletionResult]::new('--schema', '--schema', [CompletionResultType]::ParameterName, 'Print the JSON Schema of a request or a result, or a tool definition for a language model')
            [CompletionResult]::new('--exit-status', '--exit-status', [CompletionResultType]::ParameterName, 'What the exit code of bsh says: that of the command, or 0 too when it is no error [default: raw]')
            [CompletionResult]::new('--progress', '--progress', [CompletionResultType]::ParameterName, 'Show a status line on standard error while it runs [default: auto, on a terminal]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'Colour the text of the report [default: auto, on a terminal without NO_COLOR]')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say what this exit code of COMMAND would mean')
            [CompletionResult]::new('--completions', '--completions', [CompletionResultType]::ParameterName, 'Print the completions for a shell')
            [CompletionResult]::new('--clear-env', '--clear-env', [CompletionResultType]::ParameterName, 'Remove every variable, the defaults too')
            [CompletionResult]::new('--lifeline', '--lifeline', [CompletionResultType]::ParameterName, 'Abort when the standard input of bsh ends; what comes in is thrown away')
            [CompletionResult]::new('--usage', '--usage', [CompletionResultType]::ParameterName, 'Say what the command used: processor time and memory')
            [CompletionResult]::new('--json', '--json', [CompletionResultType]::ParameterName, 'Print the report as one JSON object')
            [CompletionResult]::new('--pretty', '--pretty', [CompletionResultType]::ParameterName, 'Print the report as indented JSON')
            [CompletionResult]::new('--events', '--events', [CompletionResultType]::ParameterName, 'Print what happens as it happens, one JSON object a line, the report last')
            [CompletionResult]::new('--view', '--view', [CompletionResultType]::ParameterName, 'Leave the notes out of the text')
            [CompletionResult]::new('--live', '--live', [CompletionResultType]::ParameterName, 'Show the output on standard error as it comes')
            [CompletionResult]::new('--man', '--man', [CompletionResultType]::ParameterName, 'Print the manual page')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help: -h the short, --help the whole')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help: -h the short, --help the whole')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print the version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print the version')
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
