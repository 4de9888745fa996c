import { request } from 'node:http';

/** `fetch` for names that nothing resolves: every host is this machine, and the Host header says which was meant. */
export function viaLoopback(hosts: string[]): typeof fetch {
  return (input, init = {}) => {
    const url = new URL(String(input));
    hosts.push(url.host);
    const headers = Object.fromEntries(new Headers(init.headers));
    const body = init.body as Uint8Array | undefined;
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port: url.port,
          path: url.pathname + url.search,
          method: init.method ?? 'GET',
          headers: { ...headers, host: url.host, ...(body ? { 'content-length': body.byteLength } : {}) },
        },
        async answer => {
          const chunks: Buffer[] = [];
          for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
          const status = answer.statusCode ?? 500;
          resolve(new Response(status === 204 ? null : Buffer.concat(chunks), { status }));
        },
      );
      sent.once('error', reject).end(body);
    });
  };
}
