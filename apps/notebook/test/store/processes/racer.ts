import { randomBytes } from 'node:crypto';
import { argv, stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline';
import { hashEditToken } from '../../../src/model/edit-token.ts';
import { Owner } from '../../../src/model/rights.ts';
import { createStore } from '../../../src/store/open-store.ts';
import { anImage, anUploadRate } from '../contract/images.ts';
import { aChange, aNotebook, aPage, atOnce, countBy, noon } from '../contract/subject.ts';

// For each line, a turn, a task and its argument, does one thing many times at once and prints how often each result came.
const [url] = argv.slice(2) as [string];
const store = createStore(url);
await store.migrate();
await store.ping();
stdout.write('ready\n');
for await (const line of createInterface({ input: stdin })) {
  if (line === 'end') break;
  const [turn, task, ...argument] = line.split(' ');
  const results = await race(task!, argument.join(' '));
  stdout.write(`${turn} ${JSON.stringify(countBy(results, result => result))}\n`);
}
await store.close();
stdin.destroy();

function race(task: string, argument: string): Promise<string[]> {
  if (task === 'create') return atOnce(50, () => createOne(argument));
  if (task === 'save') return saveAll(argument);
  if (task === 'upload') return uploadAll(argument);
  const slot = { name: 'create', key: argument, max: 60, windowSeconds: 600 };
  return atOnce(100, async () => ((await store.takeRateSlot(slot, noon)).allowed ? 'allowed' : 'refused'));
}

function createOne(slug: string): Promise<string> {
  const notebook = aNotebook({ slug });
  return store.createNotebook(notebook, [aPage(notebook.id, 0)]);
}

/** 40 uploads from one address, spread over the notebooks of the argument; each that gets a slot fills it. */
async function uploadAll(argument: string): Promise<string[]> {
  const [rateKey, ...owned] = argument.split(' ') as [string, ...string[]];
  const owners = await Promise.all(owned.map(editToken => ownerOf(editToken)));
  const rate = anUploadRate({ key: rateKey });
  return atOnce(40, async turn => {
    const owner = owners[turn % owners.length]!;
    const image = anImage(owner.notebookId);
    const slot = await store.takeUploadSlot(owner, image.id, rate, noon);
    return slot.kind === 'taken' ? (await store.addImage(owner, image, noon)).kind : slot.kind;
  });
}

async function ownerOf(editToken: string): Promise<Owner> {
  const notebook = await store.findNotebookByTokenHash(hashEditToken(editToken));
  return Owner.check(notebook!, editToken)!;
}

async function saveAll(argument: string): Promise<string[]> {
  const [editToken, slug] = argument.split(' ') as [string, string];
  const notebook = (await store.findNotebookBySlug(slug))!;
  const owner = Owner.check(notebook, editToken)!;
  const [page] = await store.listPageHeads(notebook.id);
  const change = () => aChange({ markdown: randomBytes(8).toString('hex'), expectedRevision: 1 });
  return atOnce(20, async () => (await store.changePage(owner, page!.id, change(), noon)).kind);
}
