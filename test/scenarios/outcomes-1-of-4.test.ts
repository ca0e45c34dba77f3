import { endAsRecorded } from './recorded-outcomes.ts'

endAsRecorded(1, 4)
