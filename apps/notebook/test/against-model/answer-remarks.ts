import { type Aimed, drawn, type Expected, type Told } from './calls.ts';
import { bookOf, notFound, refuse, turnAway } from './refusals.ts';
import { showComment, time } from './shown.ts';
import { meet, type World } from './world.ts';

/** Comments and reports. */
export function answerRemarks(
  world: World,
  call: Aimed & { kind: 'comments' | 'add-comment' | 'delete-comment' | 'report' },
  told: Told,
): Expected {
  const book = bookOf(world, call);
  const away = turnAway(world, call, book, call.kind === 'delete-comment' ? 'own' : 'read');
  if (away) return away;
  if (call.kind === 'report') return { status: 202, json: { reported: true } };
  if (call.kind === 'delete-comment') {
    const at = book.remarks.findIndex(({ id }) => id === call.aim.id);
    if (at === -1) return notFound;
    book.remarks.splice(at, 1);
    return { status: 204, empty: true };
  }
  // Their owner may still see and delete them.
  const isHidden = !book.comments && !(call.kind === 'comments' && meet(world, call.aim, book) === 'owner');
  if (isHidden) return notFound;
  if (call.kind === 'comments') return { status: 200, json: { items: book.remarks.map(showComment) } };
  const pageId = call.page === undefined ? null : call.aim.pageId;
  if (pageId !== null && !book.pages.some(({ id }) => id === pageId)) return refuse([404, 422], ['not_found', 'invalid']);
  const remark = { id: drawn(told, 'id'), author: call.author ?? '', body: call.text, pageId, createdAt: world.now };
  book.remarks.push(remark);
  book.remarkIds.push(remark.id);
  return { status: 201, json: showComment(remark) };
}

export function answerImages(
  world: World,
  call: Aimed & { kind: 'add-image' | 'images' | 'delete-image' },
  told: Told,
): Expected {
  const book = bookOf(world, call);
  const away = turnAway(world, call, book, call.kind === 'add-image' ? 'write' : 'own');
  if (away) return away;
  if (call.kind === 'images') {
    const items = book.images.map(({ createdAt, ...image }) => ({ ...image, createdAt: time(createdAt) })).reverse();
    return { status: 200, json: { items } };
  }
  if (book.readOnly) return refuse(409, 'read_only');
  if (call.kind === 'delete-image') {
    const at = book.images.findIndex(({ id }) => id === call.aim.id);
    if (at === -1) return notFound;
    book.images.splice(at, 1);
    return { status: 204, empty: true };
  }
  if (!call.good) return refuse(415, 'image_rejected');
  const [id, url] = [drawn(told, 'id'), drawn(told, 'url')];
  const { bytes } = (told.json ?? {}) as { bytes?: number };
  const image = { id, url, markdown: `![image](${url})`, bytes: bytes ?? 0, width: 1, height: 1 };
  book.images.push({ ...image, createdAt: world.now });
  book.imageIds.push(id);
  return { status: 201, json: image };
}
