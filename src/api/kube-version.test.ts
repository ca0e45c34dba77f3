import { describe, expect, test } from 'vitest'
import { compareKubeAwareVersions } from './kube-version.ts'

describe('compareKubeAwareVersions', () => {
  test('compareKubeAwareVersions prefers stable to beta to alpha to anything else, and higher numbers', () => {
    const versions = [
      'foo1',
      'v1alpha1',
      'v10',
      'v1beta1',
      'v2',
      'v11alpha2',
      'v1',
      'bar',
      'v3beta1',
      'v1beta10',
      'v1beta2',
    ]
    expect(versions.toSorted((a, b) => compareKubeAwareVersions(b, a))).toEqual([
      'v10',
      'v2',
      'v1',
      'v3beta1',
      'v1beta10',
      'v1beta2',
      'v1beta1',
      'v11alpha2',
      'v1alpha1',
      'bar',
      'foo1',
    ])
  })
})
