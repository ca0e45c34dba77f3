/** How much the security tests try: less in a normal run, and what the check-list asks for with `--long`. */
export const isLong = process.env['COXSWAIN_SECURITY'] === 'long'
