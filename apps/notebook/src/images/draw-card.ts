import sharp from 'sharp';
import type { Paper } from '../model/notebook.ts';
import type { CardContent } from './card-painter.ts';
import { removeUndrawable, type TextStyle, type TypesetText, typeset, typesetWithin } from './card-text.ts';

// The library can open much more: only our own drawing and the set text are allowed.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: ['VipsForeignLoadSvgBuffer', 'VipsForeignLoadPngBuffer'] });
sharp.cache(false);
sharp.concurrency(1);

const [width, height] = [1200, 630];
const [left, right] = [110, 90];
const measure = width - left - right;
/** The text is placed between these; the footer is below. */
const [top, bottom] = [64, 530];

/** The light scheme of browser/styles/tokens.css and papers.css. */
const plain = {
  sheet: '#fffefc',
  ink: '#23211e',
  soft: '#5c5851',
  accent: '#1b5675',
  rule: '#dbd7ce',
  line: '#e8eef1',
  margin: '#f3d9d6',
};
type Colors = typeof plain;
const kraft: Colors = { ...plain, sheet: '#e4d0b1', ink: '#2b2016', soft: '#554431', accent: '#123f57', rule: '#c5aa80' };

/** From large to small. The text's lines are as far apart as the paper's rules, the title's twice as far. */
const sizes = [
  { title: 84, text: 31, rule: 48, maxTitleLines: 2 },
  { title: 66, text: 28, rule: 40, maxTitleLines: 3 },
  { title: 50, text: 25, rule: 32, maxTitleLines: 5 },
] as const;
const maxTextLines = 4;

/** Replaces the title when the typefaces lack its letters. */
const unreadable = 'A shared notebook';

/** The texture of wrapping paper: gratings whose periods never coincide. */
const fibres = [
  { degrees: 6, period: 23, color: '#68461a', opacity: 0.07 },
  { degrees: -7, period: 31, color: '#fffaec', opacity: 0.2 },
  { degrees: 38, period: 53, color: '#68461a', opacity: 0.06 },
];

/** Upright strokes, rotated around the middle of the sheet: long and wide enough to cover its corners. */
function drawFibres({ degrees, period, color, opacity }: (typeof fibres)[number]): string {
  const reach = Math.hypot(width, height) / 2;
  const count = Math.ceil((2 * reach) / period);
  const strokes = Array.from({ length: count }, (_, index) => `M${index * period - reach} ${-reach}v${2 * reach}`).join('');
  const place = `translate(${width / 2} ${height / 2}) rotate(${degrees})`;
  return `<path d="${strokes}" transform="${place}" stroke="${color}" stroke-opacity="${opacity}" stroke-width="1.5"/>`;
}

function rulesOf(paper: Paper, rule: number, phase: number, colors: Colors): string {
  const pattern = (wide: number, high: number, shapes: string, more = '') =>
    `<pattern id="paper" width="${wide}" height="${high}" patternUnits="userSpaceOnUse" ${more}>${shapes}</pattern><rect width="${width}" height="${height}" fill="url(#paper)"/>`;
  const across = `<rect width="${rule}" height="1.5" fill="${colors.line}"/>`;
  switch (paper) {
    case 'plain':
      return '';
    case 'lined':
      return `${pattern(rule, rule, across, `y="${phase}"`)}<rect x="${left - 34}" width="2" height="${height}" fill="${colors.margin}"/>`;
    case 'grid': {
      const down = `<rect width="1.5" height="${rule}" fill="${colors.line}"/>`;
      return pattern(rule, rule, across + down, `y="${phase}"`);
    }
    case 'dotted':
      return pattern(rule, rule, '<circle cx="8" cy="2" r="2" fill="#d3dadd"/>', `y="${phase - 2}"`);
    case 'kraft':
      return fibres.map(drawFibres).join('');
  }
}

