import { expect } from 'vitest';
import { LiveDocument } from '../../../src/markdown/live/live-document.ts';
import { renderMarkdown } from '../../../src/markdown/render.ts';
import { chanceFrom, editsOf } from './edits.ts';

/** One writer at one text: after every edit the parts, joined, are what the server would make of it. */
export function expectSameAfterEdits(text: string, seed: number, count: number): void {
  const live = new LiveDocument({ sourceLines: false });
  live.render(text);
  let before = text;
  for (const now of editsOf(text, chanceFrom(seed), count)) {
    const { parts, plain } = live.render(now);
    const whole = renderMarkdown(now);
    const told = `seed ${seed}; before ${JSON.stringify(before.slice(0, 3_000))}; now ${JSON.stringify(now.slice(0, 3_000))}`;
    expect(plain, told).toBe(whole.plain);
    expect(parts.map(part => part.html).join(''), told).toBe(whole.html);
    before = now;
  }
}
