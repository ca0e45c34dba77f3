/** The verbs and patch kinds of random requests. */
import type { Json } from '../../../src/api/json.ts'
import type { Step } from '../case.ts'
import { request } from '../steps.ts'
import type { Requests } from '../steps.ts'
import {
  applied,
  applyQuery,
  bare,
  deleteOptions,
  guarded,
  jsonPatch,
  mergePatch,
  objectFor,
  query,
  selection,
  statusBody,
} from './bodies.ts'
import type { Moment } from './bodies.ts'
import { mutated } from './mutate.ts'

/** A kind of request: one entry per verb and patch type. */
interface Verb {
  readonly weight: number
  readonly name: string
  /** Undefined if the kind does not have the subresource. */
  build(at: Moment, to: Requests): Step | undefined
}

/** Only for kinds with a status subresource. */
const ofStatus =
  (build: (at: Moment, to: Requests) => Step) =>
  (at: Moment, to: Requests): Step | undefined => {
    return at.subject.status === undefined ? undefined : build(at, to.sub('status'))
  }

const ofScale =
  (build: (at: Moment, to: Requests) => Step) =>
  (at: Moment, to: Requests): Step | undefined => {
    return at.subject.scale ? build(at, to.sub('scale')) : undefined
  }

/** Limits only lists of namespaced kinds: the continue token of others depends on objects of other sequences. */
function page({ choices, subject }: Moment): Record<string, string> {
  return subject.namespaced && choices.chance(0.3) ? { limit: String(1 + choices.below(2)) } : {}
}

export const verbs: readonly Verb[] = [
  { weight: 14, name: 'create', build: (at, to) => to.create(objectFor(at), query(at.choices)) },
  { weight: 8, name: 'replace', build: (at, to) => to.replace(at.name, guarded(at, objectFor(at)), query(at.choices)) },
  { weight: 10, name: 'merge patch', build: (at, to) => to.merge(at.name, mergePatch(at), query(at.choices)) },
  { weight: 7, name: 'JSON patch', build: (at, to) => to.json(at.name, jsonPatch(at), query(at.choices)) },
  {
    weight: 8,
    name: 'strategic merge patch',
    build: (at, to) =>
      to.strategic(
        at.name,
        at.choices.chance(0.5) ? mergePatch(at) : mutated(at.subject.full, 3, at.choices),
        query(at.choices),
      ),
  },
  { weight: 16, name: 'apply', build: (at, to) => to.apply(at.name, applied(at), applyQuery(at.choices)) },
  { weight: 4, name: 'delete', build: (at, to) => to.delete(at.name, '', deleteOptions(at.choices, at.written)) },
  { weight: 1, name: 'delete collection', build: (at, to) => to.deleteAll(selection(at)) },
  { weight: 4, name: 'get', build: (at, to) => to.get(at.name) },
  { weight: 4, name: 'list', build: (at, to) => to.list(selection(at, page(at))) },
  {
    weight: 3,
    name: 'table',
    build: (at, to) =>
      at.choices.chance(0.5) ? to.table(at.name) : to.list(selection(at), { headers: { ...to.table().headers } }),
  },
  {
    weight: 5,
    name: 'status patch',
    build: ofStatus((at, to) => to.merge(at.name, statusBody(at), query(at.choices))),
  },
  {
    weight: 2,
    name: 'status replace',
    build: ofStatus((at, to) =>
      to.replace(at.name, guarded(at, { ...objectFor(at), ...statusBody(at) }), query(at.choices)),
    ),
  },
  {
    weight: 4,
    name: 'status apply',
    build: ofStatus((at, to) => to.apply(at.name, { ...bare(at), ...statusBody(at) }, applyQuery(at.choices))),
  },
  { weight: 1, name: 'get scale', build: ofScale((at, to) => to.get(at.name)) },
  {
    weight: 3,
    name: 'scale patch',
    build: ofScale((at, to) =>
      to.merge(at.name, { spec: { replicas: at.choices.pick<Json>([0, 1, 5, -1, 'x', null]) } }, query(at.choices)),
    ),
  },
  {
    weight: 2,
    name: 'scale replace',
    build: ofScale((at, to) =>
      to.replace(
        at.name,
        {
          apiVersion: 'autoscaling/v1',
          kind: 'Scale',
          metadata: { name: at.name, ...(at.subject.namespaced ? { namespace: '{{ns}}' } : {}) },
          spec: { replicas: at.choices.below(6) },
        },
        query(at.choices),
      ),
    ),
  },
  {
    weight: 1,
    name: 'wrong method',
    build: (at, to) =>
      request(at.choices.pick(['PUT', 'POST']), `${to.path}${at.choices.pick(['', `/${at.name}`])}`, objectFor(at)),
  },
]

export const verbNames: readonly string[] = verbs.map(({ name }) => name)
