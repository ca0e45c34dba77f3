#!/usr/bin/env node
/**
 * Becomes `dist/coxswain.cjs`: runs the bundled command line from V8's code cache, so that nothing has to be compiled,
 * and loads its other parts on the first use of their exports. Without a cache, or with one of another Node version, it
 * only starts more slowly.
 */
const { existsSync, readFileSync, writeFileSync } = require('node:fs')
const path = require('node:path')
const { Script } = require('node:vm')

const folder = path.join(__dirname, 'bundle')
const parts = new Map()
const scripts = new Map()

/** The exports of a part, which runs on the first call. */
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

/** Imports modules of users. The parts are compiled as vm scripts, which cannot use `import()`. */
function importModule(url) {
  return import(url)
}

/**
 * Stands for a part that is not loaded yet. The first use of a name loads the part, and `replace` puts the exports in
 * place of the stand-in.
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
    // Not created yet.
    return undefined
  }
}

// The build runs the server with this variable and keeps its code caches.
if (process.env.COXSWAIN_WRITE_CODE_CACHE === '1') {
  process.on('exit', () => {
    for (const [name, script] of scripts) {
      const file = path.join(folder, `${name}.cache`)
      if (!existsSync(file)) writeFileSync(file, script.createCachedData())
    }
  })
}
load('main')
