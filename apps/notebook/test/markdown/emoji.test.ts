import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { emojiListSource } from '../../../../tools/make-emoji-list.ts';
import { emojiNames, withEmoji } from '../../src/markdown/emoji/emoji.ts';
import { firstHeading } from '../../src/markdown/heading.ts';
import { renderMarkdown } from '../../src/markdown/render.ts';
import { plainText } from '../../src/operations/plain-text.ts';

const html = (markdown: string) => renderMarkdown(markdown).html.trim();

test('the list is GitHub’s', () => {
  const file = new URL('../../src/markdown/emoji/emoji-list.ts', import.meta.url);
  expect(readFileSync(file, 'utf8')).toBe(emojiListSource());
  expect(emojiNames().size).toBe(1_913);
  expect(emojiNames().get('+1')).toBe('👍');
});

describe('in a text', () => {
  it.each([
    ['A :rocket:, :+1: and :tada::heart:', '<p>A 🚀, 👍 and 🎉❤️</p>'],
    ['**:smile_cat:** [:x:](/a)', '<p><strong>😸</strong> <a href="/a" rel="nofollow ugc noopener noreferrer">❌</a></p>'],
    ['好:rocket:好', '<p>好🚀好</p>'],
    ['![:rocket: start](/a.png)', '<p><img src="/a.png" alt="🚀 start" loading="lazy" referrerpolicy="no-referrer"></p>'],
    ['<b>:rocket:</b>', '<p><b>🚀</b></p>'],
  ])('%s becomes %s', (markdown, expected) => {
    expect(html(markdown)).toBe(expected);
  });

  it.each([
    '`:rocket:`',
    '<code>:rocket:</code>',
    '<kbd>a <b>:rocket:</b></kbd>',
    '    :rocket:',
    '```\n:rocket:\n```',
    '\\:rocket:',
    ':no_such_emoji:',
    '10:100:20',
    'std::x::y',
    'a:x:',
    'https://example.org/:rocket:/',
    '<https://example.org/:rocket:>',
    '[a](/:rocket: "is :rocket:")',
    '$:rocket:$',
  ])('%s has none', markdown => {
    expect(html(markdown)).not.toMatch(/\p{RGI_Emoji}/v);
    expect(html(markdown)).not.toContain('data-mark');
  });
});

it('a heading’s address has the name, as on GitHub; its words and the title have the emoji', () => {
  const { headings } = renderMarkdown('# :rocket: Start `:x:`\n\n## Next');
  expect(headings.map(({ id, text }) => [id, text])).toEqual([
    ['user-content-rocket-start-x', '🚀 Start :x:'],
    ['user-content-next', 'Next'],
  ]);
  expect(firstHeading('# :rocket: Start `:x:`')).toBe('🚀 Start :x:');
  expect(plainText('Off to :rocket:')).toBe('Off to 🚀');
  expect(withEmoji('no colon, a: colon')).toBe('no colon, a: colon');
});
