/** Which one of several wrong values is reported, and its message. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../api/json.ts'
import { builtinShape } from './builtin-shapes.ts'
import { decodeObject } from './decode.ts'
import type { StructShape } from './shape.ts'

const shape = builtinShape('io.k8s.api.core.v1.Pod') as StructShape

function problem(spec: JsonObject, converted = false): string {
  try {
    decodeObject({ spec }, shape, 'Pod', 'v1', { converted })
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

describe('from a text', () => {
  it('decoding from a text: the first in the text is reported', () => {
    expect(problem({ nodeName: 7, hostname: 8 })).toContain('PodSpec.spec.nodeName')
    expect(problem({ hostname: 8, nodeName: 7 })).toContain('PodSpec.spec.hostname')
  })

  it('decoding from a text: what reads its own text comes first of all', () => {
    const volumes = [{ name: 'v', emptyDir: { sizeLimit: {} } }]
    expect(problem({ nodeName: 7, volumes })).toContain('quantities must match')
  })

  it('decoding from a text: names embedded structs', () => {
    expect(problem({ volumes: [{ name: 'v', emptyDir: [] }] })).toBe(
      'json: cannot unmarshal array into Go struct field Volume.spec.volumes.VolumeSource.emptyDir of type ' +
        'v1.EmptyDirVolumeSource',
    )
  })
})

describe('from a map', () => {
  it('decoding from a map: has other words', () => {
    expect(problem({ terminationGracePeriodSeconds: 1.5 }, true)).toBe('cannot convert float64 to int64')
    expect(problem({ nodeName: 7 }, true)).toBe('cannot convert int64 to string')
    expect(problem({ nodeName: true }, true)).toBe('unrecognized type: string')
    expect(problem({ volumes: 'x' }, true)).toBe('cannot restore slice from string')
    expect(problem({ securityContext: [] }, true)).toBe('cannot restore struct from: slice')
  })

  it('decoding from a map: cuts numbers that are too large', () => {
    const spec = { priority: 2_147_483_648 }
    expect(decodeObject({ spec }, shape, 'Pod', 'v1', { converted: true }).object['spec']).toMatchObject({
      priority: -2_147_483_648,
    })
    expect(problem(spec)).toContain('number 2147483648')
  })
})
