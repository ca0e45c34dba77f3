/**
 * Writes the fact tables to `dist/facts/`: JSON files that are read at run time. The code that reads them moves into
 * bundles, so each bundle needs the path to the tables relative to its own files.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { files } from '../ensure.mjs'

const folder = 'src/facts'
const written = 'new URL(file, import.meta.url)'

/** A rolldown plugin. `location` is an expression for the address of the table `file`. */
export function tables(location) {
  return {
    name: 'tables',
    transform(code, id) {
      if (!id.endsWith(`/${folder}/facts.ts`)) return null
      if (!code.includes(written)) throw new Error(`${id} no longer reads its tables with ${written}`)
      return code.replace(written, () => location)
    },
  }
}

export function copyTables(root, dist) {
  mkdirSync(join(dist, 'facts'), { recursive: true })
  for (const path of files(folder).filter((each) => each.endsWith('.json')))
    writeFileSync(join(dist, 'facts', basename(path)), compact(readFileSync(join(root, path), 'utf8')))
}

/** Tables that are indented for readers lose that. Others have an entry in each line, and are read line by line. */
function compact(json) {
  return /^ /m.test(json) ? JSON.stringify(JSON.parse(json)) : json
}
