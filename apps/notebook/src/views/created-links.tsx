import type { VNode } from 'preact';

/** Shown once a notebook exists: both links, each with what it can do. Filled by browser/site/created-links.ts. */
export function CreatedLinks(): VNode {
  return (
    <section class="created" aria-labelledby="created-title" data-created hidden>
      <h2 id="created-title" tabindex={-1}>
        Your notebook is ready
      </h2>
      <p class="notice" role="status" data-created-status />
      <LinkField
        id="view-link"
        label="View link"
        hint="For everybody who should read it. Share it freely."
        copy="Copy view link"
      />
      <LinkField
        id="edit-link"
        label="Edit link"
        hint="Whoever has it can change and delete the notebook. It is shown only now, and nobody can recover it."
        copy="Copy edit link"
      />
      <p class="button-row">
        <a class="button primary" data-open-editor href="/">
          Open the editor
        </a>
        <a class="button" data-open-view href="/">
          Look at it as a reader
        </a>
      </p>
    </section>
  );
}

function LinkField({ id, label, hint, copy }: { id: string; label: string; hint: string; copy: string }): VNode {
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
        <button type="button" class="button" data-copy={id}>
          {copy}
        </button>
      </div>
    </div>
  );
}
