import type { VNode } from 'preact';
import encodeQR from 'qr';

/** A link as a QR code, with its quiet zone of four modules (ISO/IEC 18004 §9.1). Black on white: many scanners accept nothing else. */
export function QrCode({ link, label }: { link: string; label: string }): VNode {
  const rows = encodeQR(link, 'raw', { ecc: 'medium', border: 4 });
  const size = rows.length;
  const path = rows.map((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')).join('')).join('');
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
      <path fill="#000" d={path} />
    </svg>
  );
}
