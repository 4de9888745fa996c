import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import type { Person } from '../support/person.ts';

const drawer = '/usr/bin/pdftoppm';
export const paperMissing = existsSync(drawer) ? undefined : 'pdftoppm is not installed (Debian: poppler-utils)';

export type Ink = readonly [red: number, green: number, blue: number];

/** Every sheet of a printed document, as pixels. */
export async function sheetsOf(pdf: Buffer): Promise<Picture[]> {
  const folder = await mkdtemp(join(tmpdir(), 'octavo-paper-'));
  await writeFile(join(folder, 'printed.pdf'), pdf);
  await promisify(execFile)(drawer, ['-r', '60', '-png', join(folder, 'printed.pdf'), join(folder, 'sheet')]);
  const names = (await readdir(folder)).filter(name => name.endsWith('.png')).sort();
  const sheets = await Promise.all(names.map(async name => readPicture(await readFile(join(folder, name)))));
  await rm(folder, { recursive: true });
  return sheets;
}

/** What a person sees where this element is drawn. */
export async function pictureOf(person: Person, css: string): Promise<Picture> {
  await person.placeOf(css);
  const box = await person.window.run(selector => {
    const { left, top, width, height } = document.querySelector(selector)!.getBoundingClientRect();
    return { left: Math.ceil(left), top: Math.ceil(top), width: Math.floor(width), height: Math.floor(height) };
  }, css);
  return readPicture(await person.window.screenshot(box));
}

export interface Picture {
  /** How many pixels are nearly of this color. */
  count(ink: Ink): number;
}

async function readPicture(bytes: Buffer): Promise<Picture> {
  const { data } = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return {
    count(ink) {
      let found = 0;
      for (let at = 0; at < data.length; at += 3)
        if (ink.every((value, channel) => Math.abs(value - data[at + channel]!) < 8)) found += 1;
      return found;
    },
  };
}

/** Makes what holds for paper hold on the screen: no driver but Chromium's can ask for that. */
export function applyPrintStyles(person: Person): Promise<void> {
  return person.window.run(() => {
    const turn = (rules: CSSRuleList): void => {
      for (const rule of rules) {
        if (rule instanceof CSSMediaRule && /print|screen/.test(rule.media.mediaText))
          rule.media.mediaText = rule.media.mediaText.replace(/\bprint\b/, 'all').replace(/\bscreen\b/, 'not all');
        if (rule instanceof CSSGroupingRule) turn(rule.cssRules);
      }
    };
    for (const sheet of document.styleSheets) turn(sheet.cssRules);
  }, undefined);
}
