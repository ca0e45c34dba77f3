import { describe, expect, it } from 'vitest'
import type { FieldError } from '../../../../api/field-error.ts'
import { fieldErrorMessage } from '../../../../api/field-error.ts'
import type { JsonObject } from '../../../../api/json.ts'
import { checkPodLevel, defaultPodLevel } from './pod-level.ts'

const container = (resources: JsonObject, more: JsonObject = {}) => ({ name: 'c', resources, ...more })

function defaulted(spec: JsonObject): unknown {
  defaultPodLevel(spec)
  return spec.resources
}

function problems(spec: JsonObject): string[] {
  const errors: FieldError[] = []
  checkPodLevel(errors, 'spec.resources', spec, new Set())
  return errors.map(fieldErrorMessage)
}

describe('the pod as a whole', () => {
  it('the pod as a whole requests what its containers do, else what it is limited to', () => {
    const containers = [container({ requests: { memory: '1Gi' } }), container({ requests: { memory: '1Gi' } })]
    expect(defaulted({ containers, resources: { limits: { cpu: '2', memory: '4Gi' } } })).toEqual({
      limits: { cpu: '2', memory: '4Gi' },
      requests: { cpu: '2', memory: '2Gi' },
    })
    expect(defaulted({ containers, resources: { requests: { cpu: '1' } } })).toEqual({ requests: { cpu: '1' } })
    expect(defaulted({ containers, resources: {} })).toEqual({})
    expect(defaulted({ containers })).toBeUndefined()
  })

  it('the pod as a whole is limited to the huge pages of its containers', () => {
    const pages = { limits: { 'hugepages-2Mi': '2Mi' }, requests: { 'hugepages-2Mi': '2Mi' } }
    const containers = [container(pages), container(pages)]
    expect(defaulted({ containers, resources: { requests: { cpu: '1' } } })).toEqual({
      limits: { 'hugepages-2Mi': '4Mi' },
      requests: { cpu: '1', 'hugepages-2Mi': '4Mi' },
    })
  })

  it('the pod as a whole needs at least what they need', () => {
    const containers = [
      container({ requests: { cpu: '1' }, limits: { cpu: '3' } }),
      container({ requests: { cpu: '1' } }),
    ]
    expect(problems({ containers, resources: { requests: { cpu: '1500m' }, limits: { cpu: '2' } } })).toEqual([
      'spec.resources.requests[cpu]: Invalid value: "1500m": must be greater than or equal to aggregate ' +
        'container requests of 2',
      'spec.resources.containers[0][cpu].limits: Invalid value: "3": must be less than or equal to pod limits of 2',
    ])
    expect(problems({ os: { name: 'windows' }, resources: {} })).toEqual([
      'spec.resources: Forbidden: may not be set for a windows pod',
    ])
  })
})
