/** A process that replays schedules, and writes their records: `node replay-program.ts SCHEDULE…`. */
import { recordOf } from './record.ts'

for (const schedule of process.argv.slice(2)) process.stdout.write(`${await recordOf(schedule)}\n`)
