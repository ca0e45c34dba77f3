#!/usr/bin/env node
/**
 * Becomes `dist/coxswain.cjs`: runs the bundled command line from V8's code cache, so that nothing has to be compiled.
 * A cache of another Node version, or none, only means that it takes longer.
 */
const { readFileSync, writeFileSync } = require('node:fs')
const path = require('node:path')
const { Script } = require('node:vm')

const filename = path.join(__dirname, 'command-line.cjs')
const cacheFile = path.join(__dirname, 'command-line.cache')

let cachedData
try {
  cachedData = readFileSync(cacheFile)
} catch {
  // Not made yet.
}
const script = new Script(readFileSync(filename, 'latin1'), { filename, cachedData })

// The build runs the server once, and keeps what was compiled for it.
if (process.env.COXSWAIN_WRITE_CODE_CACHE === '1') {
  process.on('exit', () => writeFileSync(cacheFile, script.createCachedData()))
}
script.runInThisContext()(require, filename, __dirname)
