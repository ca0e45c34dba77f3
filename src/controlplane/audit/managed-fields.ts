/** Objects in audit events without `metadata.managedFields`, of single objects, lists and tables. */
import { isObject, type Json } from '../../api/json.ts'

export function withoutManagedFields(value: Json): Json {
  if (!isObject(value)) return value
  const own = withoutOwn(value)
  if (!isObject(own)) return own
  const { items, rows } = own
  if (Array.isArray(items)) return { ...own, items: items.map(withoutOwn) }
  if (!Array.isArray(rows)) return own
  return {
    ...own,
    rows: rows.map((row) =>
      isObject(row) && isObject(row['object']) ? { ...row, object: withoutOwn(row['object']) } : row,
    ),
  }
}

function withoutOwn(value: Json): Json {
  const metadata = isObject(value) ? value['metadata'] : undefined
  if (!isObject(value) || !isObject(metadata) || metadata['managedFields'] === undefined) return value
  const { managedFields: _removed, ...rest } = metadata
  return { ...value, metadata: rest }
}
