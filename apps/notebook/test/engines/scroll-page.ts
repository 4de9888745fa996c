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
  return window.run(placeAndBring, { probe, lead: 'field' as const, tries: 0 });
}

/** Once a pane leads, scrolls it until the word is on top of it and nothing moves any more. */
export function bring({ window }: Person, lead: 'field' | 'preview', probe: string): Promise<Found> {
  return window.run(placeAndBring, { probe, lead, tries: 3 });
}

/** In the page, in one go: each question of a driver costs more than a frame. */
async function placeAndBring({
  probe,
  lead,
  tries,
}: {
  probe: string;
  lead: 'field' | 'preview';
  tries: number;
}): Promise<Found> {
  const field = document.querySelector<HTMLTextAreaElement>('#markdown-field')!;
  const pane = document.querySelector<HTMLElement>('.preview-pane[data-shown="true"]')!;
  const placeInField = (): number => {
    const before = field.value.slice(0, field.value.lastIndexOf('\n', field.value.indexOf(probe)) + 1);
    const copy = field.cloneNode() as HTMLTextAreaElement;
    copy.id = '';
    copy.style.cssText = `position: absolute; visibility: hidden; height: 0; min-height: 0; padding-bottom: 0; width: ${field.clientWidth}px`;
    copy.value = before;
    field.parentElement!.append(copy);
    const y = copy.scrollHeight - Number.parseFloat(getComputedStyle(field).lineHeight);
    copy.remove();
    return y - field.scrollTop;
  };
  const placeInPreview = (): number => {
    const walker = document.createTreeWalker(pane, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const at = walker.currentNode.textContent!.indexOf(probe);
      if (at === -1) continue;
      const range = document.createRange();
      range.setStart(walker.currentNode, at);
      range.setEnd(walker.currentNode, at + probe.length);
      return range.getBoundingClientRect().top - pane.getBoundingClientRect().top;
    }
    throw new Error(`${probe} is not in the preview`);
  };
  const place = () => ({ field: placeInField(), preview: placeInPreview() });
  for (let left = tries; left > 0; left -= 1) {
    const by = lead === 'field' ? placeInField() : placeInPreview();
    if (Math.abs(by) < 1) break;
    (lead === 'field' ? field : pane).scrollBy({ top: by, behavior: 'instant' });
    // The other pane follows in the next frame, and is corrected in those after it. There is no motion to wait for, as after a wheel.
    for (let still = 0, before = ''; still < 3; ) {
      await new Promise(resolve => requestAnimationFrame(resolve));
      const now = [field.scrollTop, pane.scrollTop].join();
      still = now === before ? still + 1 : 0;
      before = now;
    }
  }
  return place();
}

export const panes = { field: '#markdown-field', preview: '.preview-pane[data-shown="true"]' } as const;

/** Scrolls one pane by hand until the word is on top of it, and waits until nothing moves any more. */
export async function scrollTo(person: Person, side: 'field' | 'preview', probe: string): Promise<Found> {
  await takeLead(person, side);
  return bring(person, side, probe);
}

/** As a hand on the wheel does. */
export async function takeLead(person: Person, side: 'field' | 'preview'): Promise<void> {
  await person.window.wheel(await person.placeOf(panes[side]), 20);
  await settled(person);
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

/** @returns where both panes stand, when they have stood still for so many frames: a wheel's motion may begin some frames late */
export function settled({ window }: Person, frames = 6): Promise<readonly number[]> {
  return window.run(async wanted => {
    const places = () =>
      [...document.querySelectorAll('#markdown-field, .preview-pane[data-shown="true"]')].map(pane => pane.scrollTop);
    const frame = () => new Promise(resolve => requestAnimationFrame(resolve));
    for (let still = 0, before = places().join(); still < wanted; ) {
      await frame();
      const now = places().join();
      still = now === before ? still + 1 : 0;
      before = now;
    }
    return places();
  }, frames);
}
