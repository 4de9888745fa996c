import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { browserEngines, type StartedBrowser } from '../support/browser-window.ts';
import { OwnService } from '../support/own-service.ts';
import { eventually, Person } from '../support/person.ts';
import type { Made } from '../support/service-process.ts';
import { applyPrintStyles, paperMissing, sheetsOf } from './paper.ts';

vi.setConfig({ testTimeout: 90_000 });

const text = String.raw`# Formulas

In a line: $\sqrt[3]{\frac{1}{1+\frac{1}{x}}}$ and $\mathbb{R}$.

$$\begin{pmatrix} a & b \\ c & d \end{pmatrix}$$

$$\color{#c80000}{\rule{9em}{3em}}$$

Over it all: $\raise{300pt}{\text{SPOOF}}$
`;

let octavo: OwnService;
let made: Made;
beforeAll(async () => {
  octavo = await OwnService.start();
  made = await octavo.create({ title: 'Counted', pages: [{ markdown: text }] });
});
afterAll(() => octavo?.close());

// MathML is drawn by the engines themselves, each in its own way: what is looked at is that it is drawn, whole, and nowhere else.
describe.each(browserEngines)('formulas in $name', ({ missing, start }) => {
  let browser: StartedBrowser;
  let person: Person;
  beforeAll(async () => {
    if (missing) return;
    browser = await start();
    person = new Person(browser.window, octavo.origin);
  });
  afterAll(() => browser?.close());

  /** Does nothing where it is open already. */
  async function openView(): Promise<void> {
    const path = `/n/${made.slug}`;
    const now = await person.window.run(() => location.pathname, undefined).catch(() => '');
    if (now !== path) await person.open(path);
    await person.sees('.math-inline');
  }

  async function expectDrawn(within: string): Promise<void> {
    await person.sees(`${within} math`);
    const { numerator, denominator, cells, root, radicand } = await person.window.run(pane => {
      const box = (css: string) => {
        const { left, right, top, bottom } = document.querySelector(`${pane} ${css}`)!.getBoundingClientRect();
        return { left, right, top, bottom };
      };
      const cellAt = (at: number) => document.querySelectorAll(`${pane} mtd`)[at]!.getBoundingClientRect().top;
      return {
        numerator: box('mfrac > :first-child'),
        denominator: box('mfrac > :last-child'),
        root: box('mroot'),
        radicand: box('mroot > :first-child'),
        cells: [cellAt(0), cellAt(1), cellAt(2)] as const,
      };
    }, within);
    expect(numerator.bottom).toBeLessThanOrEqual(denominator.top + 1);
    expect(root.left).toBeLessThan(radicand.left - 3);
    expect(Math.abs(cells[0] - cells[1])).toBeLessThan(4);
    expect(cells[2]).toBeGreaterThan(cells[0] + 8);
  }

  it.skipIf(missing)('are drawn on the page', async () => {
    await openView();
    await expectDrawn('.prose');
  });

  it.skipIf(missing)('are whole in their line, and draw over nothing else', async () => {
    await openView();
    const { cut, spoof } = await person.window.run(() => {
      const all = [...document.querySelectorAll('.math-inline')];
      const [first, last] = [all[0]!, all.at(-1)!];
      const outer = first.getBoundingClientRect();
      const room = Number.parseFloat(getComputedStyle(first).fontSize) * 0.25;
      const parts = [...first.querySelectorAll('mfrac *')].map(part => part.getBoundingClientRect());
      const words = last.querySelector('mtext')!;
      const { left, top, width, height } = words.getBoundingClientRect();
      const met = document.elementFromPoint(left + width / 2, top + height / 2);
      return {
        cut: parts.filter(part => part.bottom > outer.bottom + room || part.top < outer.top - room).length,
        spoof: { above: outer.top - top, met: met !== null && (met === words || last.contains(met)) },
      };
    }, undefined);
    expect(cut).toBe(0);
    expect(spoof.above).toBeGreaterThan(20);
    expect(spoof.met).toBe(false);
  });

  it.skipIf(missing)('are the same in the preview', async () => {
    const html = async (css: string) =>
      person.window.run(
        selector =>
          [...document.querySelectorAll(`${selector} .math-inline, ${selector} .math-display`)].map(each => each.outerHTML),
        css,
      );
    await openView();
    const onThePage = await html('.prose');
    await person.openEditor(made);
    await eventually(() => html('.preview-pane')).toEqual(onThePage);
    await expectDrawn('.preview-pane');
    await person.typeAfter('# Formulas', ' and $\\frac12$');
    await eventually(async () => (await html('.preview-pane')).length).toBe(onThePage.length + 1);
  });

  it.skipIf(missing)('have thin and negative spaces', async () => {
    const spaces = await octavo.create({ title: 'Spaces', pages: [{ markdown: String.raw`$ab$ $a\,b$ $a\!b$` }] });
    await person.open(`/n/${spaces.slug}`);
    await person.sees('.math-inline');
    const [plain, thin, nearer] = await person.window.run(() => {
      return [...document.querySelectorAll('.prose math')].map(math => {
        const letters = [...math.querySelectorAll('mi')].map(letter => letter.getBoundingClientRect());
        return (letters[1]!.left - letters[0]!.right) / Number.parseFloat(getComputedStyle(math).fontSize);
      });
    }, undefined);
    expect(thin! - plain!).toBeCloseTo(1 / 6, 1);
    expect(nearer! - plain!).toBeCloseTo(-1 / 6, 1);
  });

  it.skipIf(missing)('stand on the line of the words, and none that fits scrolls', async () => {
    const all =
      String.raw`x \hat{x} \frac12 \sqrt2 x_1^2 \sum_{i=1}^n i \not= \mathring{A} f \overline{AB} \vec{v} \int_0^1 \binom{n}{k} \|x\|`.split(
        ' ',
      );
    const markdown = `Text $x$ on a line.\n\n${all.map(tex => `Word $${tex}$ word.`).join('\n\n')}`;
    const lines = await octavo.create({ title: 'Lines', pages: [{ markdown }] });
    await person.open(`/n/${lines.slug}`);
    await person.sees('.math-inline');
    const { above, scroll } = await person.window.run(() => {
      const boxes = [...document.querySelectorAll<HTMLElement>('.prose .math-inline')];
      const mark = document.createElement('i');
      mark.style.display = 'inline-block';
      boxes[0]!.after(mark);
      const letter = boxes[0]!.querySelector('mi')!.getBoundingClientRect();
      return {
        above: mark.getBoundingClientRect().bottom - letter.bottom,
        scroll: boxes.filter(box => box.scrollWidth > box.clientWidth).map(box => box.textContent),
      };
    }, undefined);
    // Firefox gives letters the height of a line.
    expect(Math.abs(above)).toBeLessThan(7);
    expect(scroll).toEqual([]);
  });

  it.skipIf(missing)('are on paper', async () => {
    await person.open(`/n/${made.slug}`);
    await applyPrintStyles(person);
    await expectDrawn('.prose');
    await person.open(`/n/${made.slug}/print`);
    await expectDrawn('.prose');
    if (paperMissing || !person.window.print) return;
    const sheets = await sheetsOf(await person.window.print());
    // The bar of color that one of the formulas is.
    expect(sheets.some(sheet => sheet.count([200, 0, 0]) > 1_000)).toBe(true);
  });
});
