import { expect, test } from 'vitest';
import { renderMessage } from './message.tsx';

const shown = (detail: string): string =>
  /<p class="soft">(.*?)<\/p>/.exec(renderMessage({ site: 'notes.example', title: 'No', text: 'Not here.', detail }))?.[1] ?? '';

test.each([
  ['the path holds an encoded slash', 'The path holds an encoded slash.'],
  ['Nobody may open this address.', 'Nobody may open this address.'],
  ['id_token_hint is not an ID Token from this provider', 'id_token_hint is not an ID Token from this provider.'],
])('a reason is a sentence on the page: %s', (detail, text) => {
  expect(shown(detail)).toBe(text);
});
