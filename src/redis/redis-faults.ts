// What operators are told of a Redis that cannot be used: where it is, what is wrong, and what to do.

/** Of the client, where there is no connection: why there is none is another message. */
const UNCONNECTED = /^(Stream isn't writeable|Connection is closed|Reached the max retries)/

/** Of a command that its user may not give. */
const DENIAL = /NOPERM|no permissions to run|^ERR (The user|ACL failure)|can't run this command/

/** Whether something failed because a user may not do it. */
export const isDenial = (reason: string): boolean => DENIAL.test(reason)

/** What to do, by what the connection or Redis says. The first that fits counts. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/unknown command '?sentinel/i, 'it is a Redis, no Sentinel: give redis://host:port'],
  [/sentinel/i, 'start them, or correct their addresses, and the name of the master, in --redis-url'],
  [/^(WRONGPASS|NOAUTH)|without any password/, 'correct user and password in --redis-url, redis://user:password@host'],
  [/ECONNREFUSED/, 'start Redis there, or correct host and port of --redis-url'],
  [/ENOTFOUND|EAI_AGAIN/, 'correct the host in --redis-url, or the name service'],
  [/DB index/, 'correct the database at the end of --redis-url'],
  [/certificate|altnames/i, 'correct the host in --redis-url, or name the authority in NODE_EXTRA_CA_CERTS'],
  [
    /wrong version number|EPROTO|before secure TLS|SSL|TLS/,
    'where it speaks no TLS, give redis:// in place of rediss://',
  ],
  [
    /^Protocol error|EPIPE|ECONNRESET|ends the connection/,
    'correct host and port of --redis-url, or give rediss:// where it speaks TLS',
  ],
  [
    /ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|does not answer/,
    'see that it runs, and to the network, or correct --redis-url',
  ],
  [/compiling script|^ERR Unknown (subcommand|Redis command)|^ERR unknown command/, 'install Redis 7 or newer'],
  [DENIAL, 'its user needs the keys of --redis-prefix and the commands of docs/operations.md 14 (ACL SETUSER)'],
]

/** @returns what to do; undefined: that depends */
export const adviceOf = (reason: string): string | undefined => ADVICE.find(([says]) => says.test(reason))?.[1]

/** A command that failed for a reason that stays until an operator acts. Its message begins as that of Redis does. */
export class RedisFault extends Error {
  /** What the connection or Redis says, alone. */
  readonly reason: string

  constructor(message: string, reason: string) {
    super(message)
    this.reason = reason
  }
}

/** Reasons of the client, for readers: without what changes with each attempt. */
export const reasonOf = (message: string, isTls: boolean): string => {
  const sentinels = /^All sentinels are unreachable.*?(?:Last error: (.*))?$/s.exec(message)
  if (sentinels !== null) {
    const last = (sentinels[1] ?? '').trim()
    return `no Sentinel answers${last === '' || last === 'Connection is closed.' ? '' : ` (${last})`}`
  }
  // A server without TLS waits for the rest of what it takes for a command.
  const reason = message.replace(/\.$/, '')
  return isTls && /ETIMEDOUT/.test(message) ? `${reason} before secure TLS` : reason
}

/**
 * What a failed command is reported as.
 * @param shown address of Redis, without the password
 * @param fault why there is no connection
 */
export const toldOf = (error: unknown, shown: string, fault: string): unknown => {
  if (!(error instanceof Error)) return error
  if (UNCONNECTED.test(error.message)) {
    const advice = adviceOf(fault)
    const todo = advice === undefined ? '' : `: ${advice}`
    return new RedisFault(`${shown} cannot be used, ${fault}${todo}; oddswire doctor looks at it`, fault)
  }
  const advice = adviceOf(error.message)
  if (advice === undefined) return error
  return new RedisFault(`${error.message} (${shown}: ${advice}; oddswire doctor looks at it)`, error.message)
}
