/** `coxswain run`: runs the operator of a module. Arguments after the module are settings of the operator. */
import { UsageError, type Command } from './command.ts'
import { loadOperator } from './operator-module.ts'

export const runCommand: Command = {
  name: 'run',
  summary: 'run the operator that a module exports, with its settings (docs/reference/manager.md)',
  operands: 'MODULE [SETTINGS]',
  passesOn: true,
  options: { help: { type: 'boolean', help: 'show this help; after MODULE, the settings' } },
  examples: [
    'coxswain run operator.js',
    'coxswain run operator.js --kubeconfig ./kubeconfig --leader-elect',
    'coxswain run operator.js --context staging --dry-run',
  ],
  async run(_values, _io, [path, ...args]) {
    if (path === undefined) throw new UsageError('give a MODULE (see: coxswain run --help)')
    await (await loadOperator(path)).run({ args })
    return Number(process.exitCode ?? 0)
  },
}
