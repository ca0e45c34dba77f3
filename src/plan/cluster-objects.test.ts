import { expect, it } from 'vitest'
import { controller } from '../controller/builder.ts'
import { ConfigMap, Deployment, Pod, Secret } from '../schema/builtin/kinds.ts'
import { seenKinds } from './cluster-objects.ts'

it('a plan copies kinds that a controller reads from the server, but not for single names or writes', () => {
  const apps = controller(Deployment)
    .may('get', Secret)
    .may('get', { kind: ConfigMap, names: ['settings'] })
    .may('create', { kind: Pod, subresource: 'eviction' })
    .reconcile(() => undefined)
  expect(seenKinds([apps]).map(({ kind }) => kind)).toEqual(['Deployment', 'Secret'])
})
