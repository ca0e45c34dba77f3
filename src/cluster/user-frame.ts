/** The place in a user's own file that a stack leads to, so that an error of a test names a line to look at. */
import { isAbsolute, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of Coxswain's own code: `src` in the repository, `dist` in the package. */
const ownFolder = fileURLToPath(new URL('..', import.meta.url))
/** Tests beside the code, and what they share, are a user's files. */
const testFile = /\.(test|security)\.[cm]?[jt]s$|[\\/]testdata[\\/]/
const frame = /^\s*at (?:.*\()?((?:file:\/\/|\/|[A-Za-z]:[\\/])[^()]*?):(\d+):(\d+)\)?$/

/** `src/operator.ts:12:5` */
export function userFrame(stack: string | undefined): string | undefined {
  for (const { file, at } of framesOf(stack)) if (!isForeign(file)) return `${shortened(file)}${at}`
  return undefined
}

/** Whether the first frame is of Coxswain itself. */
export function isOwnCall(stack: string | undefined): boolean {
  const [first] = framesOf(stack)
  return first !== undefined && isOwn(first.file)
}

function* framesOf(stack: string | undefined): Generator<{ readonly file: string; readonly at: string }> {
  for (const line of (stack ?? '').split('\n')) {
    const [, place, row, column] = frame.exec(line) ?? []
    if (place === undefined) continue
    yield { file: place.startsWith('file://') ? fileURLToPath(place) : place, at: `:${row}:${column}` }
  }
}

/** Of the error itself, else of what caused it. */
export function userFrameOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const inner = error instanceof AggregateError ? (error.errors as readonly unknown[])[0] : error.cause
  return userFrame(error.stack) ?? (inner === error ? undefined : userFrameOf(inner))
}

function isForeign(file: string): boolean {
  return /[\\/]node_modules[\\/]/.test(file) || isOwn(file)
}

function isOwn(file: string): boolean {
  return file.startsWith(ownFolder) && !testFile.test(file)
}

function shortened(file: string): string {
  const path = relative(process.cwd(), file)
  return path.startsWith('..') || isAbsolute(path) ? file : path
}
