/** The chain: its order, which plugins are enabled, and that hooks run only for requests that concern them. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { AdmissionRequest } from '../registry/admission.ts'
import type { Resource } from '../contract/resource.ts'
import { PluginChain } from './chain.ts'
import { on, type AdmissionPlugin } from './plugin.ts'
import { enabledPlugins, PluginChoiceError, pluginTable } from './plugins.ts'

const pods = { group: '', plural: 'pods', namespaced: true } as Resource
const nodes = { group: '', plural: 'nodes', namespaced: false } as Resource

function recorder(calls: string[], name: string, asked: string[] = []): AdmissionPlugin {
  const concerns: ReturnType<typeof on> = (target) => {
    asked.push(`${name} ${target.resource.plural}`)
    return on('', 'pods', ['CREATE', 'UPDATE'], ['', 'resize'])(target)
  }
  return {
    name,
    mutate: { concerns, run: () => void calls.push(`${name} mutates`) },
    validate: { concerns: on('', 'pods', ['CREATE']), run: () => void calls.push(`${name} validates`) },
  }
}

describe('a chain', () => {
  it('a plugin chain keeps the order of its plugins, and leaves out what does not concern them', () => {
    const calls: string[] = []
    const chain = new PluginChain([recorder(calls, 'a'), recorder(calls, 'b')])
    const run = (resource: Resource, subresource: string, operation: 'CREATE' | 'UPDATE' | 'DELETE') => {
      calls.length = 0
      const { mutate, validate } = chain.stepsFor(resource, subresource, operation)
      for (const hook of [...mutate, ...validate]) hook({} as AdmissionRequest)
      return [...calls]
    }
    expect(run(pods, '', 'CREATE')).toEqual(['a mutates', 'b mutates', 'a validates', 'b validates'])
    expect(run(pods, 'resize', 'UPDATE')).toEqual(['a mutates', 'b mutates'])
    expect(run(pods, 'status', 'UPDATE')).toEqual([])
    expect(run(pods, '', 'DELETE')).toEqual([])
    expect(run(nodes, '', 'CREATE')).toEqual([])
  })

  it('a plugin chain asks a plugin once', () => {
    const asked: string[] = []
    const chain = new PluginChain([recorder([], 'a', asked)])
    for (let i = 0; i < 3; i++) {
      chain.stepsFor(nodes, '', 'CREATE')
      chain.stepsFor(pods, 'resize', 'UPDATE')
    }
    expect(asked).toEqual(['a nodes', 'a pods'])
  })
})

describe('the choice of plugins', () => {
  it('the choice of plugins starts from the defaults', () => {
    const names = enabledPlugins()
    expect(names).toContain('PodSecurity')
    expect(names).not.toContain('ServiceAccount')
    expect(enabledPlugins({ enable: ['ServiceAccount'], disable: ['PodSecurity'] })).toEqual(
      pluginTable
        .map(({ name }) => name)
        .filter((name) => name !== 'PodSecurity' && (names.includes(name) || name === 'ServiceAccount')),
    )
  })

  it.each([
    [{ enable: ['Foo'] }, 'enable-admission-plugins plugin "Foo" is unknown'],
    [{ disable: ['Bar'] }, 'disable-admission-plugins plugin "Bar" is unknown'],
    [
      { enable: ['Priority', 'LimitRanger'], disable: ['LimitRanger', 'Priority'] },
      '[LimitRanger Priority] in enable-admission-plugins and disable-admission-plugins overlapped',
    ],
    [{ enable: ['NodeRestriction'] }, 'admission plugin "NodeRestriction" is not implemented'],
    [
      { enable: ['A'], disable: ['B'] },
      '[enable-admission-plugins plugin "A" is unknown, disable-admission-plugins plugin "B" is unknown]',
    ],
  ])('the choice of plugins refuses %j', (choice, message) => {
    expect(() => enabledPlugins(choice)).toThrow(new PluginChoiceError(message))
  })
})

describe('docs/reference/admission.md', () => {
  it('docs/reference/admission.md has every plugin, in order, with its state', () => {
    const page = readFileSync(new URL('../../../docs/reference/admission.md', import.meta.url), 'utf8')
    const rows = [...page.matchAll(/^\| \d+ \| `(\w+)` \| ([a-z]+) \|/gm)].map(([, name, state]) => `${name} ${state}`)
    const expected = pluginTable.map(({ name, isOn, make }) => {
      if (make === 'missing') return `${name} missing`
      if (make === 'idle') return `${name} idle`
      return `${name} ${isOn ? 'on' : 'off'}`
    })
    expect(rows).toEqual(expected)
  })
})
