import type { IncomingMessage } from 'node:http';

/** All values of a header, in order. `headersDistinct` gives the same, but first groups all headers of the request. */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): string[] {
  const found: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const here = rawHeaders[at] as string;
    if (here.length === name.length && here.toLowerCase() === name) found.push(rawHeaders[at + 1] as string);
  }
  return found;
}
