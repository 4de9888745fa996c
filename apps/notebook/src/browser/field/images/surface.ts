/** The parts of a canvas that shrinking needs, from a worker or from the page. */
export interface Surface {
  readonly context: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;
  readonly source: CanvasImageSource;
  /** @param quality 0 to 1. The result's type says which format the browser really made. */
  encode(type: string, quality: number): Promise<Blob>;
}

export type MakeSurface = (width: number, height: number) => Surface;

export function offscreenSurface(width: number, height: number): Surface {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser could not open a canvas.');
  return { context, source: canvas, encode: (type, quality) => canvas.convertToBlob({ type, quality }) };
}

/** For browsers whose workers have no canvas. */
export function elementSurface(width: number, height: number): Surface {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser could not open a canvas.');
  const encode = (type: string, quality: number) =>
    new Promise<Blob>((resolve, reject) => {
      canvas.toBlob(
        blob => (blob ? resolve(blob) : reject(new Error('This browser could not encode the image.'))),
        type,
        quality,
      );
    });
  return { context, source: canvas, encode };
}
