import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { argv, stdin, stdout } from 'node:process';
import { Owner } from '../../../src/model/rights.ts';
import { aChange, aNotebook, aPage, atOnce, countBy, noon } from '../../../src/store/contract/subject.ts';
import { createStore } from '../../../src/store/open-store.ts';

// Waits for a word, then does one thing many times at once and prints how often each result came.
const [url, task, argument = ''] = argv.slice(2) as [string, string, string?];
const store = createStore(url);
await store.migrate();
await store.ping();
stdout.write('ready\n');
await once(stdin, 'data');
stdout.write(`${JSON.stringify(countBy(await race(), result => result))}\n`);
await store.close();
stdin.destroy();

function race(): Promise<string[]> {
  if (task === 'create') return atOnce(50, createOne);
  if (task === 'save') return saveAll();
  const slot = { name: 'create', key: argument, max: 60, windowSeconds: 600 };
  return atOnce(100, async () => ((await store.takeRateSlot(slot, noon)).allowed ? 'allowed' : 'refused'));
}

function createOne(): Promise<string> {
  const notebook = aNotebook({ slug: argument });
  return store.createNotebook(notebook, [aPage(notebook.id, 0)]);
}

async function saveAll(): Promise<string[]> {
  const [editToken, slug] = argument.split(' ') as [string, string];
  const notebook = (await store.findNotebookBySlug(slug))!;
  const owner = Owner.check(notebook, editToken)!;
  const [page] = await store.listPageHeads(notebook.id);
  const change = () => aChange({ markdown: randomBytes(8).toString('hex'), expectedRevision: 1 });
  return atOnce(20, async () => (await store.changePage(owner, page!.id, change(), noon)).kind);
}
