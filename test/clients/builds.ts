/** The builds of the clients, one for each language: the required tools, and the commands. */
import { join } from 'node:path'
import { sourceFolder } from './clients.ts'

export const buildNames = ['python', 'node', 'java', 'go', 'rust'] as const

export type BuildName = (typeof buildNames)[number]

/** A command that must be on the PATH. */
export interface Tool {
  readonly command: string
  /** The arguments that print its version. */
  readonly args: readonly string[]
  /** The minimum version, such as `3.10`; empty: any. */
  readonly least: string
}

export interface Command {
  readonly command: string
  readonly args: readonly string[]
  /** In addition to our environment. An empty value removes a variable. */
  readonly env?: NodeJS.ProcessEnv
}

export interface Build {
  readonly name: BuildName
  /** The working directory of the commands. They do not write to it. */
  readonly source: string
  readonly tools: readonly Tool[]
  /** The files of `source` that the build depends on. */
  readonly inputs: RegExp
  /** Whether the build runs only with the version of the first tool that built it. */
  readonly bound: boolean
  /** The commands fill `target`, an empty folder. If `keep` is given, everything else in it is removed. */
  commands(target: string): readonly Command[]
  readonly keep?: readonly string[]
}

/**
 * Uses only what is installed: no download of another Go version, no C compiler, no workspace, no cross-compilation.
 */
const goEnvironment = { CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOWORK: 'off', GOFLAGS: '', GOOS: '', GOARCH: '' }

const builds: readonly Omit<Build, 'source'>[] = [
  {
    name: 'python',
    tools: [
      { command: 'python3', args: ['--version'], least: '3.11' },
      { command: 'python3', args: ['-m', 'pip', '--version'], least: '' },
    ],
    inputs: /^requirements\.txt$/,
    bound: true,
    commands: (target) => [
      {
        command: 'python3',
        args: [
          '-m',
          'pip',
          'install',
          '--no-deps',
          '--no-input',
          '--disable-pip-version-check',
          '--target',
          target,
          '-r',
          'requirements.txt',
        ],
      },
    ],
  },
  {
    name: 'node',
    tools: [{ command: 'npm', args: ['--version'], least: '' }],
    inputs: /\.(mjs|json)$/,
    bound: false,
    // Node looks for modules next to the program.
    commands: (target) => [
      { command: 'cp', args: ['package.json', 'package-lock.json', 'client.mjs', target] },
      { command: 'npm', args: ['ci', '--prefix', target, '--ignore-scripts', '--no-audit', '--no-fund'] },
    ],
  },
  {
    name: 'java',
    tools: [
      { command: 'javac', args: ['--version'], least: '11' },
      { command: 'mvn', args: ['--version'], least: '3.6' },
    ],
    inputs: /^pom\.xml$/,
    bound: false,
    commands: (target) => [
      {
        command: 'mvn',
        args: [
          '--batch-mode',
          '--no-transfer-progress',
          'dependency:copy-dependencies',
          '-DincludeScope=runtime',
          `-DoutputDirectory=${target}`,
        ],
      },
    ],
  },
  {
    name: 'go',
    tools: [{ command: 'go', args: ['version'], least: '1.25' }],
    inputs: /\.(go|mod|sum)$/,
    bound: false,
    commands: (target) => [
      {
        command: 'go',
        args: [
          'build',
          '-v',
          '-mod=readonly',
          '-trimpath',
          '-buildvcs=false',
          '-ldflags=-s -w',
          '-o',
          `${target}/`,
          './informer',
          './manager',
          'helm.sh/helm/v4/cmd/helm',
        ],
        env: goEnvironment,
      },
    ],
  },
  {
    name: 'rust',
    tools: [
      { command: 'cargo', args: ['--version'], least: '1.89' },
      { command: 'cc', args: ['--version'], least: '' },
    ],
    inputs: /\.(rs|toml|lock)$/,
    bound: false,
    commands: (target) => [
      { command: 'cargo', args: ['build', '--locked', '--target-dir', join(target, 'target')] },
      { command: 'cp', args: [join(target, 'target', 'debug', 'coxswain-clients'), target] },
    ],
    keep: ['coxswain-clients'],
  },
]

export function build(name: BuildName): Build {
  const found = builds.find((each) => each.name === name)
  if (found === undefined) throw new Error(`there is no build ${name}`)
  return { ...found, source: join(sourceFolder, name) }
}
