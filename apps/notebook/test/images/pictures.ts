import sharp from 'sharp';

const noise = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#468', noise: { type: 'gaussian', mean: 128, sigma: 40 } } });

export const imageFormats = ['png', 'jpeg', 'gif', 'webp', 'avif'] as const;
export type ImageFormat = (typeof imageFormats)[number];

/** A picture as a program of the field writes it. */
export async function aPicture(format: ImageFormat, { width = 48, height = 32 } = {}): Promise<Buffer> {
  return noise(width, height).toFormat(format).toBuffer();
}

export const secrets = ['SECRET-PLACE', 'SECRET-CAMERA', 'SECRET-WORDS', 'SECRET-THUMBNAIL'];

/** One that tells where, with what and by whom it was taken, and is stored lying on its side. */
export async function aTellingPicture(format: ImageFormat): Promise<Buffer> {
  const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">SECRET-WORDS</rdf:RDF></x:xmpmeta>`;
  return sharp(await noise(48, 32).png().toBuffer())
    .withMetadata({ orientation: 6 })
    .withExifMerge({
      IFD0: { Make: 'SECRET-CAMERA' },
      IFD3: { GPSAreaInformation: 'SECRET-PLACE', GPSLatitude: '51/1 30/1 0/1' },
    })
    .withXmp(xmp)
    .withIccProfile('p3')
    .toFormat(format)
    .toBuffer();
}

export async function anAnimation(format: 'gif' | 'webp', frames = 3): Promise<Buffer> {
  const pictures = await Promise.all(Array.from({ length: frames }, () => noise(32, 24).png().toBuffer()));
  return sharp(pictures, { join: { animated: true } })
    .toFormat(format, { loop: 0, delay: Array(frames).fill(120) } as object)
    .toBuffer();
}
