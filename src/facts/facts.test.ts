import { expect, test } from 'vitest'
import { columns, discovery, operations, protobuf, schemas } from './facts.ts'

test('each table is read once', () => {
  expect(schemas()).toBe(schemas())
  expect(discovery()).toBe(discovery())
})

test('tables hold what their types say', () => {
  expect([...schemas().names()]).toHaveLength(585)
  expect(schemas().get('io.k8s.api.core.v1.ContainerPort')?.properties?.['protocol']?.default).toBe('TCP')
  expect(discovery().apis.items[1]?.metadata.name).toBe('apps')
  const list = operations()['apis/apps/v1']?.['/apis/apps/v1/deployments']?.['get']
  expect(list).toMatchObject({ action: 'list', kind: 'Deployment' })
  expect(columns()['v1/configmaps']?.map((each) => each.name)).toEqual(['Name', 'Data', 'Age'])
  expect(protobuf().get('k8s.io.api.core.v1.ConfigMap')?.['data']).toEqual([2, 'map', 'string', 'string'])
})

test('every resource of discovery has operations of its kind', () => {
  const { api, apis } = discovery()
  for (const group of [...api.items, ...apis.items]) {
    for (const { version, resources } of group.versions) {
      const { name } = group.metadata
      const paths = operations()[name === undefined ? `api/${version}` : `apis/${name}/${version}`] ?? {}
      const found = Object.values(paths).flatMap((path) => Object.values(path))
      const kinds = new Set(found.map((each) => each.kind))
      for (const { responseKind } of resources) expect(kinds).toContain(responseKind.kind)
    }
  }
})
