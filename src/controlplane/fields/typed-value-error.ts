/** Errors about values whose fields cannot be tracked. */

/** A value does not fit its shape, so that its parts have no path. */
export class TypedValueError extends Error {}

/** The object cannot be converted to a version through which fields of it are owned. */
export class ConversionError extends TypedValueError {}
