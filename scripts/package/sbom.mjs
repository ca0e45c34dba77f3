/**
 * The bill of materials of the package, in the CycloneDX format: what a user installs with it. Made from the lock file
 * alone, without a time and without a random number, so that it is the same for every build of a commit. `npm sbom`
 * describes the components in the same way; but with `--omit dev` it leaves out those that a development dependency may
 * use, too.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** @param {string} root the folder of package.json and package-lock.json */
export function sbom(root) {
  const { name, version, license, packages } = read(root)
  const itself = component('library', { name, version, license })
  const installed = Object.entries(packages)
    .filter(([path, { dev = false, optional = false }]) => path !== '' && !dev && !optional)
    .map(([path, entry]) => ({ path, entry, part: component('library', { name: nameOf(path), ...entry }) }))
    .sort((a, b) => (a.part.purl < b.part.purl ? -1 : 1))
  const needs = (entry) =>
    Object.keys(entry.dependencies ?? {})
      .map((needed) => installed.find(({ path }) => path === `node_modules/${needed}`)?.part['bom-ref'])
      .sort()
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { lifecycles: [{ phase: 'build' }], component: itself },
    components: installed.map(({ part }) => part),
    dependencies: [
      { ref: itself['bom-ref'], dependsOn: needs(packages['']) },
      ...installed.map(({ part, entry }) => ({ ref: part['bom-ref'], dependsOn: needs(entry) })),
    ],
  }
}

/** @returns {string} the text of `dist/sbom.cdx.json` */
export function sbomText(root) {
  return `${JSON.stringify(sbom(root), null, 2)}\n`
}

function read(root) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return { name, version, license, packages }
}

function nameOf(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}

function component(type, { name, version, license, integrity }) {
  const purl = `pkg:npm/${name.replace(/^@/, '%40')}@${version}`
  return {
    'bom-ref': `${name}@${version}`,
    type,
    name,
    version,
    purl,
    ...(license === undefined ? {} : { licenses: [{ license: { id: license } }] }),
    ...(integrity === undefined ? {} : { hashes: [hashOf(integrity)] }),
  }
}

/** From the form of lock files, `sha512-BASE64`. */
function hashOf(integrity) {
  const [, bits, digest] = /^sha(\d+)-(.+)$/.exec(integrity)
  return { alg: `SHA-${bits}`, content: Buffer.from(digest, 'base64').toString('hex') }
}
