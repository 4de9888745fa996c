import type { IncomingHttpHeaders } from 'node:http';
import type { Answer } from '../http/answer.ts';
import { readReturnTo } from '../model/return-to.ts';
import type { KeptForm } from '../sessions/pending.ts';
import type { KeptField } from '../views/resume.tsx';
import { type Context, siteName } from './context.ts';
import { refuse } from './refuse.ts';

/** It goes along in the addresses of a sign-in, and some servers in front allow 4 kB for all headers of an answer. */
const maxPageLength = 500;

/** The page where a form of our own site was filled in. */
export function readFormPage({ referer }: IncomingHttpHeaders): string | undefined {
  if (referer === undefined || referer.length > maxPageLength || !URL.canParse(referer)) return undefined;
  const { pathname, search } = new URL(referer);
  return readReturnTo(`${pathname}${search}`);
}

/** A form from another name of the site: a sign-in cannot bring it back, and the browser still has it on the page before. */
export function formElsewhere(context: Context, from: string | undefined): Answer {
  const site = siteName(context.state);
  return refuse(context, 'FORM_ELSEWHERE', {
    detail: `Go back and copy what you filled in. Then open the page at ${site}, and send it there.`,
    actions: [{ href: `${context.state.config.publicUrl}${from ?? '/'}`, label: `Open the page at ${site}` }],
  });
}

/** A form that is over, or was kept for another browser. */
export function formLost(context: Context, from: string | undefined): Answer {
  const way = from === undefined ? { href: '/', label: 'Go to the start page' } : { href: from, label: 'Go back to its page' };
  return refuse(context, 'FORM_LOST', { actions: [way] });
}

/** The fields of a kept form in order, including those with the same name. @returns undefined for a body that is not a form after all */
export async function readKeptForm({ contentType, body }: KeptForm): Promise<readonly KeptField[] | undefined> {
  const octets = Buffer.from(body, 'base64');
  let form: FormData;
  try {
    form = await new Response(octets, { headers: { 'content-type': contentType } }).formData();
  } catch {
    return undefined;
  }
  return Promise.all(
    [...form].map(async ([name, value]): Promise<KeptField> => {
      if (typeof value === 'string') return { name, value };
      const content = Buffer.from(await value.arrayBuffer()).toString('base64');
      return { name, value: '', file: { name: value.name, type: value.type, content } };
    }),
  );
}
