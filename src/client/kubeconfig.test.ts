/** Kubeconfigs: merging, paths, rejections with their messages, and where a configuration is searched. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createControlPlane } from '../controlplane/index.ts'
import { realEnv } from '../env/real.ts'
import { simulatedEnv } from '../env/simulated.ts'
import { clusterTransport, type ClusterAccess } from './cluster-access.ts'
import { KubeconfigError } from './kubeconfig-file.ts'
import { loadAccess, type LoadAccessOptions } from './load-access.ts'
import { RestClient } from './rest-client.ts'
import { answer, scriptedServer } from './testdata/scripted-server.ts'

let folder: string
const cleanup: (() => unknown)[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coxswain-kubeconfig-'))
})
afterEach(async () => {
  for (const each of cleanup.splice(0).toReversed()) await each()
  rmSync(folder, { recursive: true })
})

function write(name: string, text: string): string {
  const path = join(folder, name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
  return path
}

/** A kubeconfig with one cluster, user and context, whose fields are given as YAML flow maps. */
function config(
  name: string,
  {
    cluster = '{ server: https://a.example.com }',
    user = '{}',
    context = '{ cluster: c, user: u }',
    current = 'x',
  } = {},
): string {
  return write(
    name,
    `
apiVersion: v1
kind: Config
current-context: ${current}
clusters: [{ name: c, cluster: ${cluster} }]
users: [{ name: u, user: ${user} }]
contexts: [{ name: x, context: ${context} }]
`,
  )
}

const load = (options: Partial<LoadAccessOptions> = {}): Promise<ClusterAccess> =>
  loadAccess({ env: realEnv(), variables: { HOME: folder }, ...options })

const authorization = async ({ credentials }: ClusterAccess): Promise<string | undefined> =>
  (await credentials.current()).authorization

