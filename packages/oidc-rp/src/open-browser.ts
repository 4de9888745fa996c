import { spawn } from 'node:child_process';
import { OidcError } from './errors.ts';

/** Opens an address in the person's own browser, where they are signed in already and can see who asks (RFC 8252 §8.12). */
export async function openSystemBrowser(url: URL): Promise<void> {
  const [command, ...args] = browserCommand(url.href);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn(command!, args, { stdio: 'ignore', detached: true });
  child.once('spawn', resolve);
  child.once('error', cause =>
    reject(new OidcError('OIDC_NATIVE_BROWSER', { check: 'native.browser', received: command, cause })),
  );
  child.unref();
  return promise;
}

// The address is one argument of a program, never part of a shell's command line.
function browserCommand(address: string): string[] {
  if (process.platform === 'darwin') return ['open', address];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', address];
  return ['xdg-open', address];
}
