/** The name label and the deletion of namespaces. */
import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../api/object.ts'
import type { WriteContext } from '../../contract/resource.ts'
import { namespace } from './index.ts'

const context = {} as WriteContext

describe('namespaces', () => {
  it('namespaces carry their name and are held by their finalizer', () => {
    const object: KubeObject = { metadata: { name: 'a', labels: { 'kubernetes.io/metadata.name': 'other' } } }
    namespace.default?.(object)
    namespace.prepareForCreate?.(object, context)
    expect(object).toEqual({
      metadata: { name: 'a', labels: { 'kubernetes.io/metadata.name': 'a' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    })
    expect(namespace.holdsDeletion?.(object)).toBe(true)
    expect(namespace.holdsDeletion?.({ metadata: {}, spec: { finalizers: [] } })).toBe(false)
  })

  it('namespaces keep their finalizers when they are updated', () => {
    const object: KubeObject = { metadata: { name: 'a' }, spec: { finalizers: [] } }
    namespace.prepareForUpdate?.(object, { metadata: { name: 'a' }, spec: { finalizers: ['kubernetes'] } }, context)
    expect(object.spec).toEqual({ finalizers: ['kubernetes'] })
  })

  it('namespaces show that they are going', () => {
    const object: KubeObject = { metadata: { name: 'a' }, status: { phase: 'Active' } }
    namespace.markDeleting?.(object)
    expect(object.status).toEqual({ phase: 'Terminating' })
  })
})
