/** docs/how-to/build-the-image.md: its Dockerfile builds its project, for the Deployment of the manifests. */
import { readFileSync } from 'node:fs'
import type { Deployment } from 'coxswain'
import { expect, it } from 'vitest'
import { built, stagesOf, type Command } from './dockerfile.ts'
import { docsPage, withoutImports } from './page.ts'
import operator from './testdata/several-namespaces.ts'

const page = docsPage('how-to/build-the-image.md')
const [dockerfile = ''] = page.blocks('dockerfile')
const [layout = '', ignored = ''] = page.blocks('text')
const [project, compiler] = page.blocks('json').map((text) => JSON.parse(text) as Record<string, unknown>) as [
  Record<'scripts' | 'dependencies' | 'devDependencies', Readonly<Record<string, string>>>,
  { readonly compilerOptions: { readonly outDir: string; readonly sourceMap: boolean; readonly rootDir: string } },
]

/** The files of the layout and their folders, without those of .dockerignore. */
const paths = layout.match(/[\w./-]*\w\.\w+(?= |$)|Dockerfile/gm) ?? []
const sources = paths.filter((path) => path.startsWith('src/'))
const context = new Set([...paths, 'src', 'node_modules', 'dist'].filter((path) => !ignored.split('\n').includes(path)))

function check(files: ReadonlySet<string>, ...names: readonly string[]): void {
  for (const name of names) if (!files.has(name)) throw new Error(`RUN needs ${name}`)
}

const install: Command = (files) => {
  check(files, 'package.json', 'package-lock.json')
  return ['node_modules']
}
const commands: Readonly<Record<string, Command>> = {
  'npm ci': (files) => [...install(files), 'node_modules/.bin/tsc'],
  'npm ci --omit=dev': install,
  'npm run build': (files) => {
    check(files, 'package.json', 'tsconfig.json', compiler.compilerOptions.rootDir, 'node_modules/.bin/tsc')
    return [compiler.compilerOptions.outDir]
  },
}

async function container() {
  const { objects } = await operator.manifests()
  const deployment = objects.find(({ kind }) => kind === 'Deployment') as unknown as Deployment
  const pod = deployment.spec?.template.spec
  return { pod, ...pod?.containers[0] }
}

it('docs/how-to/build-the-image.md: the Dockerfile builds the project of the page', () => {
  expect(sources).toEqual(['src/operator.ts', 'src/main.ts'])
  expect(project.scripts['build']).toBe('tsc')
  expect(Object.keys(project.dependencies)).toEqual(['coxswain'])
  expect(project.devDependencies).toHaveProperty('typescript')
  const { files, last } = built(stagesOf(dockerfile), context, commands)
  expect([...files].toSorted()).toEqual(['/app/dist', '/app/node_modules', '/app/package.json'])
  const [program, ...args] = JSON.parse(last.get('ENTRYPOINT') ?? '') as string[]
  expect(program).toBe('node')
  expect(args).toEqual(['--enable-source-maps', `${compiler.compilerOptions.outDir}/main.js`])
  expect(compiler.compilerOptions.sourceMap).toBe(true)
})

it('docs/how-to/build-the-image.md: a Dockerfile with a mistake does not build', () => {
  const building = (from: string, to: string) => () => {
    expect(dockerfile).toContain(from)
    return built(stagesOf(dockerfile.replace(from, to)), context, commands)
  }
  expect(building('--from=build', '--from=builder')).toThrow('no stage builder')
  expect(building('/app/dist ./dist', '/app/out ./dist')).toThrow('COPY of /app/out')
  expect(building('COPY src ./src', 'COPY dist ./src')).toThrow('COPY of dist')
  expect(building('COPY src ./src\n', '')).toThrow('RUN needs src')
  expect(building('RUN npm ci\n', 'RUN npm install\n')).toThrow('unknown command')
  expect(building('ENTRYPOINT [', 'ENTRY [')).toThrow('not an instruction')
})

it('docs/how-to/build-the-image.md: user and arguments fit the Deployment of the manifests', async () => {
  const { pod, command, args, securityContext } = await container()
  const { last } = built(stagesOf(dockerfile), context, commands)
  const user = pod?.securityContext?.runAsUser
  expect(last.get('USER')).toBe(`${user}:${user}`)
  expect(command).toBeUndefined()
  expect(args).toContain('--leader-elect')
  expect(last.has('CMD')).toBe(false)
  expect(securityContext?.readOnlyRootFilesystem).toBe(true)
  expect(page.text).toContain(`as user ${user}, with a read-only file system`)
})

it('docs/how-to/build-the-image.md shows a program that is compiled', () => {
  const [shown = ''] = page.blocks('ts')
  const compiled = readFileSync(new URL('testdata/main.ts', import.meta.url), 'utf8')
  expect(compiled).toContain(withoutImports(shown).replace('// src/main.ts\n', ''))
})
