import type { LogLevel } from '../config/config.ts';

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent'];

export type LogFields = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/**
 * Writes lines of JSON. No header, cookie, token, query or form is ever a field. Audit lines answer who did what, so they are
 * written at every level but `silent`.
 */
export class Log {
  level: LogLevel;
  readonly #write: (line: string) => void;
  readonly #now: () => Date;

  constructor(level: LogLevel, now: () => Date, write: (line: string) => void = line => void process.stdout.write(line)) {
    this.level = level;
    this.#now = now;
    this.#write = write;
  }

  debug = (message: string, fields: LogFields = {}) => this.#line('debug', message, fields);
  info = (message: string, fields: LogFields = {}) => this.#line('info', message, fields);
  warn = (message: string, fields: LogFields = {}) => this.#line('warn', message, fields);
  error = (message: string, fields: LogFields = {}) => this.#line('error', message, fields);

  audit(event: AuditEvent, fields: LogFields = {}): void {
    if (this.level !== 'silent') this.#put({ level: 'info', audit: event, ...fields });
  }

  #line(level: LogLevel, message: string, fields: LogFields): void {
    if (levels.indexOf(level) >= levels.indexOf(this.level)) this.#put({ level, message, ...fields });
  }

  #put(fields: Readonly<Record<string, unknown>>): void {
    this.#write(`${JSON.stringify({ time: this.#now().toISOString(), ...fields })}\n`);
  }
}

export type AuditEvent =
  | 'signed-in'
  | 'signed-in-at-application'
  | 'sign-in-failed'
  | 'signed-out'
  | 'signed-out-by-provider'
  | 'sign-out-unconfirmed'
  | 'session-ended-at-refresh'
  | 'refused'
  | 'token-refused'
  | 'configuration-changed';

/** Log fields of an error: its code and message, never the data it carries. */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: 'not an Error object' };
  const { code } = error as { code?: unknown };
  const cause = error.cause instanceof Error ? error.cause.message : undefined;
  return { error: error.message, code: typeof code === 'string' ? code : undefined, cause, ...providerFields(error) };
}

/**
 * Why a provider refused: without it, a wrong client secret looks like any other fault. The words of its server are kept, too;
 * those of a callback came through the browser, are part of a query and may name the person.
 */
function providerFields(error: Error): LogFields {
  const { code, providerError, providerDescription } = error as Readonly<Record<string, unknown>> & Error;
  if (typeof providerError !== 'string' || !/^[\w.:-]{1,80}$/.test(providerError)) return {};
  const isFromServer = code !== 'OIDC_PROVIDER_ERROR' && typeof providerDescription === 'string' && providerDescription !== '';
  return { providerError, ...(isFromServer ? { providerDescription } : {}) };
}
