import type { FastifyError } from 'fastify';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../errors.ts';
import { refusalOf, statusOf } from './refusals.ts';

const failing = (fields: object) => Object.assign(new Error('inner words'), fields) as unknown as FastifyError;

describe('what was thrown', () => {
  it('speaks in its own words when it is a refusal', () => {
    const refusal = new Refusal('read_only');
    expect(refusalOf(refusal as unknown as FastifyError)).toBe(refusal);
  });

  it.each([
    ['FST_ERR_CTP_BODY_TOO_LARGE', 'too_large'],
    ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 'unsupported_media_type'],
    ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 'bad_request'],
  ])('is known by the framework’s code: %s', (code, ours) => {
    expect(refusalOf(failing({ code, statusCode: 400 }))?.code).toBe(ours);
  });

  it.each([
    [400, 'bad_request'],
    [499, 'bad_request'],
    [399, undefined],
    [500, undefined],
    [undefined, undefined],
  ])('with status %s is %s', (statusCode, code) => expect(refusalOf(failing({ code: 'OTHER', statusCode }))?.code).toBe(code));

  it('answers with the status of its code', () => expect([statusOf('not_found'), statusOf('taken_down')]).toEqual([404, 410]));

  it('names a long unknown field by its start, and looks at the first faults only', () => {
    const unknown = (name: string) => ({
      ...{ instancePath: '', keyword: 'additionalProperties', schemaPath: '', message: '' },
      params: { additionalProperty: name },
    });
    const lookedAt = new Set<number>();
    const named = (at: number) => ({
      ...unknown(`x${at}`),
      get keyword() {
        lookedAt.add(at);
        return 'additionalProperties';
      },
    });
    const validation = [unknown('é'.repeat(9_000)), ...Array.from({ length: 9_000 }, (_, at) => named(at))];
    const { errors, detail } = refusalOf(failing({ validation }))!.extras;
    expect(errors![0]).toEqual({ path: `${'é'.repeat(200)}…`, message: 'is not a known field' });
    expect(errors).toHaveLength(50);
    expect(detail!.length).toBeLessThan(3_000);
    expect(lookedAt.size).toBe(999);
  });
});
