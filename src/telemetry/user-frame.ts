/** The place in a user's own file that a stack leads to, so that an error names a line to look at. */
import { dirname, isAbsolute, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { explainsItself } from '../api/error-text.ts'

/** A place in a file. Lines and columns count from 1. */
export interface Place {
  /** An absolute path. */
  readonly file: string
  readonly line: number
  readonly column: number
}

/** This file in a clone: as source, in the library and in the command line. */
const ownPath = /^(file:.*[\\/](?:src|dist)[\\/])(?:(?:telemetry|shared|bundle)[\\/][^\\/]+|coxswain\.cjs)$/
/**
 * The folder of Coxswain's own code, `src` or `dist` of a clone; '' if it is elsewhere: in `node_modules`, or in a
 * bundle with the code of the user.
 */
const ownFolder = folderOf(import.meta.url)
const ownFile = ((import.meta.url as string | undefined) ?? '').startsWith('file:')
  ? fileURLToPath(import.meta.url)
  : ''
/** Tests beside the code, and what they share, are a user's files. */
const testFile = /\.(test|security)\.[cm]?[jt]s$|[\\/]testdata[\\/]/
const frame = /^\s*at (?:.*\()?((?:file:\/\/|\/|[A-Za-z]:[\\/])[^()]*?):(\d+):(\d+)\)?$/
/** How Node begins the stack of a syntax error: `file:///src/operator.js:12`, the line, and a caret. */
const syntaxError = /^((?:file:\/\/|\/|[A-Za-z]:[\\/])[^\n]*?):(\d+)\n[^\n]*\n( *)\^/

/** `src/operator.ts:12:5` */
export function userFrame(stack: string | undefined): string | undefined {
  const place = userPlace(stack)
  return place === undefined ? undefined : placeText(place)
}

export function userPlace(stack: string | undefined): Place | undefined {
  for (const place of placesOf(stack)) if (!isForeign(place.file)) return place
  return undefined
}

/** Whether the first frame is of Coxswain itself. */
export function isOwnCall(stack: string | undefined): boolean {
  const [first] = placesOf(stack)
  return first !== undefined && isOwn(first.file)
}

/** Of the error itself, else of what caused it. */
export function userPlaceOf(error: unknown, depth = 0): Place | undefined {
  if (!(error instanceof Error) || depth > maxDepth) return undefined
  const inner = error instanceof AggregateError ? (error.errors as readonly unknown[])[0] : error.cause
  const place = userPlace(framesOf(error))
  return place === undefined || isOwnInBundle(place, error) ? userPlaceOf(inner, depth + 1) : place
}

const maxDepth = 4

export function userFrameOf(error: unknown): string | undefined {
  const place = userPlaceOf(error)
  return place === undefined ? undefined : placeText(place)
}

/** `src/operator.ts:12:5`, relative to the current folder if the file is in it. */
export function placeText({ file, line, column }: Place): string {
  return `${shortened(file)}:${line}:${column}`
}

export function shortened(file: string): string {
  const path = relative(process.cwd(), file)
  return path.startsWith('..') || isAbsolute(path) ? file : path
}

/** Without the message, which may quote others. */
function framesOf({ stack, message }: Error): string | undefined {
  const start = stack?.indexOf(message) ?? -1
  return start < 0 || syntaxError.test(stack ?? '') ? stack : stack?.slice(start + message.length)
}

function* placesOf(stack: string | undefined): Generator<Place> {
  const [, file, row, indent] = syntaxError.exec(stack ?? '') ?? []
  if (file !== undefined) yield { file: pathOf(file), line: Number(row), column: (indent ?? '').length + 1 }
  for (const line of (stack ?? '').split('\n')) {
    const [, place, row, column] = frame.exec(line) ?? []
    if (place !== undefined) yield { file: pathOf(place), line: Number(row), column: Number(column) }
  }
}

function pathOf(place: string): string {
  return place.startsWith('file://') ? fileURLToPath(place) : place
}

function isForeign(file: string): boolean {
  return /[\\/]node_modules[\\/]/.test(file) || isOwn(file)
}

/** In a bundle, one file or several in a folder, only the error tells whose code threw it. */
function isOwnInBundle({ file }: Place, error: Error): boolean {
  return ownFile !== '' && dirname(file) === dirname(ownFile) && explainsItself(error)
}

function folderOf(url: string | undefined): string {
  const [, folder = ''] = ownPath.exec(url ?? '') ?? []
  return folder === '' ? '' : fileURLToPath(folder)
}

function isOwn(file: string): boolean {
  return ownFolder !== '' && file.startsWith(ownFolder) && !testFile.test(file)
}
