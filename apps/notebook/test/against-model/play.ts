import { answer } from './answer.ts';
import type { Aimed, Call, Told } from './calls.ts';
import { differences } from './compare.ts';
import { aim, type Run, requestOf } from './requests.ts';
import type { Server } from './server.ts';
import type { World } from './world.ts';

export const untold: Told = { status: 0, headers: {}, text: '', json: undefined };

/** Whatever the call does, to the server. */
export async function perform(server: Server, world: World, call: Aimed): Promise<Told> {
  const request = requestOf(call);
  if (request) return server.send(request);
  const { slug } = call.aim;
  if (call.kind === 'purge') await server.purge();
  if (call.kind === 'take-down') await server.takeDown(slug, world.now);
  if (call.kind === 'put-back') await server.putBack(slug);
  return untold;
}

/** Makes one call, and expects of it what the model does. */
export async function play(server: Server, world: World, run: Run, call: Call): Promise<void> {
  // The ids of snapshots are told by their list alone.
  if (call.kind === 'snapshot' || call.kind === 'restore')
    await play(server, world, run, { ...call, kind: 'snapshots', who: 'owner' });
  const aimed = aim(world, run, call);
  const told = await perform(server, world, aimed);
  const found = differences(answer(world, aimed, told), told);
  server.setTime(world.now);
  if (found.length === 0 && call.kind === 'quick' && call.as === 'curl')
    await play(server, world, run, {
      kind: 'read',
      who: 'owner',
      book: world.notebooks.length - 1,
      again: false,
      markdown: false,
    });
  if (found.length > 0) throw new Error(`${describe(aimed)}\n  ${found.join('\n  ')}`);
}

export function describe(call: Aimed): string {
  const { aim: at, ...rest } = call;
  const request = requestOf(call);
  return `${JSON.stringify(rest)} ${request ? `${request.method} ${request.url}` : ''} ${at.ifMatch ?? ''}`;
}
