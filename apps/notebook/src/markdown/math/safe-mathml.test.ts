import type { ElementContent } from 'hast';
import { describe, expect, it } from 'vitest';
import { element, text } from '../tree.ts';
import { safeElement } from './safe-mathml.ts';

const properties = (node: Parameters<typeof safeElement>[0]) => safeElement(node, [])?.properties;

describe('an element of a formula', () => {
  it.each(['a', 'annotation-xml', 'maction', 'mglyph', 'semantics', 'svg', 'script', 'img', 'mstyle ', undefined])(
    'is none of ours: %s',
    type => expect(safeElement(type === undefined ? {} : { type }, [])).toBeUndefined(),
  );

  it('has text or elements, never both', () => {
    const both: ElementContent[] = [text('x'), element('mi', {}, [text('y')])];
    for (const name of ['mi', 'mn', 'mo', 'ms', 'mtext']) expect(safeElement({ type: name }, both)?.children).toEqual([both[0]]);
    for (const name of ['mrow', 'msup', 'mtd', 'mpadded']) expect(safeElement({ type: name }, both)?.children).toEqual([both[1]]);
  });

  it('has only attributes with a value of their form', () => {
    const attributes = {
      ...{ width: '-12.5em', height: '999px', depth: '.5ex', lspace: '0', columnspan: 3, scriptlevel: '+1', form: 'prefix' },
      ...{ mathcolor: '#ff0000', mathbackground: 'aqua', stretchy: true, displaystyle: 'false', maxsize: '120%' },
    };
    const kept = Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, String(value)]));
    expect(properties({ type: 'mo', attributes })).toEqual(kept);
    const others = {
      ...{ width: '1000em', height: '1e9px', depth: 'calc(1px)', lspace: '1.1234567em', columnspan: '1000', scriptlevel: '10' },
      ...{
        mathcolor: 'url(x)',
        mathbackground: '#12',
        form: 'a b',
        href: 'https://a.example',
        onclick: 'x()',
        style: 'color:red',
      },
      ...{ id: 'x', class: 'x', title: 'x', 'xlink:href': 'x' },
    };
    expect(properties({ type: 'mo', attributes: others })).toEqual({});
    expect(properties({ type: 'mo', style: { color: 'red' } })).toEqual({ mathcolor: 'red' });
    for (const color of ['', 'url(x)', 'red;x:y', 'var(--x)']) expect(properties({ type: 'mo', style: { color } })).toEqual({});
  });

  it('has our classes for those of the engine, and no other', () => {
    const classes = [
      'tml-right',
      'tml-left',
      'tml-overline',
      'tml-underline',
      'tml-jot',
      'tml-prime',
      'tml-fbox',
      'evil',
      'anchor',
    ];
    expect(properties({ type: 'mo', classes })?.className).toEqual([
      ...['math-right', 'math-left', 'math-over', 'math-under', 'math-jot', 'math-prime', 'math-box'],
    ]);
    expect(properties({ type: 'mo', classes: ['evil'] })).toEqual({});
  });

  it('is a row with lines where others enclose', () => {
    const notation = 'top bottom box updiagonalstrike downdiagonalstrike horizontalstrike circle evil';
    expect(safeElement({ type: 'menclose', attributes: { notation } }, [])).toMatchObject({
      tagName: 'mrow',
      properties: { className: ['math-over', 'math-under', 'math-box', 'math-strike-up', 'math-strike-down', 'math-strike'] },
    });
    expect(properties({ type: 'mrow', attributes: { notation } })).toEqual({});
  });

  it.each([
    [{ border: '1px solid' }, ['math-box']],
    [{ borderLeft: '1px solid', paddingLeft: '0' }, ['math-line-left']],
    [{ borderRight: '1px dashed', paddingRight: '0em' }, ['math-line-right']],
    [{ borderTop: '1px dashed', borderBottom: '1px solid' }, ['math-line-top', 'math-line-bottom']],
    [{ paddingLeft: '0', paddingRight: '0em' }, ['math-flush-left', 'math-flush-right']],
    [{ paddingLeft: '0.5em' }, ['math-flush-left']],
    [{ paddingLeft: '5em' }, undefined],
    [{ width: '50%' }, ['math-side']],
    [{ width: '100%' }, ['math-full']],
    [{ marginLeft: '-0.1667em' }, ['math-back-3']],
    [{ marginLeft: '0.1667em' }, undefined],
    [{ position: 'fixed', background: 'url(x)' }, undefined],
  ])('has classes for the styles %j', (style, className) => {
    expect(properties({ type: 'mtd', style })?.className).toEqual(className);
  });
});
