import { pictures } from './pictures.ts';
import { drawings, figures, formulas, japanese, longPages, tour, turned } from './texts.ts';

export interface Made {
  readonly slug: string;
  readonly editToken: string;
  readonly pageIds: readonly string[];
}

const names = [
  ...(['tour', 'long', 'grid', 'dotted', 'kraft', 'math', 'diagrams', 'turned', 'locked', 'once'] as const),
  ...(['open', 'talked', 'expired', 'takenDown', 'private', 'public'] as const),
  ...(['written', 'fresh', 'figures', 'lined', 'japanese'] as const),
];
export type Links = Readonly<Record<(typeof names)[number], Made>>;

/** The service whose screenshots are taken. */
export interface World {
  readonly origin: string;
  readonly links: Links;
  readonly hasImages: boolean;
}

export function ask(origin: string, method: string, path: string, editToken: string, body?: object): Promise<Response> {
  const headers = { 'x-edit-token': editToken, ...(body ? { 'content-type': 'application/json' } : {}) };
  return fetch(origin + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
}

export async function create(origin: string, body: object): Promise<Made> {
  const answer = await fetch(`${origin}/api/notebooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (answer.status !== 201) throw new Error(`the service refused a seed notebook: ${await answer.text()}`);
  const { notebook, editToken } = (await answer.json()) as {
    notebook: { slug: string; pages: { id: string }[] };
    editToken: string;
  };
  return { slug: notebook.slug, editToken, pageIds: notebook.pages.map(({ id }) => id) };
}

export async function seedScenes(origin: string, hasImages: boolean): Promise<Links> {
  const one = (body: object) => create(origin, { pages: [{ markdown: tour }], ...body });
  const links = {
    tour: await one({ title: 'Notes from the paper mill', slug: 'paper-mill', paper: 'lined', pages: longPages.slice(0, 4) }),
    long: await one({ title: '六十页的笔记本 📓 and a title that is longer than it has any need to be', pages: longPages }),
    grid: await one({ paper: 'grid' }),
    dotted: await one({ paper: 'dotted', title: 'Untitled' }),
    kraft: await one({ paper: 'kraft' }),
    math: await one({ title: 'Formulas', pages: [{ markdown: formulas }] }),
    diagrams: await one({ title: 'Diagrams', paper: 'grid', pages: [{ markdown: drawings }] }),
    turned: await one({ title: 'من اليمين', pages: [{ markdown: turned }] }),
    locked: await one({ password: 'open sesame' }),
    once: await one({ burnAfterRead: true }),
    open: await one({ title: 'Written together', openEditing: true }),
    talked: await one({ title: 'A page that is talked about', pages: [{ markdown: '# Sizing\n\nGelatine or starch?' }] }),
    expired: await one({ title: 'Past its day', expiresAt: new Date(Date.now() + 2_000).toISOString() }),
    takenDown: await one({ title: 'Not for here' }),
    private: await one({ title: 'Private thoughts', visibility: 'private' }),
    written: await one({ title: 'Written here', pages: [{ markdown: tour }, { markdown: '# Second' }] }),
    fresh: await create(origin, {}),
    figures: await one({ pages: [{ markdown: `${figures}\n\n---\n\n# Second` }] }),
    lined: await one({ paper: 'lined', pages: [{ markdown: figures }] }),
    japanese: await one({ title: '紙漉きの記録', paper: 'lined', pages: [{ markdown: japanese }] }),
    public: await one({ title: 'A public book of paper', visibility: 'public', pages: longPages.slice(0, 3) }),
  };
  await ask(origin, 'PATCH', `/api/notebooks/${links.figures.slug}`, links.figures.editToken, { embedding: true });
  await talk(origin, links.talked);
  await rewrite(origin, links.tour);
  if (hasImages) await addImages(origin, links.kraft);
  return links;
}

async function talk(origin: string, { slug, editToken, pageIds }: Made): Promise<void> {
  const comments = [
    { author: 'Ada', body: 'Gelatine, always. There is more at https://example.org/sizing and it is worth the time.' },
    { author: '', body: 'Starch is cheaper.\n\nAnd it smells less.' },
    { author: 'سمير', body: 'الجيلاتين أفضل' },
  ];
  for (const comment of comments) {
    await ask(origin, 'POST', `/api/notebooks/${slug}/comments`, editToken, { ...comment, pageId: pageIds[0] });
  }
}

/** Makes two changes, so that there are earlier versions to view. */
async function rewrite(origin: string, { slug, editToken, pageIds }: Made): Promise<void> {
  const path = `/api/notebooks/${slug}/pages/${pageIds[0]}`;
  await ask(origin, 'PATCH', path, editToken, { markdown: tour.replace('since **1282**', 'since the year **1283**, or so') });
  await ask(origin, 'PATCH', path, editToken, { markdown: tour });
}

async function addImages(origin: string, { slug, editToken }: Made): Promise<void> {
  for (const bytes of await pictures()) {
    const answer = await fetch(`${origin}/api/notebooks/${slug}/images`, {
      method: 'POST',
      headers: { 'x-edit-token': editToken, 'content-type': 'image/png' },
      body: new Uint8Array(bytes),
    });
    if (answer.status !== 201) throw new Error(`the service refused an image: ${await answer.text()}`);
  }
}
