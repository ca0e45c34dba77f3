/**
 * The recorded outcomes of the real cluster, one file per scenario. `npm test` compares ours with them, without a real
 * cluster.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Document, isCollection, parse, visit } from 'yaml'
import type { Outcome } from './scenario.ts'

const folder = new URL('./recorded/', import.meta.url)
const fileOf = (name: string): URL => new URL(`${name}.yaml`, folder)

/** Below this depth of the document (looks, a look, objects, an object), collections are written in one line. */
const fieldDepth = 8

export function store(name: string, outcome: Outcome): void {
  mkdirSync(folder, { recursive: true })
  const document = new Document(outcome, { aliasDuplicateObjects: false })
  visit(document, {
    Pair: (_, { value }, path) => {
      if (path.length > fieldDepth && isCollection(value)) value.flow = true
    },
  })
  writeFileSync(fileOf(name), document.toString({ lineWidth: 0, flowCollectionPadding: false }))
}

export function load(name: string): Outcome {
  if (!existsSync(fileOf(name)))
    throw new Error(`there is no recorded outcome of ${name}: npm run -s scenarios -- --only ${name} --update`)
  return parse(readFileSync(fileOf(name), 'utf8')) as Outcome
}

export function recordedNames(): string[] {
  return readdirSync(folder)
    .map((name) => name.replace(/\.yaml$/, ''))
    .toSorted()
}

export function removeOthers(names: readonly string[]): void {
  for (const name of recordedNames()) if (!names.includes(name)) rmSync(fileOf(name))
}
