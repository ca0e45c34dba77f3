import { answersAsRecorded } from './recorded-answers.ts'

answersAsRecorded(1, 4)
