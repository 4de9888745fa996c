import type { FakeOp } from './fake-op.ts';
import { serve, type TestServer } from './http-server.ts';

/** The provider on a loopback port, for relying parties in processes of their own. */
export const serveOp = (op: FakeOp): Promise<TestServer> =>
  serve(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const headers = Object.entries(request.headers).filter(([name]) => /^(?:authorization|content-type)$/.test(name));
    const answer = await op.fetch(`${op.issuer}${request.url}`, {
      method: request.method ?? 'GET',
      headers: Object.fromEntries(headers) as Record<string, string>,
      ...(body === '' ? {} : { body: new URLSearchParams(body) }),
    });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
