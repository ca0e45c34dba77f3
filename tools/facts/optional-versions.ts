/**
 * Writes the facts of versions that a real server serves only on demand: their discovery and operations to
 * `optional-versions.json`, their types into `schemas.json`. Starts a reference cluster with them.
 *
 *   node scripts/run-ts.mjs tools/facts/optional-versions.ts
 *   cd tools/facts && go run . ../../src/facts/schemas.json >../../src/facts/encoding.json
 */
import { readFileSync, writeFileSync } from 'node:fs'
import type { Json, JsonObject } from '../../src/api/json.ts'
import { startCluster, type Cluster } from '../../test/cluster/index.ts'

const facts = new URL('../../src/facts/', import.meta.url)
const versions = ['admissionregistration.k8s.io/v1beta1']
const gates = ['MutatingAdmissionPolicy']

async function versionFacts(cluster: Cluster, version: string, schemas: Map<string, string>): Promise<JsonObject> {
  const listed = (await cluster.request('GET', `/apis/${version}`)).body as { resources: JsonObject[] }
  const document = (await cluster.request('GET', `/openapi/v3/apis/${version}`)).body as {
    paths: Record<string, Record<string, JsonObject>>
    components: { schemas: Record<string, JsonObject> }
  }
  const service = version.split('/').reverse().join('.')
  const { spec } = (await cluster.request('GET', `/apis/apiregistration.k8s.io/v1/apiservices/${service}`)).body as {
    spec: { versionPriority: number }
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    if (!schemas.has(name)) schemas.set(name, JSON.stringify(withoutProse(schema, true)))
  }
  return {
    versionPriority: spec.versionPriority,
    discovery: {
      version: version.split('/')[1],
      resources: listed.resources.map(({ name, kind, namespaced, singularName, verbs, categories }) => ({
        resource: name as string,
        responseKind: { group: '', version: '', kind: kind as string },
        scope: namespaced === true ? 'Namespaced' : 'Cluster',
        singularResource: singularName as string,
        verbs,
        ...(categories === undefined ? {} : { categories }),
      })),
      freshness: 'Current',
    },
    operations: Object.fromEntries(
      Object.entries(document.paths).map(([path, methods]) => [path, pathOperations(methods)]),
    ),
  }
}

const methodNames = new Set(['get', 'put', 'post', 'delete', 'patch'])

function pathOperations({ parameters = {}, ...methods }: Record<string, JsonObject>): JsonObject {
  const operations: JsonObject = {}
  for (const [method, operation] of Object.entries(methods)) {
    if (!methodNames.has(method)) continue
    const kind = operation['x-kubernetes-group-version-kind'] as { kind: string } | undefined
    const action = operation['x-kubernetes-action'] as string | undefined
    const given = [parameters, operation['parameters'] ?? []].flatMap((list) => (Array.isArray(list) ? list : []))
    const query = (given as { name: string; in: string }[]).filter((each) => each.in === 'query')
    operations[method] = {
      ...(action === undefined ? {} : { action }),
      ...(kind === undefined ? {} : { kind: kind.kind }),
      query: query.map(({ name }) => name).sort(),
    }
  }
  return operations
}

/** `isSchema`: false for the names of properties, of which one can be `description`. */
function withoutProse(value: Json, isSchema: boolean): Json {
  if (Array.isArray(value)) return value.map((item) => withoutProse(item, isSchema))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([key]) => !(isSchema && key === 'description'))
  return Object.fromEntries(entries.map(([key, child]) => [key, withoutProse(child, !(isSchema && key === 'properties'))]))
}

const cluster = await startCluster({
  apiserverArgs: [
    `--feature-gates=${gates.map((gate) => `${gate}=true`).join(',')}`,
    `--runtime-config=${versions.map((version) => `${version}=true`).join(',')}`,
  ],
})
try {
  const file = new URL('schemas.json', facts)
  const lines = readFileSync(file, 'utf8').matchAll(/^"([^"]*)":\s*(.*?),?$/gm)
  const schemas = new Map([...lines].map(([, name, schema]) => [name as string, schema as string]))
  const found: JsonObject = {}
  for (const version of versions) found[version] = await versionFacts(cluster, version, schemas)
  writeFileSync(new URL('optional-versions.json', facts), `${JSON.stringify(found, undefined, 1)}\n`)
  const sorted = [...schemas].sort(([a], [b]) => (a < b ? -1 : 1))
  writeFileSync(file, `{\n${sorted.map(([name, schema]) => `"${name}":${schema}`).join(',\n')}\n}\n`)
} finally {
  await cluster.stop()
}
