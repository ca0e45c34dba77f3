/** Warnings about container ports with the same number and protocol: which earlier ports relate to a port. */
import type { JsonObject } from '../../../api/json.ts'
import type { WarningList } from '../../contract/warnings.ts'
import { int, text } from './values.ts'

interface EarlierPort {
  readonly field: string
  readonly hostIp: string
  readonly hostPort: number
}

/**
 * The ports so far, by what relates them: those without a host port overlap with all others, those with the same host
 * port relate if their addresses are equal or one is empty. So only related ports are visited.
 */
export class EarlierPorts {
  readonly #ports: EarlierPort[] = []
  readonly #byHostPort = new Map<number, SameHostPort>()

  /** Warns about the earlier ports that relate to this one, in order, until there are more warnings than are sent. */
  warnAndAdd(warnings: WarningList, field: string, given: JsonObject): void {
    const port: EarlierPort = { field, hostIp: text(given.hostIP), hostPort: int(given.hostPort) }
    for (const at of this.#relatedTo(port)) {
      if (warnings.isFull) return
      const other = this.#ports[at] as EarlierPort
      warnings.push(`${field}: ${relation(port, other)} port definition with ${other.field}`)
    }
    this.#add(port)
  }

  #relatedTo(port: EarlierPort): Iterable<number> {
    if (port.hostPort === 0) return this.#ports.keys()
    const free = this.#byHostPort.get(0)?.all ?? []
    const same = this.#byHostPort.get(port.hostPort)
    if (same === undefined) return free
    if (port.hostIp === '') return ascending([free, same.all])
    return ascending([free, same.byAddress.get('') ?? [], same.byAddress.get(port.hostIp) ?? []])
  }

  #add(port: EarlierPort): void {
    let same = this.#byHostPort.get(port.hostPort)
    if (same === undefined) this.#byHostPort.set(port.hostPort, (same = { all: [], byAddress: new Map() }))
    const ofAddress = same.byAddress.get(port.hostIp)
    if (ofAddress === undefined) same.byAddress.set(port.hostIp, [this.#ports.length])
    else ofAddress.push(this.#ports.length)
    same.all.push(this.#ports.length)
    this.#ports.push(port)
  }
}

interface SameHostPort {
  readonly all: number[]
  readonly byAddress: Map<string, number[]>
}

/** How two ports relate, of which it is known that they do. */
function relation(port: EarlierPort, other: EarlierPort): string {
  if (port.hostIp === other.hostIp && port.hostPort === other.hostPort) return 'duplicate'
  return port.hostPort === 0 || other.hostPort === 0 ? 'overlapping' : 'dangerously ambiguous'
}

/** The numbers of ascending lists, in ascending order. Takes time for those that are read only. */
export function* ascending(lists: readonly (readonly number[])[]): Generator<number> {
  const filled = lists.filter((list) => list.length > 0)
  const next = filled.map(() => 0)
  for (;;) {
    let least = -1
    for (let i = 0; i < filled.length; i++) {
      const value = filled[i]?.[next[i] as number]
      if (value !== undefined && (least < 0 || value < (filled[least]?.[next[least] as number] as number))) least = i
    }
    if (least < 0) return
    yield filled[least]?.[next[least] as number] as number
    next[least] = (next[least] as number) + 1
  }
}
