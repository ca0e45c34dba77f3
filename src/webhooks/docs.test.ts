/** `docs/reference/webhooks.md` matches the code. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { DeepReadonly } from '../api/live-object.ts'
import { settings } from '../manager/settings.ts'
import type { ObjectOf } from '../schema/kind.ts'
import type { AdmissionContext, AdmissionOptions, MutatingHandlers, ValidatingHandlers } from './admission-webhook.ts'
import { checkConversions } from './conversion-webhook.ts'
import example from './testdata/docs-example.ts'
import type { Shop } from './testdata/shop.ts'

const read = (path: string): string => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8')
const page = read('../../docs/reference/webhooks.md')

/** The words in backticks in the first column of the table below this heading. */
function named(heading: string): readonly string[] {
  const table = page.slice(page.indexOf(heading)).split('\n\n')[0] ?? ''
  return table
    .split('\n')
    .slice(2)
    .flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([a-zA-Z_]+)/g)].map(([, name]) => name as string))
}

describe('the page about webhooks', () => {
  it('the page about webhooks shows code that is compiled, and whose conversions are complete', () => {
    const code = read('testdata/docs-example.ts')
    expect(page).toContain(code.slice(code.indexOf('const check')).trimEnd())
    const tested = read('docs-conversion.test.ts')
    expect(page).toContain(tested.slice(tested.indexOf("it('keeps")).trimEnd())
    for (const webhook of example.webhooks ?? []) if (webhook.type === 'conversion') checkConversions(webhook)
  })

  it('the page about webhooks names all of a request and all options', () => {
    const request: Record<keyof AdmissionContext | 'object' | 'old', true> = {
      object: true,
      old: true,
      operation: true,
      name: true,
      namespace: true,
      subresource: true,
      user: true,
      dryRun: true,
      warn: true,
      client: true,
      use: true,
      log: true,
      requestId: true,
      signal: true,
    }
    expect(named('| request |')).toEqual(Object.keys(request))
    const options: Record<keyof AdmissionOptions, true> = {
      failurePolicy: true,
      timeoutSeconds: true,
      sideEffects: true,
      matchPolicy: true,
      namespaceSelector: true,
      objectSelector: true,
      matchConditions: true,
      subresources: true,
      uses: true,
      reinvoked: true,
    }
    expect(named('| option | default |')).toEqual(Object.keys(options))
  })

  it('the page about webhooks names settings that exist', () => {
    for (const [, name] of page.matchAll(/--(webhook[-a-z]+)/g)) expect(Object.keys(settings)).toContain(name)
  })
})

describe('the types of handlers', () => {
  type Shops = ObjectOf<typeof Shop>

  it('the types of handlers are those of the kind: frozen for those who look, open for those who change', () => {
    type Create = Parameters<NonNullable<ValidatingHandlers<Shops>['create']>>[0]
    type Update = Parameters<NonNullable<ValidatingHandlers<Shops>['update']>>[0]
    type Delete = Parameters<NonNullable<ValidatingHandlers<Shops>['delete']>>[0]
    type Change = Parameters<NonNullable<MutatingHandlers<Shops>['update']>>[0]
    expectTypeOf<Create['object']>().toEqualTypeOf<DeepReadonly<Shops>>()
    expectTypeOf<Create>().not.toHaveProperty('old')
    expectTypeOf<Update['old']['spec']['rooms']>().toEqualTypeOf<number>()
    expectTypeOf<Delete>().not.toHaveProperty('object')
    expectTypeOf<Change['object']>().toEqualTypeOf<Shops>()
    expectTypeOf<Change['old']>().toEqualTypeOf<DeepReadonly<Shops>>()
  })
})
