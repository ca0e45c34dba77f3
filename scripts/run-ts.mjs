#!/usr/bin/env node
// Runs a TypeScript file of this repository: `node scripts/run-ts.mjs FILE.ts ARGS…`. Newer Node versions strip types
// by themselves; on Node 20 a loader hook does it. Both run the same native ES modules, without a build.
import { register } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const [file, ...args] = process.argv.slice(2)
if (file === undefined) {
  console.error('usage: node scripts/run-ts.mjs FILE.ts ARGS…')
  process.exitCode = 2
} else {
  if (process.features.typescript === undefined || process.features.typescript === false) {
    register('./ts-hooks.mjs', import.meta.url)
  }
  const path = resolve(file)
  process.argv.splice(1, process.argv.length, path, ...args)
  process.setSourceMapsEnabled(true)
  await import(pathToFileURL(path).href)
}
