import { endAsRecorded } from './recorded-outcomes.ts'

endAsRecorded(4, 4)
