/** The objects of some kinds in the columns of `kubectl get`. */
import { isObject, type FrozenJson, type Json } from '../api/json.ts'
import type { Client } from '../client/client.ts'
import type { Kind } from '../schema/kind.ts'

export interface Row {
  readonly kind: string
  readonly name: string
  /** By column, without the name and columns that change by themselves. */
  readonly cells: readonly (readonly [column: string, value: string])[]
}

export interface KindTable {
  /** With the header. */
  readonly lines: readonly string[]
  readonly rows: readonly Row[]
}

const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'

/** In all namespaces. */
export async function readTable(client: Client, kind: Kind, signal: AbortSignal): Promise<KindTable> {
  const path = `${kind.group === '' ? '/api/v1' : `/apis/${kind.apiVersion}`}/${kind.plural}`
  const table = (await client.raw('GET', path, { headers: { accept }, signal })) as unknown as ServerTable
  const shown = table.columnDefinitions.flatMap(({ name, priority }, index) =>
    priority === 0 ? [{ name, index }] : [],
  )
  const cells = table.rows.map((row) => shown.map(({ index }) => cellText(row.cells[index])))
  const rows = cells.map((row): Row => ({
    kind: kind.kind,
    name: row[0] ?? '',
    cells: shown
      .map(({ name }, index) => [name, row[index] ?? ''] as const)
      .filter(([name]) => name !== 'Name' && name !== 'Age'),
  }))
  return {
    lines: rows.length === 0 ? [`no ${kind.plural}`] : aligned([shown.map(({ name }) => name.toUpperCase()), ...cells]),
    rows,
  }
}

interface ServerTable {
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[]
  readonly rows: readonly { readonly cells: readonly Json[] }[]
}

function cellText(cell: FrozenJson | undefined): string {
  if (cell === undefined || cell === null) return ''
  return isObject(cell) || Array.isArray(cell) ? JSON.stringify(cell) : String(cell)
}

/** Aligned columns, three spaces apart. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('   ')
      .trimEnd(),
  )
}
