/**
 * A server over HTTP in a process of its own, for measuring its memory: `node bounds-server.mjs`. Prints its port; then
 * for each line `start` its resident set, in bytes, and for each line `peak` the largest one since then.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { createControlPlane } from '../../src/controlplane/index.ts'

const plane = createControlPlane({
  tokens: [{ token: 'bounds', user: { name: 'admin', uid: '', groups: ['system:masters'] } }],
})
const { port } = await plane.listen({ tls: false })
console.log(String(port))
createInterface({ input: process.stdin }).on('line', (line) => {
  // Linux resets the peak with 5. Elsewhere the present size has to do.
  if (line === 'start' && process.platform === 'linux') writeFileSync('/proc/self/clear_refs', '5')
  console.log(String(line === 'peak' ? peakBytes() : process.memoryUsage().rss))
})

function peakBytes(): number {
  if (process.platform !== 'linux') return process.memoryUsage().rss
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024
}
