import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { createAnalytics, noAnalytics } from './analytics/sender.ts';
import type { Config } from './config.ts';
import { catalog } from './errors.ts';
import { networkOf } from './http/addresses/client-ip.ts';
import { ownUrl } from './http/addresses/own-url.ts';
import { PageCache } from './http/answers/page-cache.ts';
import { commonHeaders } from './http/answers/security-headers.ts';
import { drainConnections } from './http/connections/drain-connections.ts';
import { readAssetUrls } from './http/files/assets.ts';
import { nameBuild } from './http/files/build-name.ts';
import { addBuiltFiles } from './http/files/built-files.ts';
import { composeOfflineWorker, noOfflineWorker } from './http/files/offline-worker.ts';
import { openFrontDoor } from './http/front-door.ts';
import { Pressure } from './http/load/pressure.ts';
import type { Metrics } from './http/metrics.ts';
import { answerUnknownPaths, collectRoutes, type SendErrorPage } from './http/refusals.ts';
import { createServer } from './http/server.ts';
import { createImageChecker } from './images/process-checker.ts';
import { createCardPainter } from './images/process-painter.ts';
import { createRunner, type Runner, type RunnerOptions } from './jobs/runner.ts';
import { schedule, timesOf } from './jobs/schedule.ts';
import { createTicker, type Ticker } from './jobs/ticker.ts';
import { listenError } from './listening/listen-error.ts';
import { acceptLast, openOtherSockets } from './listening/listening-sockets.ts';
import { createRenderer } from './markdown/renderer.ts';
import { TextTracker } from './model/text-tracker.ts';
import type { ObjectStore } from './objects/object-store.ts';
import { openObjects } from './objects/open-objects.ts';
import { type ClockWatch, createClockWatch, steadyClock } from './operations/clock-watch.ts';
import { deleteQueuedObjects, describeQueue } from './operations/delete-queued-objects.ts';
import { forgetRateWindows } from './operations/forget-rate-windows.ts';
import { indexerOf } from './operations/index-pages.ts';
import { keepAlive } from './operations/keep-alive.ts';
import { learnTextEndings } from './operations/learn-text-endings.ts';
import type { Parts } from './operations/parts.ts';
import { createPasswords } from './operations/passwords.ts';
import { describeGuardedPurge, purgeGuarded } from './operations/purge-guarded.ts';
import { readSecretKey } from './operations/read-secret-key.ts';
import { describeSweep, sweepOrphanImages } from './operations/sweep-orphan-images.ts';
import { fileRoutes } from './routes/api-files.ts';
import { creationRoutes, notebookRoutes } from './routes/api-notebooks.ts';
import { pageRoutes, snapshotRoutes } from './routes/api-pages.ts';
import { quickRoutes } from './routes/api-quick.ts';
import { slugRoutes } from './routes/api-slugs.ts';
import { cardRoutes } from './routes/card.ts';
import { commentRoutes } from './routes/comments.ts';
import { type RouteContext, sendHtml } from './routes/context.ts';
import { crawlerRoutes } from './routes/crawlers.ts';
import { diagramRoutes } from './routes/diagram.ts';
import { prerender } from './routes/draw-view.ts';
import { editRoutes } from './routes/edit.ts';
import { embedRoutes } from './routes/embed.ts';
import { feedRoutes } from './routes/feeds.ts';
import { findRoutes } from './routes/find.ts';
import { frontRoutes } from './routes/front.ts';
import { healthRoutes } from './routes/health.ts';
import { imageFileRoutes } from './routes/image-file.ts';
import { imageRoutes } from './routes/images.ts';
import { landingRoutes } from './routes/landing.ts';
import { llmsRoutes } from './routes/llms.ts';
import { offlineRoutes } from './routes/offline.ts';
import { createPrerenderQueue } from './routes/prerender-queue.ts';
import { quickViews } from './routes/quick-view.ts';
import { reportRoutes } from './routes/reports.ts';
import { searchRoutes } from './routes/search.ts';
import { sitemapRoutes } from './routes/sitemap.ts';
import { unlockRoutes } from './routes/unlock.ts';
import { viewRoutes } from './routes/view.ts';
import { createStore, findSqlitePath } from './store/open-store.ts';
import { takeEndings } from './store/upkeep/text-ending-file.ts';
import { urls } from './urls.ts';
import { renderError } from './views/error.tsx';
import type { Site } from './views/props.ts';
import type { Pulse } from './watchdog/pulse.ts';
import { trackRequests } from './watchdog/track-requests.ts';
import type { WorkerPlace } from './watchdog/watch.ts';

/** Connections that are silent for this long are closed when another process takes over. */
const drainMillis = 3_000;

