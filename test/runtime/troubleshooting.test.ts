/** docs/how-to/troubleshooting.md has the exact texts of what goes wrong. */
import { createServer, type AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ApiError } from '../../src/api/status.ts'
import { remedyOf } from '../../src/controller/remedy.ts'
import { CronJob } from '../../src/schema/builtin/kinds.ts'
import { docsPage } from '../docs/page.ts'
import { Child } from './child.ts'
import { bundlePrograms, type Programs } from './programs.ts'
import { servePlane, type ServedPlane } from './served-plane.ts'
import { Greeting } from './testdata/greeting.ts'

const program = new URL('testdata/troubled.ts', import.meta.url).pathname
const shown = docsPage('how-to/troubleshooting.md').blocks('text')

let served: ServedPlane
let bare: ServedPlane
let programs: Programs
let closedPort: number
beforeAll(async () => {
  served = await servePlane([Greeting.crd])
  bare = await servePlane()
  programs = await bundlePrograms('troubled', 'shopkeeper', '../../../src/cli/main')
  closedPort = await freePort()
})
afterAll(async () => {
  programs.remove()
  await served.stop()
  await bare.stop()
})

const children: Child[] = []
afterEach(async () => {
  for (const child of children.splice(0)) await child.destroy()
})

function start(args: readonly string[], file = programs.file('troubled')): Child {
  const variables = { PRICES: `http://127.0.0.1:${closedPort}/` }
  const child = new Child({ program: file, args: ['--log-format', 'text', ...args], variables })
  children.push(child)
  return child
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** The output without what differs each time. */
function plain(text: string, folder = ''): string {
  return text
    .replaceAll(/^\S+Z /gm, '')
    .replaceAll(/ reconcileID=\S+| controllerGroup=\S+| controllerKind=\S+/g, '')
    .replaceAll('Greeting=', 'App=')
    .replaceAll(/127\.0\.0\.1:[1-9]\d*/g, '127.0.0.1:8000')
    .replaceAll(/afterMs=\d+/g, 'afterMs=800')
    .replaceAll(/ ms=\d+/g, ' ms=1500')
    .replaceAll(folder === '' ? '\0' : `${folder}/`, '')
}

/** The block of the page that contains this text. */
function block(text: string): string {
  const found = shown.find((each) => each.includes(text))
  if (found === undefined) throw new Error(`the page has no block with ${text}`)
  return found
}

describe('docs/how-to/troubleshooting.md', () => {
  it('docs/how-to/troubleshooting.md has the texts of a reconcile that fails, rejects or blocks', async () => {
    const child = start(['--kubeconfig', served.kubeconfig], program)
    for (const text of ['throw', 'fetch', 'read', 'float', 'block'])
      await served.client.create(Greeting, { metadata: { name: text, namespace: 'default' }, spec: { text } })
    const expected = ["reading 'bytes'", 'fetch failed', 'UndeclaredKindError', 'unhandled promise', 'was blocked']
    for (const text of expected) {
      await child.says(text)
      expect(plain(child.text)).toContain(block(text))
    }
    expect(child.text).toContain("    > 12 |   if (text === 'throw') log.info('size', { bytes: sizes.throw.bytes })")
  })

  it('docs/how-to/troubleshooting.md has the texts of a missing CRD', async () => {
    const child = start(['--kubeconfig', bare.kubeconfig, '--cache-sync-timeout', '1s'])
    expect(await child.end()).toBe(1)
    expect(plain(child.text)).toContain(block('the server does not serve the kind (yet)'))
    expect(plain(child.text)).toContain(block('CacheSyncError'))
  })

  it('docs/how-to/troubleshooting.md has the texts of the wrong context, kubeconfig and server', async () => {
    const wrong = start(['--kubeconfig', served.kubeconfig, '--context', 'production'])
    const missing = start(['--kubeconfig', `${served.folder}/missing`])
    expect([await wrong.end(), await missing.end()]).toEqual([1, 1])
    expect(plain(wrong.text, served.folder)).toBe(block('has no context'))
    expect(plain(missing.text, served.folder)).toBe(block('does not exist'))
    const away = await servePlane()
    await away.plane.close()
    const child = start(['--kubeconfig', away.kubeconfig])
    await child.says('is the address right?')
    expect(plain(child.text)).toContain(block('no answer from'))
    await away.stop()
  })

  it('docs/how-to/troubleshooting.md has the text of a port in use, with the setting to change', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    const child = start(['--kubeconfig', served.kubeconfig, '--health-probe-bind-address', `127.0.0.1:${port}`])
    expect(await child.end()).toBe(1)
    expect(plain(child.text)).toContain(block('ListenError'))
    other.close()
  })

  it('docs/how-to/troubleshooting.md has the text of webhooks that are not installed', async () => {
    const args = ['--kubeconfig', served.kubeconfig, '--webhook-bind-address', '127.0.0.1:0', '--log-format', 'json']
    const command = ['run', programs.file('shopkeeper')]
    const child = new Child({ program: programs.file('main'), command, args })
    children.push(child)
    const { probes } = await child.line('listening')
    const response = await fetch(`${String(probes)}/readyz?verbose`)
    expect(response.status).toBe(500)
    expect(await response.text()).toContain(block('[-]webhooks'))
  })

  it('docs/how-to/troubleshooting.md has the texts of a denied request', () => {
    const said = (user: string, isDeclared: boolean): string => {
      const message =
        `cronjobs.batch "x" is forbidden: User "${user}" cannot delete resource "cronjobs" in API group "batch" ` +
        'in the namespace "default"'
      const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 403 } as const
      const fix = remedyOf(new ApiError({ ...status, reason: 'Forbidden', message }), {
        who: 'the controller app',
        access: isDeclared ? [{ kind: CronJob, verbs: ['delete'] }] : [],
        declare: (verb, target) => `add .may('${verb}', ${target}) to the controller app`,
      })
      return `  fix: ${fix}\n`
    }
    const account = 'system:serviceaccount:apps:app'
    expect(said(account, false)).toBe(block('add .may'))
    expect(said(account, true)).toBe(block('declares it'))
    expect(said('jane', false)).toBe(block('"jane"'))
  })
})
