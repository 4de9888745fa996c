import encodeQR from 'qr';

/** A QR code as one path of unit squares, including the quiet zone of four modules (ISO/IEC 18004 §9.1). */
export interface QrCode {
  readonly size: number;
  readonly path: string;
}

export function qrCodeOf(text: string): QrCode {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: 4 });
  const path = rows.map((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')).join('')).join('');
  return { size: rows.length, path };
}

/** Black on white in every theme, because many scanners read nothing else. */
export function qrSvg({ size, path }: QrCode): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" width="${size * 8}" height="${size * 8}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${path}"/></svg>\n`;
}

/** Uses whole pixels per module, about 1,000 across, to be sharp on a screen and on a poster. */
export function qrPng({ size, path }: QrCode): Promise<Blob> {
  const canvas = document.createElement('canvas');
  const scale = Math.ceil(1_000 / size);
  canvas.width = size * scale;
  canvas.height = size * scale;
  const pen = canvas.getContext('2d')!;
  pen.fillStyle = '#fff';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.scale(scale, scale);
  pen.fillStyle = '#000';
  pen.fill(new Path2D(path));
  return new Promise((resolve, reject) =>
    canvas.toBlob(blob => (blob ? resolve(blob) : reject(new Error('This browser could not draw the QR code.'))), 'image/png'),
  );
}