/** Compressed pages in memory: about 3,000 of ordinary size. */
const pageCacheBytes = 24 * 1024 * 1024;
/** The HTML of a page of 1 MiB, before it is compressed. */
const longestPageBytes = 8 * 1024 * 1024;
/** Preview pictures of shared links: about 400. */
const cardCacheBytes = 16 * 1024 * 1024;

export interface App {
  /** The server, for `inject` in tests. */
  readonly server: FastifyInstance;
  readonly parts: Parts;
  /** The schedule; the caller that listens starts it. */
  readonly jobs: Runner;
  /** Listens at the configured address; resolves to the address. */
  listen(): Promise<string>;
  /** Called before `close` when another process listens on the same socket: no client with an open connection is refused. */
  drain(): Promise<void>;
  /** Lets requests under way finish, then closes everything. */
  close(): Promise<void>;
}

/** The client build is beside `src` when run from source, and beside `server` in the built program. */
function findClientFolder(): string {
  const places = ['../dist/client/', '../client/'].map(place => fileURLToPath(new URL(place, import.meta.url)));
  return places.find(place => existsSync(place)) ?? places[0]!;
}

export interface Overrides extends Partial<Parts> {
  /** Tells the watchdog which route is being worked on. */
  readonly pulse?: Pulse;
  /** This process's place among several on one port. */
  readonly place?: WorkerPlace | undefined;
  /** A caller that sets the time also provides its watch; when it is absent, a time that was set is trusted. */
  readonly clock?: ClockWatch;
  readonly jobs?: RunnerOptions;
  readonly clientFolder?: string;
  readonly pressure?: Pressure;
}

function createJobs(
  config: Config,
  parts: Parts & { readonly clock: ClockWatch },
  server: FastifyInstance,
  options: RunnerOptions = {},
): Runner {
  const { timezone } = config.jobs;
  const { clock } = parts;
  const purge = async (signal: AbortSignal) => {
    const result = await purgeGuarded(parts, { timezone, signal });
    const purged = describeGuardedPurge(result);
    if (result.kind === 'refused') {
      // The clock may recover by itself, so the run is not done. A refusal because of the share waits for the operator.
      if (result.reason === 'clock') throw new Error(purged);
      server.log.error(
        { why: result.why },
        'the purge refused to delete: check with octavo job purge --dry-run --force, then run octavo job purge --force',
      );
    }
    return parts.objects ? `${purged} ${describeQueue(await deleteQueuedObjects(parts, signal))}` : purged;
  };
  const sweep = async (objects: ObjectStore, signal: AbortSignal) => {
    const reading = await clock.check();
    if (reading.kind === 'leapt') throw new Error(`Refused: ${reading.why}. No object was deleted.`);
    const result = await sweepOrphanImages({ ...parts, objects }, { signal });
    // Not a failure that would be retried in a minute: it waits for a person, or for next week's run.
    if (result.kind === 'refused') server.log.error({ why: result.why }, 'the sweep refused to delete');
    if (result.kind === 'swept' && result.stayed)
      server.log.error(result.stayed, 'the image store refused to delete objects without a notebook');
    return describeSweep(result);
  };
  const callPing = async (signal: AbortSignal) => {
    await keepAlive(ownUrl(server) + urls.api.ping(), signal);
    return 'The service and its database answer.';
  };
  const { objects } = parts;
  const sweeping = objects
    ? [{ name: 'sweep', times: timesOf(schedule.sweep, timezone), run: (signal: AbortSignal) => sweep(objects, signal) }]
    : [];
  return createRunner(
    parts,
    [
      { name: 'purge', times: timesOf(schedule.purge, timezone), run: purge },
      ...sweeping,
      { name: 'keep-alive', times: timesOf(schedule['keep-alive'], timezone), run: callPing },
    ],
    server.log,
    options,
  );
}

/** Each process works off the queue for itself, with JOBS=off too: these deletions were already answered. */
function createQueueTicker(parts: Parts, { log }: FastifyInstance): Ticker {
  const round = async (signal: AbortSignal) => {
    const result = await deleteQueuedObjects(parts, signal);
    if (result.failed !== undefined) log.warn({ did: describeQueue(result) }, 'image store could not delete objects');
    else if (result.deleted > 0) log.info({ did: describeQueue(result) }, 'queued objects deleted');
  };
  return createTicker(60_000, round, error => log.error({ err: error }, 'deleting queued objects failed'));
}

/** Each process checks, with JOBS=off too: the flood may be over before the process with the jobs purges. */
function createWindowTicker(parts: Parts & { readonly clock: ClockWatch }, { log }: FastifyInstance): Ticker {
  const round = async (signal: AbortSignal) => void (await forgetRateWindows(parts, signal));
  return createTicker(60_000, round, error => log.error({ err: error }, 'rate windows that are over could not be deleted'));
}

