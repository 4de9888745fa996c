import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import { saveFile } from '../../device/save-file.ts';
import { sentenceOf } from '../../ui/use-session.ts';
import { qrCodeOf, qrPng, qrSvg } from './qr-code.ts';
import { QrPicture } from './qr-picture.tsx';

/** A QR code of the view link only, because everybody can scan a code on a wall. */
export function QrPanel({ viewLink, slug }: { viewLink: string; slug: string }): VNode {
  const [message, setMessage] = useState('');
  const code = qrCodeOf(viewLink);
  const save = async (ending: 'svg' | 'png'): Promise<void> => {
    const name = `${slug}-qr.${ending}`;
    try {
      if (ending === 'svg') saveFile(name, 'image/svg+xml', qrSvg(code));
      else saveFile(name, 'image/png', await qrPng(code));
      setMessage(`Saved as ${name}.`);
    } catch (problem) {
      setMessage(sentenceOf(problem));
    }
  };
  return (
    <div class="qr">
      <QrPicture code={code} label="QR code of the view link" />
      <div class="qr-words">
        <p class="hint">A phone’s camera opens the view link from this code. On a slide, a poster, a door.</p>
        <p class="button-row">
          <button type="button" class="button" onClick={() => void save('svg')}>
            Save as SVG
          </button>
          <button type="button" class="button" onClick={() => void save('png')}>
            Save as PNG
          </button>
        </p>
        <p class="hint" role="status">
          {message}
        </p>
      </div>
    </div>
  );
}
