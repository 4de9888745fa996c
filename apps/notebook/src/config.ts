import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { limits } from './limits.ts';
import { readDatabaseUrl } from './model/database-url.ts';

export interface ImageStoreConfig {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly bucket: string;
  readonly publicUrl: string;
  readonly region: string;
  readonly pathStyle: boolean;
}

export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface Config {
  readonly host: string;
  readonly port: number;
  /** Without a trailing slash. */
  readonly publicUrl: string;
  readonly databaseUrl: string;
  /** Undefined: generated once and kept in the database. */
  readonly secretKey: string | undefined;
  readonly images:
    | { readonly kind: 'on'; readonly store: ImageStoreConfig }
    | { readonly kind: 'folder'; readonly folder: string }
    | { readonly kind: 'off'; readonly missing: readonly string[] };
  readonly trustProxy: readonly string[];
  readonly jobs: { readonly kind: 'on' | 'off'; readonly timezone: string };
  readonly analytics: { readonly kind: 'on'; readonly key: string; readonly host: string } | { readonly kind: 'off' };
  readonly metricsPort: number | undefined;
  /** Processes of the service on this machine. */
  readonly workers: number;
  readonly rateLimits: 'on' | 'off';
  /** Off: no browser keeps pages for reading offline, and those that did drop them. */
  readonly offline: 'on' | 'off';
  readonly logLevel: LogLevel;
  /** The limit for the markdown of all pages of a notebook, in UTF-8 bytes. */
  readonly maxNotebookBytes: number;
}

/** Reports every bad variable at once, so that a person can fix them in one go. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`Octavo cannot start with this configuration:\n${problems.map(problem => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

type Env = Readonly<Record<string, string | undefined>>;

const maxPort = 65_535;

class Reader {
  readonly problems: string[] = [];
  readonly env: Env;

  constructor(env: Env) {
    this.env = env;
  }

  /** An empty variable counts as absent: `FOO= octavo serve` unsets it. */
  text(name: string): string | undefined {
    const value = this.env[name]?.trim();
    return value === '' ? undefined : value;
  }

  refuse(name: string, why: string): void {
    this.problems.push(`${name}: ${why}`);
  }

  oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    const value = this.text(name);
    if (value === undefined) return fallback;
    if ((allowed as readonly string[]).includes(value)) return value as T;
    this.refuse(name, `must be one of ${allowed.join(', ')}, not "${value}"`);
    return fallback;
  }

  port(name: string): number | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    if (/^\d{1,5}$/.test(value) && Number(value) <= maxPort) return Number(value);
    this.refuse(name, `must be a port from 0 to ${maxPort}, not "${value}"`);
    return undefined;
  }

  /** The address as browsers read it: links, cookies and headers take it as it is. */
  httpUrl(name: string): string | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    const url = URL.parse(value);
    if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
      this.refuse(name, 'must be an http:// or https:// address');
      return undefined;
    }
    if (url.username || url.password || url.search || url.hash) {
      this.refuse(name, 'must be an address without a user, password, query or fragment');
      return undefined;
    }
    // super-linear: the operator's own address.
    return url.href.replace(/\/+$/, '');
  }
}

export const imageVariables = ['R2_ENDPOINT', 'R2_ACCESS_KEY_ID', 'R2_SECRET_ACCESS_KEY', 'R2_BUCKET', 'R2_PUBLIC_URL'] as const;

function readImages(read: Reader): Config['images'] {
  const missing = imageVariables.filter(name => read.text(name) === undefined);
  const folder = read.text('IMAGE_FOLDER');
  const given = imageVariables.filter(name => !missing.includes(name));
  if (folder !== undefined && given.length > 0)
    read.refuse(
      'IMAGE_FOLDER',
      `cannot be set together with ${given.join(', ')}: images are kept in one place, so unset one or the other`,
    );
  const endpoint = read.httpUrl('R2_ENDPOINT');
  const publicUrl = read.httpUrl('R2_PUBLIC_URL');
  const region = read.text('S3_REGION') ?? 'auto';
  const pathStyle = read.oneOf('S3_PATH_STYLE', ['on', 'off'], 'on') === 'on';
  const bucket = read.text('R2_BUCKET');
  // With a folder, uploads would succeed, and listing and deleting would not.
  if (bucket !== undefined && /[\s/\\?#%]/.test(bucket))
    read.refuse('R2_BUCKET', `must be the bucket's name alone, without an address or a folder, not "${bucket}"`);
  // The store's own pages show it with the bucket, but then every key would begin with the bucket's name a second time.
  if (endpoint && bucket !== undefined && new URL(endpoint).pathname === `/${bucket}`)
    read.refuse('R2_ENDPOINT', 'must be given without the bucket at its end');
  if (folder !== undefined) return { kind: 'folder', folder };
  if (missing.length > 0 || !endpoint || !publicUrl) return { kind: 'off', missing };
  return {
    kind: 'on',
    store: {
      endpoint,
      publicUrl,
      region,
      pathStyle,
      accessKeyId: read.text('R2_ACCESS_KEY_ID') as string,
      secretAccessKey: read.text('R2_SECRET_ACCESS_KEY') as string,
      bucket: read.text('R2_BUCKET') as string,
    },
  };
}

function isAddressOrCidr(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= (family === 4 ? 32 : 128);
}

function readTrustProxy(read: Reader): string[] {
  const list = (read.text('TRUST_PROXY') ?? '')
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '');
  for (const part of list)
    if (!isAddressOrCidr(part))
      read.refuse('TRUST_PROXY', `"${part}" is neither an IP address nor a CIDR range with a prefix of at least 1`);
  return list;
}

function readDatabase(read: Reader): string {
  const value = read.text('DATABASE_URL') ?? 'sqlite:data/octavo.db';
  try {
    readDatabaseUrl(value);
  } catch {
    // The value itself may contain a password: it is never repeated.
    read.refuse('DATABASE_URL', 'must be sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE');
  }
  return value;
}

function readTimezone(read: Reader): string {
  const zone = read.text('JOBS_TIMEZONE') ?? 'UTC';
  // The check makes the runtime load every zone, twice at each start.
  if (zone === 'UTC') return zone;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
  } catch {
    read.refuse('JOBS_TIMEZONE', `"${zone}" is not a time zone (for example UTC or Europe/Berlin)`);
  }
  return zone;
}

