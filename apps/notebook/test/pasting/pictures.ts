import { randomBytes } from 'node:crypto';
import sharp from 'sharp';

/** Made by code, so that what is in them is known to the pixel. */
export interface Picture {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
}

type Color = readonly [number, number, number];

const red: Color = [220, 30, 30];
const green: Color = [30, 180, 60];
const blue: Color = [30, 60, 220];
const yellow: Color = [240, 220, 40];

/**
 * A photograph as a phone held upright stores it, only smaller: 2400×1800 pixels on their side (of which 1600×1200 are sent), orientation
 * 6 ("turn clockwise to see it"), and where it was taken. Seen upright its corners are red, green, blue and yellow, clockwise from the top
 * left.
 */
export async function photograph(): Promise<Picture> {
  const width = 2400;
  const height = 1800;
  const pixels = Buffer.alloc(width * height * 3);
  let noise = 1;
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      noise = (noise * 1_103_515_245 + 12_345) & 0x7fffffff;
      const grain = (noise >> 16) & 15;
      const corner = cornerColor(x, y, width, height);
      pixels[at++] = corner ? corner[0] : (x >> 5) + grain;
      pixels[at++] = corner ? corner[1] : (y >> 4) + grain;
      pixels[at++] = corner ? corner[2] : 90 + grain;
    }
  }
  const bytes = await sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 88 })
    .withExif({
      IFD0: { Make: 'Octavo', Model: 'Test camera' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 12/1', GPSLongitudeRef: 'E', GPSLongitude: '13/1 24/1 18/1' },
    })
    .withMetadata({ orientation: 6 })
    .toBuffer();
  return { name: 'IMG_2041 [beach].jpg', type: 'image/jpeg', bytes };
}

/** As stored: turned clockwise, the stored bottom left becomes the seen top left. */
function cornerColor(x: number, y: number, width: number, height: number): Color | undefined {
  const side = 240;
  const left = x < side;
  const right = x >= width - side;
  if (y >= height - side) return left ? red : right ? yellow : undefined;
  if (y < side) return left ? green : right ? blue : undefined;
  return undefined;
}

/** Clockwise from the top left, as the photograph is meant to be seen. */
export const photographCorners: readonly Color[] = [red, green, blue, yellow];

/** Two frames, 64×48. */
export async function animatedGif(name = 'wave.gif'): Promise<Picture> {
  const frame = (color: Color) =>
    sharp({ create: { width: 64, height: 48, channels: 3, background: { r: color[0], g: color[1], b: color[2] } } })
      .png()
      .toBuffer();
  const bytes = await sharp([await frame(red), await frame(blue)], { join: { animated: true } })
    .gif({ delay: [300, 300], loop: 0 })
    .toBuffer();
  return { name, type: 'image/gif', bytes };
}

/** Flat colors and sharp edges, 1200×800. */
export async function screenshot(name = 'screenshot.png'): Promise<Picture> {
  const window = Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="800"><rect width="1200" height="800" fill="#fff"/>` +
      `<rect width="1200" height="60" fill="#345"/><rect x="40" y="120" width="700" height="20" fill="#222" shape-rendering="crispEdges"/>` +
      `<rect x="40" y="160" width="500" height="20" fill="#888" shape-rendering="crispEdges"/></svg>`,
  );
  return { name, type: 'image/png', bytes: await sharp(window).png().toBuffer() };
}

/** For tests that look at its way and not at its pixels. */
export async function smallPicture(name: string): Promise<Picture> {
  const bytes = await sharp({ create: { width: 80, height: 60, channels: 3, background: '#369' } })
    .png()
    .toBuffer();
  return { name, type: 'image/png', bytes };
}

/** Larger than anything that is taken, and every byte of it in its place: most is a comment. */
export async function hugeAnimation(name = 'long.gif', bytes = 6 * 1_048_576): Promise<Picture> {
  const { bytes: small } = await animatedGif();
  const block = Buffer.alloc(256, 0x20);
  block[0] = 255;
  const comment = [Buffer.from([0x21, 0xfe]), ...Array<Buffer>(Math.ceil(bytes / 256)).fill(block), Buffer.from([0])];
  return { name, type: 'image/gif', bytes: Buffer.concat([small.subarray(0, -1), ...comment, small.subarray(-1)]) };
}

/** Pixels that nothing makes smaller: about 5.8 MB. */
export async function noisePicture(name = 'noise.png'): Promise<Picture> {
  const [width, height] = [1600, 1200];
  const pixels = randomBytes(width * height * 3);
  return {
    name,
    type: 'image/png',
    bytes: await sharp(pixels, { raw: { width, height, channels: 3 } })
      .png({ compressionLevel: 0 })
      .toBuffer(),
  };
}

/** Named like an image, and none. */
export const brokenPicture: Picture = { name: 'broken.png', type: 'image/png', bytes: Buffer.from('this is no image') };
