import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import cookie from '@fastify/cookie';
import serveStatic from '@fastify/static';
import swagger from '@fastify/swagger';
import Fastify, { type FastifyInstance, type FastifyReply, LogController } from 'fastify';
import { createAnalytics, noAnalytics } from './analytics/sender.ts';
import type { Config } from './config.ts';
import { catalogue } from './errors.ts';
import { isHashedAsset, readAssetUrls } from './http/assets.ts';
import { readBodies } from './http/bodies.ts';
import { requireCleanAddresses } from './http/clean-address.ts';
import { requireSameSite } from './http/cross-site.ts';
import { PageCache } from './http/page-cache.ts';
import { sendProblem } from './http/problem.ts';
import { answerErrors, answerUnknownPaths, collectRoutes, type SendErrorPage } from './http/refusals.ts';
import { logRequests, redactedPath, warnOfUntrustedProxy } from './http/request-log.ts';
import { commonHeaders } from './http/security-headers.ts';
import { createRunner, type Runner, type RunnerOptions } from './jobs/runner.ts';
import { schedule, timesOf } from './jobs/schedule.ts';
import { limits } from './limits.ts';
import { createRenderer } from './markdown/renderer.ts';
import { keepAlive } from './operations/keep-alive.ts';
import type { Parts } from './operations/parts.ts';
import { createPasswords } from './operations/passwords.ts';
import { purgeExpired, tellPurge } from './operations/purge-expired.ts';
import { createRoutes, notebookRoutes } from './routes/api-notebooks.ts';
import { pageRoutes, snapshotRoutes } from './routes/api-pages.ts';
import { slugRoutes } from './routes/api-slugs.ts';
import { commentRoutes } from './routes/comments.ts';
import { type RouteContext, sendHtml } from './routes/context.ts';
import { crawlerRoutes } from './routes/crawlers.ts';
import { editRoutes } from './routes/edit.ts';
import { frontRoutes } from './routes/front.ts';
import { healthRoutes } from './routes/health.ts';
import { landingRoutes } from './routes/landing.ts';
import { llmsRoutes } from './routes/llms.ts';
import { reportRoutes } from './routes/reports.ts';
import { searchRoutes } from './routes/search.ts';
import { sitemapRoutes } from './routes/sitemap.ts';
import { unlockRoutes } from './routes/unlock.ts';
import { viewRoutes } from './routes/view.ts';
import { createStore } from './store/open-store.ts';
import { urls } from './urls.ts';
import { renderError } from './views/error.tsx';

/** Compressed pages in memory; about 6,000 of ordinary size. */
const pageCacheBytes = 64 * 1024 * 1024;

export interface App {
  /** The server, for `inject` in tests. */
  readonly server: FastifyInstance;
  readonly parts: Parts;
  /** The schedule; started by whoever listens. */
  readonly jobs: Runner;
  /** Listens where the configuration says; resolves to the address. */
  listen(): Promise<string>;
  /** Lets requests under way finish, then closes everything. */
  close(): Promise<void>;
}

/** In the sources the build is a neighbour of `src`; in the built program, of `server`. */
function findClientFolder(): string {
  const places = ['../dist/client/', '../client/'].map(place => fileURLToPath(new URL(place, import.meta.url)));
  return places.find(place => existsSync(place)) ?? places[0]!;
}

function createServer(config: Config, answerBadPath: (path: string, reply: FastifyReply) => void): FastifyInstance {
  const server = Fastify({
    logger: {
      level: config.logLevel,
      base: null,
      serializers: {
        // Fastify's own lines carry the request as it came: an edit token in a path would be among it.
        req: request => ({ method: request.method, path: redactedPath(request.url) }),
        err: error => ({ type: error.name, message: error.message, stack: error.stack ?? '' }),
      },
    },
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: config.trustProxy.length > 0 ? [...config.trustProxy] : false,
    bodyLimit: limits.maxBodyBytes,
    routerOptions: { maxParamLength: 256 },
    requestTimeout: 60_000,
    ajv: { customOptions: { removeAdditional: false, coerceTypes: false, useDefaults: false, allErrors: true } },
    // Paths the router cannot read (bad percent-encoding) are simply not there.
    frameworkErrors: (_error, request, reply) => answerBadPath(request.url, reply as unknown as FastifyReply),
  });
  // What a request may hold is checked by these schemas; what is answered is built by name in routes/answers.ts.
  server.setSerializerCompiler(() => data => JSON.stringify(data));
  return server;
}

async function addOpenApi(server: FastifyInstance, publicUrl: string): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Octavo notebook service',
        version: '1',
        description:
          'Notebooks of markdown pages, shared by link, without accounts. Changes carry the edit token in X-Edit-Token.',
      },
      servers: [{ url: publicUrl }],
      components: { securitySchemes: { editToken: { type: 'apiKey', in: 'header', name: 'X-Edit-Token' } } },
    },
  });
}

