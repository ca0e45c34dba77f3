/** Objects as a real kube-apiserver v1.35.8 sent them in both encodings, and bodies as kubectl 1.32 sent them. */
import { readFileSync } from 'node:fs'
import type { JsonObject } from '../../../../api/json.ts'

export interface Recorded {
  readonly name: string
  readonly bytes: Uint8Array
  readonly json: JsonObject & { kind: string; apiVersion: string }
}

interface Line {
  readonly command?: string
  readonly protobuf: string
  readonly json: Recorded['json']
}

function text(file: string): string {
  return readFileSync(new URL(file, import.meta.url), 'utf8')
}

function lines(file: string): readonly Recorded[] {
  return text(file).trim().split('\n').map((line) => {
    const { command, protobuf, json } = JSON.parse(line) as Line
    return { name: command ?? `${json.apiVersion} ${json.kind}`, bytes: Buffer.from(protobuf, 'base64'), json }
  })
}

/** One object of each kind, rich in fields. */
export const objects = lines('./objects.jsonl')

/** With the object that the same command prints under `--dry-run=client -o json`. */
export const kubectlBodies = lines('./kubectl.jsonl')

export const watchEvent = JSON.parse(text('./watch-event.json')) as {
  readonly frame: string
  readonly event: { readonly type: string; readonly object: JsonObject }
}
