/**
 * Creates the code caches of the bundled command line. V8's cache contains the functions that were compiled before the
 * server ended, so the server runs here and handles the requests that most users send first.
 */
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { request } from 'node:https'

const token = 'cache'

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'examples.coxswain.dev' },
  spec: {
    group: 'coxswain.dev',
    scope: 'Namespaced',
    names: { plural: 'examples', singular: 'example', kind: 'Example', listKind: 'ExampleList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  name: { type: 'string', pattern: '^[a-z]+$' },
                  size: { type: 'integer', minimum: 0, default: 1 },
                },
                'x-kubernetes-validations': [
                  { rule: 'self.size < 10 && (!has(self.name) || self.name.size() > 1)', message: 'too large' },
                ],
              },
              status: { type: 'object', properties: { phase: { type: 'string' } } },
            },
          },
        },
      },
    ],
  },
}

const template = {
  metadata: { labels: { app: 'web' } },
  spec: {
    containers: [
      {
        name: 'web',
        image: 'nginx',
        ports: [{ containerPort: 80 }],
        resources: { requests: { cpu: '100m', memory: '64Mi' } },
      },
    ],
  },
}
const deployment = { metadata: { name: 'web' }, spec: { selector: { matchLabels: { app: 'web' } }, template } }
const service = { metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } }
const example = { apiVersion: 'coxswain.dev/v1', kind: 'Example', metadata: { name: 'web' }, spec: { name: 'web' } }

const inDefault = (group) => `${group}/namespaces/default`
const apply = 'application/apply-patch+yaml'

/** Method and path; for writes also the object and its content type. */
const requests = [
  ['GET', '/api/v1/namespaces?limit=500'],
  ['POST', `${inDefault('/apis/apps/v1')}/deployments`, deployment],
  ['POST', `${inDefault('/api/v1')}/pods`, { ...template, metadata: { name: 'web' } }],
  ['POST', `${inDefault('/api/v1')}/services`, service],
  ['POST', `${inDefault('/api/v1')}/configmaps`, { metadata: { name: 'web' }, data: { a: 'b' } }],
  ['POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition],
  ['POST', `${inDefault('/apis/coxswain.dev/v1')}/examples`, example],
  ['PATCH', `${inDefault('/apis/coxswain.dev/v1')}/examples/web?fieldManager=cache&force=true`, example, apply],
  [
    'PATCH',
    `${inDefault('/apis/coxswain.dev/v1')}/examples/web/status`,
    { status: { phase: 'Ready' } },
    'application/merge-patch+json',
  ],
  ['GET', `${inDefault('/apis/coxswain.dev/v1')}/examples`],
  ['GET', '/openapi/v3'],
]

/**
 * The first run creates the caches of the parts that every start needs, the second those of the parts that are loaded
 * later. Throws if the server does not start, if a start needs more than `core`, or if a request fails.
 */
export async function fillCaches(dist) {
  await run(dist, [['GET', '/readyz']])
  const loaded = readdirSync(`${dist}/bundle`).filter((name) => name.endsWith('.cache'))
  const others = loaded.filter((name) => name !== 'main.cache' && name !== 'core.cache')
  if (others.length > 0) throw new Error(`a start of the server loads more than core: ${others.join(', ')}`)
  await run(dist, requests)
}

async function run(dist, asked) {
  const server = spawn(process.execPath, [`${dist}/coxswain.cjs`, 'server', '--token', token], {
    env: { ...process.env, COXSWAIN_WRITE_CODE_CACHE: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 30_000,
  })
  const ended = new Promise((resolve) => server.once('close', resolve))
  try {
    const url = await addressOf(server)
    for (const each of asked) await ask(url, each)
  } finally {
    server.kill('SIGTERM')
    await ended
  }
}

function addressOf(server) {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.once('close', (code) => reject(new Error(`the bundled server ended with code ${code}`)))
    server.stdout.once('data', (line) => resolve(/https:\S+/.exec(line)?.[0]))
  })
}

function ask(url, [method, path, body, type = 'application/json']) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': type }
    const sent = request(`${url}${path}`, { method, headers, agent: false, rejectUnauthorized: false }, (answer) => {
      if (answer.statusCode >= 300)
        reject(new Error(`the bundled server answers ${answer.statusCode} to ${method} ${path}`))
      answer.resume().on('end', resolve)
    })
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
