/** Set by ourselves or by the reader on what is shown, and not by the text. */
const ownAttributes: ReadonlySet<string> = new Set(['tabindex', 'open']);

/**
 * Makes the shown nodes of a part into the wanted ones, changing words where only words differ. Chromium ends a run of typing, and with
 * it what one Ctrl+Z takes back, whenever a node leaves the document; a preview that put in new nodes at each key would leave
 * single letters to undo.
 * @param end what stands behind the part
 */
export function patchNodes(parent: Node, shown: readonly Node[], wanted: readonly Node[], end: Node | null): void {
  for (const [place, node] of wanted.entries()) {
    const old = shown[place];
    if (!old) parent.insertBefore(node, end);
    else if (!patchNode(old, node)) parent.replaceChild(node, old);
  }
  for (const surplus of shown.slice(wanted.length)) parent.removeChild(surplus);
}

/** @returns false when they are of two kinds */
function patchNode(old: Node, wanted: Node): boolean {
  if (old instanceof Text && wanted instanceof Text) {
    if (old.data !== wanted.data) old.data = wanted.data;
    return true;
  }
  if (!(old instanceof Element && wanted instanceof Element) || old.tagName !== wanted.tagName) return false;
  if (old.isEqualNode(wanted)) return true;
  // It knows the image that it stands for.
  if (old instanceof HTMLButtonElement) return false;
  patchAttributes(old, wanted);
  patchNodes(old, [...old.childNodes], [...wanted.childNodes], null);
  return true;
}

function patchAttributes(old: Element, wanted: Element): void {
  for (const { name } of [...old.attributes])
    if (!wanted.hasAttribute(name) && !ownAttributes.has(name)) old.removeAttribute(name);
  for (const { name, value } of wanted.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
}
