import { spawn } from 'node:child_process';
import { OidcError } from '../errors.ts';
import { requireShape, urlObject } from '../values/shape.ts';

// Some openers exit at once, others live as long as the browser: one that is still running after this time has found one.
const settledMs = 2_000;

/**
 * Opens a URL in the person's own browser, where they are already signed in and can see who asks (RFC 8252 §8.12).
 *
 * @example
 * ```ts
 * await openSystemBrowser(url).catch(() => console.log(`Please open ${url}`));
 * ```
 * @throws {@link OidcError} `OIDC_NATIVE_BROWSER` when there is no opener, or it found no browser; `OIDC_CONFIG_INVALID` when the
 * address is not a `URL`
 */
export async function openSystemBrowser(url: URL): Promise<void> {
  requireShape(url, 'url', urlObject);
  const [command, ...args] = browserCommand(process.platform, url.href);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const refuse = (facts: object) =>
    reject(new OidcError('OIDC_NATIVE_BROWSER', { check: 'native.browser', received: command, ...facts }));
  const child = spawn(command!, args, { stdio: 'ignore', detached: true });
  let timer: NodeJS.Timeout | undefined;
  child.once('spawn', () => {
    timer = setTimeout(resolve, settledMs);
  });
  child.once('error', cause => refuse({ cause }));
  child.once('exit', code =>
    code === 0 ? resolve() : refuse({ expected: 'exit code 0', received: `${command} with exit code ${code}` }),
  );
  child.unref();
  try {
    await promise;
  } finally {
    clearTimeout(timer);
  }
}

/** The program and its arguments. The URL is a single argument, never part of a shell command line. */
export function browserCommand(platform: NodeJS.Platform, address: string): string[] {
  if (platform === 'darwin') return ['open', address];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', address];
  return ['xdg-open', address];
}
