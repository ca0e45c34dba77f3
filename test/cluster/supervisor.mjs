/**
 * The parent process of a cluster's programs: `node supervisor.mjs FOLDER STATE-FILE`. It reads commands as lines of
 * JSON from standard input and reports events on standard output. When its input ends, the process that started it is
 * gone, even if it was killed: the supervisor then ends the programs and removes the cluster's folder and state file.
 * After the command to detach it runs until it gets a signal.
 *
 * Plain JavaScript, so that it starts fast with every version of Node.
 */
import { spawn } from 'node:child_process'
import { closeSync, openSync, rmSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [folder, stateFile] = process.argv.slice(2)
const children = new Map()
let attached = true
let ending = false

/** Errors are ignored: the reader may have exited. */
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

/** Kills the programs at once: their data is removed anyway. */
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
