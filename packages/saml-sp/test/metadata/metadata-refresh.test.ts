import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { MetadataRefresh } from '../../src/idp/metadata-refresh.ts';
import { folders } from '../support/folder.ts';
import { serve } from '../support/http-server.ts';
import { entity, keyDescriptor, signMetadata } from '../support/idp-metadata-fixture.ts';
import { testKey } from '../support/keys.ts';
import { refusal } from '../support/refusal.ts';
import { at, createServiceProvider, idp } from '../support/world.ts';

const clock = () => new Date(at(0));
const folder = folders();

describe('metadata refreshes itself (IIP-MD03, MD04, MD05)', () => {
  test('follows a change of keys, and 302 and 307 on the way', async () => {
    let keys = keyDescriptor('idp');
    await using server = await serve((request, response) => {
      if (request.url === '/a') response.writeHead(302, { location: '/b' }).end();
      else if (request.url === '/b') response.writeHead(307, { location: '/c' }).end();
      else response.end(entity({ keys }));
    });
    const directory = new MetadataRefresh({ sources: [{ url: `${server.origin}/a` }], now: clock });
    await directory.refresh();
    expect(directory.find(idp.entityId)?.signingKeys).toHaveLength(1);
    keys += keyDescriptor('idp-next');
    await directory.refresh();
    expect(directory.find(idp.entityId)?.signingKeys).toHaveLength(2);
    const provider = createServiceProvider({ identityProviders: directory });
    expect(await provider.getIdentityProvider(idp.entityId)).toMatchObject({ entityId: idp.entityId });
  });

  test('reads a file, and drops a provider that left', async () => {
    const file = join(await folder(), 'idp.xml');
    await writeFile(file, entity());
    const directory = new MetadataRefresh({ sources: [{ file }], now: clock });
    await directory.refresh();
    expect(directory.list()).toHaveLength(1);
    await writeFile(file, entity({}, 'https://successor.example'));
    await directory.refresh();
    expect(directory.find(idp.entityId)).toBeUndefined();
    expect(directory.find('https://successor.example')).toBeDefined();
  });

  test('goes on with the other sources although the log fails, at once or later', async () => {
    const file = join(await folder(), 'idp.xml');
    await writeFile(file, entity());
    const down = new Error('the log is down');
    const fail = (): never => {
      throw down;
    };
    for (const onError of [fail, () => Promise.reject(down)]) {
      const directory = new MetadataRefresh({ sources: [{ file: `${file}.missing` }, { file }], onError, now: clock });
      await directory.refresh();
      expect(directory.list()).toHaveLength(1);
    }
  });

  test('keeps the metadata after a failure and reports it', async () => {
    const answers: [number, string | Buffer][] = [
      [200, signMetadata(entity({ attributes: ` ID="_md1" validUntil="${at(3600)}"` }), { key: 'other' })],
      [500, 'no'],
      [200, '<html>'],
      [200, entity()],
      [200, signMetadata(entity(), { key: 'attacker' })],
      [200, signMetadata(entity({ attributes: ` ID="_md1" validUntil="${at(-5)}"` }), { key: 'other' })],
      [200, Buffer.alloc(2_000_000, 32)],
      [302, 'nowhere'],
    ];
    let turn = 0;
    await using server = await serve((_request, response) => {
      const [status, body] = answers[turn] ?? [500, ''];
      response.writeHead(status, status === 302 ? { location: 'http://plain.example/' } : {}).end(body);
    });
    const errors: string[] = [];
    const source = { url: server.origin, signedBy: [testKey('other').certificate], maxBytes: 1_000_000 };
    const directory = new MetadataRefresh({
      sources: [source],
      now: clock,
      onError: error => errors.push((error as { code: string }).code),
    });
    for (turn = 0; turn < answers.length; turn += 1) {
      await directory.refresh();
      expect(directory.find(idp.entityId)?.entityId).toBe(idp.entityId);
    }
    expect(errors).toEqual([
      'SAML_METADATA_FETCH',
      'SAML_XML_MALFORMED',
      'SAML_SIGNATURE_MISSING',
      'SAML_SIGNATURE_INVALID',
      'SAML_METADATA_EXPIRED',
      'SAML_MESSAGE_TOO_LARGE',
      'SAML_METADATA_FETCH',
    ]);
  });

  test('ends a loop of redirects', async () => {
    let hits = 0;
    await using server = await serve((_request, response) => {
      hits += 1;
      response.writeHead(302, { location: '/again' }).end();
    });
    const errors: unknown[] = [];
    await new MetadataRefresh({ sources: [{ url: server.origin }], onError: error => errors.push(error) }).refresh();
    expect(errors).toHaveLength(1);
    expect(hits).toBe(4);
  });

  test('gives up on a source that never answers', async () => {
    await using server = await serve(() => {});
    const errors: unknown[] = [];
    await new MetadataRefresh({
      sources: [{ url: server.origin }],
      timeoutSeconds: 0.2,
      onError: error => errors.push(error),
    }).refresh();
    expect(errors).toHaveLength(1);
  });

  test('fetches once for fifty at once', async () => {
    let hits = 0;
    await using server = await serve((_request, response) => {
      hits += 1;
      response.end(entity());
    });
    const directory = new MetadataRefresh({ sources: [{ url: server.origin }], now: clock });
    await Promise.all(Array.from({ length: 50 }, () => directory.refresh()));
    expect(hits).toBe(1);
  });

  test('expires with its validUntil even without news', async () => {
    let time = new Date(at(0));
    await using server = await serve(
      (_request, response) => void response.end(entity({ attributes: ` validUntil="${at(3600)}"` })),
    );
    const directory = new MetadataRefresh({ sources: [{ url: server.origin }], now: () => time });
    const provider = createServiceProvider({ identityProviders: directory, now: () => time });
    await directory.start();
    expect(await provider.getIdentityProvider(idp.entityId)).toMatchObject({ entityId: idp.entityId });
    time = new Date(at(3601));
    await expect(provider.getIdentityProvider(idp.entityId)).rejects.toMatchObject({ code: 'SAML_METADATA_EXPIRED' });
    directory.stop();
  });

  test('refuses plain http before fetching anything', () => {
    expect(() => new MetadataRefresh({ sources: [{ url: 'http://idp.example.edu/metadata' }] })).toThrow(
      refusal('SAML_CONFIG_INVALID'),
    );
  });
});
