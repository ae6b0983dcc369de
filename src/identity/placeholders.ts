// Names of sides that are not known yet, or that are none: "Winner SF1", "Home Team", "Away Goals" (docs/identity.md 2).

import { slugOf } from '../domain/slug.ts'

const COUNTED = 'goals|corners|cards|bookings|shots|points|runs|wins|games|matches|\\d+_(?:games|matches)|total|totals'
const ROUND =
  '(?:sf|qf|r|m|ro|w|l|match|game|tie|semi|semis|semifinal|semi_final|quarter|quarterfinal|quarter_final|final|group|' +
  'grp|pool|round|preliminary|play_?off|eliminator|qualifier|of)'

const PLACEHOLDER = new RegExp(
  '^(?:(?:tba|tbc|tbd|to_be_(?:announced|confirmed|decided|determined)|unknown|n_a)(?:_\\d+)?' +
    `|(?:the_)?(?:home|away|guest|visitor|visiting)(?:_(?:teams?|sides?|club|${COUNTED}))?` +
    `|(?:team|side|club|player|opponent|competitor|participant)_(?:[a-d]|\\d{1,2})` +
    `|(?:winners?|losers?|runners?_up|w|l)_(?:of_)?(?:the_)?${ROUND}\\d*(?:_.*)?` +
    '|(?:winners?|losers?|runners?_up|qualifier|seed|lucky_loser)_?[a-d]?\\d{0,2}' +
    '|[wl]\\d{1,3}|(?:\\d(?:st|nd|rd|th)?_)?(?:place_)?(?:group|pool)_[a-p](?:_(?:winners?|runners?_up|\\d))?)$',
)

/** First words of them, initials joined. */
const OPENING =
  /^(?:tb[acd]|to|unknown|na?|the|home|away|guest|visitor|visiting|team|side|club|player|opponent|competitor|participant|(?:winners?|losers?|runners?|qualifier|seed)[a-d]?\d{0,2}|lucky|[wl]\d{0,3}|\d(?:st|nd|rd|th)?|place|group|pool)$/

/** Whether a name may be one by its first word. */
export const opensPlaceholder = (word: string): boolean => OPENING.test(word)

export const isPlaceholder = (spelling: string): boolean => PLACEHOLDER.test(slugOf(spelling))
