import type { VNode } from 'preact';
import type { QrCode } from './qr-code.ts';

/** Black on white in the dark theme too, because many scanners read nothing else. */
export function QrPicture({ code, label }: { code: QrCode; label: string }): VNode {
  return (
    <svg class="qr-code" viewBox={`0 0 ${code.size} ${code.size}`} role="img" aria-label={label}>
      <path class="qr-paper" d={`M0 0h${code.size}v${code.size}H0z`} />
      <path class="qr-ink" d={code.path} />
    </svg>
  );
}
