import { describe, expect, it } from 'vitest';
import { readAnswer } from './drawing.ts';
import { readLayoutRequest } from './graph-layout.ts';

const drawn = { id: 1, svg: '<svg/>', width: 20, height: 10, name: 'Flow' };
const refused = { id: 1, problem: 'its drawing is too large' };
const empty = { id: 1, problem: 'nothing was drawn' };

describe('the answer of the drawing frame, which works on strangers’ text', () => {
  it.each([
    ['as it is', {}],
    ['of the largest size', { width: 20_000, height: 0.5, name: 'x'.repeat(500) }],
    ['as long as a drawing may be', { svg: 'x'.repeat(2_000_000) }],
  ])('is a drawing %s, and nothing else is taken from it', (_, changes) => {
    expect(readAnswer({ ...drawn, ...changes, onload: 'x' })).toEqual({ ...drawn, ...changes });
  });

  it.each([
    ['that is too long', { svg: 'x'.repeat(2_000_001) }],
    ['that is no text', { svg: ['<svg/>'] }],
    ['that is too wide', { width: 20_001 }],
    ['that is too high', { height: 20_001 }],
    ['without a width', { width: 0 }],
    ['of no size', { height: Number.NaN }],
    ['whose size is a text', { width: '20' }],
    ['whose name is too long', { name: 'x'.repeat(501) }],
    ['whose name is none', { name: undefined }],
  ])('is no drawing %s', (_, changes) => {
    expect(readAnswer({ ...drawn, ...changes })).toEqual(refused);
  });

  it('says why nothing was drawn, in so many words', () => {
    expect(readAnswer({ id: 2, problem: 'x'.repeat(500) })).toEqual({ id: 2, problem: 'x'.repeat(500) });
    for (const problem of ['x'.repeat(501), 7, undefined]) expect(readAnswer({ id: 1, problem })).toEqual(empty);
  });

  it.each([undefined, null, 'ready', 7, {}, { ...drawn, id: '1' }, []])('is none: %j', data => {
    expect(readAnswer(data)).toBeUndefined();
  });
});

it.each([undefined, null, 'ready', { layout: '1', graph: {} }, { layout: 1 }, { layout: 1, graph: 'x' }])(
  'a request for a layout is none: %j',
  data => expect(readLayoutRequest(data)).toBeUndefined(),
);

it('a request for a layout is read without what else it brings', () => {
  const graph = { graph: {}, nodes: [], edges: [] };
  expect(readLayoutRequest({ layout: 1, graph, other: 'x' })).toEqual({ layout: 1, graph });
});
