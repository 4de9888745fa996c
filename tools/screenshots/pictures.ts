import sharp from 'sharp';

/** A wide, a tall and a small image. */
export function pictures(): Promise<Buffer[]> {
  const sizes = [
    { width: 1200, height: 500, color: '#b98b4e' },
    { width: 300, height: 700, color: '#4e7db9' },
    { width: 24, height: 24, color: '#5a8a4a' },
  ];
  return Promise.all(
    sizes.map(({ width, height, color }) => {
      const drawn = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><rect width="100%" height="100%" fill="${color}"/><circle cx="50%" cy="50%" r="30%" fill="#fff8"/></svg>`;
      return sharp(Buffer.from(drawn)).png().toBuffer();
    }),
  );
}
