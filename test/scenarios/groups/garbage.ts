/** The garbage collector: dependents of deleted owners. */
import type { Json, JsonObject } from '../../../src/api/json.ts'
import { clusterResource, define, resource, thing, thingDefinition, things } from '../../differential/steps.ts'
import { configMap, object } from '../objects.ts'
import type { Scenario } from '../scenario.ts'
import { configMaps, gone, look, rest } from '../steps.ts'

/** An owner reference to the object that request number `step` of the scenario has created. */
const owned = (step: number, name: string, more: JsonObject = {}): { readonly ownerReferences: Json } => ({
  ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid: `{{${step}.metadata.uid}}`, ...more }],
})
const blocking = { blockOwnerDeletion: true }
const kept = { finalizers: ['example.com/keep'] }
const released = (name: string): ReturnType<typeof configMaps.merge> =>
  configMaps.merge(name, { metadata: { finalizers: null } })
const roles = clusterResource('clusterroles', 'rbac.authorization.k8s.io/v1')
const secrets = resource('secrets')

export const garbageScenarios: readonly Scenario[] = [
  {
    name: 'garbage-background',
    steps: [
      configMaps.create(configMap('owner')),
      configMaps.create(configMap('a', owned(0, 'owner'))),
      configMaps.create(configMap('b', owned(1, 'a'))),
      configMaps.delete('owner'),
      gone(configMaps.get('b').path),
    ],
  },
  {
    name: 'garbage-foreground',
    steps: [
      configMaps.create(configMap('owner')),
      configMaps.create(configMap('a', { ...owned(0, 'owner', blocking), ...kept })),
      configMaps.create(configMap('b', owned(0, 'owner', blocking))),
      rest,
      configMaps.delete('owner', 'propagationPolicy=Foreground'),
      gone(configMaps.get('b').path),
      look('waiting'),
      released('a'),
      gone(configMaps.get('owner').path),
    ],
  },
  {
    name: 'garbage-foreground-not-blocking',
    steps: [
      configMaps.create(configMap('owner')),
      configMaps.create(configMap('a', { ...owned(0, 'owner'), ...kept })),
      rest,
      configMaps.delete('owner', 'propagationPolicy=Foreground'),
      gone(configMaps.get('owner').path),
      look('gone'),
      released('a'),
      gone(configMaps.get('a').path),
    ],
  },
  {
    name: 'garbage-foreground-chain',
    steps: [
      configMaps.create(configMap('owner')),
      configMaps.create(configMap('a', owned(0, 'owner', blocking))),
      configMaps.create(configMap('b', { ...owned(1, 'a', blocking), ...kept })),
      rest,
      configMaps.delete('owner', 'propagationPolicy=Foreground'),
      look('waiting'),
      released('b'),
      gone(configMaps.get('owner').path),
    ],
  },
  {
    name: 'garbage-orphan',
    steps: [
      configMaps.create(configMap('owner')),
      configMaps.create(configMap('a', owned(0, 'owner'))),
      configMaps.create(configMap('b', { ...owned(0, 'owner', blocking), ...kept })),
      rest,
      configMaps.delete('owner', 'propagationPolicy=Orphan'),
      gone(configMaps.get('owner').path),
    ],
  },
  {
    name: 'garbage-absent-owner',
    steps: [
      configMaps.create(
        configMap('a', {
          ownerReferences: [
            { apiVersion: 'v1', kind: 'ConfigMap', name: 'none', uid: '11111111-1111-1111-1111-111111111111' },
          ],
        }),
      ),
      gone(configMaps.get('a').path),
    ],
  },
  {
    name: 'garbage-other-uid',
    steps: [
      configMaps.create(configMap('owner')),
      configMaps.create(
        configMap('a', {
          ownerReferences: [
            { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: '22222222-2222-2222-2222-222222222222' },
          ],
        }),
      ),
      gone(configMaps.get('a').path),
    ],
  },
  {
    name: 'garbage-other-kind',
    steps: [
      configMaps.create(configMap('owner')),
      configMaps.create(
        configMap('a', {
          ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', name: 'owner', uid: '{{0.metadata.uid}}' }],
        }),
      ),
      gone(configMaps.get('a').path),
      rest,
    ],
  },
  {
    name: 'garbage-two-owners',
    steps: [
      configMaps.create(configMap('one')),
      configMaps.create(configMap('two')),
      configMaps.create(
        configMap('a', {
          ownerReferences: [
            ...(owned(0, 'one').ownerReferences as Json[]),
            ...(owned(1, 'two').ownerReferences as Json[]),
          ],
        }),
      ),
      rest,
      configMaps.delete('one'),
      rest,
      look('one'),
      configMaps.delete('two'),
      gone(configMaps.get('a').path),
    ],
  },
  {
    name: 'garbage-owner-elsewhere',
    steps: [
      { method: 'POST', path: '/api/v1/namespaces/default/configmaps', body: configMap('{{ns}}-elsewhere') },
      configMaps.create(configMap('a', owned(0, '{{ns}}-elsewhere'))),
      gone(configMaps.get('a').path),
      rest,
      { method: 'DELETE', path: '/api/v1/namespaces/default/configmaps/{{ns}}-elsewhere' },
    ],
  },
  {
    name: 'garbage-unknown-kind',
    steps: [
      configMaps.create(
        configMap('a', {
          ownerReferences: [
            {
              apiVersion: 'example.com/v1',
              kind: 'Nothing',
              name: 'none',
              uid: '33333333-3333-3333-3333-333333333333',
            },
          ],
        }),
      ),
      rest,
    ],
  },
  {
    name: 'garbage-cluster-owner',
    steps: [
      roles.create(object('rbac.authorization.k8s.io/v1', 'ClusterRole', '{{ns}}')),
      secrets.create(
        object(
          'v1',
          'Secret',
          'a',
          {},
          {
            ownerReferences: [
              {
                apiVersion: 'rbac.authorization.k8s.io/v1',
                kind: 'ClusterRole',
                name: '{{ns}}',
                uid: '{{0.metadata.uid}}',
              },
            ],
          },
        ),
      ),
      rest,
      roles.delete('{{ns}}'),
      gone(secrets.get('a').path),
    ],
  },
  {
    name: 'garbage-custom-resources',
    also: [things.path],
    steps: [
      define(thingDefinition({ spec: { type: 'object' } })),
      { until: things.path, says: 'served', holds: (found) => found !== null },
      things.create(thing('owner')),
      things.create(
        thing(
          'a',
          {},
          {
            ownerReferences: [
              { apiVersion: '{{ns}}.example.com/v1', kind: 'Thing', name: 'owner', uid: '{{1.metadata.uid}}' },
            ],
          },
        ),
      ),
      configMaps.create(
        configMap('b', {
          ownerReferences: [
            { apiVersion: '{{ns}}.example.com/v1', kind: 'Thing', name: 'a', uid: '{{2.metadata.uid}}' },
          ],
        }),
      ),
      things.delete('owner'),
      gone(configMaps.get('b').path),
      gone(things.get('a').path),
    ],
  },
]
