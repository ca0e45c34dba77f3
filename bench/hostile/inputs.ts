/** Requests that once cost far more than their size, as a user of the server sends them. */
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { HostileClient, Received, Sent } from './client.ts'

export interface Input {
  readonly name: string
  /** Sizes to send, each to a server of its own; `unit` says of what. */
  readonly sizes: readonly number[]
  readonly unit: string
  /** Sent before anything is measured, so that code is loaded and compiled. */
  readonly small: number
  readonly run: (client: HostileClient, size: number, name: string) => Promise<Received>
  /** Before `run`, not measured. */
  readonly prepare?: (client: HostileClient, size: number) => Promise<void>
  /** Options of `coxswain server`. */
  readonly options?: readonly string[]
}

export const list = <T>(n: number, item: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => item(i))

export const configMaps = '/api/v1/namespaces/default/configmaps'
export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
/** The token of a user without roles. */
const nobodyFile = join(tmpdir(), `coxswain-hostile-${process.pid}.csv`)
writeFileSync(nobodyFile, 'nobody-token,nobody,1\n', { mode: 0o600 })
process.once('exit', () => rmSync(nobodyFile, { force: true }))

const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
export const things = '/apis/hostile.example.org/v1/namespaces/default/things'

/** An input of one request. */
export function input(
  name: string,
  unit: string,
  sizes: readonly number[],
  small: number,
  request: (size: number, name: string) => Sent,
  more: Pick<Input, 'prepare' | 'options'> = {},
): Input {
  return { name, unit, sizes, small, run: (client, size, id) => client.send(request(size, id)), ...more }
}

