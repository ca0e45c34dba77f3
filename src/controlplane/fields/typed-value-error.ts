/** Errors of values that field ownership cannot be told of. */

/** A value does not fit its shape in a way that leaves its parts without a path. */
export class TypedValueError extends Error {}

/** The object cannot be had in a version through which somebody owns parts of it. */
export class ConversionError extends TypedValueError {}
