import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../api/json.ts'
import { RestClient } from '../client/rest-client.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { externalServices } from '../external/external-user.ts'
import { ConfigMap, Pod } from '../schema/builtin/kinds.ts'
import { silentLogger } from '../telemetry/logger.ts'
import { applyJsonPatch } from '../controlplane/patch/json-patch.ts'
import { admissionReview, ReviewError } from './admission-review.ts'
import { mutating, validating, type AdmissionWebhook } from './admission-webhook.ts'
import { checkConversions, answerConversionReview, converting } from './conversion-webhook.ts'
import { jsonDifference } from './json-difference.ts'
import { check, conversion, Shop, ShopV1alpha1, tag } from './testdata/shop.ts'

const services = {
  client: new RestClient({
    env: simulatedEnv(),
    transport: { request: () => Promise.reject(new Error('nobody is there')), close: () => Promise.resolve() },
  }),
  log: silentLogger,
  signal: new AbortController().signal,
  externals: externalServices(simulatedEnv()),
}
const shop = (rooms: number, owner = 'ann', metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'example.dev/v1',
  kind: 'Shop',
  metadata: { name: 'a', ...metadata },
  spec: { owner: { name: owner }, rooms },
})

async function reviewed(webhook: AdmissionWebhook, request: JsonObject) {
  const review = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u1', name: 'a', namespace: 'default', userInfo: { username: 'ann', groups: ['dev'] }, ...request },
  }
  const { body, code } = await admissionReview(webhook, review, services)
  return {
    ...(
      body as {
        response: {
          uid: string
          allowed: boolean
          status?: JsonObject
          patch?: string
          patchType?: string
          warnings?: string[]
        }
      }
    ).response,
    code,
  }
}

