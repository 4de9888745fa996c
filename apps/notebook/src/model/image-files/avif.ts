import { av1Sizes } from './av1-size.ts';
import { type Extent, type Item, type Location, readItems, readLocations, readPrimaryId, readProperties } from './avif-items.ts';
import { type Box, boxesIn, findBox, getBox } from './boxes.ts';
import { Bytes, refuseUnless } from './bytes.ts';
import { type ReadImage, readImage } from './read-image.ts';
import { requireSize } from './size.ts';

/** Coded pictures, and pictures composed of others. Every other item in a file (EXIF, XMP, anything else) is not a picture. */
const pictureTypes = new Set(['av01', 'grid', 'iovl', 'iden', 'tmap']);
const metaBoxes = new Set(['hdlr', 'pitm', 'iinf', 'iloc', 'iprp', 'iref', 'idat', 'dinf', 'grpl']);

/**
 * Offsets in this format count from the beginning of the file, so nothing is cut out: data that is not part of a picture is overwritten
 * with zeros in place, and boxes that nobody needs become `free`.
 */
export function readAvif(bytes: Bytes): ReadImage {
  const top = boxesIn(bytes, 0, bytes.length);
  refuseUnless(top[0]?.name === 'ftyp', 'does not begin with its header');
  refuseUnless(findBox(top, 'moov') === undefined, 'is a film, not a picture');
  const meta = getBox(top, 'meta');
  const parts = boxesIn(bytes, meta.content + 4, meta.end);
  const items = readItems(bytes, getBox(parts, 'iinf'));
  const places = placesOf(bytes, readLocations(bytes, getBox(parts, 'iloc')), parts, items, top);
  const properties = readProperties(bytes, getBox(parts, 'iprp'));
  for (const { width, height } of properties.sizes) requireSize(width, height);
  const placed = [...places.values()].flat();
  // Each byte may belong to one picture only: otherwise a small file could refer to the same pixels a thousand times.
  refuseUnless(placed.reduce((sum, { length }) => sum + length, 0) <= bytes.length, 'has a part twice');
  for (const item of items) checkPicture(bytes, item, places.get(item.id) ?? []);

  const primary = readPrimaryId(bytes, getBox(parts, 'pitm'));
  refuseUnless(
    items.some(({ id, type }) => id === primary && type !== 'tmap' && pictureTypes.has(type)),
    'has no pixels',
  );
  const size = properties.of(primary);
  refuseUnless(size !== undefined, 'has no size');
  const clean = withoutTheRest(bytes, top, parts, placed);
  return readImage({ type: 'avif', ...size, bytes: clean });
}

/** Where the pictures' data lies, as offsets into the file. */
function placesOf(
  bytes: Bytes,
  locations: readonly Location[],
  parts: readonly Box[],
  items: readonly Item[],
  top: readonly Box[],
): Map<number, Extent[]> {
  const pictures = new Set(items.filter(({ type }) => pictureTypes.has(type)).map(({ id }) => id));
  const idat = findBox(parts, 'idat');
  const data = top.filter(({ name }) => name === 'mdat');
  const places = new Map<number, Extent[]>();
  for (const { id, isInside, extents } of locations.filter(({ id }) => pictures.has(id))) {
    refuseUnless(!places.has(id), 'has a part twice');
    const within = isInside === 'file' ? data : isInside === 'idat' && idat ? [idat] : [];
    const base = isInside === 'idat' && idat ? idat.content : 0;
    const placed = extents.map(({ offset, length }) => ({ offset: bytes.at(base + offset, length), length }));
    for (const { offset, length } of placed) {
      const isWithin = within.some(({ content, end }) => offset >= content && offset + length <= end);
      refuseUnless(length > 0 && isWithin, 'has a part that lies outside of it');
    }
    places.set(id, placed);
  }
  return places;
}

function checkPicture(bytes: Bytes, { type }: Item, extents: readonly Extent[]): void {
  if (!pictureTypes.has(type)) return;
  const data = new Bytes(Buffer.concat(extents.map(({ offset, length }) => bytes.slice(offset, length))));
  if (type === 'av01') {
    const sizes = av1Sizes(data);
    refuseUnless(sizes.length > 0, 'has no pixels');
    for (const { width, height } of sizes) requireSize(width, height);
  }
  if (type === 'grid') {
    const edgeSize = data.u8(1) & 1 ? 4 : 2;
    requireSize(data.uint(4, edgeSize), data.uint(4 + edgeSize, edgeSize));
  }
}

function withoutTheRest(bytes: Bytes, top: readonly Box[], parts: readonly Box[], kept: readonly Extent[]): Uint8Array {
  const clean = Buffer.from(bytes.all);
  const free = (box: Box) => {
    clean.write('free', box.start + 4, 'latin1');
    clean.fill(0, box.content, box.end);
  };
  for (const box of top) if (!['ftyp', 'meta', 'mdat'].includes(box.name)) free(box);
  for (const box of parts) if (!metaBoxes.has(box.name)) free(box);
  for (const box of [...top, ...parts]) {
    if (box.name !== 'mdat' && box.name !== 'idat') continue;
    clean.fill(0, box.content, box.end);
    for (const { offset, length } of kept) {
      if (offset >= box.content && offset + length <= box.end) clean.set(bytes.slice(offset, length), offset);
    }
  }
  return clean;
}
