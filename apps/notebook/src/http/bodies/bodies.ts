import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../../errors.ts';
import { nextTurn } from '../../event-loop-turns.ts';
import { parseBodies } from './assemble-body.ts';
import { readForm, readJson, readJsonInSteps, readUtf8, requireCleanText } from './request-text.ts';

function requireUtf8Charset(request: FastifyRequest): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new Refusal('unsupported_media_type', { detail: `The body must be UTF-8, not ${charset}.` });
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Accepts a form from one of our pages, or a text as it is. */
    accepts?: 'form' | 'text';
  }
}

/** A page sends a form and expects a page; every other client expects JSON. */
export function isForm(request: FastifyRequest): boolean {
  return (request.headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded');
}

/** The longest field of our forms is a comment. */
const maxFormBytes = 65_536;

const largeBodyBytes = 262_144;

/** Reads a body of megabytes in several turns of the event loop, so that several large bodies are never processed in the same turn. */
async function readLargeJson(body: Buffer): Promise<unknown> {
  const steps = readJsonInSteps(body);
  for (;;) {
    await nextTurn();
    const step = steps.next();
    if (!step.done) continue;
    await nextTurn();
    return step.value;
  }
}

/** Accepts JSON, markdown and our own pages' forms, only as UTF-8. Any other type of body is refused by name. */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  parseBodies(app, 'application/json', (request, body) => {
    requireUtf8Charset(request);
    return body.length < largeBodyBytes ? readJson(body) : readLargeJson(body);
  });
  parseBodies(app, ['text/markdown', 'text/plain'], (request, body) => {
    const { config, schema } = request.routeOptions;
    if (schema?.body !== undefined && config.accepts !== 'text') {
      throw new Refusal('unsupported_media_type', { detail: 'Texts are not supported here. Send application/json.' });
    }
    requireUtf8Charset(request);
    return requireCleanText(readUtf8(body), 'The body');
  });
  const formType = 'application/x-www-form-urlencoded';
  const parseForm = (request: FastifyRequest, body: Buffer) => {
    if (request.routeOptions.config.accepts !== 'form') {
      throw new Refusal('unsupported_media_type', {
        detail: 'Forms are not supported here. Send application/json or text/markdown.',
      });
    }
    // When a field is present twice, the last one counts.
    return Object.fromEntries(readForm(readUtf8(body)));
  };
  parseBodies(app, formType, parseForm, maxFormBytes);
}
