import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { artifactIdp, buildArtifactResponse, finish } from '../support/artifact-fixture.ts';
import { readBody, serve } from '../support/http-server.ts';
import { createServiceProvider } from '../support/world.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Finishes a sign-in with a resolution service that really listens. */
async function against(handle: Handler, options: { timeoutSeconds?: number } = {}) {
  await using server = await serve(handle);
  const provider = createServiceProvider({
    identityProviders: [artifactIdp({}, `${server.origin}/artifact`)],
    artifactResolution: options,
  });
  return await finish(provider);
}

const honest: Handler = async (request, response) => {
  const id = /<samlp:ArtifactResolve[^>]* ID="([^"]*)"/.exec(await readBody(request))?.[1] ?? '';
  response.end(buildArtifactResponse(id));
};

describe('the connection to an artifact resolution service', () => {
  test('an honest one', async () => {
    expect(await against(honest)).toMatchObject({ nameId: { value: 'alice' } });
  });

  test('does not follow a redirect', async () => {
    const paths: string[] = [];
    const outcome = await against((request, response) => {
      paths.push(request.url ?? '');
      if (request.url === '/elsewhere') return honest(request, response);
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    expect(outcome).toBe('SAML_ARTIFACT_RESOLUTION');
    expect(paths).toEqual(['/artifact']);
  });

  test.each([204, 301, 400, 404, 500, 503])('status %i', async status => {
    expect(await against((_request, response) => void response.writeHead(status, { location: '/' }).end())).toBe(
      'SAML_ARTIFACT_RESOLUTION',
    );
  });

  test('stops reading an endless answer', async () => {
    let written = 0;
    const outcome = await against((_request, response) => {
      const more = (): void => {
        written += 1;
        if (!response.destroyed && written < 2000) response.write(' '.repeat(65_536), () => setImmediate(more));
      };
      response.on('error', () => undefined);
      more();
    });
    expect(outcome).toBe('SAML_MESSAGE_TOO_LARGE');
    expect(written).toBeLessThan(2000);
  });

  test.each<[string, Handler]>([
    ['no answer', () => undefined],
    ['half an answer', (_request, response) => void response.write('<soap:Envelope')],
  ])('ends %s at the deadline', async (_name, handle) => {
    expect(await against(handle, { timeoutSeconds: 0.3 })).toBe('SAML_ARTIFACT_RESOLUTION');
  });

  test('a connection that breaks', async () => {
    expect(await against(request => void request.socket.destroy())).toBe('SAML_ARTIFACT_RESOLUTION');
  });
});
