import { isSlug } from '../model/slug.ts';
import { takeDown as takeDownNotebook } from '../operations/take-down.ts';
import { readArguments } from './arguments.ts';
import { type Command, CommandFailed, UsageError } from './command.ts';
import { isEditLink } from './remote/connect.ts';
import { withStore } from './with-store.ts';

/** Reads a slug, alone or from a pasted view link. */
function readSlug(text: string): string {
  const slug = /^https?:\/\/[^/]+\/n\/([^/?#]+)/.exec(text)?.[1] ?? text;
  if (isSlug(slug)) return slug;
  // The error does not repeat the link, because logs keep error messages.
  if (isEditLink(text)) throw new UsageError('that is an edit link, which only its owner should have. Name the slug');
  throw new UsageError(`"${slug}" is not a slug`);
}

export const takeDown: Command = {
  usage: 'take-down SLUG [--undo]',
  about: 'removes a notebook from everybody (410), or puts it back',
  async run(args, terminal) {
    const { words, flags } = readArguments(args, { words: ['the slug'], flags: ['undo'] });
    const slug = readSlug(words[0]!);
    const answer = await withStore(terminal, parts => takeDownNotebook(parts, slug, flags.undo));
    if (answer === 'missing') throw new CommandFailed(`There is no notebook "${slug}".`);
    const now = flags.undo ? 'is back' : 'is taken down: everybody, its owner included, gets 410';
    const already = flags.undo ? 'was not taken down' : 'was taken down already';
    terminal.print(`"${slug}" ${answer === 'changed' ? now : already}.`);
    return 0;
  },
};
