/** docs/internals/seeds.md, docs/reference/webapp.md and deploy/webapp agree with the code, in both directions. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { manifestDifferences } from 'coxswain/operator'
import type { JsonObject } from 'coxswain'
import operator from './operator.ts'
import watchingSecrets from './watching-secrets.ts'
import { defaults } from './options.ts'
import { WebApp, type WebAppInput } from './schema/webapp.ts'
import { lifecycle } from './steps/lifecycle.ts'
import { abnormal } from './state/conditions.ts'

const root = new URL('../..', import.meta.url)
const text = (path: string): string => readFileSync(new URL(path, root), 'utf8')

const sources = readdirSync(fileURLToPath(new URL('.', import.meta.url)), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !/\.(test|cluster)\.ts$|testing|demo/.test(path))
  .map((path) => text(`operators/webapp/${path}`))
  .join('\n')

describe('the operator', () => {
  it('the WebApp operator stands on nothing but what users have', () => {
    const imports = [...sources.matchAll(/ from '([^']+)'/g)].map(([, from = '']) => from)
    expect(imports.length).toBeGreaterThan(50)
    expect(
      imports.filter(
        (from) => !/^(coxswain(\/[a-z]+)?|node:crypto|node:util|\.\.?\/[a-z-]+(\/[a-z-]+)?\.ts)$/.test(from),
      ),
    ).toEqual([])
  })
})

describe('docs/internals/seeds.md', () => {
  const rows = [...text('docs/internals/seeds.md').matchAll(/^\| ([^|]+) \| ([^|]*) \| ([^|]*) \|$/gm)]
    .map(([, part = '', where = '', shown = '']) => ({ part, where, shown }))
    .filter(({ part }) => part !== 'part')

  it('docs/internals/seeds.md has all four seeds', () => {
    expect(text('docs/internals/seeds.md').match(/^## 00\d/gm)).toEqual(['## 000', '## 001', '## 002', '## 003'])
    expect(rows.length).toBeGreaterThan(80)
  })

  it.each(rows)('docs/internals/seeds.md: $part', ({ where, shown }) => {
    if (where.startsWith('not here yet')) return
    const [, file = ''] = /`([^`]+)`/.exec(where) ?? []
    const [, test = '', name = ''] = /`([^`]+)`: (.+)/.exec(shown) ?? []
    expect(existsSync(new URL(file, root)), file).toBe(true)
    expect(text(test)).toContain(name.trim())
  })
})

describe('deploy/webapp', () => {
  it(
    'is what the operator declares: `npm run -s coxswain -- manifests operators/webapp/operator.ts --out ' +
      'deploy/webapp`',
    async () => {
      expect(
        manifestDifferences(fileURLToPath(new URL('deploy/webapp', root)), (await operator.manifests()).files),
      ).toEqual([])
    },
  )
})

describe('deploy/webapp-watching-secrets', () => {
  it(
    'is what that variant declares: `npm run -s coxswain -- manifests operators/webapp/watching-secrets.ts ' +
      '--args=--watch-secrets --out deploy/webapp-watching-secrets`',
    async () => {
      const { files } = await watchingSecrets.manifests({ args: ['--watch-secrets'] })
      const folder = fileURLToPath(new URL('deploy/webapp-watching-secrets', root))
      expect(manifestDifferences(folder, files)).toEqual([])
    },
  )
})

describe('the roles of deploy/webapp', () => {
  const verbs = (folder: string): readonly string[] =>
    parseAllDocuments(text(`${folder}/roles.yaml`))
      .map((document) => document.toJS() as { readonly rules?: readonly Rule[] } | null)
      .flatMap((role) => role?.rules ?? [])
      .filter(({ resources = [] }) => resources.includes('secrets'))
      .flatMap((rule) => rule.verbs)

  it('the roles of deploy/webapp allow to get Secrets by name, and neither to list nor to watch them', () => {
    expect(verbs('deploy/webapp')).toEqual(['get'])
    expect(verbs('deploy/webapp-watching-secrets')).toEqual(['get', 'list', 'watch'])
  })
})

interface Rule {
  readonly resources?: readonly string[]
  readonly verbs: readonly string[]
}

describe('docs/reference/webapp.md', () => {
  const page = text('docs/reference/webapp.md')
  const section = (head: string): string => page.split(/^## /m).find((part) => part.startsWith(`${head}\n`)) ?? ''
  const names = (head: string): string[] =>
    [...section(head).matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name as string)
  const properties = (part: 'spec' | 'status'): JsonObject =>
    ((WebApp.schema['properties'] as JsonObject)[part] as JsonObject)['properties'] as JsonObject

  it('docs/reference/webapp.md has every field of the spec, with its default', () => {
    expect(names('Spec').toSorted()).toEqual(Object.keys(properties('spec')).toSorted())
    for (const [name, schema] of Object.entries(properties('spec')) as [string, JsonObject][]) {
      const value = schema['default']
      if (value === undefined || typeof value === 'object') continue
      expect(section('Spec'), name).toMatch(new RegExp(`^\\| \`${name}\` \\| \`${String(value)}\``, 'm'))
    }
  })

  it('docs/reference/webapp.md has every field of the status', () => {
    const reported = names('Status').flatMap((name) => name.split(', '))
    expect(reported.toSorted()).toEqual(Object.keys(properties('status')).toSorted())
  })

  it('docs/reference/webapp.md has every condition, and says which are abnormal', () => {
    const types = [...sources.matchAll(/type: '([A-Z]\w+)',\s+status|is\('\w+', '(\w+)'\)/g)].map(
      ([, literal, given]) => literal ?? given ?? '',
    )
    expect(names('Conditions').toSorted()).toEqual([...new Set(types)].toSorted())
    for (const type of abnormal) expect(section('Conditions')).toMatch(new RegExp(`^\\| \`${type}\` \\| yes`, 'm'))
  })

  it('docs/reference/webapp.md has every event', () => {
    const reasons = [...sources.matchAll(/event\(\s*'(?:Normal|Warning)',\s*'(\w+)'/g)].map(([, reason = '']) => reason)
    expect(names('Events').toSorted()).toEqual([...new Set([...reasons, '…Synced'])].toSorted())
  })

  it('docs/reference/webapp.md has every phase, and every setting with its default', () => {
    expect(names('Phases')).toEqual(lifecycle.phases)
    expect(names('Settings of the operator').toSorted()).toEqual(Object.keys(defaults).toSorted())
  })

  it('docs/reference/webapp.md shows apps that a server accepts', async () => {
    const shown = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, block = '']) => parse(block) as WebAppInput)
    expect(shown.length).toBeGreaterThan(1)
    for (const app of shown) expect(await WebApp.validate(app)).toEqual([])
  })
})
