import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../api/json.ts'
import type { KubeObject } from '../../api/object.ts'
import { buildConversionReview, convertedObjects } from './review.ts'

const boat: KubeObject = {
  apiVersion: 'sea.io/v1',
  kind: 'Boat',
  metadata: { name: 'a', namespace: 'default', uid: 'u', labels: { a: 'b' }, finalizers: ['sea.io/x'] },
  spec: { size: 1 },
}
const other = { ...boat, apiVersion: 'sea.io/v2' } as JsonObject & { readonly metadata: JsonObject }

function read(convertedObject: Json | undefined, more: JsonObject = {}, known = ['v1']): readonly KubeObject[] {
  const review = buildConversionReview(known, 'id', [boat], 'sea.io/v2')
  const response = {
    uid: 'id',
    result: { status: 'Success' },
    ...(convertedObject === undefined ? {} : { convertedObjects: [convertedObject] }),
  }
  return convertedObjects(
    [boat],
    { apiVersion: review.apiVersion, kind: 'ConversionReview', response, ...more },
    review,
    'sea.io/v2',
  )
}

describe('a conversion review', () => {
  it('a conversion review is of the first version that both know', () => {
    expect(buildConversionReview(['v2', 'v1', 'v1beta1'], 'id', [boat], 'sea.io/v2').body).toEqual({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      request: { uid: 'id', desiredAPIVersion: 'sea.io/v2', objects: [boat] },
    })
    expect(buildConversionReview(['v1beta1', 'v1'], 'id', [boat], 'sea.io/v2').apiVersion).toBe(
      'apiextensions.k8s.io/v1beta1',
    )
    expect(() => buildConversionReview(['v2'], 'id', [boat], 'sea.io/v2')).toThrow(
      'no supported conversion review versions',
    )
  })

  it('a conversion review is answered with objects of which only content, labels and annotations count', () => {
    const metadata = { ...other.metadata, labels: { c: 'd' }, annotations: { e: 'f' }, finalizers: [], generation: 7 }
    expect(read({ ...other, metadata, spec: { length: 1 } })).toEqual([
      {
        ...boat,
        apiVersion: 'sea.io/v2',
        metadata: { ...boat.metadata, labels: { c: 'd' }, annotations: { e: 'f' } },
        spec: { length: 1 },
      },
    ])
    const { labels: _, ...unlabelled } = other.metadata
    expect(read({ ...other, metadata: unlabelled })[0]?.metadata).not.toHaveProperty('labels')
  })

  it('a conversion review of v1beta1 need not say which it answers', () => {
    expect(() =>
      read(other, { response: { uid: 'x', result: { status: 'Success' }, convertedObjects: [other] } }),
    ).toThrow('conversion webhook for sea.io/v1, Kind=Boat failed: expected response.uid="id", got "x"')
    expect(
      read(other, { response: { result: { status: 'Success' }, convertedObjects: [other] } }, ['v1beta1']),
    ).toHaveLength(1)
    expect(() => read(other, { apiVersion: 'apiextensions.k8s.io/v1beta1' })).toThrow(
      'expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got ' +
        'apiextensions.k8s.io/v1beta1, Kind=ConversionReview',
    )
  })

  it.each<[string, Json | undefined, string]>([
    ['nothing', undefined, 'conversion webhook for sea.io/v1, Kind=Boat returned 0 objects, expected 1'],
    ['null', null, 'unexpected end of JSON input'],
    ['a text', 'boat', 'json: cannot unmarshal string into Go value of type struct'],
    ['no kind', { apiVersion: 'sea.io/v2' }, 'Object \'Kind\' is missing in \'{"apiVersion":"sea.io/v2"}\''],
    [
      'labels that are none',
      { ...other, metadata: { ...other.metadata, labels: [] } },
      'returned invalid metadata: invalid metadata.labels of type []interface {} in converted object',
    ],
    [
      'a label that is no text',
      { ...other, metadata: { ...other.metadata, labels: { a: true } } },
      'returned invalid metadata: metadata.labels[a] must be a string, but is bool in converted object',
    ],
    [
      'a wrong annotation',
      { ...other, metadata: { ...other.metadata, annotations: { 'a b': '' } } },
      'returned invalid metadata: metadata.annotation: Invalid value: "a b": ',
    ],
  ])('may not hold %s', (_name, object, message) => {
    expect(() => read(object)).toThrow(message)
  })

  it('a conversion review says so when it is none', () => {
    const review = buildConversionReview(['v1'], 'id', [boat], 'sea.io/v2')
    for (const [body, message] of [
      ['no', "couldn't get version/kind; json parse error: json: cannot unmarshal string"],
      [{}, "Object 'Kind' is missing in '{}'"],
      [
        { kind: 'ConversionReview', apiVersion: 'other/v1' },
        'no kind "ConversionReview" is registered for version "other/v1"',
      ],
    ] as const)
      expect(() => convertedObjects([boat], body, review, 'sea.io/v2')).toThrow(
        `conversion webhook for sea.io/v1, Kind=Boat failed: ${message}`,
      )
  })
})
