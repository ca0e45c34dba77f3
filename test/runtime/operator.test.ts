/** Tests complete programs as processes, on the embedded control plane over HTTP. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { parseTraces } from '../../src/flow/trace-file.ts'
import { traceLines } from '../../src/flow/trace-lines.ts'
import { ConfigMap, CustomResourceDefinition, ValidatingWebhookConfiguration } from '../../src/schema/builtin/kinds.ts'
import { Child, type ChildOptions } from './child.ts'
import { bundlePrograms, type Programs } from './programs.ts'
import { eventually, servePlane, type ServedPlane } from './served-plane.ts'
import type { ApiObject } from '../../src/api/live-object.ts'
import { byService, webhookConfigurations } from '../../src/webhooks/configurations.ts'
import { check, Shop } from '../../src/webhooks/testdata/shop.ts'
import { Greeting } from './testdata/greeting.ts'

const commandLine = '../../../src/cli/main'

let served: ServedPlane
let programs: Programs
beforeAll(async () => {
  served = await servePlane([Greeting.crd])
  programs = await bundlePrograms('operator', 'stubborn', 'careless', 'greeter', 'shopkeeper', commandLine)
})
afterAll(async () => {
  programs.remove()
  await served.stop()
})

const children: Child[] = []
afterEach(async () => {
  for (const child of children.splice(0)) await child.destroy()
})

function start({
  args = [],
  variables = {},
  program = programs.file('operator'),
  command = [],
}: Partial<ChildOptions> = {}): Child {
  const child = new Child({ args, variables: { KUBECONFIG: served.kubeconfig, ...variables }, program, command })
  children.push(child)
  return child
}

async function ask(
  url: unknown,
  path: string,
  init?: RequestInit,
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${String(url)}${path}`, init)
  return { status: response.status, text: await response.text() }
}

/** Runs a module as `coxswain run MODULE` does. */
function runs(module: string): Pick<ChildOptions, 'program' | 'command'> {
  return { program: programs.file('main'), command: ['run', programs.file(module)] }
}

