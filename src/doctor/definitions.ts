/** CRDs that an operator needs: missing, not established, or other than the module declares. */
import { isObject, type Json } from '../api/json.ts'
import type { KubeObject } from '../api/object.ts'
import { conditionText, kstatusOf } from '../controller/kstatus.ts'
import { kindName } from '../schema/kind.ts'
import type { Finding } from './finding.ts'
import { installs, type Declared, type OperatorFacts } from './operator-facts.ts'

export function definitionFindings(facts: OperatorFacts): readonly Finding[] {
  return [
    ...facts.definitions.flatMap((definition) => findingsOf(definition, facts)),
    ...facts.unserved.map((kind): Finding => ({
      type: 'crd-missing',
      summary: `The server does not serve ${kindName(kind)} in ${kind.version}, which the operator watches.`,
      evidence: ['the module does not define this kind: its CRD comes from somewhere else'],
      command: `kubectl get crd ${kindName(kind)}`,
    })),
  ]
}

function findingsOf({ wanted, actual }: Declared, facts: OperatorFacts): readonly Finding[] {
  const { name = '' } = wanted.metadata
  if (actual === undefined) return []
  if (actual === 'absent')
    return [
      {
        type: 'crd-missing',
        summary: `The CustomResourceDefinition ${name} is missing.`,
        evidence: ['the module declares it, and the cluster does not have it'],
        command: installs(facts),
      },
    ]
  const { conditions = [] } = kstatusOf(actual.object)
  const bad = conditions.filter(
    ({ type, status }) => (type === 'Established' || type === 'NamesAccepted') && status !== 'True',
  )
  if (bad.length > 0)
    return [
      {
        type: 'crd-not-established',
        summary: `The CustomResourceDefinition ${name} is not established.`,
        evidence: bad.map(conditionText),
        command: `kubectl describe crd ${name}`,
      },
    ]
  const differences = differencesOf(wanted, actual.object)
  if (differences.length === 0) return []
  return [
    {
      type: 'crd-differs',
      summary: `The CustomResourceDefinition ${name} is not the one that the module declares.`,
      evidence: differences,
      command: installs(facts),
    },
  ]
}

interface Version {
  readonly name: string
  readonly served?: boolean
  readonly schema?: { readonly openAPIV3Schema?: Json }
}

function differencesOf(wanted: KubeObject, actual: KubeObject): readonly string[] {
  const of = (crd: KubeObject): readonly Version[] =>
    (crd['spec'] as { readonly versions?: readonly Version[] } | undefined)?.versions ?? []
  const has = of(actual)
  return of(wanted).flatMap(({ name, served, schema }) => {
    const found = has.find((each) => each.name === name)
    if (found === undefined) return [`it has no version ${name}, only ${has.map((each) => each.name).join(', ')}`]
    if (served === true && found.served !== true) return [`its version ${name} is not served`]
    const places = differentPlaces(schema?.openAPIV3Schema, found.schema?.openAPIV3Schema)
    return places.length === 0 ? [] : [`the schema of ${name} differs at ${places.slice(0, 5).join(', ')}`]
  })
}

/** Paths at which two schemas differ. What servers leave out, such as `false` and `''`, counts as absent. */
function differentPlaces(wanted: Json | undefined, actual: Json | undefined, path = ''): readonly string[] {
  if (isObject(wanted) && isObject(actual)) {
    const keys = [...new Set([...Object.keys(wanted), ...Object.keys(actual)])]
    return keys.flatMap((key) =>
      differentPlaces(wanted[key], actual[key], key === 'properties' ? path : `${path}.${key}`),
    )
  }
  const isEqual = JSON.stringify(plain(wanted)) === JSON.stringify(plain(actual))
  return isEqual ? [] : [path === '' ? 'its top level' : path.slice(1)]
}

function plain(value: Json | undefined): Json | undefined {
  if (value === false || value === '' || (Array.isArray(value) && value.length === 0)) return undefined
  return Array.isArray(value) ? value.map(sorted) : value
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}
