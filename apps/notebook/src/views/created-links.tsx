import type { VNode } from 'preact';

/** Shown once a notebook exists: both links, each with what it can do. Filled by browser/site/created-links.ts. */
export function CreatedLinks(): VNode {
  return (
    <section class="created" aria-labelledby="created-title" data-created hidden>
      <h2 id="created-title" tabindex={-1}>
        Your notebook is ready
      </h2>
      <p class="clipboard-state" role="status" data-clipboard-state />
      <p class="notice" role="status" data-created-status />
      <p class="notice warning" role="alert" data-not-kept hidden>
        This browser couldn’t save the edit link. Copy it somewhere safe: without it, nobody can edit this notebook.
      </p>
      <LinkField id="view-link" label="View link" hint="For your readers. Share it freely." copy="Copy view link" primary />
      <LinkField
        id="edit-link"
        label="Edit link"
        hint="For you. Anyone who has it can change and delete the notebook. Keep it to yourself: we can’t recover it."
        copy="Copy edit link"
      />
      <p class="button-row">
        <a class="button" data-open-editor href="/">
          Open the editor
        </a>
        <a class="button" data-open-view href="/">
          Preview
        </a>
      </p>
    </section>
  );
}

interface LinkFieldProps {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly copy: string;
  readonly primary?: boolean;
}

function LinkField({ id, label, hint, copy, primary = false }: LinkFieldProps): VNode {
  return (
    <div class="link-field">
      <label class="label" for={id}>
        {label}
      </label>
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
      <div class="link-field-row">
        <input id={id} type="text" readonly aria-describedby={`${id}-hint`} />
        <button type="button" class={primary ? 'button primary' : 'button'} data-copy={id}>
          {copy}
        </button>
      </div>
    </div>
  );
}
