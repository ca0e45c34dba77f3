/** Webhooks of an operator answer any AdmissionReview or ConversionReview, and stay alive (item 20). */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/api/json.ts'
import { RestClient } from '../../src/client/rest-client.ts'
import { simulatedEnv } from '../../src/env/simulated.ts'
import { externalServices } from '../../src/external/external-user.ts'
import { silentLogger } from '../../src/telemetry/logger.ts'
import { admissionReview, ReviewError } from '../../src/webhooks/admission-review.ts'
import { webhookConfigurations, byService } from '../../src/webhooks/configurations.ts'
import { answerConversionReview } from '../../src/webhooks/conversion-webhook.ts'
import { check, conversion, tag } from '../../src/webhooks/testdata/shop.ts'
import { isLong } from './size.ts'

const services = {
  client: new RestClient({
    env: simulatedEnv(),
    transport: {
      request: () => Promise.reject(new Error('a handler called the server')),
      close: () => Promise.resolve(),
    },
  }),
  log: silentLogger,
  signal: new AbortController().signal,
  externals: externalServices(simulatedEnv()),
}

const key = fc.constantFrom(
  '__proto__',
  'constructor',
  'uid',
  'metadata',
  'name',
  'spec',
  'owner',
  'rooms',
  'labels',
  'x',
)
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<Json[]>(null, true, 0, -1, 1e300, '', 'ann', '__proto__', 'a\u0000b', '😀', {}, []),
    fc.array(tie('value'), { maxLength: 3 }),
    fc
      .array(fc.tuple(key, tie('value')), { maxLength: 4 })
      .map(
        (entries) =>
          JSON.parse(
            `{${entries.map(([name, each]) => `${JSON.stringify(name)}:${JSON.stringify(each)}`).join()}}`,
          ) as Json,
      ),
  ),
}))
const shop = fc.oneof(
  value,
  fc.record({ apiVersion: fc.constant('example.dev/v1'), kind: fc.constant('Shop'), metadata: value, spec: value }),
) as fc.Arbitrary<Json>
const request = fc.record(
  {
    uid: fc.oneof({ weight: 5, arbitrary: fc.constant<Json>('u') }, { weight: 1, arbitrary: value }),
    operation: fc.oneof(fc.constantFrom<Json[]>('CREATE', 'UPDATE', 'DELETE', 'CONNECT'), value),
    object: shop,
    oldObject: shop,
    userInfo: value,
    name: value,
    namespace: value,
    dryRun: value,
    subResource: value,
    options: value,
  },
  { requiredKeys: ['uid', 'operation'] },
) as fc.Arbitrary<Json>
const admission = fc.oneof(
  { weight: 1, arbitrary: value },
  {
    weight: 9,
    arbitrary: request.map((each): Json => ({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: each,
    })),
  },
)
const converted = fc
  .record({
    desired: fc.constantFrom('example.dev/v1', 'example.dev/v1alpha1', 'x/v1', ''),
    objects: fc.array(shop, { maxLength: 3 }),
  })
  .map(({ desired, objects }): Json => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: { uid: 'u', desiredAPIVersion: desired, objects },
  }))

/** The answer to a review; a ReviewError means 400. Any other error is a bug. */
async function answered(work: () => unknown): Promise<'answer' | 'refusal'> {
  try {
    const { body } = (await work()) as { body: Json }
    JSON.stringify(body)
    return 'answer'
  } catch (error) {
    if (error instanceof ReviewError) return 'refusal'
    throw error
  }
}

describe('reviews', () => {
  it('any AdmissionReview is answered or refused', { timeout: 1_800_000 }, async () => {
    const counts = { answer: 0, refusal: 0 }
    await fc.assert(
      fc.asyncProperty(admission, fc.constantFrom(check, tag), async (review, webhook) => {
        counts[await answered(() => admissionReview(webhook, review, services))]++
      }),
      { numRuns: isLong ? 1_000_000 : 10_000, seed: 20 },
    )
    expect(counts.answer).toBeGreaterThan(1_000)
    expect(counts.refusal).toBeGreaterThan(100)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it('any ConversionReview is answered or refused', { timeout: 600_000 }, async () => {
    const counts = { answer: 0, refusal: 0 }
    await fc.assert(
      fc.asyncProperty(
        fc.oneof({ weight: 1, arbitrary: value }, { weight: 9, arbitrary: converted }),
        async (review) => {
          counts[await answered(() => answerConversionReview([conversion], review))]++
        },
      ),
      { numRuns: isLong ? 100_000 : 5_000, seed: 21 },
    )
    expect(counts.answer).toBeGreaterThan(500)
  })

  it('the configurations say what happens without an answer, and when that is', () => {
    const made = webhookConfigurations('shops', [check, tag], byService('shops-webhooks', 'shops-system'))
    const entries = made.flatMap(({ webhooks }) => webhooks as unknown as Record<string, unknown>[])
    expect(entries).toHaveLength(2)
    for (const entry of entries)
      expect(entry).toMatchObject({ failurePolicy: 'Fail', sideEffects: 'None', timeoutSeconds: expect.any(Number) })
  })
})
