import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { npm, root } from '../ensure.mjs'
import { sbom, sbomText } from './sbom.mjs'

describe('the bill of materials', () => {
  it('the bill of materials describes each component as npm does', async () => {
    // All of them: with `--omit dev`, npm leaves out what a development dependency may use, too.
    const { code, output } = await npm(['sbom', '--sbom-format', 'cyclonedx'], { quiet: true })
    expect(code, output).toBe(0)
    const theirs = JSON.parse(output.slice(output.indexOf('{')))
    const compared = ({ name, version, purl, hashes, licenses }) => ({ name, version, purl, hashes, licenses })
    const { components, dependencies } = sbom(root)
    expect(components.length).toBeGreaterThan(0)
    for (const part of components)
      expect(theirs.components.map(compared).find(({ purl }) => purl === part.purl)).toEqual(compared(part))
    const needed = (ref) => theirs.dependencies.find((each) => each.ref === ref)?.dependsOn
    for (const { ref, dependsOn } of dependencies.slice(1)) expect([...needed(ref)].sort()).toEqual(dependsOn)
  })

  it('the bill of materials has every dependency of the package, and neither times nor addresses', () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(sbom(root).components.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(dependencies)))
    expect(sbomText(root)).not.toMatch(/serialNumber|timestamp|resolved|registry/)
  })
})
