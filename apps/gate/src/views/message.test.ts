import { expect, test } from 'vitest';
import { renderMessage } from './message.tsx';

const shown = (detail: string): string =>
  /<p class="soft">(.*?)<\/p>/.exec(renderMessage({ site: 'notes.example', title: 'No', text: 'Not here.', detail }))?.[1] ?? '';

test.each([
  ['the path contains an encoded slash', 'The path contains an encoded slash.'],
  ['No one has access to this address.', 'No one has access to this address.'],
  ['id_token_hint is not an ID Token from this provider', 'id_token_hint is not an ID Token from this provider.'],
])('a reason is a sentence on the page: %s', (detail, text) => {
  expect(shown(detail)).toBe(text);
});
