/**
 * The parent of a cluster's programs: `node supervisor.mjs FOLDER STATE-FILE`. It takes orders as lines of JSON on
 * standard input and tells what happens on standard output. When its input ends, whoever started it is gone, however
 * that came about, and it ends the programs and removes the cluster's folder and state file. After the order to detach
 * it goes on until it gets a signal.
 *
 * Plain JavaScript, so that it starts in an instant on every version of Node.
 */
import { spawn } from 'node:child_process'
import { closeSync, openSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [folder, stateFile] = process.argv.slice(2)
const children = new Map()
let attached = true
let ending = false

/** To a reader that may be gone: then it does not matter. */
const tell = (message) => process.stdout.write(`${JSON.stringify(message)}\n`, () => {})
process.stdout.on('error', () => {})

function start({ name, command, args, log, env }) {
  const output = openSync(log, 'a')
  const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', output, output] })
  closeSync(output)
  children.set(name, child)
  child.on('spawn', () => tell({ started: name, pid: child.pid }))
  child.on('error', (error) => gone(name, { message: error.message }))
  child.on('exit', (code, signal) => gone(name, { message: signal === null ? `code ${code}` : `signal ${signal}` }))
}

function gone(name, how) {
  children.delete(name)
  tell({ exited: name, ...how })
  if (ending && children.size === 0) finish()
}

/** At once: all that the programs know is thrown away with them. */
function end() {
  if (ending) return
  ending = true
  for (const child of children.values()) child.kill('SIGKILL')
  if (children.size === 0) finish()
}

function finish() {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  rmSync(stateFile, { force: true })
  process.stdout.write(`${JSON.stringify({ stopped: true })}\n`, () => process.exit(0))
}

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const order = JSON.parse(line)
    if (order.stop) end()
    else if (order.detach) {
      attached = false
      tell({ detached: true })
    } else if (order.start && !ending) start(order.start)
  })
  .on('close', () => {
    if (attached) end()
    else process.stderr.write('detached: going on alone\n')
  })

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, end)
process.on('uncaughtException', (error) => {
  process.stderr.write(`${error.stack}\n`)
  end()
})
