/** Functions to write the steps of cases: one per verb, for a resource. */
import type { Json, JsonObject } from '../../src/api/json.ts'
import type { Step } from './case.ts'

type Extra = Omit<Step, 'method' | 'path' | 'body'>

export function request(method: string, path: string, body?: Json, extra: Extra = {}): Step {
  return { method, path, ...(body === undefined ? {} : { body }), ...extra }
}

export const get = (path: string, extra: Extra = {}): Step => request('GET', path, undefined, extra)

/** The requests for one resource. `query` is the part after the question mark. */
export interface Requests {
  readonly path: string
  create(body: Json, query?: string, extra?: Extra): Step
  get(name: string, query?: string, extra?: Extra): Step
  list(query?: string, extra?: Extra): Step
  table(name?: string, extra?: Extra): Step
  replace(name: string, body: Json, query?: string, extra?: Extra): Step
  merge(name: string, patch: Json, query?: string, extra?: Extra): Step
  json(name: string, operations: Json, query?: string, extra?: Extra): Step
  strategic(name: string, patch: Json, query?: string, extra?: Extra): Step
  apply(name: string, body: Json, query?: string, extra?: Extra): Step
  delete(name: string, query?: string, options?: Json, extra?: Extra): Step
  deleteAll(query?: string, options?: Json, extra?: Extra): Step
  /** Ends after this many events, or when the server ends it. */
  watch(query: string, events?: number, extra?: Extra): Step
  /** The same requests for a subresource such as `status` or `scale`. */
  sub(name: string): Requests
}

const tableAccept = 'application/json;as=Table;v=v1;g=meta.k8s.io'

function requests(path: string, below: string): Requests {
  const at = (name: string, query = ''): string => `${path}/${name}${below}${query === '' ? '' : `?${query}`}`
  const all = (query = ''): string => `${path}${query === '' ? '' : `?${query}`}`
  const patch =
    (type: string) =>
    (name: string, body: Json, query?: string, extra: Extra = {}): Step => {
      return request('PATCH', at(name, query), body, {
        ...extra,
        headers: { 'content-type': `application/${type}`, ...extra.headers },
      })
    }
  return {
    path,
    create: (body, query, extra) => request('POST', all(query), body, extra),
    get: (name, query, extra) => get(at(name, query), extra),
    list: (query, extra) => get(all(query), extra),
    table: (name, extra = {}) => {
      return get(name === undefined ? path : at(name), { ...extra, headers: { accept: tableAccept, ...extra.headers } })
    },
    replace: (name, body, query, extra) => request('PUT', at(name, query), body, extra),
    merge: patch('merge-patch+json'),
    json: patch('json-patch+json'),
    strategic: patch('strategic-merge-patch+json'),
    apply: patch('apply-patch+yaml'),
    delete: (name, query, options, extra) => request('DELETE', at(name, query), options, extra),
    deleteAll: (query, options, extra) => request('DELETE', all(query), options, extra),
    watch: (query, events, extra) => get(all(`watch=1&${query}`), { ...extra, watch: { events } }),
    sub: (name) => requests(path, `/${name}`),
  }
}

/** `resource('deployments', 'apps/v1')`: in the namespace of the case. */
export function resource(plural: string, version = 'v1'): Requests {
  return requests(`${root(version)}/namespaces/{{ns}}/${plural}`, '')
}

export function clusterResource(plural: string, version = 'v1'): Requests {
  return requests(`${root(version)}/${plural}`, '')
}

function root(version: string): string {
  return version.includes('/') ? `/apis/${version}` : `/api/${version}`
}

/** Sent by the user without rights. */
export const asAlice = (step: Step): Step => ({ ...step, token: 'alicetoken' })
/** Sent by the administrator, impersonating another user. */
export function as(user: string, step: Step, groups = ''): Step {
  const group = groups === '' ? {} : { 'impersonate-group': groups }
  return { ...step, headers: { ...step.headers, 'impersonate-user': user, ...group } }
}
export const prepared = (step: Step): Step => ({ ...step, setup: true })
export const informed = (step: Step): Step => ({ ...step, settle: 'informed' })

export const definitions = clusterResource('customresourcedefinitions', 'apiextensions.k8s.io/v1')

/**
 * A CRD `things` of the group `{{ns}}.example.com`, kind Thing, with this schema; `more` goes into its only version.
 */
export function thingDefinition(properties: JsonObject, more: JsonObject = {}, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.{{ns}}.example.com' },
    spec: {
      group: '{{ns}}.example.com',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties } },
          ...more,
        },
      ],
      ...spec,
    },
  }
}

/** Creates a CRD and waits until it is served. */
export const define = (definition: JsonObject): Step => definitions.create(definition, '', { settle: 'established' })

/** The requests for the custom resources of {@link thingDefinition}. */
export const things = resource('things', '{{ns}}.example.com/v1')

export const thing = (name: string, content: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: '{{ns}}.example.com/v1',
  kind: 'Thing',
  metadata: { name, ...metadata },
  ...content,
})
