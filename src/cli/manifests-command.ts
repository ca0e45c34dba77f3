/** `coxswain manifests`: the CRDs, RBAC and workload of an operator, generated from its declarations. */
import type { ManifestOptions } from '../manifests/manifests.ts'
import { UsageError, type Command, type Values } from './command.ts'
import { manifestDifferences, writeManifests } from '../operator/manifest-files.ts'
import { loadOperator } from './operator-module.ts'

export const manifestsCommand: Command = {
  name: 'manifests',
  summary: 'generate CRDs, RBAC and workload of the operator that a module exports (docs/reference/manifests.md)',
  operands: 'MODULE',
  options: {
    out: { type: 'string', value: 'FOLDER', help: 'write files to this folder (default: print them)' },
    check: {
      type: 'boolean',
      help: 'write nothing; report how the files in --out differ, with exit code 1 if they do',
    },
    namespace: { type: 'string', value: 'NAME', help: 'namespace of the operator (default: its name with -system)' },
    namespaces: {
      type: 'string',
      list: true,
      value: 'NAMES',
      help: 'namespaces that it may read and write (default: all)',
    },
    image: { type: 'string', value: 'IMAGE', help: 'image of the operator (default: its name and version)' },
    replicas: { type: 'string', value: 'N', help: 'replicas of the operator, of which one is the leader (default 2)' },
    args: {
      type: 'string',
      list: true,
      value: 'ARGS',
      help: 'arguments of the operator beyond --leader-elect, separated by commas, as --args=--log-level=debug',
    },
    help: { type: 'boolean', help: 'show this help' },
  },
  examples: [
    'coxswain manifests operator.js | kubectl apply -f -',
    'coxswain manifests operator.js --out deploy',
    'coxswain manifests operator.js --out deploy --check',
  ],
  exitCodes: { 1: 'it failed, or with --check: the files differ' },
  async run(values, io, operands) {
    const [path, ...others] = operands
    if (path === undefined || others.length > 0)
      throw new UsageError('give one MODULE (see: coxswain manifests --help)')
    const { out, check = false } = values
    if (check === true && typeof out !== 'string')
      throw new UsageError('--check compares with the files in --out: give both')
    const { files } = await (await loadOperator(path)).manifests(manifestOptions(values))
    if (typeof out !== 'string') io.out(Object.values(files).join('').trimEnd())
    else if (check === true) {
      const differences = manifestDifferences(out, files)
      for (const each of differences) io.error(each)
      return differences.length === 0 ? 0 : 1
    } else {
      writeManifests(out, files)
      io.out(`wrote ${Object.keys(files).join(', ')} to ${out}`)
    }
    return 0
  },
}

function manifestOptions({ namespace, namespaces, image, replicas, args }: Values): ManifestOptions {
  const text = (value: Values[string]): string | undefined => (typeof value === 'string' ? value : undefined)
  if (typeof replicas === 'string' && !/^[1-9]\d{0,3}$/.test(replicas))
    throw new UsageError(`--replicas is "${replicas}": give a whole number of at least 1`)
  return {
    namespace: text(namespace),
    image: text(image),
    namespaces: listed(text(namespaces)),
    args: listed(text(args)),
    replicas: typeof replicas === 'string' ? Number(replicas) : undefined,
  }
}

function listed(text: string | undefined): readonly string[] | undefined {
  return text
    ?.split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
}
