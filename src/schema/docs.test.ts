/** docs/reference/schema.md: its examples compile and do what the page says. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { docsPage, withoutImports } from '../../test/docs/page.ts'
import type { Json } from '../api/json.ts'
import { inProcessTransport } from '../client/in-process-transport.ts'
import { RestClient } from '../client/rest-client.ts'
import { createControlPlane } from '../controlplane/index.ts'
import { simulatedEnv } from '../env/simulated.ts'
import {
  app,
  Certificate,
  created,
  Deployment,
  deployment,
  problems,
  read,
  Schedule,
  Thing,
  WebApp,
  written,
} from './testdata/docs-examples.ts'
import * as kinds from './builtin/kinds.ts'
import { t } from './t.ts'
import { definitions } from './testdata/server-comparison.ts'

const { text: page, blocks, checkGenerated } = docsPage('reference/schema.md')

const list = (names: readonly string[]): string => `${names.map((name) => `\`${name}\``).join(', ')}.`

describe('docs/reference/schema.md', () => {
  it('docs/reference/schema.md shows code that is compiled', () => {
    const compiled = readFileSync(new URL('testdata/docs-examples.ts', import.meta.url), 'utf8')
    const parts = blocks('ts').flatMap((block) => withoutImports(block).split('\n\n'))
    expect(parts).toHaveLength(9)
    for (const part of parts) expect(compiled).toContain(part.trim())
  })

  it('docs/reference/schema.md shows the results of its examples', () => {
    expect(page).toContain("`app.spec` is `{ image: 'hello:1', replicas: 1, port: 80 }`")
    expect(app.spec).toEqual({ image: 'hello:1', replicas: 1, port: 80 })
    expect(blocks('')[0]).toBe(problems.map(({ field, message }) => `${field}: ${message}\n`).join(''))
    expect(read(app)).toBe(80)
    expect(WebApp.defaulted(written).spec).toEqual(app.spec)
    expect(Certificate).toMatchObject({ group: 'cert-manager.io', version: 'v1' })
  })

  it('lists every built-in kind and every namespace of types', () => {
    const main = readFileSync(new URL('../index.ts', import.meta.url), 'utf8')
    const namespaces = [...main.matchAll(/^ {2}([a-z]+V\d\w*),$/gm)].map(([, name = '']) => name)
    expect(namespaces.length).toBeGreaterThan(20)
    checkGenerated('kinds', [list(Object.keys(kinds))])
    checkGenerated('namespaces', [list(namespaces)])
  })

  it('docs/reference/schema.md names every word', () => {
    for (const word of Object.keys(t)) expect(page).toContain(`t.${word}(`)
  })

  it('docs/reference/schema.md shows kinds and objects that a server takes', async () => {
    const env = simulatedEnv({ seed: 1 })
    const api = createControlPlane({ env }).transport()
    for (const { crd } of [WebApp, Schedule, Thing]) {
      expect(await api({ method: 'POST', path: definitions, body: crd as unknown as Json })).toMatchObject({
        status: 201,
      })
    }
    expect(page).toContain('`created` gives 1')
    const client = new RestClient({ env, transport: inProcessTransport(api) })
    expect(await created(client)).toBe(1)
    const path = `/apis/${Deployment.apiVersion}/namespaces/default/${Deployment.plural}`
    expect(await api({ method: 'POST', path, body: deployment as unknown as Json })).toMatchObject({ status: 201 })
  })
})
