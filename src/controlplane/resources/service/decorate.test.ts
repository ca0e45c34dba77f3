import { expect, it } from 'vitest'
import type { JsonObject } from '../../../api/json.ts'
import { decorateService } from './decorate.ts'

const of = (spec: JsonObject) => decorateService({ kind: 'Service', metadata: { name: 'a' }, spec })['spec']

it('decoration of Services shows a service that has all as it is', () => {
  const whole = {
    kind: 'Service',
    metadata: { name: 'a' },
    spec: {
      type: 'ClusterIP',
      clusterIP: '10.0.0.9',
      clusterIPs: ['10.0.0.9'],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    },
  }
  expect(decorateService(whole)).toBe(whole)
})

it.each<[string, JsonObject, JsonObject]>([
  ['nothing without an address', { type: 'ClusterIP' }, { type: 'ClusterIP' }],
  [
    'the family of an address',
    { clusterIP: '10.0.0.9' },
    { clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9'], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' },
  ],
  [
    'both families of two',
    { clusterIPs: ['::1', '10.0.0.9'] },
    { clusterIPs: ['::1', '10.0.0.9'], ipFamilies: ['IPv6', 'IPv4'], ipFamilyPolicy: 'RequireDualStack' },
  ],
  [
    'one family of a headless service with a selector',
    { clusterIP: 'None', selector: { a: 'b' } },
    {
      clusterIP: 'None',
      selector: { a: 'b' },
      clusterIPs: ['None'],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    },
  ],
  [
    'two of one without',
    { clusterIP: 'None' },
    { clusterIP: 'None', clusterIPs: ['None'], ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'RequireDualStack' },
  ],
  [
    'no policy for traffic of a name',
    { type: 'ExternalName', internalTrafficPolicy: 'Local' },
    { type: 'ExternalName' },
  ],
])('shows %s', (_, spec, expected) => {
  expect(of(spec)).toEqual(expected)
})
