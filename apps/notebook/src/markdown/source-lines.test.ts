import { Lexer, type Token } from 'marked';
import { expect, it } from 'vitest';
import { countLines, placeBlocks } from './source-lines.ts';

/** The type and the line of each block that has one, containers before what is in them. */
function placed(tokens: readonly Token[]): string[] {
  return tokens.flatMap(token => {
    const { type, line, tokens: inside, items } = token as { type: string; line?: number; tokens?: Token[]; items?: Token[] };
    return [...(line === undefined || type === 'space' ? [] : [`${type} ${line}`]), ...placed(items ?? inside ?? [])];
  });
}

const token = (type: string, raw: string, inside?: object): Token => ({ type, raw, ...inside }) as Token;

it('containers and the blocks in them have their lines, and lose them again', () => {
  const paragraph = () => token('paragraph', 'x\n', { tokens: [token('text', 'x')] });
  const container = (type: string) => token(type, '- x\n\n  x\n', { tokens: [paragraph(), token('space', '\n'), paragraph()] });
  const tokens = [
    paragraph(),
    token('list', '- x\n\n  x\n- x\n\n  x\n', { items: [container('list_item'), container('list_item')] }),
    container('blockquote'),
    container('footnoteDefinition'),
    paragraph(),
  ];
  placeBlocks(tokens, 5);
  expect(placed(tokens)).toEqual([
    'paragraph 5',
    'list 6',
    ...['list_item 6', 'paragraph 6', 'paragraph 8'],
    ...['list_item 9', 'paragraph 9', 'paragraph 11'],
    ...['blockquote 12', 'paragraph 12', 'paragraph 14'],
    ...['footnoteDefinition 15', 'paragraph 15', 'paragraph 17'],
    'paragraph 18',
  ]);
  placeBlocks(tokens, undefined);
  expect(placed(tokens)).toEqual([]);
});

it('a block begins behind its leading blank lines', () => {
  const tokens = [token('paragraph', '\n\nx\ny\n'), token('paragraph', 'z')];
  placeBlocks(tokens, 1);
  expect(placed(tokens)).toEqual(['paragraph 3', 'paragraph 5']);
});

it('each line feed is a line', () => {
  expect(['', 'a', '\n', 'a\n\nb\n', '\r'].map(countLines)).toEqual([0, 0, 1, 3, 0]);
  expect(placed(new Lexer().lex('a'))).toEqual([]);
});
