/** Replaces functions of Node and of the language for a while, also for modules that import them by name. */
import { syncBuiltinESMExports } from 'node:module'

export type AnyFunction = (this: unknown, ...args: unknown[]) => unknown

/** Builtin functions, by name. */
export type Functions = Record<string, AnyFunction>

/** Returns what undoes it. */
export function replace(target: object, name: string, made: (original: AnyFunction) => AnyFunction): () => void {
  const functions = target as Functions
  const original = functions[name] as AnyFunction
  const replacement = made(original)
  functions[name] = replacement
  return () => {
    // Somebody else may have replaced it since.
    if (functions[name] === replacement) functions[name] = original
  }
}

/** Makes several replacements. Returns what undoes them. */
export function replaced(replacements: () => readonly (() => void)[]): () => void {
  const undo = replacements()
  syncBuiltinESMExports()
  return () => {
    for (const each of undo) each()
    syncBuiltinESMExports()
  }
}
