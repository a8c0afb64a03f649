// Explains a failed delivery by the reason that its sender noted: `answered 401`, `timeout`, or the code of an error of
// Node.

interface ExplainedFailure {
  /** The reason and its meaning, for instance `ECONNREFUSED, nothing listens there`. */
  readonly what: string;
  readonly advice: string;
}

const NAME =
  'Correct the host in the URL. If only a proxy leads out of this network, name it in HTTPS_PROXY.';
const CERTIFICATE = 'Give the receiver a valid certificate for its host.';
const ROUTE = "Check the network between this machine and the receiver, and the receiver's firewall.";
const RESET = "Read the receiver's log: it may have crashed, or speak another protocol.";
const RECEIVER_LOG = "Read the receiver's log. The event is posted again until it is accepted.";

const CODES: Readonly<Record<string, readonly [means: string, advice: string]>> = {
  ECONNREFUSED: ['nothing listens there', 'Start the receiver, or correct its port.'],
  ENOTFOUND: ['no such host', NAME],
  EAI_AGAIN: ['the host could not be looked up', "Check the network and the machine's DNS."],
  ECONNRESET: ['the receiver closed the connection', RESET],
  EPIPE: ['the receiver closed the connection', RESET],
  EPROTO: ['the receiver does not speak TLS', 'Correct the scheme of the URL: http or https.'],
  ERR_PROXY_TUNNEL: ['the proxy of HTTPS_PROXY does not connect to it', 'Check the proxy, and NO_PROXY.'],
  EHOSTUNREACH: ['no way to the host', ROUTE],
  ENETUNREACH: ['no way to the network', ROUTE],
  ETIMEDOUT: ['no connection in time', ROUTE],
  timeout: ['no answer in time', 'Answer first, and do the work afterwards: a receiver has 15 s.'],
  CERT_HAS_EXPIRED: ['its certificate has expired', CERTIFICATE],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['its certificate is signed by itself', CERTIFICATE],
  SELF_SIGNED_CERT_IN_CHAIN: ['its certificate is signed by an unknown authority', CERTIFICATE],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['its certificate can not be verified', CERTIFICATE],
  ERR_TLS_CERT_ALTNAME_INVALID: ['its certificate is for another host', CERTIFICATE],
  'answered 400': ['it rejects the content', RECEIVER_LOG],
  'answered 401': [
    'it does not accept the signature',
    'Give the receiver the signing secret that the feed signs with.',
  ],
  'answered 403': ['it forbids the request', 'Let the receiver accept posts without a login.'],
  'answered 404': ['no such path', 'Correct the path in the URL, or add the route to the receiver.'],
  'answered 405': ['it takes no POST at this path', 'Correct the path in the URL, or the route.'],
  'answered 410': ['the endpoint is gone', 'Remove the URL, or put the receiver back.'],
  'answered 413': ['the event is too large for it', "Raise the receiver's limit to 1 MB."],
  'answered 415': ['it does not take JSON', 'Let the receiver accept application/json.'],
  'answered 422': ['it rejects the content', RECEIVER_LOG],
  'answered 429': [
    'it asks for fewer requests',
    'Wait: the feed posts again after the pause that it asked for.',
  ],
  'answered 503': ['it is unavailable', RECEIVER_LOG],
};

/** @param reason as a sender noted it; null if it is unknown */
export function explainFailure(reason: string | null): ExplainedFailure {
  const known = reason === null ? undefined : CODES[reason];
  if (reason !== null && known !== undefined) return { what: `${reason}, ${known[0]}`, advice: known[1] };
  const status = Number(/^answered (\d{3})$/.exec(reason ?? '')?.[1]);
  if (status >= 300 && status < 400)
    return {
      what: `${reason}, it redirects`,
      advice: 'Give the address that it redirects to: redirects are not followed.',
    };
  return { what: reason ?? 'unknown', advice: RECEIVER_LOG };
}