/** Stored every minute, so that after a restart it is known when the service last ran. */
function createClockTicker(clock: ClockWatch, { log }: FastifyInstance): Ticker {
  let doubted = false;
  const round = async () => {
    const reading = await clock.check();
    if (reading.kind === 'leapt' && !doubted) log.error({ why: reading.why }, 'clock jump detected; deletions are paused');
    else if (reading.kind === 'steady' && doubted) log.warn({}, 'clock is trusted again; deletions resume');
    doubted = reading.kind === 'leapt';
  };
  return createTicker(60_000, round, error => log.error({ err: error }, 'clock check failed'));
}

/** Each process indexes what was written, with JOBS=off too: these saves were already answered. */
function createIndexTicker(parts: Parts, { log }: FastifyInstance): Ticker {
  const indexer = indexerOf(parts);
  const round = (signal: AbortSignal) => indexer.round(signal).finally(logFailures);
  const logFailures = () => {
    for (const { error, pageId, tries, waitMs } of indexer.takeFailures()) {
      log.error(
        { err: error, pageId, tries, waitMs },
        'page could not be indexed and was skipped; search does not find its latest text',
      );
    }
  };
  return createTicker(500, round, (error, more) => log.error({ err: error, more }, 'text index update failed'));
}

/** Endings that a full disk or a long lock lets nobody note stay in the watchdog's file (record-ending.ts), and the service starts. */
async function prepareStore(config: Config, { store, texts }: Pick<Parts, 'store' | 'texts'>, key: string | undefined) {
  await store.migrate();
  const secretKey = key ?? (await readSecretKey(store, config.secretKey));
  const path = findSqlitePath(config.databaseUrl);
  const noted = path === undefined ? undefined : takeEndings(path, ending => store.noteTextEnding(ending));
  const endingsLeft = await noted?.catch((error: unknown) => error);
  await learnTextEndings({ store, texts });
  return { secretKey, endingsLeft };
}

/** Other processes need not learn from a crash of their own what a text did to this one. */
function createEndingTicker(parts: Parts, { log }: FastifyInstance): Ticker {
  const round = () => learnTextEndings(parts);
  return createTicker(60_000, round, error => log.error({ err: error }, 'reading the list of unsafe texts failed'));
}

/** A worker that takes over another one's place retries in the background until that one has released the port. */
async function listenForMetrics(
  metrics: Metrics,
  { host, metricsPort = 0 }: Config,
  { log }: FastifyInstance,
  place: WorkerPlace | undefined,
): Promise<void> {
  const wanted = place && metricsPort > 0 ? metricsPort + place.number : metricsPort;
  const listen = async () =>
    log.info({ port: await metrics.listen(host, wanted) }, 'metrics are served at /metrics on this port');
  if (!place) return listen();
  const tryAgain = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') log.error({ err: error }, 'metrics could not be served');
    else setTimeout(() => listen().catch(tryAgain), 500).unref();
  };
  listen().catch(tryAgain);
}

