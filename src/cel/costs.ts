/**
 * Arithmetic on costs and estimates, shared by the language and its libraries. Costs are plain numbers. Values of
 * {@link maxCost} and above are unbounded.
 */

/** 2^64: unbounded. */
export const maxCost = 2 ** 64

/** Bounds of a size or a cost. */
export interface Estimate {
  readonly min: number
  readonly max: number
}

export function addCost(a: number, b: number): number {
  return Math.min(a + b, maxCost)
}

export function multiplyCost(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : Math.min(a * b, maxCost)
}

/** `ceil(a * factor)`, bounded. */
export function scaleCost(a: number, factor: number): number {
  return Math.min(Math.ceil(a * factor), maxCost)
}

export function addEstimates(a: Estimate, b: Estimate): Estimate {
  return { min: addCost(a.min, b.min), max: addCost(a.max, b.max) }
}

export function multiplyEstimates(a: Estimate, b: Estimate): Estimate {
  return { min: multiplyCost(a.min, b.min), max: multiplyCost(a.max, b.max) }
}

/** Both bounds multiplied by a factor, rounded up. */
export function scaleEstimate(a: Estimate, factor: number): Estimate {
  return { min: scaleCost(a.min, factor), max: scaleCost(a.max, factor) }
}

export function unionEstimates(a: Estimate, b: Estimate): Estimate {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) }
}

/** Cost factors that the language and the libraries share. */
export const stringTraversalFactor = 0.1
export const regexLengthFactor = 0.25
