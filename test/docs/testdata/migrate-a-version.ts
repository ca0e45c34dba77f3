/** The code of docs/how-to/migrate-a-version.md. */
import { controller, CustomResourceDefinition, isNotFound, operator, resource, t, type Client } from 'coxswain'
import type { Task } from 'coxswain/manager'
import { converting } from 'coxswain/webhooks'

export const BackupV1 = resource('example.dev/v1', 'Backup', {
  spec: t.object({ everyHours: t.int().min(1) }),
  deprecated: 'example.dev/v1 Backup is deprecated; use example.dev/v2',
})

export const Backup = resource('example.dev/v2', 'Backup', {
  spec: t.object({ every: t.string().pattern('^[0-9]+h$') }),
  versions: [BackupV1],
})

export const versions = converting(Backup).version(BackupV1, {
  up: ({ spec }) => ({ spec: { every: spec.everyHours === undefined ? undefined : `${spec.everyHours}h` } }),
  down: ({ spec }) => ({ spec: { everyHours: spec.every === undefined ? undefined : Number.parseInt(spec.every) } }),
})

const crdName = 'backups.example.dev'

/** Writes every object unchanged, which stores it in the storage version. Then no object is stored in v1. */
export async function storeInCurrentVersion(client: Client): Promise<void> {
  const crd = await client.get(CustomResourceDefinition, { name: crdName })
  if (crd.status?.storedVersions?.join() === 'v2') return
  for await (const { items } of client.pages(Backup)) {
    for (const { metadata } of items) {
      await client.patch(Backup, metadata, { type: 'merge', patch: {} }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error
      })
    }
  }
  const patch = { metadata: { resourceVersion: crd.metadata.resourceVersion }, status: { storedVersions: ['v2'] } }
  await client.patch(CustomResourceDefinition, { name: crdName }, { type: 'merge', patch }, { subresource: 'status' })
}

const migration: Task = {
  name: 'storage-migration',
  start: (_signal, { client }) => storeInCurrentVersion(client),
}

const backups = controller(Backup).reconcile(() => undefined)

export default operator({
  name: 'backups',
  controllers: [backups],
  webhooks: [versions],
  tasks: [migration],
  access: [
    { kind: Backup, verbs: ['list', 'patch'] },
    { kind: CustomResourceDefinition, names: [crdName], verbs: ['get'] },
    { kind: CustomResourceDefinition, names: [crdName], subresource: 'status', verbs: ['patch'] },
  ],
})
