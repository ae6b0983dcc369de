// Why a connection failed, as text for the log.

const UNTRUSTED = 'NODE_EXTRA_CA_CERTS=FILE makes it trusted'

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection closed',
  ETIMEDOUT: 'no answer',
  EHOSTUNREACH: 'no route to this host',
  ENETUNREACH: 'no route to this network',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name of the host cannot be resolved now',
  DEPTH_ZERO_SELF_SIGNED_CERT: `its certificate is self-signed; ${UNTRUSTED}`,
  SELF_SIGNED_CERT_IN_CHAIN: `its certificate is of an unknown authority; ${UNTRUSTED}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `its certificate is of an unknown authority; ${UNTRUSTED}`,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not speak TLS',
  UND_ERR_CONNECT_TIMEOUT: 'no connection in time',
  UND_ERR_HEADERS_TIMEOUT: 'no answer in time',
  UND_ERR_BODY_TIMEOUT: 'the answer broke off: silence within its body',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too long',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is not as long as it says',
  UND_ERR_SOCKET: 'the connection was closed before the answer was complete',
  UND_ERR_PRX_TLS: 'the certificate of the proxy is for another host',
}

/** What went wrong with a socket, TLS or an HTTP client; the error's own message where there is no better text. */
export const reasonOf = (error: NodeJS.ErrnoException): string =>
  REASONS[error.code ?? ''] ?? (error.message || String(error.code))
