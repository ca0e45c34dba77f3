/**
 * Checks the rules of `boundaries.json`: which folders, Node modules and packages a folder may import, which text is
 * forbidden in sources, and that neither modules nor folders form an import cycle. Operators import only the package,
 * not each other. Tests may import anything. `--update` generates the layer diagram of ARCHITECTURE.md from the rules.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { files, isForTests, root } from './ensure.mjs'

const importPattern =
  /\b(?:import|export)\s+(type\s)?[^'";]*?\bfrom\s*'([^']+)'|(?<!['\w.])import\s*'([^']+)'|\bimport\s*\(\s*'([^']+)'/g

/** Source text without comments, and (for `code`) without the contents of strings. */
export function strip(text) {
  const pattern = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g
  const isComment = (part) => part.startsWith('//') || part.startsWith('/*')
  return {
    text: text.replace(pattern, (part) => (isComment(part) ? ' ' : part)),
    code: text.replace(pattern, (part) => (isComment(part) ? ' ' : `${part[0]}${part.at(-1)}`)),
  }
}

/** True when `path` is the file or lies in the folder `place`. A `*` in `place` stands for one folder. */
const within = (path, place) =>
  place.includes('*')
    ? new RegExp(`^${place.replaceAll('.', '\\.').replaceAll('*', '[^/]+')}$`).test(path)
    : path === place || path.startsWith(`${place}/`)

/** The rule of the nearest folder that has one. `folder/*` applies to its files, not to its subfolders. */
function ruleOf(path, folders) {
  const fits = (place) => (place.endsWith('/*') ? posix.dirname(path) === place.slice(0, -2) : within(path, place))
  return Object.keys(folders)
    .filter(fits)
    .sort((a, b) => b.length - a.length)[0]
}

/**
 * @param {Map<string, string>} sources path from the project's root, with forward slashes, to text
 * @returns {string[]} one line for each breach
 */
export function check(sources, rules, packages = []) {
  const problems = []
  const runtime = new Map()
  for (const [path, source] of sources) {
    const { text, code } = strip(source)
    const isTest = isForTests(path) || path.endsWith('.cluster.ts') || /^operators\/[^/]+\/testing\//.test(path)
    if (new RegExp(rules.names.pattern).test(path)) problems.push(`${path}: ${rules.names.why}`)
    if (path !== path.toLowerCase() || path.includes('_')) problems.push(`${path}: file names are kebab-case`)
    for (const { pattern, why, except } of rules.forbidden) {
      const found = new RegExp(pattern).exec(pattern.includes('@ts-') ? source : code)
      if (found && !except.some((place) => within(path, place))) problems.push(`${path}: ${found[0].trim()}: ${why}`)
    }
    const place = ruleOf(path, rules.folders)
    if (place === undefined) problems.push(`${path}: boundaries.json has no rule for this folder`)
    const targets = []
    for (const [, typeOnly, from, bare, dynamic] of text.matchAll(importPattern)) {
      const name = from ?? bare ?? dynamic
      if (!name.startsWith('.')) {
        // An operator imports the package, as users do. Only tests may import `coxswain/testing`.
        const isPackage = within(path, 'operators') && /^coxswain(\/(?!testing$)[a-z]+)?$/.test(name)
        if (!isTest && !isPackage) problems.push(...checkModule(path, name, rules.modules, packages))
        continue
      }
      const target = posix.join(posix.dirname(path), name)
      if (!sources.has(target)) {
        if (!isTest && !target.startsWith('src/')) problems.push(`${path}: imports ${target}, outside of src`)
        continue
      }
      if (!typeOnly) targets.push(target)
      if (isTest || place === undefined || ruleOf(target, rules.folders) === place) continue
      if (!rules.folders[place].some((allowed) => within(target, allowed))) {
        problems.push(`${path}: ${place} may not import ${target}`)
      }
    }
    if (!isTest) runtime.set(path, targets)
  }
  return [...problems, ...cycles(runtime, 'circle of imports'), ...checkRules(rules.folders)]
}

/** Checks the rules themselves: they name folders or public entry points (`index.ts`), and folders have no cycle. */
function checkRules(folders) {
  const problems = []
  const graph = new Map()
  for (const [folder, allowed] of Object.entries(folders)) {
    for (const place of allowed) {
      if (place.endsWith('.ts') && !place.endsWith('/index.ts'))
        problems.push(`boundaries.json: ${folder} names the single file ${place}`)
    }
    graph.set(folder, directDependencies(folder, folders))
  }
  return [...problems, ...cycles(graph, 'circle of folders')]
}

