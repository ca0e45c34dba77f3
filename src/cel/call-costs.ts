/** What the language charges for making values; calls are priced by the libraries that declare them. */

export const listCost = 10
export const mapCost = 30
export const structCost = 40
