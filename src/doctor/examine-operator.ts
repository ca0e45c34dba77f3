/** Why does this operator not run? Compares what its module declares with the cluster. */
import { isUnauthorized } from '../api/error-reasons.ts'
import type { Client } from '../client/client.ts'
import { RestMapper } from '../client/rest-mapper.ts'
import { TransportError } from '../client/transport.ts'
import { definitionFindings } from './definitions.ts'
import { doctorVersion, type DoctorReport, type Finding } from './finding.ts'
import { isLed, leaseFindings } from './leases.ts'
import { installs, type OperatorFacts } from './operator-facts.ts'
import { objectFindings } from './object-findings.ts'
import { permissionFindings } from './permissions.ts'
import { readObjectFacts } from './read-object.ts'
import { readOperatorFacts, type OperatorRequest } from './read-operator.ts'
import { Reader } from './reader.ts'
import { webhookFindings } from './webhooks.ts'

/** `source` describes the access to the cluster, `now` is in milliseconds since the epoch. */
export async function examineOperator(
  client: Client,
  request: OperatorRequest,
  { source, now }: { readonly source: string; readonly now: number },
): Promise<DoctorReport> {
  const subject = `operator ${request.operator.name}`
  const unreachable = await connectionFindings(client, source)
  if (unreachable.length > 0) return { version: doctorVersion, subject, findings: unreachable, unread: [] }
  const mapper = new RestMapper(client)
  const reader = new Reader(client)
  const facts = await readOperatorFacts(client, reader, mapper, request, now)
  const findings = [
    ...definitionFindings(facts),
    ...permissionFindings(facts),
    ...(await deploymentFindings(reader, mapper, facts)),
    ...leaseFindings(facts),
    ...webhookFindings(facts),
  ]
  return { version: doctorVersion, subject, findings, unread: reader.unread }
}

/** Nothing else can be read without a connection. */
async function connectionFindings(client: Client, source: string): Promise<readonly Finding[]> {
  try {
    await client.raw('GET', '/version')
    return []
  } catch (error) {
    const isRefused = isUnauthorized(error)
    if (!isRefused && !(error instanceof TransportError)) return []
    return [
      {
        type: isRefused ? 'credentials-refused' : 'unreachable',
        summary: isRefused ? 'The server refuses the credentials.' : 'The server cannot be reached.',
        evidence: [error.message, source],
        command: 'kubectl config get-contexts',
      },
    ]
  }
}

/** As for any object: its pods, events and conditions. */
async function deploymentFindings(
  reader: Reader,
  mapper: RestMapper,
  facts: OperatorFacts,
): Promise<readonly Finding[]> {
  const { deployment, namespace, now } = facts
  if (deployment?.actual === undefined) return []
  const { kind, actual, wanted } = deployment
  if (actual === 'absent') {
    if (isLed(facts)) return []
    const { name = '' } = wanted.metadata
    return [
      {
        type: 'not-deployed',
        summary: `The operator is not deployed: there is no Deployment ${namespace}/${name}.`,
        evidence: ['no replica outside of the cluster renews its lease either'],
        command: installs(facts),
      },
    ]
  }
  const served = (await mapper.served()).find((each) => each.kind.kind === kind.kind && each.kind.group === kind.group)
  if (served === undefined) return []
  const { replicas } = (actual.object['spec'] ?? {}) as { readonly replicas?: number }
  if (replicas === 0)
    return [
      {
        type: 'controller-not-running',
        summary: `The Deployment ${namespace}/${wanted.metadata.name ?? ''} is scaled to 0.`,
        evidence: ['spec.replicas is 0'],
        command: `kubectl scale deployment/${wanted.metadata.name ?? ''} -n ${namespace} --replicas=1`,
      },
    ]
  return objectFindings(await readObjectFacts(reader, mapper, { served, ...actual }, now))
}
