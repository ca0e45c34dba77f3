/**
 * The ServiceCIDR controller. 1 A range gets a finalizer, 2 and the condition Ready. 3 A range that is being deleted
 * stays, and is not Ready, while an address of a Service would be left without a range; 4 then it stays for another ten
 * seconds, so that no address is allocated from it meanwhile, 5 and loses its finalizer.
 */
import {
  controller,
  IPAddress,
  isNotFound,
  keyOf,
  requeueAfter,
  ServiceCIDR,
  type Live,
  type ObjectKey,
  type ReconcileContext,
  type ReconcileResult,
} from '../../index.ts'
import { timestamp } from '../../env/index.ts'
import { covers, offers, overlaps, parsePrefix, type Prefix } from './prefix.ts'

const name = 'service-cidr-controller'
const finalizer = 'networking.k8s.io/service-cidr-finalizer'
const managedBy = 'ipaddress.kubernetes.io/managed-by'
const deletionGraceMs = 10_000

type Context = ReconcileContext<ServiceCIDR>

export const serviceCidrs = controller(ServiceCIDR)
  .named(name)
  .watches(ServiceCIDR, {
    map: (range, reads) =>
      reads
        .lister(ServiceCIDR)
        .list()
        .filter((other) => other !== range && isTerminating(other) && haveCommonAddresses(range, other))
        .map(keyOf),
  })
  .watches(IPAddress, { map: (ip, reads) => blockedBy(ip, reads.lister(ServiceCIDR).list()) })
  .options({ fieldManager: 'kube-controller-manager' })
  .deleting(async (context): Promise<ReconcileResult> => {
    const { object, now } = context
    const { finalizers = [], deletionTimestamp = '' } = object.metadata
    if (!finalizers.includes(finalizer)) return undefined
    if (!(await isDispensable(context))) {
      const remedy = 'please remove them or create a new ServiceCIDR'
      const message = `There are still IPAddresses referencing the ServiceCIDR, ${remedy}`
      await setReady(context, 'False', 'Terminating', message)
      return undefined
    }
    const remainingMs = Date.parse(deletionTimestamp) + deletionGraceMs - now()
    if (remainingMs > 0) return requeueAfter(remainingMs)
    await patchFinalizers(context, { '$deleteFromPrimitiveList/finalizers': [finalizer] })
    return undefined
  })
  .reconcile(async (context) => {
    const { finalizers = [] } = context.object.metadata
    if (!finalizers.includes(finalizer)) await patchFinalizers(context, { finalizers: [finalizer] })
    await setReady(context, 'True', '', 'Kubernetes Service CIDR is ready')
  })

const isTerminating = ({ metadata }: Live<ServiceCIDR>): boolean => metadata.deletionTimestamp !== undefined

function prefixesOf({ spec }: Live<ServiceCIDR>): Prefix[] {
  return (spec?.cidrs ?? []).flatMap((text) => parsePrefix(text) ?? [])
}

function haveCommonAddresses(a: Live<ServiceCIDR>, b: Live<ServiceCIDR>): boolean {
  return prefixesOf(a).some((one) => prefixesOf(b).some((other) => overlaps(one, other)))
}

const isAllocated = ({ metadata }: Live<IPAddress>): boolean => metadata.labels?.[managedBy] === 'ipallocator.k8s.io'

/** The ranges whose deletion may depend on the address. */
function blockedBy(ip: Live<IPAddress>, ranges: readonly Live<ServiceCIDR>[]): ObjectKey[] {
  if (!isAllocated(ip)) return []
  return ranges.filter((range) => isTerminating(range) && offersAddress(range, ip)).map(keyOf)
}

function offersAddress(range: Live<ServiceCIDR>, { metadata }: Live<IPAddress>): boolean {
  return prefixesOf(range).some((prefix) => offers(prefix, metadata.name))
}

/** Whether other ranges cover it, or every allocated address belongs to another range too. */
async function isDispensable({ object, list }: Context): Promise<boolean> {
  const others = (await list(ServiceCIDR)).filter(({ metadata }) => metadata.name !== object.metadata.name)
  const isCovered = prefixesOf(object).every((prefix) =>
    others.some((other) => prefixesOf(other).some((outer) => covers(outer, prefix))),
  )
  if (isCovered) return true
  return (await list(IPAddress)).every(
    (ip) => !isAllocated(ip) || !offersAddress(object, ip) || others.some((other) => offersAddress(other, ip)),
  )
}

async function patchFinalizers({ object, client, signal }: Context, metadata: Record<string, string[]>): Promise<void> {
  await client
    .patch(ServiceCIDR, keyOf(object), { type: 'strategic', patch: { metadata } }, { signal })
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error
    })
}

/** An apply of its own, so that the condition of another manager is replaced. */
async function setReady(
  { object, client, signal, now }: Context,
  status: 'True' | 'False',
  reason: string,
  message: string,
): Promise<void> {
  const current = object.status?.conditions?.find(({ type }) => type === 'Ready')
  if (current?.status === status && (current.reason ?? '') === reason && current.message === message) return
  const lastTransitionTime = timestamp(now())
  await client.apply(
    ServiceCIDR,
    {
      metadata: { name: object.metadata.name },
      status: { conditions: [{ type: 'Ready', status, reason, message, lastTransitionTime }] },
    },
    { subresource: 'status', fieldManager: name, force: true, signal },
  )
}