/** The paper and the footer, without any of the notebook's words. */
function sheetOf({ paper, pages }: CardContent, rule: number, phase: number): Buffer {
  const colors = paper === 'kraft' ? kraft : plain;
  const foot = `font-family="Inter" font-size="27" font-weight="500" fill="${colors.soft}"`;
  return Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
<rect width="${width}" height="${height}" fill="${colors.sheet}"/>${rulesOf(paper, rule, phase, colors)}
<rect y="${height - 8}" width="${width}" height="8" fill="${colors.accent}"/>
<g transform="translate(${left - 6} 551) scale(1.75)" fill="none" stroke="${colors.accent}" stroke-width="1.9" stroke-linejoin="round" stroke-linecap="round">
<path d="M12 5.2C9.8 3.6 6.9 3 3.5 3v15.2c3.4 0 6.3.6 8.5 2.3 2.2-1.7 5.1-2.3 8.5-2.3V3c-3.4 0-6.3.6-8.5 2.2Z"/><path d="M12 5.2v15.3"/></g>
<text x="${left + 48}" y="582" font-family="'Source Serif 4'" font-size="31" font-weight="600" fill="${colors.ink}">Octavo</text>
<text x="${width - right}" y="582" text-anchor="end" ${foot}>${pages === 1 ? '1 page' : `${Number(pages)} pages`}</text>
</svg>`);
}

/** Loads the typefaces, which takes far longer than drawing a card. */
export async function prepare(): Promise<void> {
  await drawCard({ title: 'Ready', description: '', pages: 1, paper: 'plain' });
}

/** Uses the largest size in which the title fits; the smallest cuts a title that is too long. */
async function setTitle(title: string, colors: Colors) {
  for (const size of sizes) {
    const style: TextStyle = {
      family: 'Source Serif 4',
      weight: 600,
      size: size.title,
      pitch: 2 * size.rule,
      color: colors.ink,
    };
    const set = await typeset(style, title, measure);
    if (set.lines <= size.maxTitleLines) return { size, set };
    if (size === sizes.at(-1)) return { size, set: await typesetWithin(style, title, measure, size.maxTitleLines) };
  }
  throw new Error('there is a smallest size');
}

async function setDescription(description: string, size: (typeof sizes)[number], room: number, colors: Colors) {
  const lines = Math.min(maxTextLines, room);
  if (description === '' || lines < 1) return undefined;
  const style: TextStyle = { family: 'Inter', weight: 400, size: size.text, pitch: size.rule, color: colors.soft };
  return typesetWithin(style, description, measure, lines);
}

/** A PNG of 1200 × 630 pixels, the size that Open Graph consumers ask for. */
export async function drawCard(face: CardContent): Promise<Uint8Array> {
  const colors = face.paper === 'kraft' ? kraft : plain;
  const { size, set: title } = await setTitle((await removeUndrawable(face.title)) || unreadable, colors);
  const { rule } = size;
  const room = Math.floor((bottom - top) / rule) - 2 * title.lines - 1;
  const text = await setDescription(await removeUndrawable(face.description), size, room, colors);
  const used = rule * (2 * title.lines + (text ? text.lines + 0.5 : 0));
  // Slightly above the middle, where the eye looks first; every baseline is on a rule.
  const first = Math.round(top + (bottom - top - used) * 0.4 + 1.5 * rule);
  const at = ({ image, firstBaseline, ...set }: TypesetText, baseline: number) => ({
    input: image,
    left: set.fromRight ? width - right - set.width : left,
    top: Math.round(baseline - firstBaseline),
  });
  const belowTitle = first + 2 * rule * (title.lines - 1) + 2 * rule;
  return sharp(sheetOf(face, rule, (first % rule) + 4))
    .composite([at(title, first), ...(text ? [at(text, belowTitle)] : [])])
    .png({ palette: true, colors: 128, dither: 0, compressionLevel: 9, effort: 4 })
    .toBuffer();
}
