import faq from '../../content/faq.json?raw';
import burnAfterReading from '../../content/landing/burn-after-reading.md?raw';
import markdownToPdf from '../../content/landing/markdown-to-pdf.md?raw';
import shareWithoutAccount from '../../content/landing/share-markdown-without-account.md?raw';
import teamNotesByLink from '../../content/landing/team-notes-by-link.md?raw';
import type { urls } from '../urls.ts';
import type { Question } from '../views/props.ts';

export interface LandingText {
  readonly title: string;
  readonly description: string;
  readonly markdown: string;
}

/** Reads `name: value` lines between two lines of three hyphens, then the markdown. */
function readLanding(text: string): LandingText {
  const [, head = '', markdown = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text.replaceAll('\r\n', '\n')) ?? [];
  // super-linear: our own texts, once at the start.
  const lineOf = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(head)?.[1];
  const [title, description] = [lineOf('title'), lineOf('description')];
  if (!title || !description) throw new Error(`A landing page needs a title and a description: ${text.slice(0, 80)}`);
  return { title, description, markdown };
}

/** One for each address in `urls.landing`. */
export const landingTexts: Readonly<Record<keyof typeof urls.landing, LandingText>> = {
  shareWithoutAccount: readLanding(shareWithoutAccount),
  burnAfterReading: readLanding(burnAfterReading),
  markdownToPdf: readLanding(markdownToPdf),
  teamNotesByLink: readLanding(teamNotesByLink),
};

export const questions = JSON.parse(faq) as readonly Question[];
