/**
 * `node scripts/publish.mjs --dry-run`: everything that a release needs, except the upload. Checks that the tree is
 * clean and that the CHANGELOG has the version, runs the tests, builds the package twice from the commit in two fresh
 * folders, compares the two to the byte, and prints checksums and the bill of materials. Without `--dry-run` it then
 * uploads exactly the compared file. `--skip-tests`, only with `--dry-run`.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureInstalled, main, npm, root, run, SetupError } from './ensure.mjs'
import { sbomText } from './package/sbom.mjs'

/** What is wrong with releasing this state. Empty: nothing. */
export function releaseProblems({ version, changes, changelog, isDryRun }) {
  const problems = []
  if (changes !== '') problems.push(`the tree has uncommitted changes:\n${changes}`)
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) problems.push(`"${version}" is no version`)
  const heading = `## ${version}`
  const section = changelog.split(/^(?=## )/m).find((part) => part.split('\n')[0].trim() === heading)
  if (section === undefined) problems.push(`CHANGELOG.md has no section "${heading}"`)
  const unreleased = /^## Unreleased\n([\s\S]*?)(?=^## )/m.exec(changelog)?.[1].trim() ?? ''
  // Before a release its changes are moved below the version.
  if (!isDryRun && unreleased !== '' && unreleased !== 'Nothing.')
    problems.push('CHANGELOG.md has changes below "## Unreleased": move them below the version')
  return problems
}

/** Builds and packs sources in a folder of their own. Returns the path of the tarball. */
export async function packed(folder, copySources) {
  const sources = join(folder, 'sources')
  mkdirSync(sources, { recursive: true })
  await copySources(sources)
  symlinkSync(join(root, 'node_modules'), join(sources, 'node_modules'), 'dir')
  await must(run(process.execPath, [join(sources, 'scripts/build.mjs')], { quiet: true }), 'the build failed')
  const pack = ['pack', sources, '--ignore-scripts', '--json', '--pack-destination', folder]
  const { output } = await must(npm(pack, { quiet: true }), 'npm pack failed')
  return join(folder, JSON.parse(output.slice(output.indexOf('[')))[0].filename)
}

export function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

async function must(running, failure) {
  const result = await running
  if (result.code !== 0) throw new SetupError(`${failure}:\n${result.output.trim()}`)
  return result
}

async function git(...args) {
  return (await must(run('git', args, { quiet: true }), `git ${args[0]} failed`)).output
}

/** The files of the commit, without anything that is only in the working tree. */
async function checkOut(folder) {
  const archive = join(folder, '..', 'sources.tar')
  await git('archive', '--format=tar', '--output', archive, 'HEAD')
  await must(run('tar', ['-xf', archive, '-C', folder], { quiet: true }), 'tar failed')
}

async function publish(options) {
  const isDryRun = options.has('--dry-run')
  const unknown = [...options].filter((option) => option !== '--dry-run' && option !== '--skip-tests')
  if (unknown.length > 0 || (options.has('--skip-tests') && !isDryRun))
    throw new SetupError('usage: node scripts/publish.mjs [--dry-run [--skip-tests]]')
  await ensureInstalled()
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const changes = (await git('status', '--porcelain')).trim()
  const problems = releaseProblems({ version, changes, changelog, isDryRun })
  if (problems.length > 0) throw new SetupError(problems.join('\n'))
  console.log(`ok tree and CHANGELOG of ${version}, commit ${(await git('rev-parse', 'HEAD')).trim()}`)
  if (!options.has('--skip-tests')) {
    if ((await run(process.execPath, ['scripts/test.mjs'])).code !== 0) throw new SetupError('the tests failed')
    console.log('ok tests')
  }
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-publish-'))
  try {
    const files = []
    for (const name of ['first', 'second']) files.push(await packed(join(folder, name), checkOut))
    const [first, second] = files.map(sha256)
    if (first !== second) throw new SetupError(`two builds differ: ${first} and ${second}`)
    console.log('ok two builds are equal to the byte')
    console.log(`sha256 ${first}  coxswain-${version}.tgz`)
    console.log(sbomText(root).trimEnd())
    if (isDryRun) console.log('dry run: nothing was uploaded')
    else await must(npm(['publish', files[0], '--ignore-scripts', '--access', 'public']), 'npm publish failed')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(() => publish(new Set(process.argv.slice(2).filter((arg) => arg !== '--'))))
}
