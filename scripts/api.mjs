/**
 * `npm run api`: checks that the API report in `etc/` matches the exports of the package. `npm run api -- --update`
 * writes it.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt, ensureInstalled, main, root } from './ensure.mjs'

const folder = join(root, 'etc')

await main(async () => {
  await ensureInstalled()
  await ensureBuilt()
  const { apiReports } = await import('./package/api-report.mjs')
  const reports = apiReports(root)
  if (process.argv.includes('--update')) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder)
    for (const [name, text] of reports) writeFileSync(join(folder, name), text)
    return 0
  }
  const names = new Set([...reports.keys(), ...readdirSync(folder)])
  const changed = [...names].filter((name) => reports.get(name) !== read(join(folder, name)))
  for (const name of changed)
    console.log(`etc/${name} does not match the exports of the package: npm run api -- --update`)
  return changed.length === 0 ? 0 : 1
})

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