describe('where it is looked for', () => {
  it('a kubeconfig is looked up: --kubeconfig, then KUBECONFIG, then the pod, then the home', async () => {
    const [flag, listed] = [config('flag'), config('listed')]
    const account = join(folder, 'account')
    write('account/token', 'secret\n')
    write('account/ca.crt', 'CA')
    write('account/namespace', 'mine')
    const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' }
    const home = config('.kube/config')
    const source = async (options: Partial<LoadAccessOptions>): Promise<string> =>
      (await load({ serviceAccountFolder: account, ...options })).source
    expect(await source({ kubeconfig: flag, variables: { HOME: folder, KUBECONFIG: listed, ...pod } })).toBe(
      `context "x" of ${flag}`,
    )
    expect(await source({ variables: { HOME: folder, KUBECONFIG: listed, ...pod } })).toBe(`context "x" of ${listed}`)
    expect(await source({ variables: { HOME: folder, ...pod } })).toBe(`the service account in ${account}`)
    expect(await source({ variables: { HOME: folder } })).toBe(`context "x" of ${home}`)
    // The environment of a pod without the files of a service account.
    expect(await source({ variables: { HOME: folder, ...pod }, serviceAccountFolder: join(folder, 'none') })).toBe(
      `context "x" of ${home}`,
    )
    rmSync(home)
    await expect(
      source({ variables: { HOME: folder, ...pod }, serviceAccountFolder: join(folder, 'none') }),
    ).rejects.toThrow(/looks like a pod.*automountServiceAccountToken/)
    await expect(source({ variables: { HOME: folder } })).rejects.toThrow(
      `no kubeconfig was found: there is no ${home}, KUBECONFIG is not set, and this is not a pod; name a ` +
        'file with --kubeconfig',
    )
  })

  it('in a pod, access comes from the service account and the address of the environment', async () => {
    write('account/token', 'secret\n')
    write('account/ca.crt', 'CA')
    write('account/namespace', 'mine\n')
    const variables = { HOME: folder, KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' }
    const access = await load({ variables, serviceAccountFolder: join(folder, 'account') })
    expect(access).toMatchObject({
      server: 'https://[fd00::1]:443',
      namespace: 'mine',
      compression: false,
      proxy: undefined,
    })
    expect(await access.trust()).toEqual({ ca: 'CA' })
    expect(await authorization(access)).toBe('Bearer secret')
  })

  it('the file of --kubeconfig must exist; those of KUBECONFIG need not', async () => {
    await expect(load({ kubeconfig: join(folder, 'none') })).rejects.toThrow(
      `the kubeconfig ${join(folder, 'none')} does not exist`,
    )
    const there = config('there')
    const KUBECONFIG = [join(folder, 'none'), there].join(delimiter)
    expect((await load({ variables: { KUBECONFIG } })).source).toContain(there)
    await expect(load({ variables: { KUBECONFIG: join(folder, 'none') } })).rejects.toThrow('KUBECONFIG names')
    await expect(load({ kubeconfig: folder })).rejects.toThrow('cannot be read')
  })
})

describe('several files', () => {
  it('the first kubeconfig file to name an entry wins; relative paths start at their file', async () => {
    write('one/token', 'of one')
    write('two/token', 'of two')
    const one = write(
      'one/config',
      `
clusters: [{ name: c, cluster: { server: https://one.example.com } }]
users: [{ name: u, user: { tokenFile: token } }]
`,
    )
    const two = write(
      'two/config',
      `
current-context: x
clusters:
  - { name: c, cluster: { server: https://two.example.com, insecure-skip-tls-verify: true } }
  - { name: d, cluster: { server: https://d.example.com } }
users: [{ name: u, user: { tokenFile: token } }, { name: v, user: { tokenFile: token } }]
contexts: [{ name: x, context: { cluster: c, user: u, namespace: n } }, { name: y, context: { cluster: d, user: v } }]
`,
    )
    const three = write('three', 'current-context: y\n')
    const KUBECONFIG = [one, two, three].join(delimiter)
    const x = await load({ variables: { KUBECONFIG } })
    expect(x).toMatchObject({ server: 'https://one.example.com', namespace: 'n' })
    expect(await x.trust()).toMatchObject({ insecureSkipVerify: false })
    expect(await authorization(x)).toBe('Bearer of one')
    const y = await load({ variables: { KUBECONFIG }, context: 'y' })
    expect(y).toMatchObject({ server: 'https://d.example.com', namespace: 'default' })
    expect(await authorization(y)).toBe('Bearer of two')
  })

  // Known failure: client 29.
  it('several kubeconfig files: a context is one value: another context never changes it', async () => {
    const path = write(
      'config',
      `
current-context: a
clusters:
  - { name: a, cluster: { server: https://a.example.com } }
  - { name: b, cluster: { server: https://b.example.com } }
users: [{ name: a, user: { token: a } }, { name: b, user: { token: b } }]
contexts: [{ name: a, context: { cluster: a, user: a } }, { name: b, context: { cluster: b, user: b } }]
`,
    )
    const [a, b] = [await load({ kubeconfig: path }), await load({ kubeconfig: path, context: 'b' })]
    expect([a.server, await authorization(a), b.server, await authorization(b)]).toEqual([
      'https://a.example.com',
      'Bearer a',
      'https://b.example.com',
      'Bearer b',
    ])
  })

  it('several kubeconfig files: JSON is read too, and an empty file is empty', async () => {
    const json = write(
      'json',
      JSON.stringify({
        'current-context': 'x',
        clusters: [{ name: 'c', cluster: { server: 'https://a.example.com' } }],
        contexts: [{ name: 'x', context: { cluster: 'c' } }],
      }),
    )
    const access = await load({ variables: { KUBECONFIG: [write('empty', ''), json].join(delimiter) } })
    expect(access.server).toBe('https://a.example.com')
    expect(await authorization(access)).toBeUndefined()
  })
})

describe('users', () => {
  it('kubeconfig users: tokens, passwords, impersonation', async () => {
    expect(await authorization(await load({ kubeconfig: config('a', { user: '{ token: secret }' }) }))).toBe(
      'Bearer secret',
    )
    expect(
      await authorization(await load({ kubeconfig: config('a', { user: '{ username: me, password: "p:w" }' }) })),
    ).toBe(`Basic ${btoa('me:p:w')}`)
    const { headers } = await load({
      kubeconfig: config('a', {
        user: '{ token: t, as: bob, as-uid: "7", as-groups: [one, two], as-user-extra: { Scopes/x: [a, b] } }',
      }),
    })
    expect(headers).toEqual({
      'impersonate-user': 'bob',
      'impersonate-uid': '7',
      'impersonate-group': ['one', 'two'],
      'impersonate-extra-scopes%2fx': ['a', 'b'],
    })
  })

  it('kubeconfig users: certificates, from data and from files; data goes first', async () => {
    write('cert.pem', 'CERT FILE')
    write('key.pem', 'KEY FILE')
    const files = await load({
      kubeconfig: config('a', { user: '{ client-certificate: cert.pem, client-key: key.pem }' }),
    })
    expect((await files.credentials.current()).certificate).toEqual({ cert: 'CERT FILE', key: 'KEY FILE' })
    const [cert, key] = [btoa('CERT'), btoa('KEY')]
    const data = `{ client-certificate: cert.pem, client-certificate-data: ${cert}, client-key-data: ${key} }`
    const both = await load({ kubeconfig: config('a', { user: data }) })
    expect((await both.credentials.current()).certificate).toEqual({ cert: 'CERT', key: 'KEY' })
    expect(await both.credentials.current()).toBe(await both.credentials.current())
  })

  // Known failure: client 30.
  it('a token file is read again after a minute, and once more after a 401', async () => {
    const env = simulatedEnv()
    const server = await scriptedServer((response, { request }) =>
      answer(
        response,
        request.headers.authorization === 'Bearer three'
          ? 200
          : request.headers.authorization === 'Bearer two'
            ? 200
            : 401,
        {},
      ),
    )
    cleanup.push(() => server.close())
    const token = write('token', 'two\n')
    const access = await load({
      env,
      kubeconfig: config('a', { cluster: `{ server: "${server.url}" }`, user: '{ tokenFile: token, token: ignored }' }),
    })
    const transport = clusterTransport(env, access)
    cleanup.push(() => transport.close())
    const status = async (): Promise<number> => (await transport.request({ method: 'GET', path: '/' })).status
    const sent = (): (string | undefined)[] => server.requests.map(({ request }) => request.headers.authorization)
    expect(await status()).toBe(200)
    writeFileSync(token, 'one')
    env.advance(59_999)
    expect(await status()).toBe(200)
    env.advance(1)
    // The new token is rejected, read again, and has not changed: one request, not two.
    expect(await status()).toBe(401)
    expect(sent()).toEqual(['Bearer two', 'Bearer two', 'Bearer one'])
    writeFileSync(token, 'three')
    expect(await status()).toBe(200)
    expect(sent().slice(3)).toEqual(['Bearer one', 'Bearer three'])
    // A file that is missing for a moment causes no error.
    rmSync(token)
    env.advance(60_000)
    expect(await status()).toBe(200)
    expect(env.pending).toBe(0)
  })

  it('kubeconfig users: a token file that was never there is an error that names it', async () => {
    const access = await load({ kubeconfig: config('a', { user: '{ tokenFile: none }' }) })
    await expect(access.credentials.current()).rejects.toMatchObject({
      code: 'CREDENTIALS',
      message: expect.stringMatching(/user "u" of .*: the token cannot be read from .*none: ENOENT/),
    })
  })
})

describe('clusters', () => {
  // Known failure: client 31.
  it('kubeconfig clusters: proxy-url goes before the environment', async () => {
    const variables = { HTTPS_PROXY: 'http://env:1', NO_PROXY: 'b.example.com' }
    const proxied = await load({
      kubeconfig: config('a', { cluster: '{ server: https://b.example.com, proxy-url: http://own:2 }' }),
      variables,
    })
    expect(proxied.proxy?.href).toBe('http://own:2/')
    expect((await load({ kubeconfig: config('a'), variables })).proxy?.href).toBe('http://env:1/')
    expect(
      (await load({ kubeconfig: config('a', { cluster: '{ server: https://b.example.com }' }), variables })).proxy,
    ).toBeUndefined()
  })

  it('kubeconfig clusters: trust: authority, name, skipping, compression', async () => {
    write('ca.pem', 'CA FILE')
    const file = await load({
      kubeconfig: config('a', {
        cluster: '{ server: https://a, certificate-authority: ca.pem, tls-server-name: n, disable-compression: true }',
      }),
    })
    expect(await file.trust()).toEqual({ ca: 'CA FILE', serverName: 'n', insecureSkipVerify: false })
    expect(file.compression).toBe(false)
    const data = await load({
      kubeconfig: config('a', { cluster: `{ server: https://a, certificate-authority-data: ${btoa('CA')} }` }),
    })
    expect(await data.trust()).toMatchObject({ ca: 'CA' })
    expect(await data.trust()).toBe(await data.trust())
  })
})

describe('what is wrong is said with file, field and remedy', () => {
  it.each([
    [{ cluster: '{}' }, 'clusters[0].cluster.server is missing: set it to the URL of the API server'],
    [{ cluster: '{ server: 5 }' }, 'clusters[0].cluster.server must be text, not a number: put it in quotes'],
    [
      { cluster: '{ server: a:6443 }' },
      'clusters[0].cluster.server "a:6443" is not a URL of the form https://host:port',
    ],
    [
      { cluster: '{ server: https://a, certificate-authority-data: "?" }' },
      'certificate-authority-data is not base64: encode the PEM text, or name its file in certificate-authority',
    ],
    [
      { cluster: '{ server: https://a, certificate-authority: x, insecure-skip-tls-verify: true }' },
      'insecure-skip-tls-verify cannot be true together with a certificate authority',
    ],
    [
      { cluster: '{ server: https://a, insecure-skip-tls-verify: "yes" }' },
      'insecure-skip-tls-verify must be true or false, not a string',
    ],
    [
      { cluster: '{ server: https://a, proxy-url: socks5://p }' },
      'clusters[0].cluster.proxy-url socks5:// proxies are not supported: use an http:// or https:// proxy',
    ],
    [{ user: '{ token: 12345 }' }, 'users[0].user.token must be text, not a number: put it in quotes'],
    [{ user: '{ token: a, username: b }' }, 'users[0].user.token cannot be used together with username and password'],
    [{ user: '{ client-certificate: a }' }, 'users[0].user.client-key is missing: a client certificate needs its key'],
    [{ user: '{ client-key: a }' }, 'users[0].user.client-certificate is missing'],
    [
      { user: '{ auth-provider: { name: gcp } }' },
      'users[0].user.auth-provider is not supported (gcp): use an exec plugin',
    ],
    [{ user: '{ as-groups: [a] }' }, 'users[0].user.as is missing'],
    [{ user: '{ as: a, as-groups: b }' }, 'users[0].user.as-groups must be a list of texts, not a string'],
    [
      { user: '{ exec: { command: a } }' },
      'users[0].user.exec.apiVersion must be client.authentication.k8s.io/v1 or ' +
        'client.authentication.k8s.io/v1beta1, not ""',
    ],
    [{ user: '{ exec: { apiVersion: client.authentication.k8s.io/v1 } }' }, 'users[0].user.exec.command is missing'],
    [
      { user: '{ exec: { apiVersion: client.authentication.k8s.io/v1, command: a } }' },
      'users[0].user.exec.interactiveMode must be Never, IfAvailable, Always, not ""',
    ],
    [
      { user: '{ exec: { apiVersion: client.authentication.k8s.io/v1beta1, command: a, env: [{}] } }' },
      'users[0].user.exec.env[0] has no name',
    ],
    [
      { user: '{ token: t, exec: { apiVersion: client.authentication.k8s.io/v1beta1, command: a } }' },
      'users[0].user.exec cannot be used together with a token',
    ],
    [{ context: '{ cluster: d }' }, 'context "x" names cluster "d", which is not defined'],
    [{ context: '{ cluster: c, user: w }' }, 'context "x" names user "w", which is not defined'],
    [{ context: '{}' }, 'context "x" names no cluster: set contexts[0].context.cluster'],
    [{ current: 'z' }, 'has no context "z"; there are: x'],
    [{ current: '""' }, 'has no current-context: choose a context (there are: x)'],
  ])('a kubeconfig error names file, field and remedy: %o', async (parts, message) => {
    const path = config('bad', parts)
    const error = await load({ kubeconfig: path }).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(KubeconfigError)
    expect((error as Error).message).toContain(message)
    expect((error as Error).message).toContain(path)
  })

  it.each([
    ['clusters: [', 'is not YAML'],
    ['{"clusters": [', 'is not YAML'],
    ['- a', 'is not a kubeconfig'],
    ['clusters: 5', 'clusters must be a list'],
    ['users: [a]', 'users[0] must be a map with name and user'],
    ['users: [{ user: {} }]', 'users[0] has no name'],
    ['users: [{ name: a, user: b }]', 'users[0].user must be a map'],
  ])('a kubeconfig error names file, field and remedy: %s', async (text, message) => {
    await expect(load({ kubeconfig: write('bad', text) })).rejects.toThrow(message)
  })

  it('a kubeconfig error names file, field and remedy: secrets are never in an error', async () => {
    const error = await load({
      kubeconfig: config('bad', { user: '{ token: hunter2, username: me, password: hunter2 }' }),
    }).catch(String)
    expect(error).not.toContain('hunter2')
  })
})

it('a kubeconfig leads to the embedded server', async () => {
  const env = realEnv()
  const plane = createControlPlane({
    env,
    tokens: [{ token: 't', user: { name: 'admin', uid: '', groups: ['system:masters'] } }],
  })
  cleanup.push(() => plane.close())
  const { url, caCert } = await plane.listen()
  const cluster = `{ server: "${url}", certificate-authority-data: ${btoa(caCert)} }`
  const transport = clusterTransport(env, await load({ kubeconfig: config('a', { cluster, user: '{ token: t }' }) }))
  cleanup.push(() => transport.close())
  expect(await new RestClient({ env, transport }).raw('GET', '/version')).toMatchObject({ major: '1' })
})
