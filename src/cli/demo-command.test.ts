/** `npm start` as a new user runs it: a process, its output, and that it leaves nothing behind. */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { clusterTransport } from '../client/cluster-access.ts'
import { loadAccess } from '../client/load-access.ts'
import { RestClient } from '../client/rest-client.ts'
import { realEnv } from '../env/real.ts'
import { parseTraces } from '../flow/trace-file.ts'
import { kind } from '../schema/kind.ts'
import { runCommandLine } from './command-line.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } }
const readme = readFileSync(join(root, 'README.md'), 'utf8')

const Release = kind({ apiVersion: 'example.dev/v1', kind: 'Release', plural: 'releases', namespaced: true })

let folder: string
let child: ChildProcess | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coxswain-demo-'))
})
afterEach(() => {
  child?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

interface Demo {
  readonly ended: Promise<number | null>
  /** Resolves as soon as the output contains the text. */
  until(text: string): Promise<void>
  out(): string
}

/** The command of `npm start`, which builds first if needed. */
function start(...args: string[]): Demo {
  const [program = '', ...rest] = scripts.start.split(' ')
  expect(program).toBe('node')
  const started = spawn(process.execPath, [...rest, ...args], {
    cwd: root,
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  child = started
  let out = ''
  let error = ''
  const waiting = new Set<() => void>()
  started.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()))
  started.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString()
    for (const look of waiting) look()
  })
  const ended = new Promise<number | null>((resolve) => started.on('close', resolve))
  return {
    ended,
    out: () => out,
    until: (text) =>
      Promise.race([
        ended.then((code) => Promise.reject(new Error(`ended with ${code} before "${text}": ${out}\n${error}`))),
        new Promise<void>((resolve) => {
          const look = (): void => void (out.includes(text) && waiting.delete(look) && resolve())
          waiting.add(look)
          look()
        }),
      ]),
  }
}

/** Removes values that differ each time. */
function plain(text: string): string {
  return text
    .replaceAll(/ {2}[\d.]+ (ms|s)\b/g, '')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll(/after [\d.]+ s/g, 'after N s')
    .replaceAll(/KUBECONFIG=\S+/g, 'KUBECONFIG=FILE')
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    }).on('error', () => resolve(false))
  })
}

describe('npm start', () => {
  it('npm start shows where an operator throws, with the code there and the causes', async () => {
    const module = join(folder, 'operator.mjs')
    const coxswain = pathToFileURL(join(root, 'dist/index.js')).href
    writeFileSync(
      module,
      `import { controller, operator, resource, t } from '${coxswain}'
const App = resource('example.dev/v1', 'App', { spec: t.object({ text: t.string() }) })
const apps = controller(App).reconcile(() => {
  throw new Error('no price', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') })
})
export default operator({ name: 'apps', controllers: [apps] })
const metadata = { name: 'a', namespace: 'default' }
export const demo = { samples: [{ apiVersion: 'example.dev/v1', kind: 'App', metadata, spec: { text: 'x' } }] }
`,
    )
    const demo = start(module)
    await demo.until('| export default')
    expect(demo.out()).toContain('app default/a: start App a')
    expect(demo.out()).toMatch(/^\S+ ERROR reconcile failed; retrying .*App=default\/a .*attempt=1$/m)
    expect(demo.out()).toContain(`
  Error: no price: connect ECONNREFUSED 127.0.0.1:1
    at ${realpathSync(module)}:4:9
      1 | import {`)
    expect(demo.out()).toContain(`
    > 4 |   throw new Error('no price', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') })
        |         ^
      5 | })
`)
    child?.kill('SIGTERM')
    expect(await demo.ended).toBe(0)
  })

  it('npm start shows the sample walk to Running as the README does, stops on Ctrl-C, and leaves nothing', async () => {
    const demo = start('--traces', join(folder, 'traces.jsonl'))
    await demo.until('Ctrl-C stops it.')
    const kubeconfig = /export KUBECONFIG=(\S+)/.exec(demo.out())?.[1] ?? ''
    const port = Number(/127\.0\.0\.1:(\d+)/.exec(demo.out())?.[1])
    expect(existsSync(kubeconfig)).toBe(true)
    expect(await isListening(port)).toBe(true)

    child?.kill('SIGINT')
    expect(await demo.ended).toBe(0)
    expect(await isListening(port)).toBe(false)
    expect(readdirSync(folder)).toEqual(['traces.jsonl'])

    const [, shown = ''] = /```console\n\$ npm start\n([\s\S]*?)```/.exec(readme) ?? []
    let rest = plain(demo.out())
    for (const line of plain(shown)
      .split('\n')
      .filter((each) => each !== '' && each !== '…')) {
      expect(rest).toContain(`${line}\n`)
      rest = rest.slice(rest.indexOf(`${line}\n`))
    }
    expect(shown.split('\n').length).toBeGreaterThan(20)
    expect(demo.out()).not.toContain('\x1b')
    const traces = parseTraces(readFileSync(join(folder, 'traces.jsonl'), 'utf8'))
    expect(traces[0]).toMatchObject({
      controller: 'webapp',
      name: 'hello',
      triggers: [{ verb: 'start', kind: 'WebApp' }],
    })
  }, 180_000)

  it('npm start shows another operator, too', async () => {
    const demo = start(
      join(root, 'dist', 'operators', 'myresource.js'),
      '--nodes',
      '1',
      '--kubeconfig',
      join(folder, 'kubeconfig'),
    )
    await demo.until('MyResource sample is Ready after')
    child?.kill('SIGTERM')
    expect(await demo.ended).toBe(0)
    expect(demo.out()).toContain('apply Deployment sample-deployment  created')
    expect(demo.out()).toMatch(/^MyResource sample: State Ready$/m)
  }, 180_000)

  it('npm start serves the webhooks of an operator, and applies samples of any kind', async () => {
    const kubeconfig = join(folder, 'kubeconfig')
    const demo = start(join(root, 'examples', 'webhooks.ts'), '--nodes', '0', '--kubeconfig', kubeconfig)
    await demo.until('Release shop is Ready after')
    const env = realEnv()
    const transport = clusterTransport(env, await loadAccess({ env, variables: {}, kubeconfig }))
    const client = new RestClient({ env, transport })
    const key = { namespace: 'default', name: 'shop' }
    const patch = { spec: { image: 'docker.io/shop:2' } }
    await expect(client.patch(Release, key, { type: 'merge', patch })).rejects.toThrow(
      'the namespace default allows only images of quay.io, ghcr.io',
    )
    await transport.close()
    child?.kill('SIGTERM')
    expect(await demo.ended).toBe(0)
  }, 180_000)
})

describe('coxswain demo', () => {
  const inProcess = async (...args: string[]) => {
    const error: string[] = []
    const code = await runCommandLine(['demo', ...args], {
      out: () => undefined,
      error: (line) => error.push(line),
      stopped: new Promise(() => undefined),
    })
    return { code, error }
  }

  it.each([
    [['--nodes', 'many', 'x.js'], 2, '--nodes must be a number from 0 to 9999'],
    [['--port', '99999', 'x.js'], 2, '--port must be a number from 0 to 65535'],
    [['--traces', '/no/such/folder/t', 'x.js'], 2, '--traces: cannot write into the folder /no/such/folder'],
    [['x.js', 'y.js'], 2, 'give one MODULE, not also y.js'],
    [['no-such-module.js'], 2, 'there is no module no-such-module.js'],
  ])('coxswain demo refuses %j', async (args, code, message) => {
    const result = await inProcess(...args)
    expect(result.code).toBe(code)
    expect(result.error).toEqual([expect.stringContaining(message)])
  })
})
