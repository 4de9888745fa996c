import { describe, expect, it } from 'vitest';
import { findFasterGrowth } from '../../../../../../tools/growth.ts';
import { InlineTokens } from './inline-tokens.ts';
import { stateAfter, tokensOf } from './line-tokens.ts';

/** Returns `kind: words` in the order of the text. */
function colored(text: string): string[] {
  let state = '';
  const shown: string[] = [];
  for (const line of text.split('\n')) {
    const tokens = [...tokensOf(line, state)].sort((one, other) => one.from - other.from || other.to - one.to);
    shown.push(...tokens.map(({ kind, from, to }) => `${kind}: ${line.slice(from, to)}`));
    state = stateAfter(line, state);
  }
  return shown;
}

describe('tokens of a line', () => {
  it.each<[string, string[]]>([
    ['# One `two`', ['heading: # One `two`', 'mark: #', 'code: `two`']],
    ['#tag', []],
    ['**a** and *b*', ['mark: **', 'strong: a', 'mark: **', 'mark: *', 'emphasis: b', 'mark: *']],
    ['***a***', ['mark: **', 'strong: *a', 'mark: *', 'emphasis: a', 'mark: ***', 'mark: ***']],
    ['2 * 3 * 4, snake_case_name', []],
    ['~~a~~ ==b== c == d', ['mark: ~~', 'struck: a', 'mark: ~~', 'mark: ==', 'highlight: b', 'mark: ==']],
    ['\\*a\\* \\`b\\`', []],
    ['``a ` b`` `open', ['code: ``a ` b``']],
    [
      '[a](https://example.org "t") ![p|9](p.png)',
      [
        'mark: [',
        'link: a',
        'mark: ]',
        'address: (https://example.org "t")',
        'mark: ![',
        'link: p|9',
        'mark: ]',
        'address: (p.png)',
      ],
    ],
    ['see [^1] and [x]', ['name: [^1]']],
    ['[x]: https://example.org', ['link: [x]:', 'address:  https://example.org']],
    ['<b>a</b> 1 < 2 <https://example.org>', ['tag: <b>', 'tag: </b>', 'address: <https://example.org>']],
    ['https://example.org/*a* now', ['address: https://example.org/*a*']],
    ['$x_1$ costs $5 and $6', ['math: $x_1$']],
    [':rocket: 12:30:45 std::x::y', ['name: :rocket:']],
    ['> - [x] done', ['mark: >', 'mark:  -', 'mark:  [x]']],
    ['> [!NOTE]', ['mark: >', 'name:  [!NOTE]']],
    ['12. a', ['mark: 12.']],
    ['- - -', ['mark: - - -']],
    ['| a \\| b |', ['mark: |', 'mark: |']],
    ['| --- | :-: |', ['mark: | --- | :-: |']],
    ['<!-- *a* --> *b*', ['mark: <!-- *a* -->', 'mark: *', 'emphasis: b', 'mark: *']],
  ])('%s', (line, tokens) => {
    expect(colored(line)).toEqual(tokens);
  });

  it('leaves a very long line alone', () => {
    expect(tokensOf('*a* '.repeat(1_000), '')).toEqual([]);
  });

  // The lines are longer than any that is colored, so that faster growth would show.
  it.each(['`', '` `` ``` ', '*a_', '[', '](', '](<', '<a ', '<!--', '$', '$$a', ':a', '*', '***a', '~~==', '(a   '])(
    'takes time in proportion to a line of %j',
    part => {
      const line = (chars: number) => part.repeat(chars / part.length);
      expect(findFasterGrowth(text => new InlineTokens(text, 0), line, [4_096, 16_384, 65_536])).toBeUndefined();
      expect(findFasterGrowth(text => stateAfter(text, ''), line)).toBeUndefined();
    },
  );
});

describe('lines that go on', () => {
  it.each<[string, string[]]>([
    ['```ts\n*a*\n\n```\n*b*', ['mark: ```ts', 'code: *a*', 'mark: ```', 'mark: *', 'emphasis: b', 'mark: *']],
    ['````\n```\n````', ['mark: ````', 'code: ```', 'mark: ````']],
    ['~~~\n```\n~~~', ['mark: ~~~', 'code: ```', 'mark: ~~~']],
    ['```a`b```\n*c*', ['code: ```a`b```', 'mark: *', 'emphasis: c', 'mark: *']],
    ['> ```\n> a\nb', ['mark: > ```', 'code: > a']],
    ['- ```\n  a\n  ```', ['mark: - ```', 'code:   a', 'mark:   ```']],
    ['$$\nx*y*\n$$\n*a*', ['math: $$', 'math: x*y*', 'math: $$', 'mark: *', 'emphasis: a', 'mark: *']],
    ['<!--\n*a*\n--> b', ['mark: <!--', 'mark: *a*', 'mark: -->']],
  ])('%j', (text, tokens) => {
    expect(colored(text)).toEqual(tokens);
  });
});
