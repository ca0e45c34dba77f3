/** `coxswain completion`: the completion script of a shell, made from the table of commands. */
import { UsageError, type Command } from './command.ts'

const shells = ['bash', 'zsh', 'fish'] as const

/** `commands`: all of them, with this one. */
export function completionCommand(commands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    summary: 'print the completion script of a shell: bash, zsh or fish',
    operands: 'SHELL',
    operandChoices: shells,
    options: { help: { type: 'boolean', help: 'show this help' } },
    examples: [
      'source <(coxswain completion bash)                                      # in ~/.bashrc',
      'source <(coxswain completion zsh)                                       # in ~/.zshrc, after compinit',
      'coxswain completion fish > ~/.config/fish/completions/coxswain.fish',
    ],
    async run(_values, io, [name, ...others]) {
      const shell = shells.find((each) => each === name)
      if (shell === undefined || others.length > 0)
        throw new UsageError(`give a SHELL: ${shells.join(', ')} (see: coxswain completion --help)`)
      const { completionScript } = await import('./completion.ts')
      io.out(completionScript(shell, commands()))
      return 0
    },
  }
}
