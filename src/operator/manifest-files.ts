/** Manifests as files in a folder: written, or compared. Other files in the folder are left alone. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Files = Readonly<Record<string, string>>

export function writeManifests(folder: string, files: Files): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
}

/** The differences between the folder and the files, one line each. */
export function manifestDifferences(folder: string, files: Files): readonly string[] {
  return Object.entries(files).flatMap(([name, wanted]) => {
    const path = join(folder, name)
    const found = textOf(path)
    if (found === wanted) return []
    return [found === undefined ? `${path} is missing` : `${path}:${firstDifference(found, wanted)}`]
  })
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function firstDifference(found: string, wanted: string): string {
  const [there, here] = [found.split('\n'), wanted.split('\n')]
  const line = here.findIndex((text, i) => text !== there[i])
  const at = line < 0 ? here.length : line
  return `${at + 1} has ${quoted(there[at])}, not ${quoted(here[at])}`
}

function quoted(line: string | undefined): string {
  return line === undefined ? 'nothing' : JSON.stringify(line.trim())
}
