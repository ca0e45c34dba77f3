/**
 * The project's first recording of a real cluster: 581 exchanges with kube-apiserver v1.35.8, in six files. The garbage
 * collection and the Deployment of file 04 come last, after kube-controller-manager was started.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { JsonObject } from '../../src/api/json.ts'
import { toRecords, type RawRecord, type Recording } from '../conformance/golden.ts'
import { beforeControllers, beforeDiscovery } from './set-up.ts'

const folder = new URL('./recorded/', import.meta.url)

/** Derived from revisions and times. */
const order = [
  '01-errors-ssa',
  '02-crd',
  '03-delete-list-watch',
  '05-discovery-misc',
  '07-builtins',
  '04-gc-controllers',
]

/** The last file, recorded with controllers. */
export const liveFile = '04-gc-controllers'

export function loadRecording(): Recording {
  const files = readdirSync(folder).map((name) => name.replace('.jsonl.gz', ''))
  const unknown = files.filter((name) => !order.includes(name))
  if (unknown.length > 0) throw new Error(`when were ${unknown.join(', ')} recorded?`)
  return toRecords(
    order.flatMap((file) => [...setUp(file), ...recordsOf(file)].map((record): RawRecord => ({ file, record }))),
  )
}

function recordsOf(file: string): JsonObject[] {
  const text = gunzipSync(readFileSync(new URL(`${file}.jsonl.gz`, folder))).toString('utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JsonObject)
}

function setUp(file: string): readonly JsonObject[] {
  if (file === '05-discovery-misc') return beforeDiscovery
  return file === liveFile ? beforeControllers : []
}
