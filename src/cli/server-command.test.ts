/** The server command as users run it: a process, its one line, its files, its signals. */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { request as plainRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { runCommandLine } from './command-line.ts'

/** The installed CLI. `npm test` builds it first. */
const cli = fileURLToPath(new URL('../../dist/coxswain.cjs', import.meta.url))

let folder: string
const children: ChildProcess[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coxswain-cli-'))
})

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

interface Run {
  readonly child: ChildProcess
  /** The first line of output. */
  readonly ready: Promise<string>
  readonly ended: Promise<{ code: number | null; out: string; error: string }>
}

function coxswain(...args: string[]): Run {
  // A killed process cannot remove its files; they are removed with the test's folder.
  const env = { ...process.env, TMPDIR: folder }
  const child = spawn(process.execPath, [cli, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  let out = ''
  let error = ''
  const ended = new Promise<{ code: number | null; out: string; error: string }>((resolve) => {
    child.on('close', (code) => resolve({ code, out, error }))
  })
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString()
      if (out.includes('\n')) resolve(out.slice(0, out.indexOf('\n')))
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      error += chunk.toString()
    })
    child.on('close', () => reject(new Error(`ended before it was ready: ${error}`)))
  })
  ready.catch(() => {})
  return { child, ready, ended }
}

/** Runs a command that ends by itself, without a process. */
async function inProcess(...args: string[]): Promise<{ code: number; out: string[]; error: string[] }> {
  const out: string[] = []
  const error: string[] = []
  const code = await runCommandLine(args, {
    out: (line) => out.push(line),
    error: (line) => error.push(line),
    stopped: new Promise(() => {}),
  })
  return { code, out, error }
}

function get(url: string, token: string | undefined, ca?: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https') ? request : plainRequest
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    send(url, { headers, ...(ca === undefined ? {} : { ca }), agent: false }, (res) => {
      let body = ''
      res.on('data', (chunk: Buffer) => (body += chunk.toString()))
      res.on('end', () => resolve({ status: res.statusCode ?? 0, body }))
    })
      .on('error', reject)
      .end()
  })
}

interface Kubeconfig {
  readonly clusters: { cluster: { server: string; 'certificate-authority-data'?: string } }[]
  readonly users: { user: { token: string } }[]
}

function readKubeconfig(path: string) {
  const { clusters, users } = parse(readFileSync(path, 'utf8')) as Kubeconfig
  const { server, 'certificate-authority-data': authority } = clusters[0]?.cluster ?? { server: '' }
  return {
    server,
    token: users[0]?.user.token ?? '',
    ca: authority === undefined ? undefined : Buffer.from(authority, 'base64').toString(),
  }
}

