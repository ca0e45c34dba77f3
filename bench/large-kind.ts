/** A custom resource like those of large operators: a schema with 200 fields, and five validation rules. */
import type { Json } from '../src/api/json.ts'
import { collection, customGroup, definition, type Kind } from './manifests.ts'

const sections = 20
const fieldsOfSection = 10

const sectionName = (i: number): string => `section${String(i).padStart(2, '0')}`

/** Ten fields of common types. */
const sectionSchema: Json = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 63, pattern: '^[a-z0-9-]+$' },
    image: { type: 'string', maxLength: 200 },
    policy: { type: 'string', enum: ['Always', 'Never'], default: 'Always' },
    replicas: { type: 'integer', minimum: 0, maximum: 1000, default: 1 },
    limit: { type: 'integer', minimum: 0, maximum: 1000 },
    port: { 'x-kubernetes-int-or-string': true },
    enabled: { type: 'boolean', default: true },
    labels: { type: 'object', maxProperties: 10, additionalProperties: { type: 'string', maxLength: 63 } },
    args: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 63 } },
    ports: {
      type: 'array',
      maxItems: 10,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port'],
      items: {
        type: 'object',
        required: ['port'],
        properties: { port: { type: 'integer' }, name: { type: 'string', maxLength: 63 } },
      },
    },
  },
}

const section = (i: number): Json => ({
  name: `name-${i}`,
  image: 'registry.example/app:1.0',
  policy: 'Never',
  replicas: i,
  limit: 100,
  port: 8080,
  enabled: i % 2 === 0,
  labels: { app: 'web' },
  args: ['--verbose', '--level=info'],
  ports: [{ port: 80, name: 'http' }],
})

const each = <T>(make: (i: number) => T): Record<string, T> =>
  Object.fromEntries(Array.from({ length: sections }, (_, i) => [sectionName(i), make(i)]))

const rules: Json = [
  { rule: 'self.section00.replicas <= self.section00.limit', message: 'replicas must not exceed the limit' },
  { rule: 'self.section01.args.all(arg, arg.startsWith("--"))' },
  { rule: 'self.section02.ports.exists(p, p.port == 80) || !self.section02.enabled' },
  {
    rule: 'self.value.matches("^v-[0-9]+$") && self.value.size() < 50',
    messageExpression: '"bad value " + self.value',
  },
  { rule: 'self.section03.name == oldSelf.section03.name', message: 'the name is immutable' },
]

const spec: Json = {
  type: 'object',
  required: ['value'],
  properties: { value: { type: 'string', maxLength: 100 }, ...each(() => sectionSchema) },
  'x-kubernetes-validations': rules,
}

export const large: Kind = {
  apiVersion: `${customGroup}/v1`,
  kind: 'Large',
  collection: collection(`${customGroup}/v1`, 'larges'),
  definition: definition({ group: customGroup, kind: 'Large', plural: 'larges', spec }),
  fields: (value) => ({ spec: { value, ...each(section) } }),
}

/** Part of the titles of its measurements. */
export const largeTitle = `CR of ${sections * fieldsOfSection} fields, 5 rules`