function readAnalytics(read: Reader): Config['analytics'] {
  const key = read.text('ANALYTICS_KEY');
  const host = read.httpUrl('ANALYTICS_HOST');
  if (key !== undefined && host !== undefined) return { kind: 'on', key, host };
  if (key !== undefined && read.text('ANALYTICS_HOST') === undefined)
    read.refuse('ANALYTICS_HOST', 'is needed when ANALYTICS_KEY is set');
  if (key === undefined && host !== undefined) read.refuse('ANALYTICS_KEY', 'is needed when ANALYTICS_HOST is set');
  return { kind: 'off' };
}

function readMaxNotebookBytes(read: Reader): number {
  const value = read.text('MAX_NOTEBOOK_BYTES');
  if (value === undefined) return limits.maxNotebookBytes;
  const most = limits.maxConfigurableNotebookBytes;
  if (/^\d{1,12}$/.test(value) && Number(value) >= 1 && Number(value) <= most) return Number(value);
  read.refuse('MAX_NOTEBOOK_BYTES', `must be a number of bytes from 1 to ${most}, not "${value}"`);
  return limits.maxNotebookBytes;
}

const maxWorkers = 64;

function readWorkers(read: Reader): number {
  const value = read.text('WORKERS');
  if (value === undefined) return 1;
  if (value === 'auto') return Math.min(maxWorkers, availableParallelism());
  if (/^\d{1,2}$/.test(value) && Number(value) >= 1 && Number(value) <= maxWorkers) return Number(value);
  read.refuse('WORKERS', `must be auto or a number from 1 to ${maxWorkers}, not "${value}"`);
  return 1;
}

/** With several workers, each has its own port, counted up from this one. */
function readMetricsPort(read: Reader, port: number, workers: number): number | undefined {
  const metricsPort = read.port('METRICS_PORT');
  const isOurs = metricsPort !== undefined && metricsPort <= port && port < metricsPort + workers;
  if (isOurs && port !== 0) read.refuse('METRICS_PORT', 'must not be the port of the service');
  if (metricsPort !== undefined && metricsPort + workers - 1 > maxPort)
    read.refuse('METRICS_PORT', `must leave a port up to ${maxPort} for each of the ${workers} workers`);
  return metricsPort;
}

function readHost(read: Reader): string {
  const host = read.text('HOST') ?? '127.0.0.1';
  if (isIP(host) === 0 && !/^[A-Za-z0-9._-]+$/.test(host))
    read.refuse('HOST', `must be an address or a name of this machine, not "${host}"`);
  return host;
}

/** Our pages link to the root of their host, so a web server that leads only this path to us serves them without styles and scripts. */
export const pathOfAddress = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/^\/$/, '');

/** Whether the operator's key is too short to be used alone. */
export const isWeakKey = (key: string | undefined): boolean => key !== undefined && key.length < limits.strongSecretKeyChars;

/**
 * The whole configuration, or every problem at once.
 * @throws ConfigError naming each bad variable and why
 */
export function readConfig(env: Env): Config {
  const read = new Reader(env);
  const port = read.port('PORT') ?? 3000;
  const workers = readWorkers(read);
  const config: Config = {
    host: readHost(read),
    port,
    publicUrl: read.httpUrl('PUBLIC_URL') ?? `http://localhost:${port}`,
    databaseUrl: readDatabase(read),
    secretKey: read.text('SECRET_KEY'),
    images: readImages(read),
    trustProxy: readTrustProxy(read),
    jobs: { kind: read.oneOf('JOBS', ['on', 'off'], 'on'), timezone: readTimezone(read) },
    analytics: readAnalytics(read),
    metricsPort: readMetricsPort(read, port, workers),
    workers,
    rateLimits: read.oneOf('RATE_LIMITS', ['on', 'off'], 'on'),
    offline: read.oneOf('OFFLINE', ['on', 'off'], 'on'),
    logLevel: read.oneOf<LogLevel>('LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'info'),
    maxNotebookBytes: readMaxNotebookBytes(read),
  };
  if (read.problems.length > 0) throw new ConfigError(read.problems);
  return config;
}
