import { renderPage } from './page.tsx';

export interface KeptField {
  readonly name: string;
  readonly value: string;
  readonly file?: { readonly name: string; readonly type: string; readonly content: string };
}

/** Puts kept files back into their fields, then sends the form. */
export const resumeScript = `for (const field of document.querySelectorAll('input[data-content]')) {
  const { content, name, type } = field.dataset;
  const list = new DataTransfer();
  if (name !== '') list.items.add(new File([Uint8Array.from(atob(content), one => one.charCodeAt(0))], name, { type }));
  field.files = list.files;
}
HTMLFormElement.prototype.submit.call(document.forms[0])`;

/** A form that was kept while its sender signed in. Without scripts, files must be chosen again: no page may fill in a file field. */
export function renderResume(view: { site: string; action: string; fields: readonly KeptField[]; isMultipart: boolean }): string {
  const files = view.fields.filter(field => field.file !== undefined && field.file.name !== '');
  return renderPage({
    title: 'Send your form',
    site: view.site,
    script: resumeScript,
    children: (
      <>
        <h1>You are signed in</h1>
        <p>We kept your form. Send it now to continue.</p>
        {files.length > 0 && <p class="soft">If it is not sent automatically, choose your files again.</p>}
        <form
          method="post"
          action={view.action}
          class="actions"
          enctype={view.isMultipart ? 'multipart/form-data' : 'application/x-www-form-urlencoded'}
        >
          {view.fields.map(({ name, value, file }) =>
            file === undefined ? (
              <textarea name={name} hidden readonly>
                {`\n${value}`}
              </textarea>
            ) : (
              <label hidden={file.name === ''}>
                {file.name}
                <input type="file" name={name} data-content={file.content} data-name={file.name} data-type={file.type} />
              </label>
            ),
          )}
          <button class="button first" type="submit">
            Send
          </button>
        </form>
      </>
    ),
  });
}
