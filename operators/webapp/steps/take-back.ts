/**
 * Fields that others have added beside ours can make our apply invalid: a port with our port's name, a maximum beside
 * our minimum, a second handler of a probe. An apply cannot remove fields that we do not own, so the part that contains
 * them is replaced as a whole.
 */
import { keyOf, type ApiObject, type Json, type Kind, type Live } from 'coxswain'
import type { Partially } from 'coxswain/client'
import { fieldManager } from '../children/identity.ts'
import type { AppContext } from './context.ts'
import { releasingManager, valueAt, type Path } from './left-to-others.ts'

/** As small as can be: what else others have in them is lost. */
const parts: Readonly<Partial<Record<string, readonly Path[]>>> = {
  Deployment: [
    ['spec', 'strategy'],
    ['spec', 'template', 'spec'],
  ],
  Service: [['spec', 'ports']],
  Ingress: [['spec']],
  PodDisruptionBudget: [['spec']],
  HorizontalPodAutoscaler: [['spec']],
}

export interface Foreign {
  /** As `spec.ports`. */
  readonly field: string
  /** Undefined: it was left over when we took it back before. */
  readonly culprit?: string | undefined
  readonly operation: { readonly op: 'replace'; readonly path: string; readonly value: Json }
}

/** The parts of a child in which other managers own fields. */
export async function inTheWay(
  { client, signal }: AppContext,
  kind: Kind,
  wanted: Partially<ApiObject>,
  existing: Live<ApiObject>,
): Promise<readonly Foreign[]> {
  const { metadata } = await client.get(kind, keyOf(existing), { signal })
  const others = (metadata.managedFields ?? [])
    .filter(({ manager, subresource }) => manager !== fieldManager && subresource === undefined)
    .toSorted((a, b) => (b.time ?? '').localeCompare(a.time ?? ''))
  return (parts[kind.kind] ?? []).flatMap((path) => {
    const owners = others.filter(
      ({ fieldsV1 }) =>
        valueAt(
          fieldsV1,
          path.map((name) => `f:${name}`),
        ) !== undefined,
    )
    const culprit = owners.find(({ manager }) => manager !== releasingManager)?.manager
    const value = valueAt(wanted, path) as Json | undefined
    if (owners.length === 0 || value === undefined) return []
    return [
      { field: path.join('.'), culprit, operation: { op: 'replace', path: `/${path.join('/')}`, value } } as const,
    ]
  })
}

export async function takeBack(
  { client, signal, event }: AppContext,
  kind: Kind,
  existing: Live<ApiObject>,
  foreign: readonly Foreign[],
): Promise<void> {
  const { name, uid } = existing.metadata
  const patch = [
    { op: 'test', path: '/metadata/uid', value: uid ?? '' } as const,
    ...foreign.map(({ operation }) => operation),
  ]
  await client.patch(kind, keyOf(existing), { type: 'json', patch }, { signal, fieldManager: releasingManager })
  for (const { field, culprit } of foreign) {
    if (culprit !== undefined)
      event(
        'Warning',
        'DriftRepaired',
        `${kind.kind} ${name}: ${field} was not as it should be (changed by ${culprit}); repaired`,
      )
  }
}
