/** docs/reference/schema.md: its examples compile and do what the page says. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Json } from '../api/json.ts'
import { createControlPlane } from '../controlplane/index.ts'
import { simulatedEnv } from '../env/simulated.ts'
import {
  app,
  Certificate,
  Deployment,
  deployment,
  problems,
  read,
  Schedule,
  Thing,
  WebApp,
  written,
} from './testdata/docs-examples.ts'
import { t } from './t.ts'
import { definitions } from './testdata/server-comparison.ts'

const page = readFileSync(new URL('../../docs/reference/schema.md', import.meta.url), 'utf8')
const blocks = (language: string): string[] =>
  [...page.matchAll(/```(\w*)\n([\s\S]*?)```/g)].filter(([, of]) => of === language).map(([, , text]) => text ?? '')

describe('docs/reference/schema.md', () => {
  it('shows code that is compiled', () => {
    const compiled = readFileSync(new URL('testdata/docs-examples.ts', import.meta.url), 'utf8')
    const parts = blocks('ts').flatMap((block) => block.replaceAll("'coxswain/schema'", "'../index.ts'").split('\n\n'))
    expect(parts.length).toBeGreaterThan(9)
    for (const part of parts) expect(compiled).toContain(part.trim())
  })

  it('tells what it gives', () => {
    expect(page).toContain("`app.spec` is `{ image: 'hello:1', replicas: 1, port: 80 }`")
    expect(app.spec).toEqual({ image: 'hello:1', replicas: 1, port: 80 })
    expect(blocks('')[0]).toBe(problems.map(({ field, message }) => `${field}: ${message}\n`).join(''))
    expect(read(app)).toBe(80)
    expect(WebApp.defaulted(written)).toEqual(app)
    expect(Certificate).toMatchObject({ group: 'cert-manager.io', version: 'v1' })
  })

  it('names every word', () => {
    for (const word of Object.keys(t)) expect(page).toContain(`t.${word}(`)
  })

  it('shows kinds and objects that a server takes', async () => {
    const api = createControlPlane({ env: simulatedEnv({ seed: 1 }) }).transport()
    for (const { crd } of [WebApp, Schedule, Thing]) {
      expect(await api({ method: 'POST', path: definitions, body: crd as unknown as Json })).toMatchObject({
        status: 201,
      })
    }
    const path = `/apis/${Deployment.apiVersion}/namespaces/default/${Deployment.plural}`
    expect(await api({ method: 'POST', path, body: deployment as unknown as Json })).toMatchObject({ status: 201 })
  })
})
