import type { VNode } from 'preact';
import { useId } from 'preact/hooks';
import type { Paper, Visibility } from '../../model/notebook.ts';

/** Records, so that a new value without a name does not compile. */
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

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: Partial<Record<Value, string>>;
  readonly onChange: (value: Value) => Promise<void>;
}

export function Choice<Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>): VNode {
  const id = useId();
  const pick = async (field: HTMLSelectElement): Promise<void> => {
    await onChange(field.value as Value);
    // Refused: the list shows again what is true. Accepted: the component has been drawn with the new value.
    if (field.isConnected) field.value = field.dataset.value ?? value;
  };
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
      <select id={id} value={value} data-value={value} onChange={event => void pick(event.currentTarget)}>
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
  const flip = async (field: HTMLInputElement): Promise<void> => {
    await onChange(field.checked);
    if (field.isConnected) field.checked = field.dataset.value === 'true';
  };
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        data-value={checked}
        aria-describedby={`${id}-hint`}
        onChange={event => void flip(event.currentTarget)}
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
