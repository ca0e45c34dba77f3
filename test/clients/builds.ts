/** How the clients are built, one build for each language: what the machine must have, and which commands do it. */
import { join } from 'node:path'
import { sourceFolder } from './clients.ts'

export const buildNames = ['python', 'node', 'java', 'go', 'rust'] as const

export type BuildName = (typeof buildNames)[number]

/** A command that must be on the PATH. */
export interface Tool {
  readonly command: string
  /** Ask for its version. */
  readonly args: readonly string[]
  /** Such as `3.10`; empty where any will do. */
  readonly least: string
}

export interface Command {
  readonly command: string
  readonly args: readonly string[]
  /** Besides ours. An empty value takes one of ours away. */
  readonly env?: NodeJS.ProcessEnv
}

export interface Build {
  readonly name: BuildName
  /** Where the commands run. Nothing is written there. */
  readonly source: string
  readonly tools: readonly Tool[]
  /** The files of `source` that decide what is built. */
  readonly inputs: RegExp
  /** True where what is built runs with the same version of the first tool only. */
  readonly bound: boolean
  /** Fill `target`, an empty folder. Of what is in it only `keep` stays, where that is given. */
  commands(target: string): readonly Command[]
  readonly keep?: readonly string[]
}

/** Only what is on the machine: no other version of Go, no C compiler, no workspace, no other target. */
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
    // Modules are looked for beside the program.
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
