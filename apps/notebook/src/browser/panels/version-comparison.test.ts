import { h } from 'preact';
import { render } from 'preact-render-to-string';
import { expect, it } from 'vitest';
import { VersionComparison } from './version-comparison.tsx';

const sidesOf = (earlier: string, present: string) =>
  render(h(VersionComparison, { earlier, present }))
    .split('</section>')
    .slice(0, 2)
    .map(side => (side.includes('No text') ? 'none' : side.includes('<pre') ? 'text' : 'blank'));

it('says which side has no text', () => {
  expect(sidesOf('', 'Words')).toEqual(['none', 'text']);
  expect(sidesOf('Words', '')).toEqual(['text', 'none']);
  expect(sidesOf('Words', 'Other words')).toEqual(['text', 'text']);
});
