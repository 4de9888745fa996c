import type { KeptForm } from '../sessions/pending.ts';
import type { KeptField } from '../views/resume.tsx';

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
