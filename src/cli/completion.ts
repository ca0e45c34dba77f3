/**
 * Completion scripts, made from the table of commands: commands, options, values that are files, folders or one of a
 * few, and operands. The scripts call nothing: completion is instant, and as old as the script.
 */
import type { Command, Option } from './command.ts'

export function completionScript(shell: 'bash' | 'zsh' | 'fish', commands: readonly Command[]): string {
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](commands).join('\n')
}

type Words = { readonly files: 'all' | 'folders' } | { readonly choices: readonly string[] } | undefined

/** What the value of an option can be; undefined if it is anything else. */
function valuesOf({ value, choices }: Option): Words {
  if (choices !== undefined) return { choices }
  if (value === 'FILE') return { files: 'all' }
  return value === 'FOLDER' ? { files: 'folders' } : undefined
}

function operandsOf({ operands, operandChoices }: Command): Words {
  if (operandChoices !== undefined) return { choices: operandChoices }
  return operands === undefined ? undefined : { files: 'all' }
}

const topLevelOptions = ['--help', '--version']

function bashScript(commands: readonly Command[]): string[] {
  const names = [...commands.map(({ name }) => name), ...topLevelOptions].join(' ')
  return [
    '# Completion of coxswain for bash. In ~/.bashrc: source <(coxswain completion bash)',
    '_coxswain_words() {',
    '  COMPREPLY=($(compgen -W "$1" -- "$current"))',
    '}',
    '_coxswain_files() {',
    "  local IFS=$'\\n'",
    '  compopt -o filenames 2>/dev/null',
    '  COMPREPLY=($(compgen "$1" -- "$current"))',
    '}',
    '_coxswain() {',
    '  COMPREPLY=()',
    '  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}',
    '  # --option=value is three words.',
    "  if [[ $current == '=' ]]; then",
    "    current=''",
    "  elif [[ $previous == '=' ]]; then",
    '    previous=${COMP_WORDS[COMP_CWORD - 2]}',
    '  fi',
    '  if ((COMP_CWORD == 1)); then',
    `    _coxswain_words '${names}'`,
    '    return',
    '  fi',
    '  case ${COMP_WORDS[1]} in',
    ...commands.flatMap((command) => [`    ${command.name})`, ...bashCommand(command), '      ;;']),
    '  esac',
    '}',
    'complete -F _coxswain coxswain',
  ]
}

function bashCommand(command: Command): string[] {
  const options = Object.entries(command.options)
  const withValues = options.filter(([, { type }]) => type === 'string')
  const values = withValues.map(([name, option]) => `        --${name}) ${bashWords(valuesOf(option))} return ;;`)
  return [
    ...(values.length === 0 ? [] : ['      case $previous in', ...values, '      esac']),
    '      if [[ $current == -* ]]; then',
    `        _coxswain_words '${options.map(([name]) => `--${name}`).join(' ')}'`,
    '      else',
    `        ${bashWords(operandsOf(command)) || ':'}`,
    '      fi',
  ]
}

function bashWords(words: Words): string {
  if (words === undefined) return ''
  if ('choices' in words) return `_coxswain_words '${words.choices.join(' ')}';`
  return `_coxswain_files ${words.files === 'folders' ? '-d' : '-f'};`
}

function zshScript(commands: readonly Command[]): string[] {
  return [
    '#compdef coxswain',
    '# Completion of coxswain for zsh. In ~/.zshrc, after compinit: source <(coxswain completion zsh)',
    '_coxswain() {',
    '  local curcontext="$curcontext" state line',
    '  local -a commands',
    '  commands=(',
    ...commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`),
    '  )',
    `  _arguments -C ${quoted('(- *)--help[show all commands]')} ${quoted('(- *)--version[show the version]')} ` +
      `'1: :->command' '*:: :->arguments'`,
    '  case $state in',
    "    command) _describe -t commands 'coxswain command' commands ;;",
    '    arguments)',
    '      case $line[1] in',
    ...commands.flatMap((command) => [
      `        ${command.name})`,
      '          _arguments \\',
      ...zshArguments(command).map((argument, i, all) => `            ${argument}${i + 1 < all.length ? ' \\' : ''}`),
      '          ;;',
    ]),
    '      esac',
    '      ;;',
    '  esac',
    '}',
    'if [[ "${funcstack[1]}" == _coxswain ]]; then',
    '  _coxswain "$@"',
    'else',
    '  compdef _coxswain coxswain',
    'fi',
  ]
}

function zshArguments(command: Command): string[] {
  const options = Object.entries(command.options).map(([name, option]) => {
    const { type, list, value = '', help } = option
    const start = `${list === true ? '*' : ''}--${name}`
    if (type === 'boolean') return quoted(`${start}[${zshText(help)}]`)
    return quoted(`${start}=[${zshText(help)}]:${zshText(value)}:${zshWords(valuesOf(option))}`)
  })
  const operands = operandsOf(command)
  return operands === undefined ? options : [...options, quoted(`*: :${zshWords(operands)}`)]
}

const zshText = (text: string): string => text.replaceAll(/[[\]:\\]/g, (char) => `\\${char}`)

function zshWords(words: Words): string {
  if (words === undefined) return ''
  if ('choices' in words) return `(${words.choices.join(' ')})`
  return words.files === 'folders' ? '_files -/' : '_files'
}

function fishScript(commands: readonly Command[]): string[] {
  return [
    '# Completion of coxswain for fish. Save it as ~/.config/fish/completions/coxswain.fish',
    'complete -c coxswain -f',
    "complete -c coxswain -n __fish_use_subcommand -l help -d 'show all commands'",
    "complete -c coxswain -n __fish_use_subcommand -l version -d 'show the version'",
    ...commands.flatMap((command) => {
      const within = `complete -c coxswain -n '__fish_seen_subcommand_from ${command.name}'`
      const operands = operandsOf(command)
      return [
        `complete -c coxswain -n __fish_use_subcommand -a ${command.name} -d ${fishQuoted(command.summary)}`,
        ...Object.entries(command.options).map(([name, option]) => {
          const value = option.type === 'string' ? ` ${fishWords(valuesOf(option))}` : ''
          return `${within} -l ${name}${value} -d ${fishQuoted(option.help)}`
        }),
        ...(operands === undefined
          ? []
          : [`${within} ${'choices' in operands ? `-a '${operands.choices.join(' ')}'` : '-F'}`]),
      ]
    }),
  ]
}

function fishWords(words: Words): string {
  if (words === undefined) return '-x'
  if ('choices' in words) return `-x -a '${words.choices.join(' ')}'`
  return words.files === 'folders' ? "-x -a '(__fish_complete_directories)'" : '-r -F'
}

/** In single quotes, as bash and zsh read them. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

const fishQuoted = (text: string): string => `'${text.replaceAll(/['\\]/g, (char) => `\\${char}`)}'`
