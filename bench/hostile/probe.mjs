/**
 * Loaded into the server's process (`node --import`). Measures the longest turn of its event loop: CPU time of the main
 * thread between two timers that are due each millisecond. Answers each message with the figure, and begins again.
 */
import { openSync, readSync } from 'node:fs'

const buffer = Buffer.alloc(128)
let file
try {
  file = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
} catch {
  file = undefined
}

/** CPU time of the main thread; where Linux does not tell it, of the process. */
function cpuMs() {
  if (file === undefined) {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
  return Number(buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, 0)).split(' ')[0]) / 1e6
}

let last = cpuMs()
let longestMs = 0

function look() {
  const now = cpuMs()
  longestMs = Math.max(longestMs, now - last)
  last = now
}

setInterval(look, 1).unref()

process.on('message', () => {
  look()
  process.send({ longestMs })
  longestMs = 0
})
process.channel?.unref()