/** Wires the whole service by hand; tests override what they need. The only file that knows every room. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  const texts = overrides.texts ?? new TextTracker(text => overrides.pulse?.text(text));
  const store = overrides.store ?? createStore(config.databaseUrl, { maxNotebookBytes: config.maxNotebookBytes, texts });
  // PostgreSQL takes a while to answer: the framework is set up meanwhile. A failure counts where it is awaited.
  const prepared = prepareStore(config, { store, texts }, overrides.secretKey);
  prepared.catch(() => {});
  const fileUrl = (key: string) => config.publicUrl + urls.imageFile(key);
  const objects = 'objects' in overrides ? overrides.objects : await openObjects(config.images, fileUrl);
  const imageOrigin = objects && new URL(objects.publicUrl('')).origin;
  const clientFolder = overrides.clientFolder ?? findClientFolder();
  const site: Site = {
    publicUrl: config.publicUrl,
    imageOrigin,
    offline: config.offline === 'on',
    assets: readAssetUrls(clientFolder),
  };
  const sendErrorPage: SendErrorPage = (reply, code, detail) => {
    const { status, title } = catalog[code];
    return sendHtml(
      reply.header('x-robots-tag', 'noindex'),
      status,
      renderError(site, { status, title, detail, code, address: reply.request.url }),
      'no-store',
    );
  };
  const pressure = overrides.pressure ?? new Pressure();
  const server = await createServer({ ...config, imageOrigin, sendErrorPage, pressure });
  const { secretKey, endingsLeft } = await prepared;
  const parts: Parts = {
    store,
    objects,
    imageChecker: overrides.imageChecker ?? createImageChecker(),
    cardPainter: overrides.cardPainter ?? createCardPainter(),
    renderer: overrides.renderer ?? createRenderer(),
    passwords: overrides.passwords ?? createPasswords(undefined, networkOf),
    texts,
    maxNotebookBytes: overrides.maxNotebookBytes ?? config.maxNotebookBytes,
    secretKey,
    now: overrides.now ?? Date.now,
    randomBytes: overrides.randomBytes ?? (size => randomBytes(size)),
    rateLimits: overrides.rateLimits ?? config.rateLimits,
    pageRendered: (slug, pageId) => makeReady(slug, pageId),
  };
  if (endingsLeft !== undefined)
    server.log.error({ err: endingsLeft }, 'which text ended the service could not be noted; it is kept for the next start');
  if (overrides.pulse) trackRequests(server, overrides.pulse);
  const metrics = config.metricsPort === undefined ? undefined : (await import('./http/metrics.ts')).createMetrics(server);
  const watched = { store, now: parts.now, passed: () => performance.now() };
  const clock = overrides.clock ?? (overrides.now ? steadyClock : createClockWatch(watched));
  const jobs = createJobs(config, { ...parts, clock }, server, overrides.jobs);
  const tickers = [
    ...(parts.objects ? [createQueueTicker(parts, server)] : []),
    createIndexTicker(parts, server),
    createEndingTicker(parts, server),
    createWindowTicker({ ...parts, clock }, server),
    createClockTicker(clock, server),
  ];
  const analytics =
    config.analytics.kind === 'on' ? createAnalytics({ ...config.analytics, now: parts.now, log: server.log }) : noAnalytics;
  const offlineWorker = config.offline === 'on' ? composeOfflineWorker(clientFolder, site.assets) : noOfflineWorker;
  const context: RouteContext = {
    parts,
    site,
    cache: new PageCache(pageCacheBytes, () => pressure.requireCapacity(), longestPageBytes),
    cards: new PageCache(cardCacheBytes, () => pressure.requireCapacity()),
    plainCard: readFileSync(join(clientFolder, 'card.png')),
    build: nameBuild(parts.renderer.engine, site),
    offlineWorker,
    capture: analytics.capture,
  };
  const makeReady = createPrerenderQueue(pressure, (slug, pageId) => prerender(context, slug, pageId));
  const routes = collectRoutes(server);
  await addBuiltFiles(server, clientFolder);
  for (const add of [
    creationRoutes,
    quickRoutes,
    notebookRoutes,
    pageRoutes,
    snapshotRoutes,
    commentRoutes,
    imageRoutes,
    imageFileRoutes,
    slugRoutes,
    healthRoutes,
    frontRoutes,
    offlineRoutes,
    unlockRoutes,
    reportRoutes,
    viewRoutes,
    editRoutes,
    diagramRoutes,
    findRoutes,
    crawlerRoutes,
    searchRoutes,
    sitemapRoutes,
    fileRoutes,
    feedRoutes,
    cardRoutes,
    embedRoutes,
    llmsRoutes,
    landingRoutes,
  ]) {
    add(server, context);
  }
  server.get(urls.api.openapi(), { schema: { hide: true } }, async () => server.swagger());
  answerUnknownPaths(server, routes, sendErrorPage);
  const viewHeaders = { commonHeaders: commonHeaders(config.publicUrl), htmlHeaders: server.htmlHeaders };
  const { unreadAnswers: unread } = server;
  openFrontDoor(server, { routes: quickViews(context, viewHeaders), pressure, unread, metrics, pulse: overrides.pulse });
  await server.ready();

  return {
    server,
    parts,
    jobs,
    listen: async () => {
      if (metrics) await listenForMetrics(metrics, config, server, overrides.place);
      await parts.objects?.prepare?.();
      pressure.start();
      // The service reports its address in a line of its own; the framework's would be a second one.
      const { level } = server.log;
      server.log.level = 'warn';
      const address = await openOtherSockets(server.server, { ...config, fds: overrides.place?.fds })
        .then(own => server.listen(own))
        .catch(error => {
          throw listenError(error, config);
        });
      server.log.level = level;
      for (const ticker of tickers) ticker.start();
      return address;
    },
    drain: () => drainConnections(server.server, drainMillis),
    close: async () => {
      for (const each of [jobs, ...tickers]) await each.stop();
      await acceptLast(server.server);
      await server.close();
      await metrics?.close();
      await analytics.close();
      await parts.passwords.close();
      await parts.renderer.close();
      await parts.imageChecker.close();
      await parts.cardPainter.close();
      await store.close();
    },
  };
}
