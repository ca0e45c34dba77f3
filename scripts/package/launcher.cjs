#!/usr/bin/env node
/**
 * Becomes `dist/coxswain.cjs`: runs the bundled command line from V8's code cache, so that nothing has to be compiled,
 * and loads its other parts when something in them is first used. A cache of another Node version, or none, only means
 * that it takes longer.
 */
const { existsSync, readFileSync, writeFileSync } = require('node:fs')
const path = require('node:path')
const { Script } = require('node:vm')

const folder = path.join(__dirname, 'bundle')
const parts = new Map()
const scripts = new Map()

/** What a part exports; runs it first where that was not done yet. */
function load(name) {
  const known = parts.get(name)
  if (known !== undefined) return known
  const exported = {}
  parts.set(name, exported)
  const filename = path.join(folder, `${name}.cjs`)
  const script = new Script(readFileSync(filename, 'latin1'), { filename, cachedData: cacheOf(name) })
  scripts.set(name, script)
  script.runInThisContext()(require, exported, load, lazy, importModule, __filename, __dirname)
  return exported
}

/** Modules of users: what was compiled by itself, as the parts are, cannot import. */
function importModule(url) {
  return import(url)
}

/**
 * Stands for a part that is not loaded yet. The first use of a name loads it, and `replace` puts the true one in place.
 */
function lazy(name, names, replace) {
  const standIn = {}
  for (const each of names) {
    const get = () => {
      const exported = { ...load(name) }
      replace(exported)
      return exported[each]
    }
    Object.defineProperty(standIn, each, { get })
  }
  return standIn
}

function cacheOf(name) {
  try {
    return readFileSync(path.join(folder, `${name}.cache`))
  } catch {
    // Not made yet.
    return undefined
  }
}

// The build runs the server, and keeps what was compiled for it.
if (process.env.COXSWAIN_WRITE_CODE_CACHE === '1') {
  process.on('exit', () => {
    for (const [name, script] of scripts) {
      const file = path.join(folder, `${name}.cache`)
      if (!existsSync(file)) writeFileSync(file, script.createCachedData())
    }
  })
}
load('main')
