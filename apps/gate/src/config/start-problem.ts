import { ConfigError } from './config.ts';

type SystemError = NodeJS.ErrnoException & { readonly severity?: unknown };

/** An error of the start in words of the configuration, if a setting has caused it: an operator looks for the setting's name. */
export function startProblem(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code = '', syscall, severity } = error as SystemError;
  // PostgreSQL's own errors have a severity: the account may not create tables, for example.
  if (code.startsWith('STORE_') || severity !== undefined)
    return new ConfigError([`session.store: cannot be opened: ${reasonOf(error)}`]);
  if (syscall === 'listen' || syscall === 'bind' || syscall === 'getaddrinfo')
    return new ConfigError([`listen: ${listenWords[code] ?? error.message}`]);
  return error;
}

const listenWords: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens at this address: stop it, or choose another port',
  EADDRNOTAVAIL: 'this machine does not have this address',
  EACCES: 'this user may not use a port below 1024: choose a higher one',
};

/** If a host has several addresses, Node's message is empty and the code is all there is. */
function reasonOf({ message, cause }: Error): string {
  const said = message.replace(/^The store is unavailable:? */, '');
  return said || ((cause as SystemError | undefined)?.code ?? 'it is unavailable');
}
