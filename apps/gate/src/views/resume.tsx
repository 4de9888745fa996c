import { renderPage } from './page.tsx';

export interface KeptField {
  readonly name: string;
  readonly value: string;
  readonly file?: { readonly name: string; readonly type: string; readonly content: string };
}

/** Puts kept files back into their fields. */
export const fillScript = `for (const field of document.querySelectorAll('input[data-content]')) {
  const { content, name, type } = field.dataset;
  const list = new DataTransfer();
  if (name !== '') list.items.add(new File([Uint8Array.from(atob(content), one => one.charCodeAt(0))], name, { type }));
  field.files = list.files;
}`;

/** Puts kept files back into their fields, then sends the form. */
export const resumeScript = `${fillScript}
HTMLFormElement.prototype.submit.call(document.forms[0])`;

/** A form that was kept while its sender signed in. Without scripts, files must be chosen again: no page may fill in a file field. */
export function renderResume(view: {
  site: string;
  action: string;
  fields: readonly KeptField[];
  isMultipart: boolean;
  /** The page was open before. */
  isAgain: boolean;
}): string {
  const files = view.fields.filter(field => field.file !== undefined && field.file.name !== '');
  return renderPage({
    title: 'Send your form',
    site: view.site,
    script: view.isAgain ? fillScript : resumeScript,
    children: (
      <>
        <h1>You are signed in</h1>
        {view.isAgain ? (
          <p>We kept your form, and this page has sent it once. Send it again only if it did not arrive.</p>
        ) : (
          <p>We kept your form. Send it now to continue.</p>
        )}
        {files.length > 0 && !view.isAgain && <p class="soft">If it is not sent automatically, choose your files again.</p>}
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
            {view.isAgain ? 'Send again' : 'Send'}
          </button>
        </form>
      </>
    ),
  });
}
