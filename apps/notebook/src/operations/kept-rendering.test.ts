import { describe, expect, it } from 'vitest';
import { packRendering, unpackRendering } from './kept-rendering.ts';

const rendered = (html: string) => ({ html, headings: [{ depth: 1, id: 'one', text: 'One' }] as const, diagrams: true as const });

describe('a kept rendering', () => {
  it('of up to 65,536 characters is JSON with its HTML', async () => {
    for (const short of [rendered('<p>é → 𝄞</p>'), rendered('x'.repeat(65_536))]) {
      const kept = await packRendering(short);
      expect(kept).toEqual({ json: JSON.stringify(short), packed: null });
      expect(await unpackRendering(kept)).toEqual(short);
    }
  });

  it('of more has its HTML apart, compressed, and comes back as it was', async () => {
    for (const long of [rendered('x'.repeat(65_537)), rendered('<p class="a">é → 𝄞 "\\\n</p>'.repeat(20_000))]) {
      const { json, packed } = await packRendering(long);
      expect(JSON.parse(json)).toEqual({ headings: long.headings, diagrams: true });
      expect(packed!.length).toBeLessThan(long.html.length / 10);
      expect(await unpackRendering({ json, packed })).toEqual(long);
    }
  });
});
