import { argv, stdout } from 'node:process';
import { Owner } from '../../../src/model/rights.ts';
import { createStore } from '../../../src/store/open-store.ts';
import { aChange, indexAll } from '../contract/subject.ts';

// Changes pages, makes their notebook private and public again, and brings the index up to it, over and over.
const [url, slug, editToken] = argv.slice(2) as [string, string, string];
const store = createStore(url);
const notebook = (await store.findNotebookBySlug(slug))!;
const owner = Owner.check(notebook, editToken)!;
const pages = await store.listPageHeads(notebook.id);

stdout.write('indexing\n');
for (let round = 0; ; round++) {
  for (const { id } of pages) {
    const words = Array.from({ length: 1_500 }, () => Math.random().toString(36).slice(2, 9)).join(' ');
    await store.changePage(owner, id, aChange({ markdown: `${words} round${round}` }), Date.now());
  }
  const indexing = indexAll(store);
  await store.changeSettings(owner, { visibility: round % 2 ? 'public' : 'unlisted' }, Date.now());
  await indexing;
}