describe('a program', () => {
  it('a program works, tells how it is, and ends by itself when asked to', async () => {
    const child = start({ args: ['--profiling-address', '127.0.0.1:0'], variables: { POD_NAME: 'greeter-1' } })
    const { metrics, probes, debug } = await child.line('listening')
    await served.client.create(Greeting, { metadata: { name: 'hello', namespace: 'default' }, spec: { text: 'hi' } })
    const said = await eventually(
      await served.client.watch(ConfigMap, { fieldSelector: 'metadata.name=hello' }),
      () => true,
    )
    expect(said.data).toEqual({ text: 'hi', by: 'greeter-1' })
    await eventually(await served.client.watch(Greeting), ({ status }) => status?.said === 'hi')

    expect(await ask(probes, '/healthz')).toEqual({ status: 200, text: 'ok' })
    expect(await ask(probes, '/readyz?verbose')).toEqual({
      status: 200,
      text: '[+]started ok\n[+]caches ok\n[+]watches ok\n[+]queues ok\nreadyz check passed\n',
    })
    expect(await ask(probes, '/readyz/caches')).toEqual({ status: 200, text: 'ok' })
    expect((await ask(probes, '/readyz/nothing')).status).toBe(404)
    expect((await ask(probes, '/readyz?verbose&exclude=caches&exclude=other')).text).toContain(
      '[+]caches excluded: ok\n',
    )
    const { text } = await ask(metrics, '/metrics')
    expect(text).toMatch(/^controller_runtime_reconcile_total\{controller="greeting",result="success"\} [1-9]/m)
    expect(text).toMatch(/^process_resident_memory_bytes \d+/m)
    expect((await ask(metrics, '/nowhere')).status).toBe(404)

    const traces = parseTraces((await ask(debug, '/debug/traces?key=default/hello')).text)
    expect(traces.flatMap((trace) => traceLines(trace)).join('\n')).toContain('apply ConfigMap hello  created')
    expect((await ask(debug, '/debug/traces?key=none')).text).toBe('')
    const queues = (await ask(debug, '/debug/queues')).text
    expect(queues).toContain('controller greeting: 0 ready')
    expect(queues).toMatch(/(add|start) Greeting default\/hello/)
    expect((await ask(debug, '/debug/loglevel', { method: 'PUT', body: 'debug' })).text).toBe('debug\n')
    expect((await ask(debug, '/debug/loglevel', { method: 'PUT', body: 'loud' })).status).toBe(400)
    await served.client.patch(
      Greeting,
      { namespace: 'default', name: 'hello' },
      { type: 'merge', patch: { spec: { text: 'ho' } } },
    )
    await child.line('reconciling')

    const profile = JSON.parse((await ask(debug, '/debug/profile?seconds=0.2')).text) as { nodes: unknown[] }
    expect(profile.nodes.length).toBeGreaterThan(0)
    const heap = JSON.parse((await ask(debug, '/debug/heap')).text) as { snapshot: object }
    expect(heap.snapshot).toBeDefined()
    expect((await ask(debug, '/debug/profile?seconds=x')).status).toBe(400)

    child.kill('SIGTERM')
    expect(await child.end()).toBe(0)
    expect(child.text).toBe('')
    expect(child.lines.at(-1)).toMatchObject({ msg: 'stopped' })
  })

  it('a program switches to debug lines and back at SIGUSR2', async () => {
    const child = start()
    await child.line('listed')
    child.kill('SIGUSR2')
    await child.line('log level changed', ({ logLevel }) => logLevel === 'debug')
    child.kill('SIGUSR2')
    await child.line('log level changed', ({ logLevel }) => logLevel === 'info')
    child.kill('SIGINT')
    expect(await child.end()).toBe(0)
  })

  it('a program waits for a health endpoint and for a CRD, says so, and can be stopped meanwhile', async () => {
    let isWell = false
    const other = createServer((_request, response) => response.writeHead(isWell ? 200 : 500).end())
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as { port: number }
    const url = `http://127.0.0.1:${port}/readyz`
    try {
      const child = start({ args: ['--wait-for', `${url},crd/things.example.dev`] })
      expect(await child.line('waiting')).toMatchObject({ waitingFor: url, why: 'it answers 500' })
      const { probes } = await child.line('listening')
      expect(await ask(probes, '/readyz')).toMatchObject({
        status: 500,
        text: expect.stringContaining('[-]started failed: new\n') as string,
      })
      expect((await ask(probes, '/healthz')).status).toBe(200)
      isWell = true
      expect(await child.line('waiting', ({ waitingFor }) => waitingFor !== url)).toMatchObject({
        waitingFor: 'crd/things.example.dev',
        why: 'there is none',
      })
      const { crd } = Greeting
      const things = {
        ...crd,
        metadata: { name: 'things.example.dev' },
        spec: { ...crd.spec, names: { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' } },
      }
      await served.client.create(CustomResourceDefinition, things)
      await child.line('is there', ({ waitedFor }) => waitedFor !== url)
      await child.line('listed')
      child.kill('SIGTERM')
      expect(await child.end()).toBe(0)

      const second = start({ args: ['--wait-for', 'crd/never.example.dev'] })
      await second.line('waiting')
      second.kill('SIGTERM')
      expect(await second.end()).toBe(0)
      expect(second.lines.some(({ msg }) => msg === 'listed')).toBe(false)
    } finally {
      other.closeAllConnections()
      other.close()
    }
  })

  it('a program reads a file of settings, and is told apart from flags and variables', async () => {
    const file = join(served.folder, 'settings.yaml')
    writeFileSync(file, 'log-level: warn\nlog-format: json\nnamespaces: [default, other]\n')
    const child = start({ args: ['--config', file, '--log-level=debug'], variables: { COXSWAIN_LOG_LEVL: 'x' } })
    expect(await child.line('an environment variable is ignored')).toMatchObject({
      message: 'COXSWAIN_LOG_LEVL is not known; did you mean COXSWAIN_LOG_LEVEL?',
    })
    await child.line('listed')
    child.kill('SIGTERM')
    expect(await child.end()).toBe(0)
  })

  it.each([
    [['--leader-elct'], '--leader-elct is not known; did you mean --leader-elect?'],
    [['--profiling-address', ':6060'], '":6060" can be reached from elsewhere'],
    [['--config', '/nowhere/settings.yaml'], 'cannot read /nowhere/settings.yaml: ENOENT'],
  ])('a program says in one line what is wrong with %j, and ends with 2', async (args, message) => {
    const child = start({ args })
    expect(await child.end()).toBe(2)
    expect(child.text).toContain(message)
    expect(child.text.trim().split('\n')).toHaveLength(1)
  })

  it('a program ends with 1 when a port is taken, or no cluster can be found', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as { port: number }
    const child = start({ args: ['--metrics-bind-address', `127.0.0.1:${port}`] })
    expect(await child.end()).toBe(1)
    expect(JSON.stringify(child.lines)).toContain(`cannot listen on 127.0.0.1:${port}: the port is in use`)
    other.close()

    const lost = start({ variables: { KUBECONFIG: '', HOME: served.folder } })
    expect(await lost.end()).toBe(1)
    expect(lost.text).toContain('no kubeconfig was found')
  })

  it('a program stays alive while the server is away, and ends at once at the second signal', async () => {
    const away = await servePlane([Greeting.crd])
    const child = start({
      variables: { KUBECONFIG: away.kubeconfig },
      args: ['--metrics-bind-address', '0', '--health-probe-bind-address', '0'],
      program: programs.file('stubborn'),
    })
    await away.client.create(Greeting, { metadata: { name: 'hello', namespace: 'default' }, spec: { text: 'hi' } })
    await child.line('never done')
    await away.stop()
    await child.line('cannot watch; trying again')
    child.kill('SIGTERM')
    await child.line('stopping')
    expect(child.isRunning).toBe(true)
    child.kill('SIGTERM')
    expect(await child.end()).toBe(1)
  })

  it('a program survives a promise that nobody waits for, and ends although something was left open', async () => {
    await served.client.apply(
      Greeting,
      { metadata: { name: 'hello', namespace: 'default' }, spec: { text: 'hi' } },
      { force: true },
    )
    const child = start({ program: programs.file('careless') })
    const line = await child.line('unhandled promise rejection: is an await missing?')
    expect(line).toMatchObject({
      error: { message: 'forgotten' },
      line: expect.any(Number),
      column: expect.any(Number),
    })
    expect(line['file']).toMatch(/careless\.mjs$/)
    expect(child.isRunning).toBe(true)
    child.kill('SIGTERM')
    expect(await child.end()).toBe(0)
    expect(child.text).toMatch(/^ended although something was still open: .*Timeout/)
  })

  it('a program is run from its TypeScript module by the command line, with its own settings', async () => {
    const child = start({
      program: join(import.meta.dirname, 'testdata', commandLine) + '.ts',
      command: ['run', join(import.meta.dirname, 'testdata', 'greeter.ts')],
      args: ['--log-level', 'debug'],
    })
    await child.line('listening')
    await served.client.apply(
      Greeting,
      { metadata: { name: 'hello', namespace: 'default' }, spec: { text: 'from a module' } },
      { force: true },
    )
    await eventually(await served.client.watch(Greeting), ({ status }) => status?.said === 'from a module')
    child.kill('SIGTERM')
    expect(await child.end()).toBe(0)
    expect(child.lines.at(-1)).toMatchObject({ msg: 'stopped' })
  })

  it.each([
    ['greeter', ['--version'], 0, 'greeter 1.2.3, coxswain '],
    ['greeter', ['--leader-elct'], 2, 'did you mean --leader-elect?'],
    ['shopkeeper', ['--webhook-url', 'http://x'], 2, '--webhook-url is "http://x": write https://HOST:PORT, or local'],
    ['greeter', ['--shards', '2'], 2, '--shards needs --leader-elect'],
  ])('a program: %s with %j, by the command line', async (module, args, code, message) => {
    const child = start({ ...runs(module), args })
    expect(await child.end()).toBe(code)
    expect(child.text).toContain(message)
  })

  it('a program serves its webhooks in a local run, over HTTPS and until it ends', async () => {
    await served.client.create(CustomResourceDefinition, Shop.crd)
    const [deployed] = webhookConfigurations('shopkeeper', [check], byService('shopkeeper-webhooks', 'shops'))
    await served.client.create<ApiObject>(ValidatingWebhookConfiguration, deployed as never)
    const child = start({
      ...runs('shopkeeper'),
      args: ['--webhook-bind-address', '127.0.0.1:0', '--webhook-url', 'local'],
    })
    const { webhooks, probes } = await child.line('listening')
    expect(webhooks).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/)
    const shop = (name: string, rooms: number) => ({
      metadata: { namespace: 'default', name },
      spec: { owner: { name: 'ann' }, rooms },
    })
    expect((await served.client.create(Shop, shop('small', 1))).spec.tags).toEqual(['by admin'])
    await expect(served.client.create(Shop, shop('large', 21))).rejects.toThrow(
      'admission webhook "validate-example-dev-v1-shop.shopkeeper.webhook" denied the request: ' +
        'Shop.example.dev "large" is invalid: spec.rooms: a shop has at most 20 rooms',
    )
    await child.line('listed')
    expect((await ask(probes, '/readyz?verbose')).text).toContain('[+]webhooks ok\n')
    child.kill('SIGTERM')
    expect(await child.end()).toBe(0)
    const left = await served.client.get(ValidatingWebhookConfiguration, { name: 'shopkeeper-webhooks' })
    expect(left.webhooks).toMatchObject([{ clientConfig: { service: { name: 'shopkeeper-webhooks' } } }])
    expect(left.metadata.annotations).toBeUndefined()
    await served.client.delete(ValidatingWebhookConfiguration, { name: 'shopkeeper-webhooks' })
    expect((await served.client.create(Shop, shop('large', 21))).spec.tags).toBeUndefined()
  })

  it('a program shows help and versions', async () => {
    const help = start({ args: ['--help'] })
    expect(await help.end()).toBe(0)
    expect(help.text).toContain('--leader-elect-lease-duration DURATION')
    const version = start({ args: ['--version'] })
    expect(await version.end()).toBe(0)
    expect(version.text).toMatch(/^greeter 1\.2\.3, coxswain \d/)
  })
})
