import { expect, it } from 'vitest';
import { requireNoCoding } from './content-coding.ts';

const told = (coding: string | undefined) => {
  try {
    requireNoCoding({ headers: coding === undefined ? {} : { 'content-encoding': coding } });
    return 'taken';
  } catch (problem) {
    return problem;
  }
};

it.each([undefined, '', ' ', 'identity', 'Identity', ' identity , identity', 'identity,,identity'])('takes %j', coding =>
  expect(told(coding)).toBe('taken'),
);

it.each(['gzip', 'GZIP', 'br', 'x-gzip', 'identity, gzip', 'gzip,identity', 'identityx', 'x-identity', 'identity;q=1', 'none'])(
  'refuses %j by its name',
  coding =>
    expect(told(coding)).toMatchObject({
      code: 'unsupported_media_type',
      extras: { detail: `Send the body as it is, without Content-Encoding: ${coding}.` },
    }),
);
