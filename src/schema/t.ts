/** `t`: the functions that create schema nodes, under short names. */
import {
  array,
  boolean,
  duration,
  embedded,
  int,
  int64,
  intOrString,
  json,
  literal,
  map,
  number,
  object,
  oneOf,
  quantity,
  string,
  time,
} from './builders.ts'
import {
  annotations,
  conditions,
  env,
  keyReference,
  labels,
  labelSelector,
  localReference,
  objectReference,
  probe,
  resources,
} from './ready-made.ts'

/**
 * ```ts
 * const spec = t.object({
 *   image: t.string().minLength(1),
 *   replicas: t.int().min(0).default(1),
 *   env: t.map(t.string()).optional(),
 * })
 * ```
 */
export const t = Object.freeze({
  string,
  int,
  int64,
  number,
  boolean,
  enum: oneOf,
  literal,
  object,
  array,
  map,
  intOrString,
  quantity,
  time,
  duration,
  json,
  embedded,

  conditions,
  labels,
  annotations,
  resources,
  env,
  probe,
  keyReference,
  localReference,
  objectReference,
  labelSelector,
})
