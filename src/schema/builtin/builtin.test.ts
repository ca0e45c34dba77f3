/** The generated kinds and types, compared with the output of the generator and with what a server serves. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { builtinFiles } from '../../../tools/facts/builtin-types.ts'
import { createControlPlane } from '../../controlplane/index.ts'
import { simulatedEnv } from '../../env/simulated.ts'
import * as published from '../../index.ts'
import type { Kind } from '../kind.ts'
import * as kinds from './kinds.ts'

const all = Object.values(kinds) as Kind[]

describe('generated files', () => {
  it('generated files are what tools/facts/builtin-types.ts writes', () => {
    const files = builtinFiles()
    for (const [name, text] of files) expect(readFileSync(new URL(name, import.meta.url), 'utf8') === text, name).toBe(true)
    const present = readdirSync(new URL('.', import.meta.url)).filter((name) => !name.endsWith('.test.ts'))
    expect(present.sort()).toEqual([...files.keys()].sort())
  })

  it('generated files are all published', () => {
    expect(Object.keys(kinds).filter((name) => !(name in published))).toEqual([])
  })
})

describe('built-in kinds', () => {
  it('built-in kinds are those that a server serves, with its names', async () => {
    const api = createControlPlane({ env: simulatedEnv({ seed: 1 }) }).transport()
    const served: string[] = []
    for (const groupVersion of new Set(all.map(({ apiVersion }) => apiVersion))) {
      const path = groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`
      const { resources } = (await api({ method: 'GET', path })).body as unknown as { resources: { name: string; kind: string; namespaced: boolean }[] }
      for (const { name, kind, namespaced } of resources) if (!name.includes('/')) served.push([groupVersion, name, kind, namespaced].join(' '))
    }
    expect(all.map(({ apiVersion, plural, kind, namespaced }) => [apiVersion, plural, kind, namespaced].join(' ')).sort()).toEqual(served.sort())
  })

  it('built-in kinds have the group and the version of their apiVersion, and cannot be changed', () => {
    expect(kinds.Pod).toEqual({ group: '', version: 'v1', apiVersion: 'v1', kind: 'Pod', plural: 'pods', namespaced: true })
    expect(kinds.Deployment).toMatchObject({ group: 'apps', version: 'v1' })
    expect(kinds.HorizontalPodAutoscaler.version).toBe('v2')
    expect(kinds.Event.group).toBe('events.k8s.io')
    expect(all.every((kind) => Object.isFrozen(kind))).toBe(true)
  })
})
