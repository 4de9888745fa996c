import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { MetadataQuery } from '../src/idp/metadata-query.ts';
import { MetadataRefresh } from '../src/idp/metadata-refresh.ts';
import { renewToken, requestToken } from '../src/tokens/token-request.ts';
import { artifactIdp, withArtifact } from './support/artifact-fixture.ts';
import { serve } from './support/http-server.ts';
import { buildAssertion } from './support/response.ts';
import { createServiceProvider, pending } from './support/world.ts';

// Every request that leaves the service provider, to a server that answers without an end, or not at all.

interface Kind {
  ask: (url: string, timeoutSeconds: number) => Promise<unknown>;
  /** Code and message of the refusal. */
  tooLarge: [string, RegExp];
  silent: [string, RegExp];
}

async function refreshed(url: string, timeoutSeconds: number): Promise<void> {
  const errors: unknown[] = [];
  const source = { url, maxBytes: 1_000_000 };
  await new MetadataRefresh({ sources: [source], timeoutSeconds, onError: error => errors.push(error) }).refresh();
  throw errors[0];
}

const fetchFailed: [string, RegExp] = ['SAML_METADATA_FETCH', /did not respond/];
const assertionXml = buildAssertion();

const kinds: Record<string, Kind> = {
  metadata: { ask: refreshed, tooLarge: ['SAML_MESSAGE_TOO_LARGE', /larger than 1000000 bytes/], silent: fetchFailed },
  'a metadata query': {
    ask: (url, timeoutSeconds) => new MetadataQuery({ url, timeoutSeconds }).find('https://idp.example.edu'),
    tooLarge: ['SAML_MESSAGE_TOO_LARGE', /larger than 1048576 bytes/],
    silent: fetchFailed,
  },
  'an artifact': {
    ask: (url, timeoutSeconds) =>
      createServiceProvider({
        identityProviders: [artifactIdp({}, url)],
        artifactResolution: { timeoutSeconds },
      }).finishSignIn(withArtifact(), pending),
    tooLarge: ['SAML_MESSAGE_TOO_LARGE', /more than \d+ bytes/],
    silent: ['SAML_ARTIFACT_RESOLUTION', /did not respond/],
  },
  'a token': {
    ask: (url, timeoutSeconds) => requestToken({ tokenEndpoint: url, assertionXml, timeoutSeconds }),
    tooLarge: ['SAML_TOKEN_REQUEST', /more than 65536 bytes/],
    silent: ['SAML_TOKEN_REQUEST', /did not return a valid response/],
  },
  'a renewed token': {
    ask: (url, timeoutSeconds) => renewToken({ tokenEndpoint: url, refreshToken: 'x', timeoutSeconds }),
    tooLarge: ['SAML_TOKEN_REQUEST', /more than 65536 bytes/],
    silent: ['SAML_TOKEN_REQUEST', /did not return a valid response/],
  },
};

/** What became of asking, and how many octets the server got rid of. */
async function asked({ ask }: Kind, answer: (response: ServerResponse) => void, timeoutSeconds: number) {
  let bytes = 0;
  await using server = await serve((request, response) => {
    const { socket } = request;
    socket.on('close', () => {
      bytes += socket.bytesWritten;
    });
    answer(response);
  });
  const refused = await ask(`${server.origin}/`, timeoutSeconds).then(
    () => undefined,
    (error: { code: string; message: string }) => error,
  );
  return { refused, bytes: () => bytes };
}

const piece = Buffer.alloc(65_536, ' ');
const flood = (response: ServerResponse) => {
  const more = () => {
    while (!response.destroyed && response.write(piece));
  };
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .on('drain', more)
    .on('error', () => undefined);
  more();
};

describe.each(Object.entries(kinds))('%s', (_name, kind) => {
  test('stops reading an endless answer at the limit', async () => {
    const { refused, bytes } = await asked(kind, flood, 30);
    expect(refused).toMatchObject({ code: kind.tooLarge[0], message: expect.stringMatching(kind.tooLarge[1]) });
    // The limit, and what the two ends of a connection hold.
    expect(bytes()).toBeLessThan(16_777_216);
  });

  test('times out if the answer never comes', async () => {
    const { refused } = await asked(kind, () => undefined, 0.3);
    expect(refused).toMatchObject({ code: kind.silent[0], message: expect.stringMatching(kind.silent[1]) });
  });
});
