import { either, listOf, that } from '../values/shape.ts';

const address = that(
  'an absolute URI without a fragment',
  value => typeof value === 'string' && value.length <= 2048 && URL.canParse(value) && !value.includes('#'),
);

/** The shape of `resource`: one, or several. */
export const resourceShape = either(address, listOf(address, 'absolute URIs'));

/** The APIs that an access token is for (RFC 8707 §2). */
export interface ReadResource {
  values: readonly string[];
  /** As request parameters, one for each. */
  pairs: [string, string][];
}

/** Reads one resource or several. */
export function readResource(given: string | readonly string[] | null | undefined): ReadResource {
  const values = given === null || given === undefined ? [] : [given].flat();
  return { values, pairs: values.map(value => ['resource', value]) };
}
