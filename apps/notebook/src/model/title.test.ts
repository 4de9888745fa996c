import { expect, test } from 'vitest';
import { tidyTitle } from './title.ts';

test.each([
  ['white space', ' a\t\n b\u00a0c ', 'a b c'],
  ['control characters', 'a\u0007\u009bb', 'a b'],
  ['an override of direction', 'invoice\u202efdp.exe', 'invoicefdp.exe'],
  ['embeddings and isolates', '\u202aa\u202b\u202d\u202c\u2066b\u2067c\u2068\u2069', 'abc'],
  ['only those', '\u202e\u2066 \u2069', ''],
])('%s', (_, text, tidy) => expect(tidyTitle(text)).toBe(tidy));

test.each(['שלום\u200f!', 'a\u200eb', 'سلام\u061c', 'می\u200cخواهم', '👩\u200d👧'])(
  'marks of direction and joiners belong to the words: %j',
  title => expect(tidyTitle(title)).toBe(title),
);
