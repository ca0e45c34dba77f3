/**
 * Aggregated ClusterRoles and CertificateSigningRequests under random users, crashes and lost replies: an aggregated
 * role has exactly the rules of the selected roles, approved requests and no others are signed, no writes at rest.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { requestSigning } from '../../src/controllers/certificate-signing-request/index.ts'
import { aggregatedRoles } from '../../src/controllers/cluster-role-aggregation/index.ts'
import { realEnv } from '../../src/env/real.ts'
import { CertificateSigningRequest, ClusterRole, isAlreadyExists, isNotFound } from '../../src/index.ts'
import { embedded, type Embedded, type Fault } from '../../src/testing/index.ts'
import { issueCertificateAuthority } from '../../src/x509/certificate.ts'
import { requestSigner } from '../../src/x509/request-signing.ts'
import { aliceRequest } from '../../src/x509/testdata/requests.ts'

const many = process.env['COXSWAIN_INVARIANTS']
const settings = many === undefined ? { numRuns: 12, seed: 7 } : { numRuns: Number(many) }

const ca = issueCertificateAuthority(realEnv())
const sign = requestSigner(realEnv(), () => ca)

const fault = fc.record({
  /** The number of writes before it. */
  at: fc.nat({ max: 30 }),
  type: fc.constantFrom('refuse', 'drop-before', 'drop-after', 'duplicate', 'crash'),
})
const name = fc.constantFrom('a', 'b', 'c', 'd')
const label = fc.constantFrom('x', 'y', 'z')
const action = fc.oneof(
  fc.record({
    do: fc.constant('role' as const),
    name,
    label,
    resources: fc.uniqueArray(fc.constantFrom('pods', 'nodes', 'secrets'), { maxLength: 3 }),
  }),
  fc.record({ do: fc.constant('aggregate' as const), name, selects: fc.uniqueArray(label, { minLength: 1 }) }),
  fc.record({ do: fc.constant('delete' as const), name }),
  fc.record({ do: fc.constant('request' as const), name, decision: fc.constantFrom('Approved', 'Denied', undefined) }),
  fc.record({ do: fc.constant('crash' as const) }),
  fc.record({ do: fc.constant('wait' as const) }),
)
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never

const ignoring = async (call: Promise<unknown>): Promise<void> => {
  await call.catch((error: unknown) => {
    if (!isNotFound(error) && !isAlreadyExists(error)) throw error
  })
}

async function act(cluster: Embedded, what: Action): Promise<void> {
  const { client } = cluster
  if (what.do === 'crash') await cluster.crash()
  if (what.do === 'wait') await cluster.settle()
  if (what.do === 'delete') await ignoring(client.delete(ClusterRole, { name: what.name }))
  if (what.do === 'role') {
    const rules = what.resources.map((resource) => ({ apiGroups: [''], resources: [resource], verbs: ['get'] }))
    await client.apply(
      ClusterRole,
      { metadata: { name: what.name, labels: { to: what.label } }, rules },
      { force: true },
    )
  }
  if (what.do === 'aggregate') {
    const clusterRoleSelectors = what.selects.map((to) => ({ matchLabels: { to } }))
    const metadata = { name: `sum-${what.name}` }
    await client.apply(ClusterRole, { metadata, aggregationRule: { clusterRoleSelectors } }, { force: true })
  }
  if (what.do === 'request') await request(cluster, what.name, what.decision)
}

async function request({ client }: Embedded, called: string, decision: string | undefined): Promise<void> {
  const spec = {
    request: Buffer.from(aliceRequest).toString('base64'),
    signerName: 'kubernetes.io/kube-apiserver-client',
    usages: ['client auth' as const],
  }
  await ignoring(client.create(CertificateSigningRequest, { metadata: { name: called }, spec }))
  const { status } = await client.get(CertificateSigningRequest, { name: called })
  if (decision === undefined || (status?.conditions ?? []).length > 0) return
  const patch = { status: { conditions: [{ type: decision, status: 'True', reason: 'Test', message: 'by hand' }] } }
  await client.patch(CertificateSigningRequest, { name: called }, { type: 'merge', patch }, { subresource: 'approval' })
}

/** The rules that an aggregated role must have, computed from all roles. */
async function checkRoles({ client }: Embedded): Promise<void> {
  const { items } = await client.list(ClusterRole)
  const byName = [...items].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  for (const { metadata, rules, aggregationRule } of items) {
    if (aggregationRule === undefined) continue
    const wanted = (aggregationRule.clusterRoleSelectors ?? [])
      .flatMap(({ matchLabels }) => byName.filter((role) => role.metadata.labels?.['to'] === matchLabels?.['to']))
      .flatMap((role) => role.rules ?? [])
      .map((rule) => JSON.stringify(rule))
    expect(
      (rules ?? []).map((rule) => JSON.stringify(rule)),
      metadata.name,
    ).toEqual([...new Set(wanted)])
  }
}

async function checkRequests({ client }: Embedded): Promise<void> {
  for (const { metadata, status } of (await client.list(CertificateSigningRequest)).items) {
    const isApproved = status?.conditions?.some(({ type }) => type === 'Approved') === true
    expect(status?.certificate !== undefined, metadata.name).toBe(isApproved)
    expect(status?.conditions ?? [], metadata.name).toHaveLength(status?.conditions === undefined ? 0 : 1)
  }
}

async function play(faults: readonly { at: number; type: string }[], actions: readonly Action[]): Promise<void> {
  let writes = 0
  const cluster = await embedded({
    controllers: () => [aggregatedRoles, requestSigning(sign)],
    faults: ({ method }) => {
      if (method === 'GET') return undefined
      const found = faults.find(({ at }) => at === writes)
      writes++
      return found === undefined ? undefined : ({ type: found.type } as Fault)
    },
  })
  try {
    for (const each of actions) await act(cluster, each)
    await cluster.settle()
    await checkRoles(cluster)
    await checkRequests(cluster)
    expect(await cluster.writesDuring(3_600_000)).toEqual([])
  } finally {
    await cluster.stop()
  }
}

test(
  'roles and certificates keep their rules whatever users do and whoever crashes',
  { timeout: 240_000 },
  async () => {
    const property = fc.asyncProperty(
      fc.array(fault, { maxLength: 4 }),
      fc.array(action, { minLength: 4, maxLength: 14 }),
      play,
    )
    await fc.assert(property, settings)
  },
)