describe('coxswain server', () => {
  it('coxswain server --json prints one line of JSON when ready', async () => {
    const { child, ready, ended } = coxswain('server', '--json', '--kubeconfig', 'kc')
    expect(JSON.parse(await ready)).toEqual({
      url: readKubeconfig(join(folder, 'kc')).server,
      kubeconfig: join(folder, 'kc'),
    })
    child.kill('SIGTERM')
    const { code, out } = await ended
    expect(code).toBe(0)
    expect(out.trim().split('\n')).toHaveLength(1)
  })

  it('coxswain server says one line when ready, serves HTTPS, and stops cleanly on SIGTERM', async () => {
    const { child, ready, ended } = coxswain('server', '--kubeconfig', 'kc')
    const line = await ready
    expect(line).toMatch(/serving the Kubernetes API at https:\/\/127\.0\.0\.1:\d+ .*export KUBECONFIG=/)
    expect(statSync(join(folder, 'kc')).mode & 0o777).toBe(0o600)
    const { server, token, ca } = readKubeconfig(join(folder, 'kc'))
    expect(line).toContain(server)
    expect(await get(`${server}/readyz`, token, ca)).toEqual({ status: 200, body: 'ok' })
    expect((await get(`${server}/api/v1/namespaces`, token, ca)).status).toBe(200)
    expect((await get(`${server}/api/v1/namespaces`, 'wrong', ca)).status).toBe(401)
    expect((await get(`${server}/api/v1/namespaces`, undefined, ca)).status).toBe(401)
    await expect(get(`${server}/readyz`, token)).rejects.toThrow(/certificate/)
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 0, error: '', out: `${line}\n` })
  })

  it('coxswain server takes a token, writes a temporary kubeconfig and removes it on Ctrl-C', async () => {
    const { child, ready, ended } = coxswain('server', '--no-tls', '--token', 'mine', '--port', '0')
    const line = await ready
    const url = /http:\/\/\S+/.exec(line)?.[0] ?? ''
    const kubeconfig = /KUBECONFIG=([^;]+);/.exec(line)?.[1] ?? ''
    expect(readKubeconfig(kubeconfig)).toMatchObject({ server: url, token: 'mine', ca: undefined })
    expect((await get(`${url}/version`, 'mine')).body).toContain('"minor": "35"')
    child.kill('SIGINT')
    expect((await ended).code).toBe(0)
    expect(existsSync(kubeconfig)).toBe(false)
  })

  it('coxswain server knows more users and their rights', async () => {
    writeFileSync(join(folder, 'tokens.csv'), 't-alice,alice,1\nt-root,root,2,"system:masters,dev"\n')
    const { ready } = coxswain('server', '--no-tls', '--token-auth-file', 'tokens.csv', '--authorization-mode', 'RBAC')
    const url = /http:\/\/\S+/.exec(await ready)?.[0] ?? ''
    expect((await get(`${url}/api/v1/nodes`, 't-root')).status).toBe(200)
    const refused = await get(`${url}/api/v1/nodes`, 't-alice')
    expect(refused.status).toBe(403)
    expect(refused.body).toContain('User \\"alice\\" cannot list resource \\"nodes\\"')
    expect((await get(`${url}/apis`, 't-alice')).status).toBe(200)
    expect((await get(`${url}/apis`, undefined)).status).toBe(403)
    expect((await get(`${url}/healthz`, undefined)).status).toBe(200)
  })

  it('coxswain server ends a watch when it is asked to stop', async () => {
    const { child, ready, ended } = coxswain('server', '--no-tls', '--token', 'mine')
    const url = /http:\/\/\S+/.exec(await ready)?.[0] ?? ''
    const watching = new Promise<void>((resolve, reject) => {
      plainRequest(`${url}/api/v1/pods?watch=1`, { headers: { authorization: 'Bearer mine' }, agent: false }, (res) => {
        res.on('data', () => {})
        res.on('close', () => resolve())
        child.kill('SIGTERM')
      })
        .on('error', reject)
        .end()
    })
    await watching
    expect((await ended).code).toBe(0)
  })

  it.each([
    [['server', '--port', 'x'], 2, /--port must be a number from 0 to 65535/],
    [['server', '--port', '70000'], 2, /--port must be a number/],
    [['server', '--authorization-mode', 'Open'], 2, /--authorization-mode must be AlwaysAllow or RBAC/],
    [['server', '--disable-admission-plugins', 'Foo'], 2, /disable-admission-plugins plugin "Foo" is unknown/],
    [
      ['server', '--enable-admission-plugins', 'Priority', '--enable-admission-plugins', 'A,B'],
      2,
      /\[enable-admission-plugins plugin "A" is unknown, enable-admission-plugins plugin "B" is unknown\]/,
    ],
    [['server', '--runtime-config', 'apps/v1beta1=true'], 2, /--runtime-config: apps\/v1beta1 cannot be enabled/],
    [['server', '--runtime-config', 'a=b'], 2, /--runtime-config: "a=b" must end with =true or =false/],
    [['server', '--token', 'a b'], 2, /--token must be printable/],
    [['server', '--token-auth-file', 'missing.csv'], 2, /cannot read missing.csv: ENOENT/],
    [['server', '--kubeconfig', 'no/such/folder/kc'], 2, /cannot write into the folder/],
    [['server', '--colour'], 2, /Unknown option '--colour'.*--help/],
    [['serve'], 2, /there is no command "serve"/],
    [['server', '--host', '0.0.0.0', '--no-tls'], 2, /--no-tls on 0\.0\.0\.0 would send tokens unencrypted/],
    [['server', '--host', '::', '--no-tls'], 2, /--no-tls on :: would send tokens unencrypted/],
    [['server', '--host', '203.0.113.1', '--no-tls', '--allow-plain-http'], 1, /cannot listen on 203\.0\.113\.1/],
    [['server', '--host', '203.0.113.1'], 1, /cannot listen on 203\.0\.113\.1/],
  ])('coxswain server refuses %j with code %i and one clear line', async (args, code, message) => {
    const { error, ...result } = await inProcess(...args)
    expect(result).toEqual({ code, out: [] })
    expect(error).toEqual([expect.stringMatching(message)])
  })

  it('coxswain server does not overwrite a kubeconfig of somebody else', async () => {
    const mine = join(folder, 'config')
    writeFileSync(mine, 'apiVersion: v1\nkind: Config\n')
    const result = await inProcess('server', '--kubeconfig', mine)
    expect(result).toMatchObject({ code: 1, error: [expect.stringContaining('was not written by coxswain')] })
    expect(readFileSync(mine, 'utf8')).toBe('apiVersion: v1\nkind: Config\n')
  })

  it('coxswain server says when the port is taken', async () => {
    const first = coxswain('server', '--no-tls')
    const port = /:(\d+)/.exec((await first.ready).replace('coxswain:', ''))?.[1] ?? ''
    const result = await coxswain('server', '--no-tls', '--port', port).ended
    expect(result).toMatchObject({ code: 1, error: expect.stringContaining(`port ${port} on 127.0.0.1 is in use`) })
  })

  it('coxswain server helps', async () => {
    const general = await inProcess('--help')
    expect(general).toMatchObject({ code: 0, out: [expect.stringMatching(/server +run a Kubernetes API server/)] })
    const help = await inProcess('server', '--help')
    expect(help.code).toBe(0)
    for (const flag of [
      '--host',
      '--port',
      '--token ',
      '--token-auth-file',
      '--kubeconfig',
      '--no-tls',
      '--authorization-mode',
      '--disable-admission-plugins',
      '--help',
    ]) {
      expect(help.out[0]).toContain(flag)
    }
    expect((await inProcess()).code).toBe(2)
  })
})
