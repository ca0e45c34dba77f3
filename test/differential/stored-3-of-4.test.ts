import { answersAsRecorded } from './recorded-answers.ts'

answersAsRecorded(3, 4)
