/** Exec plugins as small programs: their input, when they run, and the errors when they fail. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { simulatedEnv, type SimulatedEnv } from '../env/simulated.ts'
import { clusterTransport, type ClusterAccess } from './cluster-access.ts'
import { Deadline } from './deadline.ts'
import { loadAccess } from './load-access.ts'
import { answer, scriptedServer } from './testdata/scripted-server.ts'
import { eventually } from './testdata/eventually.ts'

let folder: string
let env: SimulatedEnv
const cleanup: (() => unknown)[] = []
const said: string[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coxswain-exec-'))
  env = simulatedEnv()
  said.length = 0
})
afterEach(async () => {
  for (const each of cleanup.splice(0).toReversed()) await each()
  rmSync(folder, { recursive: true })
})

/** A program that records each run with its input, and prints the result of `print`. */
function program(print: string, name = 'plugin.cjs'): void {
  writeFileSync(
    join(folder, name),
    `
const fs = require('node:fs')
const log = ${JSON.stringify(join(folder, 'runs'))}
fs.appendFileSync(log, process.env.KUBERNETES_EXEC_INFO + '\\n')
const n = fs.readFileSync(log, 'utf8').split('\\n').length - 1
${print}
`,
  )
}

const credential = (status: string, apiVersion = 'client.authentication.k8s.io/v1'): string =>
  `console.log(JSON.stringify({ kind: 'ExecCredential', apiVersion: '${apiVersion}', status: ${status} }))`

function runs(): unknown[] {
  const log = join(folder, 'runs')
  return existsSync(log)
    ? readFileSync(log, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown)
    : []
}

async function access(
  exec: Record<string, unknown> = {},
  cluster: Record<string, unknown> = {},
): Promise<ClusterAccess> {
  const path = join(folder, 'config')
  writeFileSync(
    path,
    JSON.stringify({
      'current-context': 'x',
      clusters: [{ name: 'c', cluster: { server: 'https://a.example.com', ...cluster } }],
      users: [
        {
          name: 'u',
          user: {
            exec: {
              apiVersion: 'client.authentication.k8s.io/v1',
              interactiveMode: 'Never',
              command: process.execPath,
              args: [join(folder, 'plugin.cjs')],
              ...exec,
            },
          },
        },
      ],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    }),
  )
  return loadAccess({
    env,
    kubeconfig: path,
    variables: { PATH: '/nowhere' },
    onStderr: (chunk) => said.push(Buffer.from(chunk).toString()),
  })
}

const later = (ms: number): string => new Date(env.now() + ms).toISOString()

