import type { Person } from '../support/person.ts';

const sentence =
  'A line of the source that is long enough to wrap in both panes, in each of them somewhere else, as prose does. ';

function part(number: number): string {
  return `## Part ${number} probe-${number}-heading

probe-${number}-paragraph ${sentence.repeat((number * 3) % 7)}

![a picture](/favicon.svg)

probe-${number}-after ${sentence}

| a | b |
|---|---|
${Array.from({ length: 8 }, (_, row) => `| probe-${number}-row-${row} | ${sentence.slice(0, 20 + row * 9)} |`).join('\n')}

\`\`\`js
${Array.from({ length: 12 }, (_, row) => `const probe = 'probe-${number}-code-${row}';`).join('\n')}
\`\`\`

- probe-${number}-item
- ${sentence}
  1. probe-${number}-inner

> probe-${number}-quote ${sentence}${sentence}
`;
}

/** Images, tables, code, lists and quotes, with words to find their places by. */
export function scrollPageOf(parts: number): string {
  return Array.from({ length: parts }, (_, at) => part(at + 1)).join('\n');
}

export const scrollPage = scrollPageOf(9);

export const probes = scrollPage
  .match(/probe-\d+-[a-z]+(?:-\d+)?/g)!
  .filter((_, at) => at % 16 === 0)
  // Before these there is nothing to scroll to, after these the panes end.
  .filter(probe => !probe.startsWith('probe-1-') && !probe.startsWith('probe-9-'));

export interface Found {
  /** Pixels from the top of the pane to the line with the word. */
  readonly field: number;
  readonly preview: number;
}

/** Where the word stands in both panes; in the field by another field that has only the text before it. */
export function find({ window }: Person, probe: string): Promise<Found> {
  return window.run(word => {
    const field = document.querySelector<HTMLTextAreaElement>('#markdown-field')!;
    const before = field.value.slice(0, field.value.lastIndexOf('\n', field.value.indexOf(word)) + 1);
    const copy = field.cloneNode() as HTMLTextAreaElement;
    copy.id = '';
    copy.style.cssText = `position: absolute; visibility: hidden; height: 0; min-height: 0; padding-bottom: 0; width: ${field.clientWidth}px`;
    copy.value = before;
    field.parentElement!.append(copy);
    const y = copy.scrollHeight - Number.parseFloat(getComputedStyle(field).lineHeight);
    copy.remove();
    const pane = document.querySelector<HTMLElement>('.preview-pane[data-shown="true"]')!;
    const walker = document.createTreeWalker(pane, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const at = walker.currentNode.textContent!.indexOf(word);
      if (at === -1) continue;
      const range = document.createRange();
      range.setStart(walker.currentNode, at);
      range.setEnd(walker.currentNode, at + word.length);
      const top = range.getBoundingClientRect().top - pane.getBoundingClientRect().top;
      return { field: y - field.scrollTop, preview: top };
    }
    throw new Error(`${word} is not in the preview`);
  }, probe);
}

export const panes = { field: '#markdown-field', preview: '.preview-pane[data-shown="true"]' } as const;

/** Scrolls one pane by hand until the word is on top of it, and waits until nothing moves any more. */
export async function scrollTo(person: Person, side: 'field' | 'preview', probe: string): Promise<Found> {
  // Takes the lead, as a hand on the wheel does.
  await person.window.wheel(await person.placeOf(panes[side]), 20);
  await settled(person);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const found = await find(person, probe);
    if (Math.abs(found[side]) < 1) return found;
    await moveBy(person, side, found[side]);
  }
  return find(person, probe);
}

export async function moveBy(person: Person, side: 'field' | 'preview', by: number): Promise<void> {
  await person.window.run(([css, top]) => document.querySelector(css)!.scrollBy({ top, behavior: 'instant' }), [
    panes[side],
    by,
  ] as const);
  await settled(person);
}

/** As many repaints. */
export function frames({ window }: Person, count: number): Promise<void> {
  return window.run(async many => {
    for (let frame = 0; frame < many; frame += 1) await new Promise(resolve => requestAnimationFrame(resolve));
  }, count);
}

/** @returns where both panes stand, when they have stood still for some frames */
export function settled({ window }: Person): Promise<readonly number[]> {
  return window.run(async () => {
    const places = () =>
      [...document.querySelectorAll('#markdown-field, .preview-pane[data-shown="true"]')].map(pane => pane.scrollTop);
    const frame = () => new Promise(resolve => requestAnimationFrame(resolve));
    for (let still = 0, before = ''; still < 6; ) {
      await frame();
      const now = places().join();
      still = now === before ? still + 1 : 0;
      before = now;
    }
    return places();
  }, undefined);
}
