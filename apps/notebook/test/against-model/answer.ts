import { answerNotebooks } from './answer-notebooks.ts';
import { answerImages, answerRemarks } from './answer-remarks.ts';
import { answerSnapshots } from './answer-snapshots.ts';
import { answerViews } from './answer-views.ts';
import { answerVisits } from './answer-visits.ts';
import { answerWriting } from './answer-writing.ts';
import type { Aimed, Call, Expected, Told } from './calls.ts';
import { bookOf } from './refusals.ts';
import { type Notebook, purge, type World } from './world.ts';

/** Does what the call does to the model's world, taking from the answer what only the server can choose; returns what it must have answered. */
export function answer(world: World, call: Aimed, told: Told): Expected {
  switch (call.kind) {
    case 'tick':
      world.now += call.by;
      return { status: 0 };
    case 'until':
      world.now = Math.max(world.now, instantOf(bookOf(world, call), call, world.now));
      return { status: 0 };
    case 'purge':
      purge(world);
      return { status: 0 };
    case 'take-down':
    case 'put-back':
      bookOf(world, call).takenDown = call.kind === 'take-down';
      return { status: 0 };
    case 'create':
    case 'quick':
    case 'check-slug':
    case 'read':
    case 'read-own':
    case 'read-page':
    case 'settings':
    case 'order':
    case 'delete':
    case 'replace-link':
      return answerNotebooks(world, call, told);
    case 'unlock':
    case 'open':
      return answerVisits(world, call, told);
    case 'add-page':
    case 'save':
    case 'delete-page':
      return answerWriting(world, call, told);
    case 'snapshots':
    case 'snapshot':
    case 'restore':
      return answerSnapshots(world, call, told);
    case 'add-image':
    case 'images':
    case 'delete-image':
      return answerImages(world, call, told);
    case 'comments':
    case 'add-comment':
    case 'delete-comment':
    case 'report':
      return answerRemarks(world, call, told);
    default:
      return answerViews(world, call, told);
  }
}

export function instantOf({ expiresAt }: Notebook, call: Call & { kind: 'until' }, now: number): number {
  if (expiresAt === null) return now;
  return expiresAt + call.offset + (call.instant === 'expiry' ? 0 : 3 * 86_400_000);
}
