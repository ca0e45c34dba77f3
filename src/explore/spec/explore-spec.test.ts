/** The mistakes that operations on a spec find, each in a small operator. */
import { describe, expect, it } from 'vitest'
import { PermanentError } from '../../api/permanent-error.ts'
import { controller } from '../../controller/builder.ts'
import type { ControllerDefinition } from '../../controller/definition.ts'
import { ConfigMap } from '../../schema/builtin/kinds.ts'
import { resource } from '../../schema/resource.ts'
import { t } from '../../schema/t.ts'
import { exploreSpec, type ExploreSpecOptions } from './explore-spec.ts'
import { specHtml } from './spec-page.ts'
import { joinSpecReports, specReport, specSummary, type SpecReport } from './spec-report.ts'

const App = resource('example.dev/v1', 'App', {
  spec: t.object({
    text: t.string().minLength(1).maxLength(20),
    size: t.int().min(1).max(9).default(2),
    mode: t.enum('Fast', 'Safe').default('Fast'),
    labels: t.map(t.string()).optional(),
    proxy: t.object({ host: t.string(), port: t.int().min(1).max(65535).optional() }).optional(),
  }),
  status: t.object({
    observedGeneration: t.int64().optional(),
    conditions: t.conditions().optional(),
  }),
})
type Spec = ReturnType<typeof App.defaulted>['spec']
type Labels = Record<string, string>

const sample = {
  apiVersion: 'example.dev/v1',
  kind: 'App',
  metadata: { name: 'a' },
  spec: { text: 'one', labels: { tier: 'front' } },
}

interface Operator {
  readonly text?: (spec: Spec) => string
  readonly labels?: (spec: Spec, before: Labels) => Labels
  /** Throws if the spec cannot be followed after what there was before. */
  readonly check?: (before: string) => void
}

const whole = ({ text, size, mode, proxy }: Spec): string => JSON.stringify({ text, size, mode, proxy })

function operator({ text = whole, labels = (spec) => spec.labels ?? {}, check }: Operator = {}): ControllerDefinition {
  return controller(App)
    .owns(ConfigMap)
    .reconcile(async ({ object, get, apply, status }) => {
      const spec = object.spec as Spec
      const before = await get(ConfigMap, 'a')
      check?.(before?.data?.['text'] ?? '')
      await apply(ConfigMap, {
        metadata: { name: 'a', labels: { app: 'a', ...labels(spec, before?.metadata.labels ?? {}) } },
        data: { text: text(spec) },
      })
      status.condition({ type: 'Ready', status: true, reason: 'Applied' })
    })
}

function exploring(made: ControllerDefinition, more: Partial<ExploreSpecOptions> = {}): Promise<SpecReport> {
  return exploreSpec({ cluster: { controllers: () => [made] }, kind: App, sample, ...more })
}

const failed = ({ operations }: SpecReport): readonly string[] =>
  operations.filter(({ outcome }) => outcome === 'failed').map(({ id }) => id)

const problemsOf = ({ operations }: SpecReport): string => operations.flatMap(({ problems }) => problems).join('\n')

describe('an operator that follows its spec', () => {
  it('an operator that follows its spec is covered completely, and nothing is found', async () => {
    const report = await exploring(operator())
    expect(failed(report), report.text).toEqual([])
    expect(report.properties.filter(({ isCovered }) => !isCovered)).toEqual([])
  })
})

describe('the report of a spec', () => {
  it('the report of a spec is the same when several processes share the operations', async () => {
    const options = { noEffect: ['spec.mode', 'spec.size'] }
    const following = operator({ text: (spec) => whole({ ...spec, mode: 'Fast' }) })
    const alone = await exploring(following, options)
    const parts = await Promise.all(
      [0, 1, 2].map((index) => exploring(following, { ...options, part: { index, of: 3 } })),
    )
    const joined = joinSpecReports(parts, options.noEffect)
    expect({ ...joined, took: 0, text: '' }).toEqual({ ...alone, took: 0, text: '' })
    expect(joined.problems).toEqual(['noEffect names spec.size, but all operations on it have an effect: leave it out'])
    expect(parts.map(({ problems }) => problems)).toEqual([[], [], []])
  })

  it('the report of a spec says why a property is not covered', async () => {
    const report = await exploring(operator(), { only: 'spec.labels' })
    const mode = report.properties.find(({ path }) => path === 'spec.mode')
    expect(mode).toEqual({ path: 'spec.mode', isCovered: false, reason: 'no operation on it was played' })
    const ruled = specReport({
      kind: 'v1 App',
      paths: ['spec.host'],
      operations: [
        {
          id: 'spec.host/other',
          path: 'spec.host',
          class: 'set',
          outcome: 'not covered',
          reason: 'leave host out',
          problems: [],
          notes: [],
        },
      ],
      leftOut: 0,
      problems: [],
      took: 0,
      noEffect: [],
    })
    expect(ruled.text).toContain('spec.host: the server accepts no value: leave host out')
    expect(specSummary(ruled)).toBe('spec: 0 of 1 properties, 1 operations, none failed, 1 not covered')
    expect(specHtml(ruled)).toContain('the server accepts no value: leave host out')
  })
})

describe('mistakes', () => {
  it('an operator that ignores a field is found', async () => {
    const report = await exploring(operator({ text: (spec) => whole({ ...spec, mode: 'Fast' }) }), {
      only: 'spec.mode',
    })
    expect(failed(report), report.text).toEqual(['spec.mode/Safe'])
    expect(problemsOf(report)).toContain('it has no effect')
  })

  it('an operator that does not remove a label is found', async () => {
    const report = await exploring(operator({ labels: (spec, before) => ({ ...before, ...spec.labels }) }), {
      only: 'spec.labels',
    })
    expect(failed(report), report.text).toEqual(['spec.labels/more', 'spec.labels/remove'])
  })

  it('an operator that needs an optional field is found', async () => {
    const ports = (spec: Spec): string => `${whole(spec)} ${(spec.labels as Labels)['tier']?.length ?? 0}`
    const report = await exploring(operator({ text: ports }), { only: 'spec.labels' })
    expect(failed(report), report.text).toEqual(['spec.labels/remove'])
    expect(problemsOf(report)).toContain('the operator threw TypeError')
  })

  it('an operator that waits for the old spec to work before it follows the new one is found', async () => {
    const check = (before: string): void => {
      if (before.includes('"ox"')) throw new PermanentError('the last text does not work')
    }
    const report = await exploring(operator({ check }), { values: { 'spec.text': ['ox'] }, only: 'spec.text' })
    expect(failed(report), report.text).toEqual(['spec.text/ox'])
    expect(problemsOf(report)).toContain('after the rollback')
  })
})