const yaml = (path: string, body: string): Sent => ({ path, body, type: 'application/yaml' })
const configMapYaml = (name: string, more: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n${more}`
const aliases = (n: number) => `x: &a {k: v}\ny: [${list(n, () => '*a').join(', ')}]\n`
const mergeKeys = (n: number) =>
  `m0: &m0 {k: v}\n${list(n, (i) => `m${i + 1}: &m${i + 1} {<<: [*m${i}, *m${i}]}`).join('\n')}\n`

export function definition(spec: object, versions = 1, plural = 'things', more: object = {}): object {
  const kind = plural.charAt(0).toUpperCase() + plural.slice(1, -1)
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec }, ...more } }
  return {
    metadata: { name: `${plural}.hostile.example.org` },
    spec: {
      group: 'hostile.example.org',
      scope: 'Namespaced',
      names: { plural, singular: plural.slice(0, -1), kind, listKind: `${kind}List` },
      versions: list(versions, (i) => ({ name: `v${i + 1}`, served: true, storage: i === 0, schema })),
    },
  }
}

export async function define(client: HostileClient, spec: object, more: object = {}): Promise<void> {
  await client.send({ path: definitions, body: definition(spec, 1, 'things', more) })
  const probe = { path: `${things}?dryRun=All`, body: thing('probe', {}) }
  for (let i = 0; i < 200; i++) {
    if ((await client.send(probe)).status !== 404) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

export const thing = (name: string, spec: unknown): object => ({
  apiVersion: 'hostile.example.org/v1',
  kind: 'Thing',
  metadata: { name },
  spec,
})

/** An object whose text is checked by the pattern. */
function pattern(name: string, source: string, sizes: readonly number[], text: (n: number) => string): Input {
  const prepare = (client: HostileClient) => define(client, { type: 'object', properties: { text: patterned(source) } })
  const request = (n: number, id: string): Sent => ({ path: things, body: thing(id, { text: text(n) }) })
  return input(name, 'characters', sizes, 100, request, { prepare })
}

const patterned = (source: string) => ({ type: 'string', pattern: source })

/** An object whose items are checked by the rule. */
export function rule(name: string, source: string, sizes: readonly number[], spec: (n: number) => unknown): Input {
  const item = { type: 'array', items: { type: 'string' } }
  const schema = {
    type: 'object',
    properties: { text: { type: 'string' }, list: item, lists: { type: 'array', items: item } },
    'x-kubernetes-validations': [{ rule: source }],
  }
  // The estimated cost of such rules is too high without limits, so they are within them.
  const limits = JSON.parse(
    JSON.stringify(schema)
      .replaceAll('"type":"string"', '"type":"string","maxLength":1000000')
      .replaceAll('"type":"array"', '"type":"array","maxItems":1000'),
  ) as object
  const prepare = (client: HostileClient) => define(client, limits)
  return input(name, 'entries', sizes, 2, (n, id) => ({ path: things, body: thing(id, spec(n)) }), { prepare })
}

/** Letters in an order that makes automata large. */
const letters = (n: number): string => {
  let [text, state] = ['', 1]
  for (let i = 0; i < n; i++) {
    state = (state * 48_271) % 2_147_483_647
    text += (state & 64) === 0 ? 'a' : 'b'
  }
  return text
}

const ports = (n: number) => list(n, (i) => ({ name: `c${i}`, image: 'i:1', ports: [{ containerPort: 80 }] }))
const owners = (n: number) => list(n, (i) => ({ apiVersion: 'v1', kind: 'ConfigMap', name: `o${i}`, uid: `u${i}` }))
const labels = (n: number) => Object.fromEntries(list(n, (i) => [`k${i}`, '!']))

export const reviewInputs: readonly Input[] = [
  input('YAML aliases', 'aliases', [4000, 16_000], 10, (n, id) =>
    yaml(configMaps, configMapYaml(id, `data: {}\n${aliases(n)}`)),
  ),
  input('YAML merge keys', 'levels', [50, 3000], 2, (n, id) =>
    yaml(configMaps, configMapYaml(id, `data: {}\n${mergeKeys(n)}`)),
  ),
  input(
    'YAML aliases, from a user without a role',
    'aliases',
    [16_000],
    10,
    (n) => ({
      ...yaml(reviews, `apiVersion: authorization.k8s.io/v1\nkind: SelfSubjectAccessReview\nspec: {}\n${aliases(n)}`),
      token: 'nobody-token',
    }),
    { options: ['--authorization-mode', 'RBAC', '--token-auth-file', nobodyFile] },
  ),
  input('pod with equal ports', 'containers', [1000, 3000, 5500], 3, (n, id) => ({
    path: '/api/v1/namespaces/default/pods',
    body: { metadata: { name: id }, spec: { containers: ports(n) } },
  })),
  input('owner references', 'references', [5000, 10_000, 20_000], 3, (n, id) => ({
    path: configMaps,
    body: { metadata: { name: id, ownerReferences: owners(n) } },
  })),
  input('CRD versions', 'versions', [1000, 10_000], 2, (n, id) => ({
    path: definitions,
    body: definition({ type: 'object' }, n, `${id.replace('-', '')}s`),
  })),
  pattern('pattern ^(.{0,999})…$', `^${'(.{0,999})'.repeat(50)}$`, [100_000], (n) => 'a'.repeat(n)),
  pattern('pattern ^(.{0,99}){2}$', '^(.{0,99}){2}$', [10_000, 1_400_000], (n) => 'a'.repeat(n)),
  pattern('pattern a(a|b){20}[^ab]', 'a(a|b){20}[^ab]', [20_000, 100_000, 1_400_000], letters),
  rule('CEL findAll', "self.text.findAll('a.*c|a').size() >= 0", [10_000, 100_000], (n) => ({ text: 'a'.repeat(n) })),
  rule('CEL replace', "self.text.replace('a', self.text).size() >= 0", [20_000], (n) => ({ text: 'a'.repeat(n) })),
  rule(
    'CEL equal lists in a loop',
    'self.list.all(x, self.lists[0] == self.lists[1] || self.lists == self.lists)',
    [1000],
    (n) => ({ list: list(n, String), lists: list(n, () => list(100, String)) }),
  ),
  rule('CEL sizes of long texts in a loop', 'self.list.all(x, self.text.size() > 0)', [1000], (n) => ({
    text: 'a'.repeat(1000 * n),
    list: list(n, String),
  })),
  input('invalid labels', 'labels', [100_000], 2, (n, id) => ({
    path: configMaps,
    body: { metadata: { name: id, labels: labels(n) } },
  })),
  {
    name: 'watches that are never read',
    unit: 'watches',
    sizes: [60],
    small: 0,
    run: async (client, n) => {
      for (let i = 0; i < n; i++) await client.sendUnread(`${configMaps}?watch=1`)
      let last: Received = { status: 0, text: '' }
      for (let i = 0; i < (n === 0 ? 1 : 250); i++) {
        last = await client.send({ path: configMaps, body: { metadata: { generateName: 'x' }, data: bulk } })
      }
      return last
    },
  },
  {
    name: 'lists that are never read',
    unit: 'lists of 20 MB',
    sizes: [40],
    small: 0,
    prepare: async (client) => {
      for (let i = 0; i < 200; i++) {
        await client.send({ path: configMaps, body: { metadata: { generateName: 'x' }, data: bulk } })
      }
    },
    run: async (client, n) => {
      for (let i = 0; i < n; i++) await client.sendUnread(configMaps)
      // The server has read all of them when it has answered a later request.
      return await client.send({ method: 'GET', path: `${configMaps}?limit=1` })
    },
  },
]

const bulk = { text: 'x'.repeat(100_000) }
