/** Attributes that we or the reader set on shown elements; they do not come from the text. */
const ownAttributes: ReadonlySet<string> = new Set(['tabindex', 'open']);

/**
 * Turns the shown nodes of a part into the wanted ones, and changes only text where only text differs. Chromium ends a run of typing,
 * which is what one Ctrl+Z undoes, whenever a node leaves the document. A preview that inserted new nodes at each key would leave only
 * single letters to undo.
 * @param end the node after the part
 */
export function patchNodes(parent: Node, shown: readonly Node[], wanted: readonly Node[], end: Node | null): void {
  for (const [place, node] of wanted.entries()) {
    const old = shown[place];
    if (!old) parent.insertBefore(node, end);
    else if (!patchNode(old, node)) parent.replaceChild(node, old);
  }
  for (const surplus of shown.slice(wanted.length)) parent.removeChild(surplus);
}

/** @returns false when the nodes differ in kind */
function patchNode(old: Node, wanted: Node): boolean {
  if (old instanceof Text && wanted instanceof Text) {
    if (old.data !== wanted.data) old.data = wanted.data;
    return true;
  }
  if (!(old instanceof Element && wanted instanceof Element) || old.tagName !== wanted.tagName) return false;
  if (old.isEqualNode(wanted)) return true;
  // The button holds the image it stands for, so it cannot be patched.
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
