import { expect, test } from 'vitest';
import { startGate } from '../support/gate.ts';
import { serve } from '../support/servers.ts';

// Loading a SAML provider's metadata may take half a minute. An operator who notices a mistake in the file fixes it sooner.

test('does not replace a newer configuration with one that took long to prepare', async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  await using slow = await serve(async (_request, response) => {
    asked.resolve();
    await answer.promise;
    response.writeHead(503).end();
  });
  const uni = { id: 'uni', protocol: 'saml', name: 'University', metadata: { url: `${slow.origin}/metadata` } };
  const allowing = (allow: string) => [{ paths: ['/**'], allow }];
  await using gate = await startGate({ rules: allowing('nobody') });
  const slip = gate.app.reload(gate.readConfig({ providers: [uni], rules: allowing('anyone') }));
  await asked.promise;
  await gate.app.reload(gate.readConfig({ rules: allowing('nobody') }));
  answer.resolve();
  await slip;
  expect((await gate.fetch('/notes')).status).toBe(403);
  expect((await gate.fetch('/gate/uni/metadata')).status).toBe(404);
  // The next one takes effect again.
  await gate.app.reload(gate.readConfig({ providers: [uni], rules: allowing('nobody') }));
  expect((await gate.fetch('/gate/uni/metadata')).status).toBe(200);
});

test('a configuration is in effect though one that was read after it could not be taken', async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  await using slow = await serve(async (_request, response) => {
    asked.resolve();
    await answer.promise;
    response.writeHead(503).end();
  });
  const uni = { id: 'uni', protocol: 'saml', name: 'University', metadata: { url: `${slow.origin}/metadata` } };
  await using gate = await startGate({ rules: [{ paths: ['/**'], allow: 'anyone' }] });
  const good = gate.app.reload(gate.readConfig({ providers: [uni], rules: [{ paths: ['/**'], allow: 'nobody' }] }));
  await asked.promise;
  await expect(gate.app.reload({ ...gate.config, bridge: { keys: [{}], clients: [] } } as never)).rejects.toThrow();
  answer.resolve();
  await good;
  expect((await gate.fetch('/notes')).status).toBe(403);
});
