import type { IncomingMessage } from 'node:http';

/** Every value of a header, in order. `headersDistinct` says the same but sorts all of the request's headers first. */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const here = rawHeaders[at] as string;
    if (here.length === name.length && here.toLowerCase() === name) found.push(rawHeaders[at + 1] as string);
  }
  return found;
}
