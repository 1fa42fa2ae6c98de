#compdef vigil
# zsh completion for vigil. In ~/.zshrc, after compinit:
#
#   source <(vigil completion zsh)

_vigil() {
  local program=${(Q)words[1]} kind line entry
  local -a answer list open
  whence -p -- "$program" >/dev/null || program=vigil
  answer=("${(@f)$("$program" complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  kind=$answer[1]
  for line in "${(@)answer[2,-1]}"; do
    [[ -n $line ]] || continue
    entry=${${line%%$'\t'*}//:/\\:}
    [[ $line == *$'\t'* ]] && entry+=":${line#*$'\t'}"
    if [[ ${line%%$'\t'*} == *[=:] ]]; then
      open+=("$entry")
    else
      list+=("$entry")
    fi
  done
  case $kind in
    files | dirs)
      compset -P '*='
      if [[ $kind == dirs ]]; then _files -/; else _files; fi
      ;;
    command\ *)
      shift ${kind#command } words
      (( CURRENT -= ${kind#command } ))
      shift words
      (( CURRENT-- ))
      _normal
      ;;
    *)
      (( $#list )) && _describe -t values 'value' list
      (( $#open )) && _describe -t parts 'value' open -S ''
      ;;
  esac
}

if [[ $funcstack[1] == _vigil ]]; then
  _vigil "$@"
else
  compdef _vigil vigil
fi
