/** `docs/reference/manifests.md` matches the code. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { operator } from '../operator/operator.ts'
import { manifestsCommand } from '../cli/manifests-command.ts'
import { controller } from '../controller/builder.ts'
import { ConfigMap, Deployment, Pod, Service } from '../schema/builtin/kinds.ts'
import { webhooks } from '../webhooks/testdata/shop.ts'
import { operatorAccess, targetName } from './operator-access.ts'
import guestbook from './testdata/guestbook.ts'

const page = readFileSync(fileURLToPath(new URL('../../docs/reference/manifests.md', import.meta.url)), 'utf8')

/** The first cells of the rows of a table, by its heading. */
function rows(heading: string): readonly string[] {
  const after = page.slice(page.indexOf(heading) + heading.length)
  return (
    after
      .split('\n\n')
      .map((part) => part.trim())
      .find((part) => part.startsWith('|')) ?? ''
  )
    .split('\n')
    .slice(2)
    .map((row) => (row.split(' | ')[0] ?? '').replace(/^\| /, ''))
}

describe('the page about manifests', () => {
  it('the page about manifests names the files that are made', async () => {
    const { files } = await operator({ name: 'shop', controllers: guestbook.controllers, webhooks }).manifests()
    expect(rows('## What is generated\n').map((name) => name.replaceAll('`', ''))).toEqual(Object.keys(files))
  })

  it('the page about manifests names options that the command has', () => {
    for (const [, name] of page.matchAll(/`?--([a-z]+)/g))
      expect(['kubeconfig', ...Object.keys(manifestsCommand.options)]).toContain(name)
  })

  it('the page about manifests shows declarations that grant what they say', () => {
    const shown = controller(Deployment)
      .owns(Service)
      .may('delete', Service)
      .may('create', { kind: Pod, subresource: 'eviction' })
      .may('get', { kind: ConfigMap, names: ['settings'] })
    const access = operatorAccess({ name: 'x', controllers: [shown.reconcile(() => undefined)] })
    const reported = access.map(
      (each) => `${each.verbs.join()} ${targetName(each)}${each.names === undefined ? '' : ` ${each.names.join()}`}`,
    )
    expect(reported).toEqual([
      'get,list,watch deployments.apps',
      'update deployments.apps/finalizers',
      'get,list,watch services',
      'create,patch services',
      'delete services',
      'create pods/eviction',
      'get configmaps settings',
      'create,patch events',
      'get,create,update leases.coordination.k8s.io x',
      'create tokenreviews.authentication.k8s.io',
      'create subjectaccessreviews.authorization.k8s.io',
    ])
    for (const line of [
      ".may('delete', Service)",
      ".may('create', { kind: Pod, subresource: 'eviction' })",
      ".may('get', { kind: ConfigMap, names: ['settings'] })",
    ])
      expect(page).toContain(line)
  })
})
