# bash completion for vigil. In ~/.bashrc:
#
#   source <(vigil completion bash)

_vigil() {
  local program=$1 current=$2 kind word rest lead='' glue='' i
  local -a words=()
  COMPREPLY=()
  type -P "$program" >/dev/null || program=vigil
  # For bash = and : end a word. Here they are part of one.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $word =~ ^[=:]+$ ]]; then
      rest=1
    else
      rest=''
      ((i == COMP_CWORD)) && word=$current
    fi
    if [[ -n $glue$rest ]] && ((${#words[@]} > 0)); then
      words[${#words[@]} - 1]+=$word
    else
      words+=("$word")
    fi
    glue=$rest
  done
  ((${#words[@]} > 0)) || words=('')
  word=${words[${#words[@]} - 1]}
  [[ $COMP_WORDBREAKS == *[=:]* ]] && lead=${word%"${word##*[=:]}"}
  current=$word
  {
    IFS= read -r kind
    while IFS=$'\t' read -r word rest; do
      [[ $word == "$current"* ]] && COMPREPLY+=("${word#"$lead"}")
    done
  } < <("$program" complete -- "${words[@]}" 2>/dev/null)
  case $kind in
    files | dirs)
      compopt -o filenames 2>/dev/null
      rest=-f
      [[ $kind == dirs ]] && rest=-d
      while IFS= read -r word; do
        COMPREPLY+=("$word")
      done < <(compgen "$rest" -- "${current##*=}")
      ;;
    command\ *)
      if declare -F _command_offset >/dev/null; then
        _command_offset "$((${kind#command } + 1))"
      else
        compopt -o filenames 2>/dev/null
        rest=-f
        ((${kind#command } == ${#words[@]} - 1)) && rest=-c
        while IFS= read -r word; do
          COMPREPLY+=("$word")
        done < <(compgen "$rest" -- "$current")
      fi
      ;;
    *)
      [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=:] ]] && compopt -o nospace 2>/dev/null
      ;;
  esac
  return 0
}

complete -F _vigil vigil
