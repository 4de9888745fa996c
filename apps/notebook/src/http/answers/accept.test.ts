import { expect, it } from 'vitest';
import { wantsMarkdown } from './accept.ts';

it.each([
  ['text/markdown', true],
  ['Text/Markdown; charset=utf-8', true],
  ['text/markdown, application/json', true],
  ['application/json;q=0.5, text/markdown;q=0.9, */*;q=0.1', true],
  ['text/markdown;q=0.5', true],
  [undefined, false],
  ['', false],
  ['*/*', false],
  ['text/*', true],
  ['text/*;q=0.5, application/json', false],
  ['text/*, application/json', false],
  ['text/markdown;q=0, text/*', false],
  ['application/json;q=0, */*', true],
  ['text/html, application/xhtml+xml, */*;q=0.8', false],
  ['text/markdown;q=0.5, */*;q=0.8', false],
  ['application/json', false],
  ['text/markdown;q=0, application/json', false],
  ['text/markdown; q=0.000', false],
  ['application/json, text/markdown;q=0.5', false],
  ['text/markdown-not', false],
  ['text/markdown;q=nonsense', false],
])('who accepts %j wants markdown: %j', (accept, wanted) => expect(wantsMarkdown(accept)).toBe(wanted));
