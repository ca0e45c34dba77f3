/**
 * Checks names in production code against the glossary (`docs/internals/glossary.md`):
 * - an identifier has one meaning: no three files of `src` export the same one;
 * - the name of a constant number of 100 or more ends with its unit, and a limit is called max or min;
 * - no declaration uses a word of the glossary's list "Words not used in names".
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'rolldown/parseAst'
import { files, isForTests, root } from './ensure.mjs'

export const glossary = 'docs/internals/glossary.md'

/** Identifiers that three or more files may export. Each needs a reason. */
export const sharedNames = new Map()

/** Numbers without a unit. The key is `file: name`. Each needs a reason. */
export const plainNumbers = new Map([
  ['src/controllers/shared/revision-hash.ts: offsetBasis', 'FNV offset basis'],
  ['src/controllers/shared/revision-hash.ts: fnvPrime', 'FNV prime'],
  ['src/manager/rendezvous.ts: hash', 'FNV-1a offset basis'],
  ['src/cel/libraries/standard/conversions.ts: two63', 'the number itself'],
  ['src/cel/libraries/standard/conversions.ts: two64', 'the number itself'],
  ['src/cel/libraries/quantity/amount.ts: maxPower', 'an exponent has no unit'],
  ['src/codec/protobuf/wire-writer.ts: int64Limit', 'the number itself'],
  ['src/controlplane/resources/shared/pod-spec/block-volumes.ts: maxLun', 'a logical unit number'],
])

/** Declarations that keep a word which the glossary bans. The key is `file: name`. Each needs a reason. */
export const keptWords = new Map([
  ['src/plan/plan.ts: wish', 'a key of the plan format'],
  ['src/plan/plan-text.ts: wish', 'a key of the plan format'],
])

const measures = 'Ms|Seconds|Minutes|Hours|Days|Bytes|Count|Length|Depth|Cost|Digits|Percent'
const plainValues = 'Port|Code|Status|Mode|Priority|Precedence'
const units = new RegExp(`(?:${measures}|${plainValues})$`)
/** Names that are a unit by themselves; `pageSize` is client-go's name for a number of items. */
const wholeUnits = new Set(['port', 'code', 'status', 'mode', 'priority', 'bytes', 'count', 'pageSize'])
/** `maxPods`, `maxObjectsPerReview`: the plural says what is counted. */
const counted = /^(?:max|min)[A-Z]\w*s(?:Per[A-Z]\w*)?$/
const numberTypes = /^(?:max|min)(?:Int|Uint)\d+$/
const superlative = /^(?:most|longest|largest|highest|shortest|smallest)(?:[A-Z]|$)/

const hasUnit = (name) => units.test(name) || wholeUnits.has(name) || counted.test(name) || numberTypes.test(name)

/** The value of a constant expression of numbers; undefined for anything else. */
export function constantOf(node) {
  switch (node?.type) {
    case 'Literal':
      return typeof node.value === 'number' ? node.value : undefined
    case 'UnaryExpression': {
      const value = constantOf(node.argument)
      return value !== undefined && node.operator === '-' ? -value : undefined
    }
    case 'BinaryExpression': {
      const [left, right] = [constantOf(node.left), constantOf(node.right)]
      if (left === undefined || right === undefined) return undefined
      switch (node.operator) {
        case '*':
          return left * right
        case '+':
          return left + right
        case '-':
          return left - right
        case '/':
          return left / right
        case '**':
          return left ** right
        case '<<':
          return left << right
      }
      return undefined
    }
  }
  return undefined
}

/** Calls `visit` for each node below `node`, and for `node`. */
function walk(node, visit) {
  if (Array.isArray(node)) {
    for (const each of node) walk(each, visit)
    return
  }
  if (typeof node?.type !== 'string') return
  visit(node)
  for (const value of Object.values(node)) if (typeof value === 'object' && value !== null) walk(value, visit)
}

/** Names that a statement of a module exports by declaring them. Re-exports do not count. */
function exportedNames(statement) {
  if (statement.type !== 'ExportNamedDeclaration' || statement.source !== null) return []
  const { declaration, specifiers } = statement
  if (declaration === null) return specifiers.map(({ exported }) => exported.name ?? exported.value)
  if (declaration.type === 'VariableDeclaration') {
    return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []))
  }
  return declaration.id?.type === 'Identifier' ? [declaration.id.name] : []
}

