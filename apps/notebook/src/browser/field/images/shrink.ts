import { limits } from '../../../limits.ts';
import { analyzePixels } from './analyze-pixels.ts';
import { isAnimated } from './animation.ts';
import { fitWithin, type PixelSize, stepsDown } from './fit-within.ts';
import type { MakeSurface, Surface } from './surface.ts';

export type Shrunk =
  | { readonly kind: 'ready'; readonly blob: Blob }
  /** The image is animated, or the browser falsifies canvas pixels: the file is sent as it is and the server checks it. */
  | { readonly kind: 'unchanged' }
  /** This browser cannot read it as an image. */
  | { readonly kind: 'unreadable' };

const quality = limits.webpQualityPercent / 100;

/**
 * Spec 1 §2 "Image pipeline" 1 and 2. An image that is drawn and encoded again has its orientation applied and keeps no data about the
 * camera or the place.
 */
export async function shrinkImage(file: Blob, makeSurface: MakeSurface): Promise<Shrunk> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (isAnimated(bytes)) return { kind: 'unchanged' };
  if (!hasReliableCanvas(makeSurface)) return { kind: 'unchanged' };
  const bitmap = await decode(file);
  if (!bitmap) return { kind: 'unreadable' };
  try {
    return { kind: 'ready', blob: await encode(draw(bitmap, makeSurface)) };
  } finally {
    bitmap.close();
  }
}

async function decode(file: Blob): Promise<ImageBitmap | undefined> {
  try {
    return await createImageBitmap(file, { imageOrientation: 'from-image' });
  } catch {
    return undefined;
  }
}

interface Drawn extends PixelSize {
  readonly surface: Surface;
}

function draw(bitmap: ImageBitmap, makeSurface: MakeSurface): Drawn {
  const target = fitWithin(bitmap, limits.maxImageEdgePixels);
  let source: CanvasImageSource = bitmap;
  let drawn: Drawn | undefined;
  for (const size of stepsDown(bitmap, target)) {
    const surface = makeSurface(size.width, size.height);
    surface.context.imageSmoothingEnabled = true;
    surface.context.imageSmoothingQuality = 'high';
    surface.context.drawImage(source, 0, 0, size.width, size.height);
    source = surface.source;
    drawn = { surface, ...size };
  }
  return drawn!;
}

/** Some browsers (WebKit) give PNG when asked for WebP. Then we use the smallest format that shows the picture faithfully. */
async function encode({ surface, width, height }: Drawn): Promise<Blob> {
  const webp = await surface.encode('image/webp', quality);
  if (webp.type === 'image/webp') return webp;
  const png = webp.type === 'image/png' ? webp : await surface.encode('image/png', 1);
  const { transparent, fewColors } = analyzePixels(surface.context.getImageData(0, 0, width, height).data);
  if (transparent || fewColors) return png;
  const jpeg = await surface.encode('image/jpeg', quality);
  return jpeg.type === 'image/jpeg' && jpeg.size < png.size ? jpeg : png;
}

/** Browsers that resist fingerprinting return noise for canvas pixels. Noise must never be stored as a person's picture. */
function hasReliableCanvas(makeSurface: MakeSurface): boolean {
  const { context } = makeSurface(2, 1);
  context.fillStyle = '#336699';
  context.fillRect(0, 0, 1, 1);
  const { data } = context.getImageData(0, 0, 2, 1);
  return data[0] === 0x33 && data[1] === 0x66 && data[2] === 0x99 && data[3] === 255 && data[7] === 0;
}
