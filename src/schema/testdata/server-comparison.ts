/** Compares defaulting and validation of a kind with those of a server: any server that answers requests. */
import { equalJson, type Json } from '../../api/json.ts'
import type { Status } from '../../api/status.ts'
import type { CustomResourceDefinition } from '../builtin/kinds.ts'
import { canonical } from '../node.ts'
import { sampleGroup, type SampleKind } from './random-schemas.ts'

export type Api = (
  method: string,
  path: string,
  body?: Json,
) => Promise<{ readonly status: number; readonly body: unknown }>

export const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

/**
 * Creates the definition and waits until it is served and established: a real server serves it as soon as its names are
 * accepted. Throws the server's error if it rejects the definition.
 */
export async function install(api: Api, crd: CustomResourceDefinition): Promise<CustomResourceDefinition> {
  const created = await api('POST', definitions, crd as unknown as Json)
  if (created.status !== 201) throw new Error(`${crd.metadata.name ?? ''}: ${JSON.stringify(created.body)}`)
  const path = `/apis/${crd.spec.group}/${crd.spec.versions[0]?.name ?? ''}/${crd.spec.names.plural}`
  for (let tries = 0; tries < 2000; tries++) {
    if ((await api('GET', path)).status !== 200) continue
    const served = (await api('GET', `${definitions}/${crd.metadata.name ?? ''}`)).body as CustomResourceDefinition
    if (served.status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') === true)
      return served
  }
  throw new Error(`${crd.metadata.name ?? ''} is not served`)
}

export interface Comparison {
  readonly accepted: number
  readonly refused: number
  /** One line for each object with different results. */
  readonly differences: readonly string[]
}

/** Sends each object (as a dry run) to a server that serves the kind. */
export async function compare(api: Api, { kind, objects }: SampleKind): Promise<Comparison> {
  let accepted = 0
  const differences: string[] = []
  for (const object of objects) {
    const { status, body } = await api('POST', `/apis/${sampleGroup}/v1/${kind.plural}?dryRun=All`, object)
    const problems = await kind.validate(object)
    const differs = (what: string, ours: unknown, theirs: unknown): void => {
      differences.push(
        `${what}: ${JSON.stringify({ schema: kind.schema['properties'], object: object['spec'], ours, theirs })}`,
      )
    }
    if (status === 201) {
      accepted++
      const { spec } = body as { spec: Json }
      const defaulted = kind.defaulted(object as never).spec
      if (problems.length > 0) differs('refused here only', problems, spec)
      else if (!equalJson(spec, defaulted)) differs('stored otherwise', defaulted, spec)
    } else if (status === 422) {
      const causes = (body as Status).details?.causes ?? []
      if (!equalJson(sorted(causes), sorted(problems))) differs('other causes', problems, causes)
    } else if (problems.length === 0) {
      differs('refused there only', problems, body)
    }
  }
  return { accepted, refused: objects.length - accepted, differences }
}

/** A real server reports siblings in random order. */
const sorted = (values: readonly object[]): Json =>
  values.map((value) => JSON.stringify(canonical(value as Json))).sort()
