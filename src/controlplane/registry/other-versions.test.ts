import { expect, it } from 'vitest'
import { isOtherVersion, isUnserved } from './other-versions.ts'

it('the table of other versions knows versions that can be read but are not served', () => {
  expect(isUnserved('apps/v1beta1', 'Deployment')).toBe(true)
  expect(isUnserved('apps/v1beta1', 'DaemonSet')).toBe(false)
  expect(isUnserved('apps/v1', 'Deployment')).toBe(false)
  expect(isUnserved('__proto__', 'Deployment')).toBe(false)
})

it('the table of other versions knows which versions are of one kind', () => {
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment' }
  expect(isOtherVersion('extensions/v1beta1', deployment)).toBe(true)
  expect(isOtherVersion('apps/v2', deployment)).toBe(false)
  expect(isOtherVersion('extensions/v1beta1', { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' })).toBe(true)
  expect(isOtherVersion('events.k8s.io/v1beta1', { apiVersion: 'v1', kind: 'Event' })).toBe(true)
  expect(isOtherVersion('autoscaling/v1', { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' })).toBe(true)
})

it('the table of other versions keeps apart kinds that only share a name', () => {
  expect(isOtherVersion('extensions/v1beta1', { apiVersion: 'example.com/v1', kind: 'Ingress' })).toBe(false)
  expect(isOtherVersion('v1', { apiVersion: 'example.com/v1', kind: 'Event' })).toBe(false)
})
