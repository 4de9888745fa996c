import type { VNode } from 'preact';
import { qrCodeOf } from './qr-code.ts';
import { QrPicture } from './qr-picture.tsx';

/** A QR code of the edit link, shown on request and stored nowhere. */
export function EditQr({ editLink }: { editLink: string }): VNode {
  return (
    <div class="qr">
      <QrPicture code={qrCodeOf(editLink)} label="QR code that opens the editor" />
      <p class="hint qr-words">
        Scan it with your phone’s camera. Anyone who scans or photographs it can change and delete this notebook, so hide it when
        others can see your screen.
      </p>
    </div>
  );
}
