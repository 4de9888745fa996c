import type { ApiNotebook } from '../../../api/types.ts';
import { momentWords } from '../../device/date-words.ts';

/** Says in plain sentences what the view link can do right now. */
export function viewLinkFacts(notebook: ApiNotebook): string[] {
  if (notebook.lifecycle === 'burned') {
    const when = notebook.openedAt ? ` on ${momentWords(notebook.openedAt)}` : '';
    return [`It was opened${when}, by its one reader. Nobody else can read it; it is deleted the day after.`];
  }
  // Relies on the server's answer, because this device's clock may be wrong.
  if (notebook.lifecycle === 'expired') return ['It has expired: the link doesn’t work. Postpone the expiry and it works again.'];
  if (notebook.visibility === 'private') return ['The notebook is private: readers can’t open the link. Read it in the editor.'];
  if (notebook.burnAfterRead) return burningFacts(notebook);
  return [who(notebook), what(notebook), until(notebook)];
}

/** With a single reader none of the other sentences apply: no comments, no changes, no "works until you delete it". */
function burningFacts({ hasPassword, expiresAt }: ApiNotebook): string[] {
  return [
    hasPassword
      ? 'The first person who has it, knows the password and opens it can read it for ten minutes. Nobody else can.'
      : 'The first person who opens it can read it for ten minutes. Nobody else can.',
    ...(hasPassword ? ['Send the password another way.'] : []),
    'Once opened, it is deleted the day after.',
    ...(expiresAt === null ? [] : [`Nobody can open it after ${momentWords(expiresAt)}.`]),
  ];
}

/** Says whether the link works right now. The address itself never changes. */
export function viewLinkHint({ lifecycle, visibility, burnAfterRead }: ApiNotebook): string {
  if (lifecycle === 'burned') return 'It was opened. It no longer works.';
  if (lifecycle === 'expired' || visibility === 'private') return 'Readers can’t open it now. It never changes.';
  return burnAfterRead ? 'Send this link to one person. It opens once.' : 'This is the link to send. It never changes.';
}

function who({ visibility, hasPassword }: ApiNotebook): string {
  if (hasPassword) return 'Anyone who has it and knows the password can read. Send the password another way.';
  return visibility === 'public'
    ? 'Everybody can read: search engines list it.'
    : 'Anyone who has it can read. It isn’t listed anywhere.';
}

function what({ readOnly, openEditing, comments }: ApiNotebook): string {
  const words = comments ? 'leave comments' : '';
  if (readOnly || !openEditing) return words ? `They can ${words}, and change nothing.` : 'They can change nothing.';
  return `They can change texts, add pages${words ? ` and ${words}` : ''}; settings and every deletion stay yours.`;
}

const until = ({ expiresAt }: ApiNotebook) =>
  expiresAt === null ? 'It works until you delete the notebook.' : `It works until ${momentWords(expiresAt)}.`;
