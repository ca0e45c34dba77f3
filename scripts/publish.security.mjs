/** What must hold before a release, and that a second build of the same sources is the same package. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isBuilt, npm, root } from './ensure.mjs'
import { packed, releaseProblems, sha256 } from './publish.mjs'

const released = '# Changelog\n\n## Unreleased\n\nNothing.\n\n## 1.2.3\n\n- A change.\n'

describe('a release', () => {
  it('a release needs a clean tree, and a section of its version in the CHANGELOG', () => {
    const good = { version: '1.2.3', changes: '', changelog: released, isDryRun: false }
    expect(releaseProblems(good)).toEqual([])
    expect(releaseProblems({ ...good, changes: ' M a' })[0]).toContain('uncommitted changes')
    expect(releaseProblems({ ...good, version: '1.2.4' })).toEqual(['CHANGELOG.md has no section "## 1.2.4"'])
    expect(releaseProblems({ ...good, version: 'next' })[0]).toContain('is no version')
    const pending = released.replace('Nothing.', '- Another change.')
    expect(releaseProblems({ ...good, changelog: pending })[0]).toContain('below "## Unreleased"')
    expect(releaseProblems({ ...good, changelog: pending, isDryRun: true })).toEqual([])
  })

  it('a release of this version is described', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
    expect(releaseProblems({ version, changes: '', changelog, isDryRun: true })).toEqual([])
  })
})

// `npm test -- FOLDER` does not build, so `dist` may be missing or old.
describe.skipIf(!isBuilt())('the package', () => {
  it(
    'the package is the same to the byte when it is built again, in another folder',
    { timeout: 180_000 },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'coxswain-builds-'))
      try {
        const pack = ['pack', root, '--ignore-scripts', '--json', '--pack-destination', folder]
        const { output } = await npm(pack, { quiet: true })
        const first = join(folder, JSON.parse(output.slice(output.indexOf('[')))[0].filename)
        const left = new Set(['node_modules', 'dist', '.cache', '.git'].map((name) => join(root, name)))
        const second = await packed(join(folder, 'second'), (sources) =>
          cpSync(root, sources, { recursive: true, filter: (path) => !left.has(path) }),
        )
        expect(existsSync(join(folder, 'second/sources/dist/sbom.cdx.json'))).toBe(true)
        expect(sha256(second)).toBe(sha256(first))
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  )
})
