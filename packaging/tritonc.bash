# Completion of tritonc's commands, options and files in bash. The program itself says which there are.
_tritonc() {
  local word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]}
  if [ "$COMP_CWORD" = 1 ]; then
    COMPREPLY=($(compgen -W "$(tritonc --help | sed -n '/^SUBCOMMANDS/,/^  Type/s/^  \([a-z]*\) *- .*/\1/p')" -- "$word"))
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$(tritonc "$command" --help 2>/dev/null | grep -oE '^  --?[a-z-]+')" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _tritonc tritonc
