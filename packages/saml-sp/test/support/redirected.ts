import type { HttpMessage } from '../../src/bindings/incoming-request.ts';

/** A query as the binding reads it. */
export const redirected = (query: string): HttpMessage => ({
  method: 'GET',
  query,
  reparsed: false,
  contentType: undefined,
  body: '',
});
