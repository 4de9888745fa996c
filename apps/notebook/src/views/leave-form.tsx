import type { ComponentChildren, VNode } from 'preact';

interface LeaveFormProps {
  readonly view: string;
  /** The notebook has to be unlocked before the form can be sent. */
  readonly locked?: boolean | undefined;
  readonly children: ComponentChildren;
}

/** Beside a form: leads back to the notebook. A locked one is unlocked in a new tab, because what was written is only in this one. */
export function LeaveForm({ view, locked, children }: LeaveFormProps): VNode {
  if (!locked)
    return (
      <a class="button" href={view}>
        {children}
      </a>
    );
  return (
    <a class="button" href={view} target="_blank" rel="noopener">
      Unlock in a new tab
    </a>
  );
}
