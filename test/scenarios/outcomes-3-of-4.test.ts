import { endAsRecorded } from './recorded-outcomes.ts'

endAsRecorded(3, 4)
