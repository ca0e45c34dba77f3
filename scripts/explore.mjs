/**
 * `npm run -s explore [-- OPTIONS]`: `coxswain explore` with the WebApp operator, over the whole life of an app.
 * `npm run -s explore:spec [-- OPTIONS]`: the same with every field of an app's spec.
 */
const [first] = process.argv.slice(2)
const scenario = first === '--spec' ? 'spec-exploration' : 'exploration'
process.argv.splice(2, 0, 'explore', `operators/webapp/testing/${scenario}.ts`)
await import('./coxswain.mjs')
