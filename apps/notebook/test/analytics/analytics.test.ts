import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Analytics, createAnalytics } from '../../src/analytics/sender.ts';
import type { Database } from '../support/engines.ts';
import { sqlite } from '../support/engines.ts';
import { type ServiceProcess, startService } from '../support/service-process.ts';

interface Delivery {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A real server in the place of the analytics host: keeps whatever arrives. */
async function startHost() {
  const deliveries: Delivery[] = [];
  let status = 200;
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    deliveries.push({
      method: request.method!,
      url: request.url!,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    });
    if (status === 0) return;
    response.writeHead(status, { 'content-type': 'application/json', location: '/elsewhere' }).end('{"status":1}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    deliveries,
    /** 0: takes requests and never answers. */
    answerWith: (next: number) => {
      status = next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

type Host = Awaited<ReturnType<typeof startHost>>;
type Sent = { event: string; timestamp: string; properties: Record<string, unknown> };
const eventsOf = (deliveries: readonly Delivery[]) =>
  deliveries.flatMap(({ body }) => (JSON.parse(body) as { batch: Sent[] }).batch);

let host: Host;
beforeEach(async () => {
  host = await startHost();
});
afterEach(() => host.close());

describe('a whole story told to the service', () => {
  let database: Database;
  let service: ServiceProcess;
  beforeEach(async () => {
    database = await sqlite.createDatabase();
    const analytics = { ANALYTICS_KEY: 'phc_project', ANALYTICS_HOST: host.origin };
    service = await startService({ DATABASE_URL: database.url, LOG_LEVEL: 'debug', ...analytics });
  });
  afterEach(() => database.remove());

  it('reaches the analytics host as words of the table, and neither it nor the log learns a secret', async () => {
    const secrets = new Set([
      'SecretTitle',
      'SecretText',
      'secret-slug',
      'SecretPassword',
      'SecretPage',
      'SecretDetail',
      'SecretQuick',
    ]);
    const ask = async (method: string, path: string, options: { body?: unknown; token?: string; headers?: object } = {}) => {
      const { body, token, headers } = options;
      const answer = await fetch(service.origin + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(token === undefined ? {} : { 'x-edit-token': token }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return { status: answer.status, text: await answer.text(), cookies: answer.headers.getSetCookie() };
    };
    const created = await ask('POST', '/api/notebooks', {
      body: {
        title: 'SecretTitle',
        slug: 'secret-slug',
        pages: [{ markdown: '# SecretText' }, { markdown: 'SecretText' }],
        password: 'SecretPassword',
        expiresIn: '7d',
      },
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    expect(created.status).toBe(201);
    const { editToken, notebook } = JSON.parse(created.text);
    const quick = await ask('POST', '/api/quick', { body: { markdown: '# SecretQuick' } });
    const quickNotebook = JSON.parse(quick.text);
    for (const secret of [editToken, quickNotebook.editToken, quickNotebook.notebook.slug]) secrets.add(secret);
    const slug = '/api/notebooks/secret-slug';
    await ask('POST', `${slug}/unlock`, { body: { password: 'SecretPasswordWrong' } });
    const unlocked = await ask('POST', `${slug}/unlock`, { body: { password: 'SecretPassword' } });
    const cookie = unlocked.cookies[0]!.split(';')[0]!;
    secrets.add(cookie.split('=')[1]!);
    const paths = [
      '/n/secret-slug',
      '/n/secret-slug/print',
      '/n/secret-slug.md',
      `/n/secret-slug/p/${notebook.pages[1].id}`,
      slug,
    ];
    for (const path of paths) expect((await ask('GET', path, { headers: { cookie } })).status).toBe(200);
    for (const path of [`/e/${editToken}`, `/e/${editToken}/print`, '/edit/secret-slug', '/api/slugs/secret-slug?SecretTitle'])
      expect((await ask('GET', path)).status).toBe(200);
    expect(
      (await ask('POST', `${slug}/pages`, { body: { title: 'SecretPage', markdown: 'SecretText' }, token: editToken })).status,
    ).toBe(201);
    expect((await ask('PATCH', slug, { body: { title: 'SecretTitle 2' }, token: editToken })).status).toBe(200);
    expect((await ask('PATCH', slug, { body: '{"title": "SecretTitle', token: editToken })).status).toBe(400);
    expect(
      (await ask('POST', `${slug}/reports`, { body: { reason: 'spam', detail: 'SecretDetail' }, headers: { cookie } })).status,
    ).toBe(202);
    const rotated = await ask('POST', `${slug}/token`, { token: editToken });
    const newToken = JSON.parse(rotated.text).editToken as string;
    secrets.add(newToken);
    expect((await ask('DELETE', slug, { token: newToken })).status).toBe(200);
    expect((await ask('GET', '/?deleted=1')).text).not.toContain('phc_project');
    // What waits is sent when the service ends.
    expect(await service.kill('SIGTERM')).toBe(0);

    const sent = eventsOf(host.deliveries);
    expect(sent.map(({ event }) => event)).toEqual(['notebook_created', 'notebook_created', 'page_added', 'notebook_deleted']);
    expect(sent[0]!.properties).toMatchObject({
      via: 'form',
      pages: '2-5',
      visibility: 'unlisted',
      expires: 'within a week',
      password: true,
    });
    expect(sent[1]!.properties).toMatchObject({ via: 'quick', pages: '1', expires: 'never', password: false });
    expect(sent[2]!.properties).toMatchObject({ by: 'owner' });
    const received = host.deliveries
      .map(each => `${each.method} ${each.url} ${JSON.stringify(each.headers)} ${each.body}`)
      .join('\n');
    const log = service.output();
    expect(log).toContain('"analytics sent"');
    expect(log).toContain('/n/[slug]/print');
    for (const page of notebook.pages) expect(received).not.toContain(page.id);
    for (const secret of secrets) {
      expect(received).not.toContain(secret);
      expect(log).not.toContain(secret);
    }
  }, 60_000);
});

describe('the sender', () => {
  const clock = { now: Date.parse('2026-03-01T12:34:56.789Z') };
  const log: string[] = [];
  const note = (facts: object, message: string) => log.push(`${message} ${JSON.stringify(facts)}`);
  let analytics: Analytics;
  beforeEach(() => {
    log.length = 0;
    analytics = createAnalytics({
      key: 'phc_k',
      host: host.origin,
      now: () => clock.now,
      log: { debug: note, warn: note },
      flushMs: 20,
    });
  });

  it('posts a batch as PostHog reads it, with no person, no place and no time to the second', async () => {
    analytics.capture('page_added', { by: 'visitor' });
    analytics.capture('notebook_deleted', {});
    await analytics.close();
    const [delivery, ...more] = host.deliveries;
    expect(more).toEqual([]);
    expect([delivery!.method, delivery!.url, delivery!.headers['content-type']]).toEqual(['POST', '/batch/', 'application/json']);
    const { api_key, batch, ...rest } = JSON.parse(delivery!.body);
    expect([api_key, rest]).toEqual(['phc_k', {}]);
    const anonymous = {
      distinct_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      $process_person_profile: false,
      $geoip_disable: true,
      $ip: null,
    };
    expect(batch).toStrictEqual([
      { event: 'page_added', timestamp: '2026-03-01T12:00:00.000Z', properties: { by: 'visitor', ...anonymous } },
      { event: 'notebook_deleted', timestamp: '2026-03-01T12:00:00.000Z', properties: anonymous },
    ]);
    expect(batch[0].properties.distinct_id).toBe(batch[1].properties.distinct_id);
  });

  it('goes by another name each day', async () => {
    analytics.capture('notebook_deleted', {});
    clock.now += 86_400_000;
    analytics.capture('notebook_deleted', {});
    await analytics.close();
    const names = eventsOf(host.deliveries).map(({ properties }) => properties.distinct_id);
    expect(new Set(names).size).toBe(2);
  });

  it('sends nothing that the table does not list, whatever the types were told', async () => {
    const loose = analytics.capture as (name: string, properties: object) => void;
    loose('page_added', { by: 'owner', slug: 'my-notes' });
    loose('page_added', { by: '# My diary' });
    loose('$pageview', { $current_url: '/n/my-notes' });
    await analytics.close();
    expect(host.deliveries).toEqual([]);
    expect(log).toHaveLength(3);
    expect(log.join()).not.toMatch(/my-notes|diary/);
  });

  it('keeps a queue with an end and loses what does not fit', async () => {
    for (let count = 0; count < 1_500; count++) analytics.capture('notebook_deleted', {});
    await analytics.close();
    expect(eventsOf(host.deliveries)).toHaveLength(1_000);
    expect(host.deliveries.map(({ body }) => (JSON.parse(body) as { batch: Sent[] }).batch.length)).toEqual(Array(10).fill(100));
  });

  it('says once that the host refuses, again only after it has worked', async () => {
    // Batches go one after the other: when one is delivered, all has been said of those before it.
    for (const [place, status] of [500, 500, 200, 503].entries()) {
      host.answerWith(status);
      analytics.capture('notebook_deleted', {});
      await expect.poll(() => host.deliveries.length).toBe(place + 1);
    }
    const failed = 'analytics host refused events';
    await expect.poll(() => log.map(line => line.split(' {')[0])).toEqual([failed, 'analytics sent', failed]);
  });

  it('does not keep the process from ending when the host never answers', async () => {
    host.answerWith(0);
    analytics.capture('notebook_deleted', {});
    // Without a limit of its own it would wait for ever, and this test with it.
    await analytics.close();
    expect(log.filter(line => line.startsWith('analytics sent'))).toEqual([]);
  });

  it('follows no redirect to another host', async () => {
    host.answerWith(307);
    analytics.capture('notebook_deleted', {});
    await analytics.close();
    expect(host.deliveries.map(({ url }) => url)).toEqual(['/batch/']);
    expect(log[0]).toContain('analytics host refused events');
  });
});

it('no page carries a script of anybody else', async () => {
  const database = await sqlite.createDatabase();
  const service = await startService({ DATABASE_URL: database.url, ANALYTICS_KEY: 'phc_project', ANALYTICS_HOST: host.origin });
  const made = await fetch(`${service.origin}/api/quick`, {
    method: 'POST',
    headers: { 'content-type': 'text/markdown' },
    body: '# Hello',
  });
  const { notebook, editToken } = (await made.json()) as { notebook: { slug: string }; editToken: string };
  for (const path of ['/', '/new', '/quick', `/n/${notebook.slug}`, `/n/${notebook.slug}/print`, `/e/${editToken}`, '/nothing']) {
    const html = await (await fetch(service.origin + path)).text();
    // Structured data for search engines is no script: nothing of it runs.
    const scripts = [...html.matchAll(/<script([^>]*)>/g)].filter(match => !match[1]!.includes('application/ld+json'));
    const sources = scripts.map(match => /src="([^"]*)"/.exec(match[1]!)?.[1] ?? 'inline');
    expect([path, sources.filter(source => !source.startsWith('/assets/'))]).toEqual([path, []]);
    expect(html).not.toContain(host.origin);
    expect(html).not.toContain('phc_project');
  }
  await service.kill();
  database.remove();
});
