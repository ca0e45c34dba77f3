/** Command lines that several scripts build. */

export const jsonpath = (object: string, path: string): string => `get ${object} -o 'jsonpath={${path}}'`