async function addAssets(server: FastifyInstance, clientFolder: string): Promise<void> {
  await server.register(serveStatic, {
    root: clientFolder,
    // A route for each built file: nothing else of the address space is touched.
    wildcard: false,
    preCompressed: true,
    serveDotFiles: false,
    index: false,
    cacheControl: false,
    decorateReply: false,
    schemaHide: true,
    setHeaders: (reply, path) => {
      const url = path
        .replaceAll('\\', '/')
        .slice(clientFolder.length - 1)
        .replace(/\.(br|gz)$/, '');
      reply.header('cache-control', isHashedAsset(url) ? 'public, max-age=31536000, immutable' : 'public, max-age=3600');
    },
  });
}

export interface Overrides extends Partial<Parts> {
  readonly jobs?: RunnerOptions;
  readonly clientFolder?: string;
}

/** Where this process itself is reached. An address that means "everywhere" is no address to call. */
function ownUrl(server: FastifyInstance): string {
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('The service does not listen yet.');
  const host = address.address === '0.0.0.0' ? '127.0.0.1' : address.address === '::' ? '::1' : address.address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}

function createJobs(config: Config, parts: Parts, server: FastifyInstance, options: RunnerOptions = {}): Runner {
  const { timezone } = config.jobs;
  const purge = async (signal: AbortSignal) => tellPurge(await purgeExpired(parts, { timezone, signal }));
  const callPing = async (signal: AbortSignal) => {
    await keepAlive(ownUrl(server) + urls.api.ping(), signal);
    return 'The service and its database answer.';
  };
  return createRunner(
    parts,
    [
      { name: 'purge', times: timesOf(schedule.purge, timezone), run: purge },
      { name: 'keep-alive', times: timesOf(schedule['keep-alive'], timezone), run: callPing },
    ],
    server.log,
    options,
  );
}

/** Wires the whole service by hand; tests pass what they want to choose. The only file that knows every room. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const store = overrides.store ?? createStore(config.databaseUrl);
  await store.migrate();
  const renderer = overrides.renderer ?? createRenderer();
  const parts: Parts = {
    store,
    renderer,
    passwords: overrides.passwords ?? createPasswords(),
    secretKey:
      overrides.secretKey ??
      config.secretKey ??
      (await store.getSecret('secret-key', () => randomBytes(32).toString('base64url'))),
    now: overrides.now ?? Date.now,
    randomBytes: overrides.randomBytes ?? (size => randomBytes(size)),
    rateLimits: overrides.rateLimits ?? config.rateLimits,
  };
  const clientFolder = overrides.clientFolder ?? findClientFolder();
  const site = { publicUrl: config.publicUrl, assets: readAssetUrls(clientFolder) };
  // Every page names the built files, whose names carry their hashes: when one changes, so does every page.
  const build = createHash('sha256').update(JSON.stringify(site.assets)).update(renderer.engine).digest('base64url').slice(0, 12);

  const headers = commonHeaders(config.publicUrl);
  const sendErrorPage: SendErrorPage = (reply, code, detail) => {
    const { status, title } = catalogue[code];
    return sendHtml(
      reply.header('x-robots-tag', 'noindex'),
      status,
      renderError(site, { status, title, detail, code }),
      'no-store',
    );
  };
  const server = createServer(config, (path, reply) => {
    reply.headers(headers);
    if (path.startsWith('/api/')) sendProblem(reply, 'not_found');
    else sendErrorPage(reply, 'not_found', undefined);
  });
  const jobs = createJobs(config, parts, server, overrides.jobs);
  const analytics =
    config.analytics.kind === 'on' ? createAnalytics({ ...config.analytics, now: parts.now, log: server.log }) : noAnalytics;
  const { capture } = analytics;
  const context: RouteContext = { parts, site, cache: new PageCache(pageCacheBytes), build, capture };
  await server.register(cookie);
  readBodies(server);
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(headers);
    if (request.url.startsWith('/api/')) reply.header('cache-control', 'no-store');
    if (request.method !== 'GET' && request.method !== 'HEAD') requireSameSite(request, config.publicUrl);
  });
  requireCleanAddresses(server);
  logRequests(server);
  warnOfUntrustedProxy(server);
  answerErrors(server, sendErrorPage);
  await addOpenApi(server, config.publicUrl);
  const routes = collectRoutes(server);
  await addAssets(server, clientFolder);
  for (const add of [
    createRoutes,
    notebookRoutes,
    pageRoutes,
    snapshotRoutes,
    commentRoutes,
    slugRoutes,
    healthRoutes,
    frontRoutes,
    unlockRoutes,
    reportRoutes,
    viewRoutes,
    editRoutes,
    crawlerRoutes,
    searchRoutes,
    sitemapRoutes,
    llmsRoutes,
    landingRoutes,
  ]) {
    add(server, context);
  }
  server.get(urls.api.openapi(), { schema: { hide: true } }, async () => server.swagger());
  answerUnknownPaths(server, routes, sendErrorPage);
  await server.ready();

  return {
    server,
    parts,
    jobs,
    listen: () => server.listen({ host: config.host, port: config.port }),
    close: async () => {
      await jobs.stop();
      await server.close();
      await analytics.close();
      await renderer.close();
      await store.close();
    },
  };
}