describe('exec plugins', () => {
  it('exec plugins give tokens; they get cluster information only if they ask for it', async () => {
    program(credential(`{ token: 't' + n }`))
    const plain = await access()
    expect(await plain.credentials.current()).toEqual({ authorization: 'Bearer t1', certificate: undefined })
    const curious = await access(
      { provideClusterInfo: true },
      {
        'certificate-authority-data': btoa('CA'),
        'tls-server-name': 'n',
        extensions: [
          { name: 'other', extension: {} },
          { name: 'client.authentication.k8s.io/exec', extension: { audience: 'a' } },
        ],
      },
    )
    expect(await curious.credentials.current()).toMatchObject({ authorization: 'Bearer t2' })
    writeFileSync(join(folder, 'ca.pem'), 'CA FILE')
    const filed = await access({ provideClusterInfo: true }, { 'certificate-authority': 'ca.pem' })
    expect(await filed.credentials.current()).toMatchObject({ authorization: 'Bearer t3' })
    const same = { kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1' }
    expect(runs()).toEqual([
      { ...same, spec: { interactive: false } },
      {
        ...same,
        spec: {
          interactive: false,
          cluster: {
            server: 'https://a.example.com',
            'tls-server-name': 'n',
            'certificate-authority-data': btoa('CA'),
            config: { audience: 'a' },
          },
        },
      },
      {
        ...same,
        spec: {
          interactive: false,
          cluster: { server: 'https://a.example.com', 'certificate-authority-data': btoa('CA FILE') },
        },
      },
    ])
  })

  it('exec plugins support v1beta1, environment variables, relative commands and certificates', async () => {
    program(
      credential(
        `{ clientCertificateData: process.env.CERT, clientKeyData: 'KEY' }`,
        'client.authentication.k8s.io/v1beta1',
      ),
    )
    writeFileSync(join(folder, 'run.sh'), `#!/bin/sh\nexec ${process.execPath} ${join(folder, 'plugin.cjs')} "$@"\n`, {
      mode: 0o755,
    })
    const { credentials } = await access({
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      interactiveMode: null,
      command: './run.sh',
      args: null,
      env: [{ name: 'CERT', value: 'C' }],
    })
    expect(await credentials.current()).toEqual({ authorization: undefined, certificate: { cert: 'C', key: 'KEY' } })
  })

  // Known failure: client 29.
  it('credentials of exec plugins are kept until they expire, per program and cluster', async () => {
    program(credential(`{ token: 't' + n, expirationTimestamp: '${later(60_000)}' }`))
    const first = await access()
    const again = await access()
    const elsewhere = await access({}, { server: 'https://b.example.com' })
    const others = await access({ args: [join(folder, 'plugin.cjs'), 'more'] })
    await Promise.all([first, first, again].map(({ credentials }) => credentials.current()))
    expect(runs()).toHaveLength(1)
    expect(await elsewhere.credentials.current()).toMatchObject({ authorization: 'Bearer t2' })
    expect(await others.credentials.current()).toMatchObject({ authorization: 'Bearer t3' })
    expect(await again.credentials.current()).toMatchObject({ authorization: 'Bearer t1' })
    env.advance(49_999)
    expect(await first.credentials.current()).toMatchObject({ authorization: 'Bearer t1' })
    env.advance(1)
    expect(await first.credentials.current()).toMatchObject({ authorization: 'Bearer t4' })
  })

  // Known failure: client 29.
  it('a 401 makes them run again, once, however many requests were refused', async () => {
    program(credential(`{ token: 't' + n }`))
    const server = await scriptedServer((response, { request }) =>
      answer(response, request.headers.authorization === 'Bearer t2' ? 200 : 401, {}),
    )
    cleanup.push(() => server.close())
    const transport = clusterTransport(env, await access({}, { server: server.url }))
    cleanup.push(() => transport.close())
    const answers = await Promise.all(Array.from({ length: 5 }, () => transport.request({ method: 'GET', path: '/' })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(runs()).toHaveLength(2)
  })

  it('a late 401 does not discard newer credentials of an exec plugin', async () => {
    program(credential(`{ token: 't' + n }`))
    const { credentials } = await access()
    const old = await credentials.current()
    credentials.refused(old)
    const fresh = await credentials.current()
    expect(credentials.refused(old)).toBe(true)
    expect(await credentials.current()).toBe(fresh)
    expect(runs()).toHaveLength(2)
  })

  it('stderr of exec plugins is passed on', async () => {
    program(`console.error('please log in'); ${credential(`{ token: 't' }`)}`)
    await (await access()).credentials.current()
    expect(said.join('')).toBe('please log in\n')
  })

  it.each([
    [
      'a program that is missing, with its hint',
      '',
      { command: 'no-such-program', installHint: 'Get it at example.com.' },
      'the exec plugin no-such-program is not installed: Get it at example.com.',
    ],
    [
      'a program that is missing',
      '',
      { command: 'no-such-program' },
      'the exec plugin no-such-program is not installed: install it, or correct the command',
    ],
    [
      'a program that fails',
      'console.error("no session"); process.exitCode = 3',
      {},
      'ended with exit code 3: no session',
    ],
    ['a program that is killed', 'process.kill(process.pid, "SIGKILL")', {}, 'ended with signal SIGKILL'],
    ['no JSON', 'console.log("hello")', {}, 'did not print an ExecCredential as JSON'],
    ['another kind', 'console.log("{}")', {}, 'did not print an ExecCredential'],
    [
      'another version',
      credential('{ token: "t" }', 'client.authentication.k8s.io/v1beta1'),
      {},
      'printed apiVersion "client.authentication.k8s.io/v1beta1", but the kubeconfig asks for ' +
        'client.authentication.k8s.io/v1',
    ],
    ['no status', credential('undefined'), {}, 'printed an ExecCredential without status'],
    ['nothing of use', credential('{}'), {}, 'printed neither a token nor a certificate'],
    [
      'half a certificate',
      credential('{ clientKeyData: "k" }'),
      {},
      'printed only one of clientCertificateData and clientKeyData',
    ],
    [
      'a time that is none',
      credential('{ token: "t", expirationTimestamp: "soon" }'),
      {},
      'printed an expirationTimestamp that is not a time: soon',
    ],
    ['a token that is no text', credential('{ token: 5 }'), {}, 'printed a status.token that is not text'],
    [
      'a user who is not there',
      credential('{ token: "t" }'),
      { interactiveMode: 'Always' },
      'must talk to a user (interactiveMode: Always), but standard input is not a terminal',
    ],
  ])('exec plugins: %s', async (_name, print, exec, message) => {
    program(print)
    const { credentials } = await access(exec)
    const error = await credentials.current().catch((caught: unknown) => caught)
    expect(error).toMatchObject({ name: 'TransportError', code: 'CREDENTIALS', sent: false })
    expect((error as Error).message).toContain(message)
    expect((error as Error).message).toContain(`user "u" of ${join(folder, 'config')}`)
  })

  it('a failure is not kept', async () => {
    program(`if (n === 1) process.exit(1); ${credential(`{ token: 't' + n }`)}`)
    const { credentials } = await access()
    await expect(credentials.current()).rejects.toThrow('exit code 1')
    expect(await credentials.current()).toMatchObject({ authorization: 'Bearer t2' })
  })

  it('a call that timed out leaves the login of an exec plugin running; the next call uses its result', async () => {
    program(
      `const wait = setInterval(() => { if (fs.existsSync(${JSON.stringify(join(folder, 'login'))})) { ` +
        `clearInterval(wait); ${credential(`{ token: 't' + n }`)} } }, 5)`,
    )
    const { credentials } = await access()
    const deadline = new Deadline(env, 30_000, 'GET /')
    const late = credentials.current(deadline.signal).catch((error: unknown) => error)
    await eventually(() => runs().length).toBe(1)
    env.advance(20_000)
    const error = await late
    expect(error).toMatchObject({ code: 'CREDENTIALS', sent: false })
    expect((error as Error).message).toContain(`${process.execPath} has given no credentials for 20 s: it still runs`)
    const next = credentials.current()
    writeFileSync(join(folder, 'login'), '')
    expect(await next).toMatchObject({ authorization: 'Bearer t1' })
  })

  it('a short deadline of a call that waits for an exec plugin names the plugin, not the server', async () => {
    program('setInterval(() => {}, 1000)')
    const { credentials } = await access()
    const deadline = new Deadline(env, 5000, 'GET / of a.example.com')
    const late = credentials.current(deadline.signal).catch((caught: unknown) => caught)
    await eventually(() => runs().length).toBe(1)
    env.advance(5000)
    const error = (await late) as Error
    expect(error).toMatchObject({ code: 'CREDENTIALS' })
    expect(error.message).toContain('has given no credentials for 5 s: it still runs')
    expect(error.message).not.toContain('a.example.com')
    env.advance(55_000)
  })

  it('an exec plugin that hangs is killed after a minute, with what it has started', async () => {
    program(
      `console.error('waiting for the vault'); ${startsChild}` +
        `fs.writeFileSync(${JSON.stringify(join(folder, 'pids'))}, process.pid + ' ' + child.pid)`,
    )
    const { credentials } = await access()
    const waiting = (): Promise<unknown> => credentials.current().catch((caught: unknown) => caught)
    const early = waiting()
    const [plugin, child] = await pids()
    env.advance(59_999)
    expect((await early) as Error).toMatchObject({ code: 'CREDENTIALS' })
    expect(isRunning(plugin)).toBe(true)
    const late = waiting()
    env.advance(1)
    expect(((await late) as Error).message).toMatch(/the exec plugin .* has not ended within 60 s and was killed/)
    await eventually(() => isRunning(plugin) || isRunning(child)).toBe(false)
    expect(said.join('')).toMatch(/^(waiting for the vault\n)?$/)
  })

  it('the output of an exec plugin is limited', async () => {
    program(
      `fs.writeFileSync(${JSON.stringify(join(folder, 'pids'))}, process.pid + ' ' + process.pid)
       const more = () => { while (process.stdout.write('x'.repeat(65536))); process.stdout.once('drain', more) }
       more()`,
    )
    const { credentials } = await access()
    await expect(credentials.current()).rejects.toThrow('printed more than 1048576 bytes and was killed')
    const [plugin] = await pids()
    await eventually(() => isRunning(plugin)).toBe(false)
  })

  it('what an exec plugin leaves behind does not hold up its credentials, and ends', async () => {
    program(
      `${startsChild} fs.writeFileSync(${JSON.stringify(join(folder, 'pids'))}, process.pid + ' ' + child.pid)
       ${credential(`{ token: 't' + n }`)}; child.unref()`,
    )
    const { credentials } = await access()
    expect(await credentials.current()).toMatchObject({ authorization: 'Bearer t1' })
    const [, child] = await pids()
    await eventually(() => isRunning(child)).toBe(false)
  })

  it.each([
    ['a token that it prints to both', `${credential('{ token: "canary" }')}; console.error('have canary')`],
    ['a failure', `console.error('Authorization: Bearer canary-1'); process.exitCode = 1`],
    [
      'a failure with its output',
      `${credential('{ token: "canary" }')}; console.error('canary'); process.exitCode = 1`,
    ],
    ['a field', `console.error('{"refresh_token":"canary-1"}'); process.exitCode = 1`],
    ['an opaque word', `console.error('key c4n4ryc4n4ryc4n4ryc4n4ry'); process.exitCode = 1`],
    [
      'a key',
      `console.error('-----BEGIN PRIVATE KEY-----\\ncanary\\n-----END PRIVATE KEY-----'); process.exitCode = 1`,
    ],
    ['its environment', `console.error(process.env.VAULT_SECRET); process.exitCode = 1`],
    ['output that is no JSON', `console.log('canary canary')`],
    ['a token in the wrong field', credential('{ token: "t", expirationTimestamp: "c4n4ryc4n4ryc4n4ryc4n4ry" }')],
  ])('secrets of an exec plugin do not reach its errors and stderr: %s', async (_name, print) => {
    program(print)
    const { credentials } = await access({ env: [{ name: 'VAULT_SECRET', value: 'canary-of-vault' }] })
    const error: unknown = await credentials.current().catch((caught: unknown) => caught)
    const shown = error instanceof Error ? [error.message, error.stack, String(error.cause)] : []
    expect([...shown, ...said].join('\n')).not.toMatch(/canary|c4n4ry/)
  })

  it('an exec plugin is ended when no call waits for it any more, and only then', async () => {
    program(
      `fs.writeFileSync(${JSON.stringify(join(folder, 'pid'))}, String(process.pid)); setInterval(() => {}, 1000)`,
    )
    const { credentials } = await access()
    const [one, two] = [new AbortController(), new AbortController()]
    const calls = [one, two].map(({ signal }) => credentials.current(signal).catch((error: unknown) => error))
    await eventually(() => existsSync(join(folder, 'pid')) && readFileSync(join(folder, 'pid'), 'utf8')).toMatch(/\d/)
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'))
    one.abort()
    expect(await calls[0]).toMatchObject({ code: 'ABORTED' })
    expect(isRunning(pid)).toBe(true)
    two.abort()
    expect(await calls[1]).toMatchObject({ code: 'ABORTED' })
    await eventually(() => isRunning(pid)).toBe(false)
  })
})

/** Part of a program: a child that would run for ever and holds the output open. */
const startsChild =
  `const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], ` +
  `{ stdio: 'inherit' });`

/** The program's and its child's. */
async function pids(): Promise<[number, number]> {
  const file = join(folder, 'pids')
  await eventually(() => existsSync(file) && readFileSync(file, 'utf8')).toMatch(/\d \d/)
  return readFileSync(file, 'utf8').split(' ').map(Number) as [number, number]
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
