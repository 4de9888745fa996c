import type { VNode } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { copyText } from '../device/copy-text.ts';
import { pressToCopy } from '../device/press-to-copy.ts';

interface CopyFieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly copy: string;
}

export function CopyField({ id, label, hint, value, copy }: CopyFieldProps): VNode {
  const field = useRef<HTMLInputElement>(null);
  const [message, setMessage] = useState<string>();
  const press = async (): Promise<void> => {
    const copied = await copyText(value);
    field.current?.select();
    setMessage(copied ? 'Copied' : pressToCopy());
    setTimeout(() => setMessage(undefined), 2500);
  };
  return (
    <div class="link-field">
      <label class="label" for={id}>
        {label}
      </label>
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
      <div class="link-field-row">
        <input ref={field} id={id} type="text" readOnly value={value} aria-describedby={`${id}-hint`} />
        <button type="button" class="button" onClick={() => void press()}>
          {message ?? copy}
        </button>
        <span class="visually-hidden" role="status">
          {message === undefined ? '' : message === 'Copied' ? `${label} copied.` : `${label} selected. ${message} copies it.`}
        </span>
      </div>
    </div>
  );
}