/** The folders with a rule that a folder may import. `src/controlplane` stands for all folders inside. */
function directDependencies(folder, folders) {
  const isAllowed = (other) => folders[folder].some((place) => within(other, place) || `${place}/*` === other)
  return Object.keys(folders).filter((other) => other !== folder && isAllowed(other))
}

/**
 * The layers as text, for ARCHITECTURE.md: one line per folder, highest first, with what it may import beyond what its
 * dependencies may import themselves.
 */
export function layers(folders) {
  const names = Object.keys(folders).filter((folder) => folder.startsWith('src'))
  const all = new Map()
  const reach = (folder) => {
    if (!all.has(folder)) {
      all.set(folder, new Set())
      const direct = directDependencies(folder, folders)
      all.set(folder, new Set(direct.flatMap((each) => [each, ...reach(each)])))
    }
    return all.get(folder)
  }
  const short = (folder) => folder.replace(/^src\//, '').replace('/*', '/control-plane.ts')
  const lines = names
    .map((folder) => {
      const direct = directDependencies(folder, folders)
      const reduced = direct.filter((each) => !direct.some((other) => other !== each && reach(other).has(each)))
      return { folder, reduced, depth: reach(folder).size }
    })
    .sort((a, b) => b.depth - a.depth || (a.folder < b.folder ? -1 : 1))
  const width = Math.max(...names.map((folder) => short(folder).length))
  return lines
    .map(({ folder, reduced }) =>
      (
        `${short(folder).padEnd(width)}  ` + (reduced.length === 0 ? '' : `─► ${reduced.map(short).sort().join(', ')}`)
      ).trimEnd(),
    )
    .join('\n')
}

const layersBegin = '<!-- layers:begin (generated by scripts/check-boundaries.mjs --update) -->'
const layersEnd = '<!-- layers:end -->'

/** The page with the layer diagram that follows from the rules. */
export function withLayers(page, folders) {
  const [before, rest] = page.split(layersBegin)
  const after = rest?.split(layersEnd)[1]
  if (after === undefined) throw new Error('ARCHITECTURE.md has no section between layers:begin and layers:end')
  return `${before}${layersBegin}\n\n\`\`\`text\n${layers(folders)}\n\`\`\`\n\n${layersEnd}${after}`
}

function checkModule(path, name, modules, packages) {
  if (name.startsWith('node:')) {
    const places = modules[name]
    return places === undefined || places.some((place) => within(path, place)) ? [] : [`${path}: may not use ${name}`]
  }
  const known = packages.some((each) => name === each || name.startsWith(`${each}/`))
  return known ? [] : [`${path}: ${name} is not a runtime dependency`]
}

/** Reports each cycle once, from its first node in depth-first order. */
function cycles(graph, what) {
  const found = []
  const state = new Map()
  const walk = (path, trail) => {
    state.set(path, 'open')
    for (const next of graph.get(path) ?? []) {
      if (state.get(next) === 'open') found.push([...trail.slice(trail.indexOf(next)), next].join(' -> '))
      else if (!state.has(next)) walk(next, [...trail, next])
    }
    state.set(path, 'done')
  }
  for (const path of graph.keys()) if (!state.has(path)) walk(path, [path])
  return found.map((circle) => `${what}: ${circle}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const read = (path) => readFileSync(join(root, path), 'utf8')
  const paths = [...files('src'), ...files('operators')].filter((path) => path.endsWith('.ts'))
  const sources = new Map(paths.map((path) => [path, read(path)]))
  const { dependencies = {} } = JSON.parse(read('package.json'))
  const rules = JSON.parse(read('boundaries.json'))
  const problems = check(sources, rules, Object.keys(dependencies))
  const page = withLayers(read('ARCHITECTURE.md'), rules.folders)
  if (process.argv.includes('--update')) writeFileSync(join(root, 'ARCHITECTURE.md'), page)
  else if (page !== read('ARCHITECTURE.md'))
    problems.push('ARCHITECTURE.md: the layers are out of date: node scripts/check-boundaries.mjs --update')
  for (const problem of problems) console.log(problem)
  if (problems.length > 0) process.exitCode = 1
}
