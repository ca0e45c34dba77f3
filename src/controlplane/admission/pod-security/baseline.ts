/** The checks of the baseline level: settings that give a pod access to its node. */
import { goQuote } from '../../../api/go-format.ts'
import type { JsonObject } from '../../../api/json.ts'
import { int, items, strings, struct, text } from '../../resources/shared/values.ts'
import {
  containersText,
  namesOf,
  plural,
  quoted,
  securityOf,
  settersText,
  sorted,
  unlessOwnUsers,
  type PodSecurityCheck,
  type CheckedPod,
  type PodCheck,
  type Violation,
} from './check.ts'
import { seccompAnnotations, seccompBaseline } from './seccomp.ts'

const appArmorAnnotation = 'container.apparmor.security.beta.kubernetes.io/'
const appArmorTypes = new Set(['RuntimeDefault', 'Localhost'])

function appArmor({ annotations, ...pod }: CheckedPod): Violation | undefined {
  const values = new Set<string>()
  const isBad = (security: JsonObject | undefined): boolean => {
    const profile = struct(security?.appArmorProfile)
    if (profile === undefined || appArmorTypes.has(text(profile.type))) return false
    values.add(text(profile.type))
    return true
  }
  const setters: string[] = isBad(pod.security) ? ['pod'] : []
  const containers = namesOf({ annotations, ...pod }, (container) => isBad(securityOf(container)))
  if (containers.length > 0) setters.push(containersText(containers))
  const annotated = Object.entries(annotations)
    .filter(([key, value]) => key.startsWith(appArmorAnnotation) && !isAllowedProfile(value))
    .map(([key, value]) => `${key}=${goQuote(value)}`)
    .sort()
  if (annotated.length > 0) setters.push(plural(annotated.length, 'annotation'))
  if (setters.length === 0) return undefined
  const shown = [...sorted(values), ...annotated]
  return {
    reason: plural(shown.length, 'forbidden AppArmor profile'),
    detail: `${setters.join(' and ')} must not set AppArmor profile type to ${quoted(shown)}`,
  }
}

function isAllowedProfile(profile: string): boolean {
  return profile === '' || profile === 'runtime/default' || profile.startsWith('localhost/')
}

const defaultCapabilities = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
])

function capabilities(pod: CheckedPod): Violation | undefined {
  const added = new Set<string>()
  const names = namesOf(pod, (container) => {
    const bad = strings(struct(securityOf(container)?.capabilities)?.add).filter(
      (name) => !defaultCapabilities.has(name),
    )
    for (const name of bad) added.add(name)
    return bad.length > 0
  })
  if (names.length === 0) return undefined
  return {
    reason: 'non-default capabilities',
    detail: `${containersText(names)} must not include ${quoted(sorted(added))} in securityContext.capabilities.add`,
  }
}

function hostNamespaces({ spec }: CheckedPod): Violation | undefined {
  const used = ['hostNetwork', 'hostPID', 'hostIPC'].filter((field) => spec[field] === true)
  return used.length === 0
    ? undefined
    : { reason: 'host namespaces', detail: used.map((field) => `${field}=true`).join(', ') }
}

function hostPaths({ spec }: CheckedPod): Violation | undefined {
  const names = items(spec.volumes)
    .filter(({ hostPath }) => hostPath !== undefined)
    .map(({ name }) => text(name))
  if (names.length === 0) return undefined
  return { reason: 'hostPath volumes', detail: `${plural(names.length, 'volume')} ${quoted(names)}` }
}

function hostPorts(pod: CheckedPod): Violation | undefined {
  const ports = new Set<string>()
  const names = namesOf(pod, (container) => {
    const bad = items(container.ports).filter(({ hostPort }) => int(hostPort) !== 0)
    for (const { hostPort } of bad) ports.add(String(hostPort))
    return bad.length > 0
  })
  if (names.length === 0) return undefined
  const uses = plural(names.length, 'uses', 'use')
  return {
    reason: 'hostPort',
    detail: `${containersText(names)} ${uses} ${plural(ports.size, 'hostPort')} ${sorted(ports).join(', ')}`,
  }
}

function hostProbes(pod: CheckedPod): Violation | undefined {
  const hosts = new Set<string>()
  const names = new Set(
    namesOf(pod, (container) => {
      const lifecycle = struct(container.lifecycle)
      const handlers = [
        container.livenessProbe,
        container.readinessProbe,
        container.startupProbe,
        lifecycle?.postStart,
        lifecycle?.preStop,
      ]
      const bad = handlers.flatMap((handler) => {
        const actions = [struct(struct(handler)?.httpGet), struct(struct(handler)?.tcpSocket)]
        return actions.map((action) => text(action?.host)).filter((host) => host !== '')
      })
      for (const host of bad) hosts.add(host)
      return bad.length > 0
    }),
  )
  if (names.size === 0) return undefined
  const uses = `${plural(names.size, 'uses', 'use')} ${plural(hosts.size, 'probe or lifecycle host')}`
  return {
    reason: 'probe or lifecycle host',
    detail: `${containersText(sorted(names))} ${uses} ${quoted(sorted(hosts))}`,
  }
}

