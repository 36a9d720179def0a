"""Completion for bash, zsh and fish; where nothing is known, file names are completed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memreport.commands.completion.words import CommandOption, CommandWords

BASH = """# memreport: completion for bash.  source <(memreport completion bash)
_memreport() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command="" at
  for ((at = 1; at < COMP_CWORD; at++)); do
    if [[ ${{COMP_WORDS[at]}} != -* ]]; then command=${{COMP_WORDS[at]}}; break; fi
  done
  COMPREPLY=()
  case "$command $before" in
{choices}
  esac
  if [[ -n $command && $word != -* ]]; then return; fi
  case $command in
{flags}
    *) COMPREPLY=($(compgen -W "{commands} --help --version" -- "$word")) ;;
  esac
}}
complete -o default -F _memreport memreport
"""
ZSH = """#compdef memreport
# memreport: completion for zsh.  source <(memreport completion zsh)
_memreport() {{
  local -a commands=({commands})
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  case ${{words[2]}} in
{cases}
  esac
}}
compdef _memreport memreport
"""


def bash(commands: Sequence[CommandWords]) -> str:
    """A function that answers with commands, with the choices of an option, or with the flags of a command."""
    flags = (
        f'    {command.name}) COMPREPLY=($(compgen -W "{" ".join(command.flags)}" -- "$word")) ;;'
        for command in commands
    )
    choices = (
        f'    "{command.name} {flag}") COMPREPLY=($(compgen -W "{" ".join(option.choices)}" -- "$word")); return ;;'
        for command in commands
        for option in command.options
        for flag in (option.flags or (command.name,))
        if option.choices
    )
    names = " ".join(command.name for command in commands)
    return BASH.format(choices="\n".join(choices), flags="\n".join(flags), commands=names)


def zsh(commands: Sequence[CommandWords]) -> str:
    """Commands with their lines of help, and `_arguments` of each."""
    described = " ".join(_quoted(f"{command.name}:{command.about}") for command in commands)
    return ZSH.format(commands=described, cases="\n".join(_zsh_case(command) for command in commands))


def _zsh_case(command: CommandWords) -> str:
    return f"    {command.name}) _arguments {' '.join(_quoted(spec) for spec in _zsh_specs(command))} ;;"


def _zsh_specs(command: CommandWords) -> Iterator[str]:
    for option in command.options:
        takes = f":{option.value.lower()}:{_zsh_values(option)}" if option.value else ""
        plain = option.help.replace("[", "(").replace("]", ")").replace(":", ";")
        yield from (f"{flag}[{plain}]{takes}" for flag in option.flags)
        if not option.flags:
            yield f"*{takes}"


def _zsh_values(option: CommandOption) -> str:
    return f"({' '.join(option.choices)})" if option.choices else "_files"


def fish(commands: Sequence[CommandWords]) -> str:
    """A line a command, then a line an option."""
    return "".join(f"{line}\n" for line in _fish(commands))


def _fish(commands: Sequence[CommandWords]) -> Iterator[str]:
    yield "# memreport: completion for fish.  memreport completion fish | source"
    for command in commands:
        yield f"complete -c memreport -n __fish_use_subcommand -f -a {command.name} -d {_quoted(command.about)}"
    for command in commands:
        seen = f"complete -c memreport -n {_quoted(f'__fish_seen_subcommand_from {command.name}')}"
        for option in command.options:
            yield f"{seen}{_fish_option(option)}"


def _fish_option(option: CommandOption) -> str:
    flags = "".join(f" -l {flag[2:]}" if flag.startswith("--") else f" -s {flag[1:]}" for flag in option.flags)
    values = f" -x -a {_quoted(' '.join(option.choices))}" if option.choices else " -r" if option.value else ""
    return f"{flags}{values if option.flags or option.choices else ''} -d {_quoted(option.help)}"


def _quoted(text: str) -> str:
    """A text in single quotes, for a shell."""
    return "'" + text.replace("'", "'\\''") + "'"
