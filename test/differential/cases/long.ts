/**
 * One long sequence on a fresh server, as in the first hour with a new cluster. Its steps build on each other, so they
 * are stored as data: one request per line of `long/*.jsonl`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { Json } from '../../../src/api/json.ts'
import type { Step, Topic } from '../case.ts'
import { expand } from '../compact.ts'

const folder = new URL('./long/', import.meta.url)

const steps = readdirSync(folder)
  .toSorted()
  .flatMap((name) => readFileSync(new URL(name, folder), 'utf8').split('\n'))
  .filter((line) => line !== '')
  .map((line) => expand(JSON.parse(line) as Json) as unknown as Step)

export const long: Topic = { name: 'long', alone: true, cases: [{ name: 'the first hour of a server', steps }] }
