/** Costs of creating values. The costs of calls are declared by the libraries. */

export const listCost = 10
export const mapCost = 30
export const structCost = 40
