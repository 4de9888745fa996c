import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { argv } from 'node:process';
import { Owner } from '../../../src/model/rights.ts';
import { createStore } from '../../../src/store/open-store.ts';
import { aChange } from '../contract/subject.ts';

// Saves every page of a notebook over and over, and prints "page revision" of each save only after the store has answered it.
const [url, slug, editToken] = argv.slice(2) as [string, string, string];
const store = createStore(url);
const notebook = (await store.findNotebookBySlug(slug))!;
const owner = Owner.check(notebook, editToken)!;

async function saveForEver(pageId: string, revision: number): Promise<never> {
  for (let next = revision + 1; ; next++) {
    const change = aChange({ markdown: `revision ${next} ${'of a text of some length '.repeat(next % 200)}` });
    const result = await store.changePage(owner, pageId, change, Date.now());
    if (result.kind !== 'changed') throw new Error(result.kind);
    // Into the pipe before anything else happens: a kill cannot take back what was acknowledged.
    writeSync(1, `${pageId} ${result.page.revision}\n`);
  }
}

// Kept by a process as it ends; this one is killed, again and again, and the next would compile everything anew.
flushCompileCache();
const pages = await store.listPageHeads(notebook.id);
await Promise.all(pages.map(({ id, revision }) => saveForEver(id, revision)));