function privileged(pod: CheckedPod): Violation | undefined {
  const names = namesOf(pod, (container) => securityOf(container)?.privileged === true)
  if (names.length === 0) return undefined
  return { reason: 'privileged', detail: `${containersText(names)} must not set securityContext.privileged=true` }
}

export function procMount(pod: CheckedPod): Violation | undefined {
  const types = new Set<string>()
  const names = namesOf(pod, (container) => {
    const type = securityOf(container)?.procMount
    if (type === undefined || type === 'Default') return false
    types.add(text(type))
    return true
  })
  if (names.length === 0) return undefined
  return {
    reason: 'procMount',
    detail: `${containersText(names)} must not set securityContext.procMount to ${quoted(sorted(types))}`,
  }
}

const seLinuxTypes = ['', 'container_t', 'container_init_t', 'container_kvm_t']

function seLinux(...allowed: readonly string[]): PodCheck {
  return (pod) => {
    const types = new Set<string>()
    let setsUser = false
    let setsRole = false
    const isBad = (security: JsonObject | undefined): boolean => {
      const options = struct(security?.seLinuxOptions)
      if (options === undefined) return false
      const badType = !allowed.includes(text(options.type))
      const user = text(options.user) !== ''
      const role = text(options.role) !== ''
      if (badType) types.add(text(options.type))
      setsUser ||= user
      setsRole ||= role
      return badType || user || role
    }
    const byPod = isBad(pod.security)
    const setters = settersText(
      byPod,
      namesOf(pod, (container) => isBad(securityOf(container))),
    )
    if (setters === '') return undefined
    const what = types.size > 0 ? [`${plural(types.size, 'type')} ${quoted(sorted(types))}`] : []
    if (setsUser) what.push('user may not be set')
    if (setsRole) what.push('role may not be set')
    return {
      reason: 'seLinuxOptions',
      detail: `${setters} set forbidden securityContext.seLinuxOptions: ${what.join('; ')}`,
    }
  }
}

const safeSysctls = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
]
const sysctls27 = [...safeSysctls, 'net.ipv4.ip_local_reserved_ports']
const sysctls29 = [
  ...sysctls27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
]
const sysctls32 = [...sysctls29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem']

function sysctls(allowed: readonly string[]): PodCheck {
  return ({ security }) => {
    const bad = items(security?.sysctls)
      .map(({ name }) => text(name))
      .filter((name) => !allowed.includes(name))
    return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') }
  }
}

function hostProcess(pod: CheckedPod): Violation | undefined {
  const isBad = (security: JsonObject | undefined) => struct(security?.windowsOptions)?.hostProcess === true
  const setters = settersText(
    isBad(pod.security),
    namesOf(pod, (container) => isBad(securityOf(container))),
  )
  if (setters === '') return undefined
  return { reason: 'hostProcess', detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true` }
}

const level = 'baseline'

export const baselineChecks: readonly PodSecurityCheck[] = [
  { id: 'appArmorProfile', level, versions: [[0, appArmor]] },
  { id: 'capabilities_baseline', level, versions: [[0, capabilities]] },
  { id: 'hostNamespaces', level, versions: [[0, hostNamespaces]] },
  { id: 'hostPathVolumes', level, versions: [[0, hostPaths]] },
  { id: 'hostPorts', level, versions: [[0, hostPorts]] },
  { id: 'hostProbesAndHostLifecycle', level, versions: [[34, hostProbes]] },
  { id: 'privileged', level, versions: [[0, privileged]] },
  {
    id: 'procMount',
    level,
    versions: [
      [0, procMount],
      [35, unlessOwnUsers(procMount)],
    ],
  },
  {
    id: 'seLinuxOptions',
    level,
    versions: [
      [0, seLinux(...seLinuxTypes)],
      [31, seLinux(...seLinuxTypes, 'container_engine_t')],
    ],
  },
  {
    id: 'seccompProfile_baseline',
    level,
    versions: [
      [0, seccompAnnotations],
      [19, seccompBaseline],
    ],
  },
  {
    id: 'sysctls',
    level,
    versions: [
      [0, sysctls(safeSysctls)],
      [27, sysctls(sysctls27)],
      [29, sysctls(sysctls29)],
      [32, sysctls(sysctls32)],
    ],
  },
  { id: 'windowsHostProcess', level, versions: [[0, hostProcess]] },
]
