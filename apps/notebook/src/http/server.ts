import cookie from '@fastify/cookie';
import swagger from '@fastify/swagger';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { limits } from '../limits.ts';
import { isBelowApi } from './addresses/api-address.ts';
import { requireCleanAddresses } from './addresses/clean-address.ts';
import { requireSameSite } from './addresses/cross-site.ts';
import { sendProblem } from './answers/problem.ts';
import { commonHeaders, type HtmlHeaders, htmlHeadersFor } from './answers/security-headers.ts';
import { readBodies } from './bodies/bodies.ts';
import { answerClientError } from './connections/client-error.ts';
import { closeConnectionsWithServer } from './connections/close-connections.ts';
import { limitConnections } from './connections/connections.ts';
import { answerHalfClosed } from './connections/half-closed.ts';
import { endStalledReaders } from './connections/stalled-readers.ts';
import { limitBodies } from './load/bodies-in-flight.ts';
import { countWork, type Pressure, shedLoad } from './load/pressure.ts';
import { scheduleRequests } from './load/request-scheduler.ts';
import { limitUnreadAnswers, type UnreadAnswers } from './load/unread-answers.ts';
import { answerErrors, type SendErrorPage } from './refusals.ts';
import { logRequests, redactedPath, warnOfUntrustedProxy } from './request-log.ts';
import { compileOnceListening, createSchemaCompilers, type SchemaCompilers } from './schema-compilers.ts';

export interface ServerOptions {
  readonly publicUrl: string;
  /** Where our own images are fetched from. */
  readonly imageOrigin: string | undefined;
  readonly logLevel: string;
  readonly trustProxy: readonly string[];
  readonly sendErrorPage: SendErrorPage;
  readonly pressure: Pressure;
  /** Processes that share the limits for one address. */
  readonly workers: number;
  /** Off: one client may use the whole in-flight limit. */
  readonly rateLimits: 'on' | 'off';
}

function createFastify(
  { logLevel, trustProxy }: ServerOptions,
  compilers: SchemaCompilers['compilers'],
  answerBadPath: (request: FastifyRequest, reply: FastifyReply) => void,
): FastifyInstance {
  const server = Fastify({
    logger: {
      level: logLevel,
      base: null,
      serializers: {
        // Fastify's own log lines contain the request as it came, and a path may contain an edit token.
        req: request => ({ method: request.method, path: redactedPath(request.url) }),
        err: error => ({ type: error.name, message: error.message, stack: error.stack ?? '' }),
      },
    },
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    bodyLimit: limits.maxBodyBytes,
    // As long as the request's head may be: a name that is too long is reported by the code that reads it.
    routerOptions: { maxParamLength: 16_384 },
    // A request that arrived before the server closed is answered, and its connection closes with the answer.
    return503OnClosing: false,
    requestTimeout: limits.requestSeconds * 1_000,
    // A client that opens a connection and says nothing, or sends one letter at a time, keeps it only briefly. The front door checks the
    // host.
    http: { headersTimeout: limits.headersSeconds * 1_000, connectionsCheckingInterval: 5_000, requireHostHeader: false },
    schemaController: { compilersFactory: compilers },
    ajv: {
      customOptions: {
        removeAdditional: false,
        coerceTypes: false,
        useDefaults: false,
        allErrors: true,
        // A test checks our schemas. Reading the meta-schema held up the first request after a start, and every other one, by 40 ms.
        validateSchema: false,
        code: { optimize: false },
      },
    },
    clientErrorHandler: answerClientError,
    // Paths that the router cannot read (bad percent-encoding) are answered as not found.
    frameworkErrors: (_error, request, reply) => answerBadPath(request, reply as unknown as FastifyReply),
  });
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
          'Notebooks of Markdown pages, shared by link, without accounts. Changes carry the edit token in X-Edit-Token.',
      },
      servers: [{ url: publicUrl }],
      components: { securitySchemes: { editToken: { type: 'apiKey', in: 'header', name: 'X-Edit-Token' } } },
    },
  });
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The headers of every page that is sent. */
    readonly htmlHeaders: HtmlHeaders;
    /** Long prepared answers that their clients have not read yet. */
    readonly unreadAnswers: UnreadAnswers;
  }
}

/** A server with everything that applies to each request, whatever its route: headers, bodies, refusals, logs. */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const { publicUrl, sendErrorPage } = options;
  const headers = commonHeaders(publicUrl);
  const schemas = createSchemaCompilers();
  const server = createFastify(options, schemas.compilers, (request, reply) => {
    reply.headers(headers);
    const isApi = request.url.startsWith('/api/');
    begin(request, reply, () => (isApi ? sendProblem(reply, 'not_found') : sendErrorPage(reply, 'not_found', undefined)));
  });
  server.decorate('htmlHeaders', htmlHeadersFor(options.imageOrigin));
  compileOnceListening(server, schemas);
  await server.register(cookie);
  readBodies(server);
  server.addHook('onRequest', async (request, reply) => {
    reply.headers(headers);
    if (isBelowApi(request)) reply.header('cache-control', 'no-store');
  });
  // Before all that refuses: a thousand refusals in one turn of the event loop would block it, too.
  countWork(server, options.pressure);
  const begin = scheduleRequests(server);
  server.addHook('onRequest', async request => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      requireSameSite(request, publicUrl, request.routeOptions.config?.setsCookie);
  });
  closeConnectionsWithServer(server.server);
  answerHalfClosed(server.server);
  limitConnections(server.server, {
    maxPerClient: Math.ceil(limits.maxConnectionsPerClient / options.workers),
    trustProxy: options.trustProxy,
  });
  shedLoad(server, options.pressure);
  server.decorate('unreadAnswers', limitUnreadAnswers(server, options.rateLimits));
  endStalledReaders(server.server, limits.readStallSeconds * 1_000);
  limitBodies(server, {
    maxBytes: limits.maxInFlightBytes,
    maxBytesPerClient: options.rateLimits === 'on' ? limits.maxInFlightBytesPerClient : undefined,
    stallMillis: limits.bodyStallSeconds * 1_000,
  });
  requireCleanAddresses(server);
  logRequests(server);
  warnOfUntrustedProxy(server);
  answerErrors(server, sendErrorPage);
  await addOpenApi(server, publicUrl);
  return server;
}
