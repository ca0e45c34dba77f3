import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../api/object.ts'
import { ApiError } from '../../api/status.ts'
import { customScale } from './scale.ts'

const access = customScale({
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
})
const metadata = { name: 'w1', namespace: 'default', uid: 'u', resourceVersion: '221', labels: { a: 'b' } }

describe('the scale of a custom resource', () => {
  it('the scale of a custom resource reads what the paths name', () => {
    expect(access.path).toEqual(['spec', 'replicas'])
    expect(access.read({ metadata, spec: { replicas: 2 }, status: { replicas: 1, selector: 'a=b' } })).toEqual({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'w1', namespace: 'default', uid: 'u', resourceVersion: '221' },
      spec: { replicas: 2 },
      status: { replicas: 1, selector: 'a=b' },
    })
  })

  it('the scale of a custom resource leaves out a zero, as its type does', () => {
    expect(access.read({ metadata, spec: { replicas: 0 } })).toMatchObject({ spec: {}, status: { replicas: 0 } })
  })

  it('the scale of a custom resource fails when the object has no replicas', () => {
    const message = 'the spec replicas field ".spec.replicas" does not exist'
    const read = () => access.read({ metadata, spec: {} })
    expect(read).toThrow(ApiError)
    expect(read).toThrow(
      expect.objectContaining({
        status: {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: `Internal error occurred: ${message}`,
          reason: 'InternalError',
          details: { causes: [{ message }] },
          code: 500,
        },
      }) as Error,
    )
    expect(() => access.read({ metadata, spec: 5 })).toThrow(
      '.spec.replicas accessor error: 5 is of the type int64, expected map[string]interface{}',
    )
  })

  it('the scale of a custom resource writes, and makes what is missing on the way', () => {
    const object: KubeObject = { metadata }
    access.write(object, 3)
    expect(object['spec']).toEqual({ replicas: 3 })
  })
})
