/**
 * Lenient reads from JSON that was validated elsewhere: a value of the wrong type counts as absent. Own properties
 * only.
 */
import { getOwn, isObject, type Json, type JsonObject } from '../api/json.ts'

export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

export function asList(value: unknown): Json[] {
  return Array.isArray(value) ? (value as Json[]) : []
}

export function objectOf(source: JsonObject, name: string): JsonObject {
  return asObject(getOwn(source, name))
}

/** The objects in a list; other items are skipped. */
export function objectsOf(source: JsonObject, name: string): JsonObject[] {
  return asList(getOwn(source, name)).filter(isObject)
}

export function stringsOf(source: JsonObject, name: string): string[] {
  return asList(getOwn(source, name)).filter((item): item is string => typeof item === 'string')
}

export function maybeText(source: JsonObject, name: string): string | undefined {
  const value = getOwn(source, name)
  return typeof value === 'string' ? value : undefined
}

export function textOf(source: JsonObject, name: string): string {
  return maybeText(source, name) ?? ''
}

export function numberOf(source: JsonObject, name: string): number | undefined {
  const value = getOwn(source, name)
  return typeof value === 'number' ? value : undefined
}

export function flagOf(source: JsonObject, name: string): boolean {
  return getOwn(source, name) === true
}
