# fish completion for vigil. In ~/.config/fish/config.fish:
#
#   vigil completion fish | source

function __vigil_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    type -q $program; or set program vigil
    set -l answer ($program complete -- $words[2..] "$current" 2>/dev/null)
    set -l kind $answer[1]
    set -l lead (string match -r '^--[^=]*=' -- $current)
    set -l rest (string replace -r '^--[^=]*=' '' -- $current)
    switch "$kind"
        case files
            for path in (__fish_complete_path $rest)
                printf '%s%s\n' "$lead" $path
            end
        case dirs
            for path in (__fish_complete_directories $rest '')
                printf '%s%s\n' "$lead" $path
            end
        case 'command *'
            set -l skip (string replace 'command ' '' -- $kind)
            set -l command $words[(math $skip + 2)..]
            complete -C (string join ' ' -- (string escape -- $command) (string escape -n -- $current))
        case '*'
            printf '%s\n' $answer[2..]
    end
end

complete -c vigil -f -k -a '(__vigil_complete)'
