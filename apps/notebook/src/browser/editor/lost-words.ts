/**
 * Says why an open notebook can't be opened any more, as far as the server tells.
 * @param code of errors.ts; undefined when nobody asked why
 */
export function lostWords(code: string | undefined, isVisitor: boolean): string {
  if (code === 'password_required')
    return 'This notebook asks for its password again. Unlock it in another tab, then come back here.';
  if (code === 'taken_down') return 'The operator took this notebook down.';
  if (isVisitor)
    return 'This notebook can’t be opened any more: it was deleted, it has expired, or its owner no longer shares it with you.';
  if (code === 'edit_token_invalid')
    return 'This edit link was replaced by a newer one. Open the editor with the new link to go on writing.';
  return 'This notebook can’t be opened any more: it was deleted, it has expired, or its edit link was replaced.';
}

/** Says why an edit link opens no notebook. */
export function deadLinkWords(code: string): string {
  if (code === 'taken_down') return 'The operator took this notebook down.';
  if (code === 'edit_token_invalid')
    return 'This edit link no longer works: it was replaced by a newer one. Paste the new one here.';
  return 'This edit link no longer works: the notebook is gone, or the link was replaced by a newer one.';
}
