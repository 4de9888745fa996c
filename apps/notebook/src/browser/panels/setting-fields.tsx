import type { VNode } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import type { Paper, Visibility } from '../../model/notebook.ts';

/** A record, so that a new value without a name does not compile. */
export const paperNames: Record<Paper, string> = {
  plain: 'Plain',
  lined: 'Lined',
  grid: 'Grid',
  dotted: 'Dotted',
  kraft: 'Kraft',
};

export const visibilityNames: Record<Visibility, string> = {
  public: 'Public: anyone, and search engines',
  unlisted: 'Unlisted: anyone who has the link',
  private: 'Private: only with the edit link',
};

/**
 * A field shows the newest choice until the server has answered it, then the real value. Answers to earlier choices are ignored: a
 * person at a keyboard makes several choices while the first request is on its way.
 */
function useChosen<Value>(
  value: Value,
  onChange: (chosen: Value) => Promise<void>,
): readonly [shown: Value, choose: (chosen: Value) => Promise<void>] {
  const [open, setOpen] = useState<{ readonly chosen: Value }>();
  const newest = useRef<object>(undefined);
  const choose = async (chosen: Value): Promise<void> => {
    const mine = { chosen };
    newest.current = mine;
    setOpen(mine);
    await onChange(chosen);
    if (newest.current === mine) setOpen(undefined);
  };
  return [open ? open.chosen : value, choose];
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: Partial<Record<Value, string>>;
  readonly onChange: (value: Value) => Promise<void>;
}

export function Choice<Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>): VNode {
  const id = useId();
  const [shown, pick] = useChosen(value, onChange);
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
      <select id={id} value={shown} onChange={event => void pick(event.currentTarget.value as Value)}>
        {Object.entries<string | undefined>(options).map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

interface CheckProps {
  readonly label: string;
  readonly hint: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => Promise<void>;
}

export function Check({ label, hint, checked, onChange }: CheckProps): VNode {
  const id = useId();
  const [shown, flip] = useChosen(checked, onChange);
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={shown}
        aria-describedby={`${id}-hint`}
        onChange={event => void flip(event.currentTarget.checked)}
      />
      <div>
        <label for={id}>{label}</label>
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      </div>
    </div>
  );
}
