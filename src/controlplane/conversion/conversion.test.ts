/** Custom resources with a conversion webhook, from the definition to responses. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../api/json.ts'
import { afterMicrotasks } from '../../env/real.ts'
import { createControlPlane } from '../index.ts'
import { at, BoatPlane, crds, merge } from './testdata/boat-plane.ts'
import { boat, boatDefinition, versions, type Mode } from './testdata/boats.ts'

const apply = { 'content-type': 'application/apply-patch+yaml' }

let boats: BoatPlane
beforeEach(async () => {
  boats = await BoatPlane.start()
})

describe('objects in another version than the stored one', () => {
  it('converted objects are converted on the way to storage, and back', async () => {
    const made = await boats.send('POST', at('v2'), boat('v2', 'a', { length: '5m', hands: 2 }))
    expect(made).toMatchObject({
      status: 201,
      body: {
        apiVersion: 'sea.io/v2',
        metadata: { annotations: { 'sea.io/size': '5' } },
        spec: { length: '5m', hands: 2, flag: 'none' },
      },
    })
    expect(boats.questions()).toEqual(['v1 of a', 'v2 of a'])
    const stored = await boats.send('GET', at('v1', '/a'))
    expect(stored.body).toMatchObject({ apiVersion: 'sea.io/v1', spec: { size: 5, crew: 2, note: 'none' } })
    expect(stored.body.metadata).not.toHaveProperty('annotations')
    expect(boats.questions()).toEqual([])
  })

  it('converted objects lose what their version does not declare', async () => {
    boats.mode = 'undeclared'
    const made = await boats.send('POST', at('v2'), boat('v2', 'a', { length: '5m' }))
    expect(made.body.spec).toEqual({ length: '5m', flag: 'none' })
    expect((await boats.send('GET', at('v1', '/a'))).body.spec).toEqual({ size: 5, note: 'none' })
  })

  it('converted objects are sent without resourceVersion, with the defaults of their own version', async () => {
    await boats.send('POST', at('v1'), boat('v1', 'a', {}))
    const { body } = await boats.send('GET', at('v2', '/a'))
    expect(body.spec['length']).toBe('1m')
    expect(boats.asked[0]?.objects[0]?.['metadata']).not.toHaveProperty('resourceVersion')
    expect(body.metadata['resourceVersion']).toBe(
      (await boats.send('GET', at('v1', '/a'))).body.metadata['resourceVersion'],
    )
  })

  it('converted objects are patched, checked and counted in the version of the request', async () => {
    await boats.send('POST', at('v1'), boat('v1', 'a', { size: 3, crew: 2 }))
    expect((await boats.send('PATCH', at('v2', '/a'), { spec: { hands: 60 } }, merge)).body.message).toContain(
      'too many hands',
    )
    expect(await boats.send('PATCH', at('v1', '/a'), { spec: { crew: 60 } }, merge)).toMatchObject({ status: 200 })
    const patched = await boats.send('PATCH', at('v2', '/a'), { spec: { hands: 4, length: '8m' } }, merge)
    expect(patched.body).toMatchObject({ metadata: { generation: 3 }, spec: { hands: 4, length: '8m' } })
    expect((await boats.send('GET', at('v1', '/a'))).body.spec).toMatchObject({ size: 8, crew: 4 })
  })

  it('converted objects have a status, a scale and columns', async () => {
    await boats.send('POST', at('v1'), boat('v1', 'a', { size: 3, crew: 2 }))
    expect((await boats.send('PATCH', at('v2', '/a/status'), { status: { aboard: 1 } }, merge)).body).toMatchObject({
      status: { aboard: 1 },
      spec: { length: '3m' },
    })
    expect((await boats.send('PATCH', at('v2', '/a/scale'), { spec: { replicas: 7 } }, merge)).body).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 7 },
      status: { replicas: 1 },
    })
    expect((await boats.send('GET', at('v1', '/a'))).body).toMatchObject({ spec: { crew: 7 }, status: { aboard: 1 } })
    const table = await boats.send('GET', at('v2'), undefined, {
      accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
    })
    expect((table.body['rows'] as JsonObject[]).map(({ cells }) => cells)).toEqual([['a', '3m']])
  })

  it('converted objects have owners in each version, who conflict by what the change is there', async () => {
    await boats.send('POST', at('v1'), boat('v1', 'a', { size: 3, crew: 2 }))
    const patch = (version: string, manager: string, spec: JsonObject, more = '') =>
      boats.send('PATCH', `${at(version, '/a')}?fieldManager=${manager}${more}`, boat(version, 'a', spec), apply)
    expect((await patch('v2', 'm', { length: '4m' })).body.message).toBe(
      'Apply failed with 1 conflict: conflict with "unknown" using sea.io/v1: .spec.size',
    )
    const { body } = await patch('v2', 'm', { length: '4m' }, '&force=true')
    const owners = body.metadata['managedFields'] as {
      readonly manager: string
      readonly apiVersion: string
      readonly fieldsV1: Json
    }[]
    expect(owners.map(({ manager, apiVersion, fieldsV1 }) => [manager, apiVersion, fieldsV1])).toEqual([
      ['m', 'sea.io/v2', { 'f:spec': { 'f:length': {} } }],
      ['unknown', 'sea.io/v1', { 'f:spec': { '.': {}, 'f:crew': {} } }],
    ])
    boats.mode = 'failure'
    expect((await patch('v2', 'm', { length: '9m' })).body.message).toContain(
      'conversion webhook for sea.io/v2, Kind=Boat failed: no such boat',
    )
  })

  it('converted objects are changed by admission in the version that it knows', async () => {
    const rules = [{ apiGroups: ['sea.io'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['boats'] }]
    const webhooks = [
      {
        name: 'stamp.sea.io',
        clientConfig: { url: 'https://boats.test/stamp' },
        rules,
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ]
    await boats.send('POST', '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
      metadata: { name: 'stamp' },
      webhooks,
    })
    expect((await boats.send('POST', at('v2'), boat('v2', 'a', { length: '5m', hands: 4 }))).body.spec).toEqual({
      length: '5m',
      hands: 4,
      flag: 'crew of 4',
    })
    boats.mode = 'failure'
    expect((await boats.send('POST', at('v2'), boat('v2', 'b', {}))).body.message).toBe(
      'Internal error occurred: Internal error occurred: conversion webhook for sea.io/v2, Kind=Boat failed: ' +
        'no such boat',
    )
    boats.mode = 'up-only'
    expect((await boats.send('POST', at('v2'), boat('v2', 'b', {}))).body.message).toBe(
      'conversion webhook for sea.io/v1, Kind=Boat failed: no such boat',
    )
    expect((await boats.send('GET', at('v1', '/b'))).status).toBe(404)
  })

  it('converted objects are counted once by a quota, however often the write is run', async () => {
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'q' },
      spec: { hard: { 'count/boats.sea.io': '1' } },
    }
    const quotas = '/api/v1/namespaces/default/resourcequotas'
    const { body } = await boats.send('POST', quotas, quota)
    await boats.send('PUT', `${quotas}/q/status`, {
      ...body,
      status: { hard: { 'count/boats.sea.io': '1' }, used: { 'count/boats.sea.io': '0' } },
    })
    expect((await boats.send('POST', at('v2'), boat('v2', 'a', { length: '5m' }))).status).toBe(201)
    expect((await boats.send('GET', `${quotas}/q`)).body).toMatchObject({
      status: { used: { 'count/boats.sea.io': '1' } },
    })
    expect((await boats.send('POST', at('v2'), boat('v2', 'b', { length: '5m' }))).body.message).toContain(
      'exceeded quota',
    )
  })

  it('converted objects are not asked for where nothing is stored, and dry runs store nothing', async () => {
    expect(await boats.send('POST', `${at('v2')}?dryRun=All`, boat('v2', 'a', { length: '5m' }))).toMatchObject({
      status: 201,
      body: { metadata: { annotations: { 'sea.io/size': '5' } } },
    })
    expect((await boats.send('GET', at('v1'))).body.items).toEqual([])
    boats.questions()
    expect((await boats.send('GET', at('v2', '/a'))).status).toBe(404)
    expect((await boats.send('GET', at('v2'))).body.items).toEqual([])
    expect(boats.questions()).toEqual([])
  })

  it('converted objects that exist already are refused after one question', async () => {
    await boats.send('POST', at('v1'), boat('v1', 'a', { size: 3 }))
    expect((await boats.send('POST', at('v2'), boat('v2', 'a', { length: '5m' }))).status).toBe(409)
    expect(boats.questions()).toContain('v1 of a')
    expect((await boats.send('GET', at('v1', '/a'))).body.spec['size']).toBe(3)
  })
})

describe('lists', () => {
  it('lists of converted objects are one question for all, and none for what is known; a get always asks', async () => {
    for (const name of ['a', 'b', 'c']) await boats.send('POST', at('v1'), boat('v1', name, { size: 3 }))
    expect((await boats.send('GET', at('v2'))).body.items).toHaveLength(3)
    expect(boats.questions()).toEqual(['v2 of a,b,c'])
    await boats.send('PATCH', at('v1', '/b'), { spec: { size: 4 } }, merge)
    expect((await boats.send('GET', `${at('v2')}?fieldSelector=spec.length%3D4m`)).body.items).toMatchObject([
      { metadata: { name: 'b' } },
    ])
    expect(boats.questions()).toEqual(['v2 of b'])
    await boats.send('GET', at('v2', '/b'))
    expect(boats.questions()).toEqual(['v2 of b'])
  })

  it('lists of converted objects are asked for in reviews that a webhook takes', async () => {
    const note = 'x'.repeat(400 * 1024)
    for (const name of ['a', 'b', 'c']) await boats.send('POST', at('v1'), boat('v1', name, { note }))
    expect((await boats.send('GET', at('v2'))).body.items).toHaveLength(3)
    expect(boats.questions()).toEqual(['v2 of a,b', 'v2 of c'])
  })

  it('lists of converted objects fail by the first object that cannot be converted', async () => {
    for (const name of ['a', 'b']) await boats.send('POST', at('v1'), boat('v1', name, { size: 3 }))
    boats.mode = 'fewer'
    expect(await boats.send('GET', at('v2'))).toMatchObject({
      status: 500,
      body: { message: 'conversion webhook for sea.io/v1, Kind=Boat returned 0 objects, expected 1' },
    })
    expect(boats.questions()).toEqual(['v2 of a,b', 'v2 of a'])
    boats.mode = 'right'
    expect((await boats.send('GET', at('v2'))).status).toBe(200)
  })

  it('lists of converted objects wait for a revision, and are converted then', async () => {
    const { body } = await boats.send('POST', at('v1'), boat('v1', 'a', { size: 3 }))
    const later = boats.send('GET', `${at('v2')}?resourceVersion=${Number(body.metadata['resourceVersion']) + 1}`)
    await boats.send('POST', at('v1'), boat('v1', 'b', { size: 4 }))
    expect((await later).body.items).toHaveLength(2)
  })
})

describe('deletions', () => {
  it('deletions of converted objects answer with what was converted', async () => {
    for (const name of ['a', 'b', 'c']) await boats.send('POST', at('v1'), boat('v1', name, { size: 3 }))
    await boats.send('PATCH', at('v2', '/c'), { metadata: { finalizers: ['sea.io/anchor'] } }, merge)
    expect(await boats.send('DELETE', at('v2', '/a'))).toMatchObject({ status: 200, body: { status: 'Success' } })
    const marked = await boats.send('DELETE', at('v2', '/c'))
    expect(marked.body).toMatchObject({ apiVersion: 'sea.io/v2', spec: { length: '3m' } })
    expect(marked.body.metadata['deletionTimestamp']).toBeDefined()
    const left = await boats.send('DELETE', at('v2'))
    expect(left.body.items.map(({ metadata }) => (metadata as JsonObject)['name'])).toEqual(['b', 'c'])
    await boats.send('PATCH', at('v2', '/c'), { metadata: { finalizers: null } }, merge)
    expect((await boats.send('GET', at('v1'))).body.items).toEqual([])
  })

  it('deletions of converted objects of what cannot be converted are refused', async () => {
    await boats.send('POST', at('v1'), boat('v1', 'a', {}))
    await boats.send('GET', at('v2'))
    boats.mode = 'failure'
    expect((await boats.send('DELETE', at('v2', '/a'))).status).toBe(500)
    expect((await boats.send('DELETE', at('v2'))).status).toBe(500)
    expect((await boats.send('DELETE', at('v1', '/a'))).status).toBe(200)
  })

  it('deleting the definition deletes what is stored in an older version, once it is converted', async () => {
    await boats.send('POST', at('v1'), boat('v1', 'a', {}))
    await boats.send(
      'PATCH',
      `${crds}/boats.sea.io`,
      { spec: { versions: versions.map((each) => ({ ...each, storage: each['name'] === 'v2' })) } },
      merge,
    )
    await boats.send('DELETE', `${crds}/boats.sea.io`)
    await afterMicrotasks()
    expect((await boats.send('GET', `${crds}/boats.sea.io`)).status).toBe(404)
  })
})

describe('failures', () => {
  it.each<[Mode, string]>([
    ['failure', 'failed: no such boat'],
    ['bare-failure', "failed: response.result.status was 'Failure', not 'Success'"],
    ['fewer', 'returned 0 objects, expected 1'],
    ['renamed', 'returned invalid object: must have the same name: a != other'],
    ['other-namespace', 'returned invalid object: must have the same namespace: default != other'],
    ['no-metadata', 'returned invalid object: must have the same name: a != '],
    [
      'other-version',
      'returned invalid object at index 0: invalid groupVersion (expected sea.io/v2, received sea.io/v9)',
    ],
    ['other-kind', 'returned invalid object at index 0: invalid kind (expected Boat, received Ship)'],
    [
      'number-label',
      'returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object',
    ],
    ['no-review', 'failed: no kind "Other" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"'],
    ['no-response', 'failed: no response provided'],
  ])('%s', async (how, message) => {
    await boats.send('POST', at('v1'), boat('v1', 'a', { size: 3 }))
    boats.mode = how
    expect(await boats.send('GET', at('v2', '/a'))).toMatchObject({
      status: 500,
      body: { message: `conversion webhook for sea.io/v1, Kind=Boat ${message}` },
    })
  })

  it('a failed conversion prevents a write, unless only the way back fails', async () => {
    boats.mode = 'failure'
    expect((await boats.send('POST', at('v2'), boat('v2', 'a', { length: '5m' }))).body.message).toBe(
      'conversion webhook for sea.io/v2, Kind=Boat failed: no such boat',
    )
    expect((await boats.send('GET', at('v1'))).body.items).toEqual([])
    boats.mode = 'up-only'
    expect((await boats.send('POST', at('v2'), boat('v2', 'a', { length: '5m' }))).body.message).toBe(
      'conversion webhook for sea.io/v1, Kind=Boat failed: no such boat',
    )
    expect((await boats.send('GET', at('v1', '/a'))).body.spec['size']).toBe(5)
    boats.mode = 'right'
    await boats.send('GET', at('v2'))
    boats.mode = 'up-only'
    expect((await boats.send('PATCH', at('v2', '/a'), { spec: { length: '6m' } }, merge)).status).toBe(500)
    expect((await boats.send('GET', at('v1', '/a'))).body.spec['size']).toBe(6)
  })

  it('failures of conversions of labels and other metadata: only labels and annotations are taken', async () => {
    await boats.send('POST', at('v1'), boat('v1', 'a', { size: 3 }))
    boats.mode = 'other-rest'
    expect((await boats.send('GET', at('v2', '/a'))).body.metadata).toMatchObject({
      labels: { made: 'yes' },
      generation: 1,
    })
    expect((await boats.send('GET', at('v2', '/a'))).body.metadata).not.toHaveProperty('finalizers')
    boats.mode = 'bad-label'
    expect((await boats.send('GET', at('v2', '/a'))).body.message).toContain(
      'returned invalid metadata: [metadata.labels: Invalid value: "not valid"',
    )
  })

  it('failures of conversions of a webhook that is not there are those of the call', async () => {
    const clientConfig = { service: { namespace: 'default', name: 'absent' } }
    const bare = createControlPlane({ env: boats.env }).transport()
    const post = (path: string, body: JsonObject) => bare({ method: 'POST', path, body })
    await post(crds, boatDefinition(clientConfig))
    await post(at('v1'), boat('v1', 'a', {}))
    const { body } = await bare({ method: 'GET', path: at('v2', '/a') })
    expect(body).toMatchObject({
      message:
        'conversion webhook for sea.io/v1, Kind=Boat failed: Post ' +
        '"https://absent.default.svc:443/?timeout=30s": service "absent" not found',
    })
  })
})

describe('another storage version', () => {
  it('another storage version leaves objects as they are stored until they are written', async () => {
    await boats.send('POST', at('v1'), boat('v1', 'a', { size: 3, note: 'x' }))
    const { body: before } = await boats.send('GET', at('v1', '/a'))
    await boats.send(
      'PATCH',
      `${crds}/boats.sea.io`,
      { spec: { versions: versions.map((each) => ({ ...each, storage: each['name'] === 'v2' })) } },
      merge,
    )
    expect((await boats.send('GET', `${crds}/boats.sea.io`)).body).toMatchObject({
      status: { storedVersions: ['v1', 'v2'] },
    })
    boats.questions()
    expect((await boats.send('GET', at('v1', '/a'))).body).toEqual(before)
    expect(boats.questions()).toEqual([])
    expect((await boats.send('GET', at('v2', '/a'))).body.spec['length']).toBe('3m')
    expect(boats.questions()).toEqual(['v2 of a'])
    // A no-op update, but it rewrites the object in the other storage version.
    const { body: after } = await boats.send('PATCH', at('v1', '/a'), {}, merge)
    expect(Number(after.metadata['resourceVersion'])).toBeGreaterThan(Number(before.metadata['resourceVersion']))
    expect((await boats.send('PATCH', at('v1', '/a'), {}, merge)).body.metadata['resourceVersion']).toBe(
      after.metadata['resourceVersion'],
    )
    boats.questions()
    await boats.send('GET', at('v2', '/a'))
    expect(boats.questions()).toEqual([])
  })
})