/** The names that a node declares. Keys of object literals are data, not declarations. */
function declared(node) {
  const named = (id, initial, isConstant = false) => {
    if (id?.type === 'AssignmentPattern') return named(id.left, id.right)
    return id?.type === 'Identifier' || id?.type === 'PrivateIdentifier' ? [{ name: id.name, initial, isConstant }] : []
  }
  switch (node.type) {
    case 'VariableDeclaration':
      return node.declarations.flatMap(({ id, init }) => named(id, init, node.kind === 'const'))
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
    case 'TSDeclareFunction':
      return [...(node.id ? named(node.id) : []), ...node.params.flatMap((each) => named(each))]
    case 'ClassDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return named(node.id)
    case 'PropertyDefinition':
      return node.computed ? [] : named(node.key, node.value)
    case 'MethodDefinition':
    case 'TSPropertySignature':
    case 'TSMethodSignature':
      return node.computed ? [] : named(node.key)
    case 'ObjectPattern':
      return node.properties.flatMap((each) => (each.type === 'Property' ? named(each.value) : named(each.argument)))
    case 'ArrayPattern':
      return node.elements.flatMap((each) => named(each))
  }
  return []
}

/** `maxIPv4Bytes` has the words max, i, pv4, bytes: good enough to find words of three letters and more. */
export const wordsOf = (name) =>
  name
    .split(/(?=[A-Z])|_|(?<=\d)(?=\D)/)
    .map((word) => word.toLowerCase())
    .filter((word) => word !== '')

/**
 * Reads the table "Words not used in names" of the glossary: the word, its replacement, and folders where the word is a
 * term.
 */
export function bannedWords(text) {
  const section = /^## Words not used in names$([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(text)?.[1] ?? ''
  const banned = new Map()
  for (const [, words, instead, allowed] of section.matchAll(/^\| ([^|]+) \| ([^|]+) \| ([^|]*) \|$/gm)) {
    if (/^(?:word|-+|:?-+:?)/.test(words.trim())) continue
    const places = [...allowed.matchAll(/`([^`]+)`/g)].map(([, place]) => place)
    for (const [, word] of words.matchAll(/`([^`]+)`/g)) banned.set(word, { instead: instead.trim(), places })
  }
  return banned
}

const within = (path, place) => path === place || path.startsWith(`${place}/`)

/**
 * @param {Map<string, string>} sources path from the project's root, with forward slashes, to text
 * @returns {string[]} one line for each breach
 */
export function checkNames(sources, banned, { shared = sharedNames, plain = plainNumbers, kept = keptWords } = {}) {
  const problems = []
  const exporters = new Map()
  const used = new Set()
  const isExcepted = (exceptions, key) => exceptions.has(key) && used.add(key) !== undefined
  for (const [path, source] of sources) {
    const program = parseAst(source, { lang: 'ts' }, path)
    if (path.startsWith('src/')) {
      for (const name of new Set(program.body.flatMap(exportedNames))) {
        exporters.set(name, [...(exporters.get(name) ?? []), path])
      }
    }
    const found = new Set()
    walk(program, (node) => {
      for (const { name, initial, isConstant } of declared(node)) {
        const value = constantOf(initial)
        if (value !== undefined && isConstant && superlative.test(name))
          found.add(`${path}: ${name}: a limit is max… or min…`)
        else if (
          value !== undefined &&
          Math.abs(value) >= 100 &&
          !hasUnit(name) &&
          !isExcepted(plain, `${path}: ${name}`)
        ) {
          found.add(`${path}: ${name}: a number has its unit at the end of its name (…Ms, …Bytes, …Count, max…s)`)
        }
        for (const word of wordsOf(name)) {
          const rule = banned.get(word)
          if (rule === undefined || rule.places.some((place) => within(path, place))) continue
          if (!isExcepted(kept, `${path}: ${name}`)) found.add(`${path}: ${name}: not "${word}" but ${rule.instead}`)
        }
      }
    })
    problems.push(...found)
  }
  for (const [name, paths] of exporters) {
    if (paths.length >= 3 && !isExcepted(shared, name)) problems.push(`${name} is exported by ${paths.join(', ')}`)
  }
  for (const key of [...shared.keys(), ...plain.keys(), ...kept.keys()]) {
    if (!used.has(key)) problems.push(`${key}: the exception is not needed any more`)
  }
  return problems
}

/** Production files: no tests, no generated kinds, no lists of re-exports. */
export const isChecked = (path) =>
  path.endsWith('.ts') && !isForTests(path) && !path.endsWith('.cluster.ts') && !path.startsWith('src/schema/builtin/')

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const read = (path) => readFileSync(join(root, path), 'utf8')
  const paths = [...files('src'), ...files('operators')].filter(isChecked)
  const problems = checkNames(new Map(paths.map((path) => [path, read(path)])), bannedWords(read(glossary)))
  for (const problem of problems) console.log(problem)
  if (problems.length > 0) process.exitCode = 1
}
