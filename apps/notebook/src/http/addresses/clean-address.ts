import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../../errors.ts';
import { requireCleanText } from '../bodies/request-text.ts';
import { isBelowApi } from './api-address.ts';

function texts(values: unknown): string[] {
  return Object.values((values ?? {}) as Record<string, unknown>)
    .flat()
    .filter(value => typeof value === 'string');
}

/** The bytes of each run of percent-encodings; a `%` without two digits is read as itself. */
const encodedBytes = /(?:%[0-9a-f]{2})+/gi;

/** @throws Refusal `bad_request` when the query's bytes are not UTF-8 */
function requireUtf8Query(url: string): void {
  const [, query = ''] = /\?([^#]*)/.exec(url) ?? [];
  for (const [bytes] of query.matchAll(encodedBytes)) {
    if (!isUtf8(Buffer.from(bytes.replaceAll('%', ''), 'hex'))) {
      throw new Refusal('bad_request', { detail: 'The query is not valid UTF-8.' });
    }
  }
}

/** A percent-encoded NUL in a path names nothing that could exist; in a query it is refused as in a body. */
export function requireCleanAddresses(app: FastifyInstance): void {
  app.addHook('preValidation', async request => {
    if (texts(request.params).some(text => text.includes('\0'))) throw new Refusal('not_found');
    for (const text of texts(request.query)) requireCleanText(text, 'The query');
    // A link to a page may carry query parameters that other sites added.
    if (isBelowApi(request)) requireUtf8Query(request.url);
  });
}
