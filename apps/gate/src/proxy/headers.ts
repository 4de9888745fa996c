import type { IncomingMessage } from 'node:http';
import { nameOfSetCookie, withoutCookies } from '../http/cookies.ts';
import { headerValues } from '../http/header-values.ts';
import type { Peer } from '../http/peer.ts';
import { type Caching, CachingWords, saysWhoMayKeep } from './caching.ts';

/** Headers of a single connection (RFC 9110 §7.6.1); the next one has its own. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Connection values that list no further header. */
const plainConnection: ReadonlySet<string> = new Set(['keep-alive', 'close', 'Keep-Alive', 'Close']);

/**
 * Headers in which a proxy describes the original request, and `Proxy`, which CGI turns into the proxy that programs use
 * (httpoxy, CVE-2016-5385). We write our own; a stranger's would be believed as ours.
 */
const forwarded =
  /^(?:x-forwarded(?:-|$)|x-original-|x-(?:rewrite|override)-url$|forwarded(?:-for)?$|x-http-method|x-method-override$|x-accel-|x-sendfile|proxy$|front-end-https$|x-envoy-(?:original|external)-|(?:x-)?(?:real|client|cluster-client|true-client|cf-connecting|fastly-client|fly-client|proxyuser)-ip(?:v6)?$|x-azure-(?:client|socket)ip$|x-(?:host|proto|scheme|url-scheme|script-name)$)/;

export interface UpstreamHeaderParts {
  readonly isReserved: (name: string) => boolean;
  readonly isOurCookie: (name: string) => boolean;
  readonly config: { readonly publicUrl: string };
}

/**
 * The headers of a request on its way to the upstream: raw pairs as they came, without those of this connection, without any that
 * could be taken for one of our identity headers, and with our own added.
 */
export function upstreamHeaders(
  request: IncomingMessage,
  peer: Peer,
  { isReserved, isOurCookie, config: { publicUrl } }: UpstreamHeaderParts,
  identity: readonly (readonly [string, string])[],
): string[] {
  const listed = connectionListed(request);
  const known = kindsOf(isReserved);
  const { rawHeaders } = request;
  const out: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    const value = rawHeaders[at + 1] as string;
    const kind = known.get(name) ?? learnKind(known, name, isReserved);
    if (kind === 'ours' || listed?.has(name.toLowerCase())) continue;
    if (kind === 'cookie') {
      const rest = withoutCookies(value, isOurCookie);
      if (rest !== '') out.push(name, rest);
    } else out.push(name, value);
  }
  const mark = publicUrl.indexOf('://');
  const host = publicUrl.slice(mark + 3);
  out.push('Host', host, 'X-Forwarded-Host', host, 'X-Forwarded-Proto', publicUrl.slice(0, mark));
  out.push('X-Forwarded-For', forwardedFor(request, peer));
  for (const [name, value] of identity) out.push(name, value);
  return out;
}

type Kind = 'ours' | 'cookie' | 'theirs';

/**
 * Kinds of names seen before, for each set of reserved names. Real clients send few names; a flood of invented ones must not fill
 * memory.
 */
const kinds = new WeakMap<(name: string) => boolean, Map<string, Kind>>();
const maxKinds = 1000;

function kindsOf(isReserved: (name: string) => boolean): Map<string, Kind> {
  let known = kinds.get(isReserved);
  if (known === undefined) {
    known = new Map();
    kinds.set(isReserved, known);
  }
  return known;
}

function learnKind(known: Map<string, Kind>, name: string, isReserved: (name: string) => boolean): Kind {
  const kind = readKind(name, isReserved);
  if (known.size < maxKinds) known.set(name, kind);
  return kind;
}

function readKind(name: string, isReserved: (name: string) => boolean): Kind {
  const lower = name.toLowerCase();
  if (hopByHop.has(lower) || lower === 'host' || lower === 'expect') return 'ours';
  if (isReserved(name) || forwarded.test(lower.replace(/[^a-z0-9]/g, '-'))) return 'ours';
  return lower === 'cookie' ? 'cookie' : 'theirs';
}

/** How the upstream's answer changes on its way to the person. */
export interface AnswerParts {
  readonly isReserved: (name: string) => boolean;
  readonly isOurCookie: (name: string) => boolean;
  readonly caching: Caching;
}

/**
 * The headers of the upstream's answer for the person: without those of the upstream's connection, without cookies of the gate
 * (with which an application could sign people in as someone else), and cacheable by shared caches only if it is for everybody.
 * The rest stays as it is.
 */
export function answerHeaders(raw: readonly (Buffer | string)[], { isReserved, isOurCookie, caching }: AnswerParts): string[] {
  const pairs: string[] = [];
  let connection = '';
  const words = caching === 'as-said' ? undefined : new CachingWords(caching);
  for (let at = 0; at < raw.length; at += 2) {
    const name = (raw[at] as Buffer).toString('latin1');
    const value = (raw[at + 1] as Buffer).toString('latin1');
    const kind = answerKindOf(name);
    if (kind === 'connection') connection = connection === '' ? value : `${connection},${value}`;
    else if (kind === 'caching' && words !== undefined) words.take(name, value);
    else if (kind !== 'hop' && !(kind === 'cookie' && isOurCookie(nameOfSetCookie(value)))) pairs.push(name, value);
  }
  const out = connection === '' || plainConnection.has(connection) ? pairs : withoutNames(pairs, namesIn(connection));
  if (words !== undefined) out.push(...words.headers(isReserved));
  return out;
}

function withoutNames(pairs: readonly string[], names: ReadonlySet<string>): string[] {
  const out: string[] = [];
  for (let at = 0; at < pairs.length; at += 2)
    if (!names.has((pairs[at] as string).toLowerCase())) out.push(pairs[at] as string, pairs[at + 1] as string);
  return out;
}

type AnswerKind = 'connection' | 'hop' | 'cookie' | 'caching' | 'theirs';

const answerKinds = new Map<string, AnswerKind>();

function answerKindOf(name: string): AnswerKind {
  let kind = answerKinds.get(name);
  if (kind === undefined) {
    kind = readAnswerKind(name.toLowerCase());
    if (answerKinds.size < maxKinds) answerKinds.set(name, kind);
  }
  return kind;
}

function readAnswerKind(name: string): AnswerKind {
  if (name === 'connection') return 'connection';
  if (name === 'set-cookie') return 'cookie';
  if (saysWhoMayKeep(name)) return 'caching';
  return hopByHop.has(name) ? 'hop' : 'theirs';
}

function forwardedFor(request: IncomingMessage, peer: Peer): string {
  const before = peer.isTrusted ? headerValues(request, 'x-forwarded-for').join(', ') : '';
  return before === '' ? peer.address : `${before}, ${peer.address}`;
}

function connectionListed(request: IncomingMessage): Set<string> | undefined {
  const { connection } = request.headers;
  if (connection === undefined || plainConnection.has(connection)) return undefined;
  return namesIn(headerValues(request, 'connection').join(','));
}

/** An empty element counts as a name too; no header has it. */
function namesIn(list: string): Set<string> {
  return new Set(
    list
      .toLowerCase()
      .split(',')
      .map(name => name.trim()),
  );
}
