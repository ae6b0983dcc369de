// Every source. A new one is a folder beside this file and a line in the list: the formats that can be read, the kinds that
// the configuration knows, and its schema follow from it.

import { betfairSource } from './betfair/betfair-source.ts'
import { cloudbetSource } from './cloudbet/cloudbet-source.ts'
import { footballDataSource } from './football-data/football-data-source.ts'
import { kambiSource } from './kambi/kambi-source.ts'
import { observationsSource } from './observations/observations-source.ts'
import { pinnacleSource } from './pinnacle/pinnacle-source.ts'
import { simulatorSource } from './simulator/simulator-source.ts'
import { stompSource } from './stomp/stomp-source.ts'
import { theOddsApiSource } from './the-odds-api/the-odds-api-source.ts'
import { txlineSource } from './txline/txline-source.ts'
import { uofSource } from './uof/uof-source.ts'

export const SOURCES = [
  theOddsApiSource,
  betfairSource,
  kambiSource,
  pinnacleSource,
  cloudbetSource,
  uofSource,
  footballDataSource,
  txlineSource,
  observationsSource,
  stompSource,
  simulatorSource,
] as const