describe('a validating webhook', () => {
  it('a validating webhook allows, warns, and rejects with a message or with field errors', async () => {
    expect(await reviewed(check, { operation: 'CREATE', object: shop(1) })).toEqual({
      uid: 'u1',
      allowed: true,
      code: 200,
    })
    expect(await reviewed(check, { operation: 'CREATE', object: shop(11) })).toEqual({
      uid: 'u1',
      allowed: true,
      warnings: ['that is a large shop'],
      code: 200,
    })
    expect(await reviewed(check, { operation: 'CREATE', object: shop(1, 'nobody') })).toMatchObject({
      allowed: false,
      code: 403,
      status: { code: 403, reason: 'Forbidden', message: 'ann may not open a shop of nobody' },
    })
    expect(await reviewed(check, { operation: 'CREATE', object: shop(21) })).toMatchObject({
      allowed: false,
      code: 422,
      status: {
        code: 422,
        reason: 'Invalid',
        message: 'Shop.example.dev "a" is invalid: spec.rooms: a shop has at most 20 rooms',
        details: {
          causes: [{ field: 'spec.rooms', message: 'a shop has at most 20 rooms', reason: 'FieldValueInvalid' }],
        },
      },
    })
  })

  it('a validating webhook sees the old object of an update and of a delete', async () => {
    expect(await reviewed(check, { operation: 'UPDATE', object: shop(1, 'bob'), oldObject: shop(1) })).toMatchObject({
      allowed: false,
      status: { message: 'a shop keeps its owner' },
    })
    expect(await reviewed(check, { operation: 'UPDATE', object: shop(2), oldObject: shop(1) })).toMatchObject({
      allowed: true,
    })
    expect(
      await reviewed(check, {
        operation: 'DELETE',
        object: null,
        oldObject: shop(1, 'ann', { labels: { keep: 'true' } }),
      }),
    ).toMatchObject({ allowed: false, status: { message: 'a is to be kept' } })
  })

  it('a validating webhook that throws refuses, and says why', async () => {
    expect(await reviewed(check, { operation: 'CREATE', object: shop(1, 'broken') })).toMatchObject({
      allowed: false,
      code: 500,
      status: { code: 500, message: 'the handler is broken' },
    })
  })

  it('a validating webhook allows operations that it has no handler for', async () => {
    expect(
      await reviewed(validating(ConfigMap, { create: () => 'never' }), {
        operation: 'DELETE',
        object: null,
        oldObject: {},
      }),
    ).toMatchObject({ allowed: true })
  })

  it.each([
    [{ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1' }, 'no AdmissionReview with a request'],
    [{ kind: 'Pod' }, 'no AdmissionReview with a request'],
    [[], 'no AdmissionReview with a request'],
    [null, 'no AdmissionReview with a request'],
    [
      { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1beta1', request: {} },
      'of admission.k8s.io/v1beta1 is not understood',
    ],
    [{ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request: {} }, 'has no uid'],
  ])('a validating webhook refuses %j', async (review, message) => {
    await expect(admissionReview(check, review as Json, services)).rejects.toThrow(ReviewError)
    await expect(admissionReview(check, review as Json, services)).rejects.toThrow(message)
  })

  it('a validating webhook needs a handler, and a time that servers take', () => {
    expect(() => validating(Shop, {})).toThrow('needs a handler')
    expect(() => mutating(Shop, { create: () => undefined }, { timeoutSeconds: 31 })).toThrow('give 1 to 30')
  })

  it('a validating webhook is at the path that controller-runtime gives it', () => {
    expect([
      check.path,
      tag.path,
      validating(Pod, { create: () => undefined }).path,
      mutating(ConfigMap, { update: () => undefined }).path,
    ]).toEqual([
      '/validate-example-dev-v1-shop',
      '/mutate-example-dev-v1-shop',
      '/validate--v1-pod',
      '/mutate--v1-configmap',
    ])
  })
})

describe('a mutating webhook', () => {
  const patchOf = (response: { patch?: string }): unknown =>
    JSON.parse(Buffer.from(response.patch ?? '', 'base64').toString())

  it('a mutating webhook responds with the patch of what it changed, in place or as a new object', async () => {
    const response = await reviewed(tag, { operation: 'CREATE', object: shop(1) })
    expect(response).toMatchObject({ allowed: true, patchType: 'JSONPatch' })
    expect(patchOf(response)).toEqual([{ op: 'add', path: '/spec/tags', value: ['by ann'] }])
    const anew = mutating(Shop, { create: ({ object }) => ({ ...object, spec: { ...object.spec, rooms: 3 } }) })
    expect(patchOf(await reviewed(anew, { operation: 'CREATE', object: shop(1) }))).toEqual([
      { op: 'replace', path: '/spec/rooms', value: 3 },
    ])
  })

  it('a mutating webhook that changes nothing has no patch', async () => {
    expect(
      await reviewed(mutating(Shop, { create: () => undefined }), { operation: 'CREATE', object: shop(1) }),
    ).toEqual({ uid: 'u1', allowed: true, code: 200 })
  })
})

describe('the difference of two values', () => {
  it('the JSON patch between two values turns one into the other, whatever they are', () => {
    const object = fc.dictionary(fc.constantFrom('a', 'b', 'c/d', 'e~f'), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 })
    fc.assert(
      fc.property(object, object, (before, after) => {
        const from = JSON.parse(JSON.stringify(before)) as Json
        const to = JSON.parse(JSON.stringify(after)) as Json
        expect(applyJsonPatch(from as never, jsonDifference(from, to) as never)).toEqual(to)
      }),
    )
  })
})

describe('a conversion', () => {
  const asked = (objects: JsonObject[], desiredAPIVersion: string) =>
    (
      answerConversionReview([conversion], {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'ConversionReview',
        request: { uid: 'u1', desiredAPIVersion, objects },
      }).body as { response: { uid: string; result: JsonObject; convertedObjects: JsonObject[] } }
    ).response
  const old = {
    apiVersion: 'example.dev/v1alpha1',
    kind: 'Shop',
    metadata: { name: 'a', uid: 'x', labels: { a: 'b' } },
    spec: { owner: 'ann', size: 'large' },
  }

  it('a conversion goes to the hub and back, and keeps the metadata but for what it says', () => {
    const up = asked([old], 'example.dev/v1')
    expect(up).toMatchObject({ uid: 'u1', result: { status: 'Success' } })
    expect(up.convertedObjects).toEqual([
      { ...old, apiVersion: 'example.dev/v1', spec: { owner: { name: 'ann' }, rooms: 10 } },
    ])
    const [down] = asked(up.convertedObjects, 'example.dev/v1alpha1').convertedObjects
    expect(down).toEqual({ ...old, metadata: { ...old.metadata, annotations: { 'example.dev/rooms': '10' } } })
    expect(asked([old], 'example.dev/v1alpha1').convertedObjects).toEqual([old])
  })

  it('a conversion of what a server has pruned is that of an empty spec', () => {
    expect(asked([{ ...old, spec: null }], 'example.dev/v1').convertedObjects).toEqual([
      { ...old, apiVersion: 'example.dev/v1', spec: { owner: {}, rooms: 1 } },
    ])
  })

  it('a conversion that fails says why', () => {
    expect(asked([{ ...old, apiVersion: 'example.dev/v2' }], 'example.dev/v1').result).toEqual({
      status: 'Failure',
      message: 'Shop cannot be converted from example.dev/v2',
    })
    expect(asked([{ ...old, kind: 'Other' }], 'example.dev/v1').result).toEqual({
      status: 'Failure',
      message: 'no conversion of Other in example.dev is known',
    })
    expect(asked([{ ...old, apiVersion: 'example.dev/v1', spec: {} }], 'example.dev/v1alpha1').result).toMatchObject({
      status: 'Failure',
    })
    expect(() => answerConversionReview([conversion], { kind: 'Other' })).toThrow(ReviewError)
  })

  it('a conversion is checked for every version of the definition before anything starts', () => {
    expect(() => checkConversions(conversion)).not.toThrow()
    expect(() => checkConversions(converting(Shop))).toThrow(
      'Shop cannot be converted from and to example.dev/v1alpha1: give converting(Shop) a .version() for each',
    )
    const both = {
      up: () => ({ spec: { owner: { name: '' }, rooms: 1 } }),
      down: () => ({ spec: { owner: '', size: '' } }),
    }
    expect(() => checkConversions(conversion.version({ ...ShopV1alpha1, apiVersion: 'example.dev/v3' }, both))).toThrow(
      'Shop has no version example.dev/v3 beside example.dev/v1',
    )
  })
})
