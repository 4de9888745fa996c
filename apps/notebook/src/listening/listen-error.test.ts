import { expect, it } from 'vitest';
import { listenError } from './listen-error.ts';

it.each([
  ['EADDRINUSE', 'PORT: another program uses 80 already (as the system says it)'],
  ['EACCES', 'PORT: this user may not open 80 (as the system says it)'],
  ['ENOTFOUND', 'HOST: this machine cannot listen on "notes.example" (as the system says it)'],
  ['EADDRNOTAVAIL', 'HOST: this machine cannot listen on "notes.example" (as the system says it)'],
])('%s: %s', (code, message) => {
  const error = Object.assign(new Error('as the system says it'), { code });
  expect(listenError(error, { host: 'notes.example', port: 80 })).toMatchObject({ message, cause: error });
});
