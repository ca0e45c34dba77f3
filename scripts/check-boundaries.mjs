/**
 * Keeps the layers of `boundaries.json`: who may import whom, which Node modules and packages a folder may use,
 * what no file may say, and that modules do not import each other in a circle. Operators import the package, and each
 * other not. Tests may import anything.
 */
import { readFileSync } from 'node:fs'
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

/** True when `path` is the file or lies in the folder `place`. */
const within = (path, place) => path === place || path.startsWith(`${place}/`)

/** The rule of the nearest folder that has one. `folder/*` is for its files and not for folders inside. */
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
        // An operator has what everybody has: the package.
        const isPackage = within(path, 'operators') && name === 'coxswain'
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
  return [...problems, ...cycles(runtime)]
}

function checkModule(path, name, modules, packages) {
  if (name.startsWith('node:')) {
    const places = modules[name]
    return places === undefined || places.some((place) => within(path, place)) ? [] : [`${path}: may not use ${name}`]
  }
  const known = packages.some((each) => name === each || name.startsWith(`${each}/`))
  return known ? [] : [`${path}: ${name} is not a runtime dependency`]
}

/** Each circle of imports once, from its first module in depth-first order. Imports of types alone do not count. */
function cycles(graph) {
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
  return found.map((circle) => `circle of imports: ${circle}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const read = (path) => readFileSync(join(root, path), 'utf8')
  const paths = [...files('src'), ...files('operators')].filter((path) => path.endsWith('.ts'))
  const sources = new Map(paths.map((path) => [path, read(path)]))
  const { dependencies = {} } = JSON.parse(read('package.json'))
  const problems = check(sources, JSON.parse(read('boundaries.json')), Object.keys(dependencies))
  for (const problem of problems) console.log(problem)
  if (problems.length > 0) process.exitCode = 1
}
