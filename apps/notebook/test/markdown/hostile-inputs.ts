/** Texts made to hurt: each as a function of its size in characters. Names say what they aim at. */
export type HostileInput = readonly [name: string, make: (chars: number) => string];

function fill(unit: string, chars: number): string {
  return unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars);
}

function around(open: string, middle: string, close: string, chars: number): string {
  const depth = Math.floor(chars / (open.length + close.length));
  return open.repeat(depth) + middle + close.repeat(depth);
}

/** Lines that grow by one unit: the whole has the wanted size. */
function staircase(unit: string, tail: string, chars: number): string {
  const lines: string[] = [];
  for (let size = 0, indent = ''; size < chars; indent += unit) {
    lines.push(indent + tail);
    size += indent.length + tail.length + 1;
  }
  return lines.join('\n');
}

function wideTable(chars: number): string {
  const columns = Math.floor(chars / 8);
  return `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n${'|b\n'.repeat(columns)}`;
}

export const hostileInputs: readonly HostileInput[] = [
  ['a table with a very wide header', wideTable],
  ['a wide table in a block quote', chars => wideTable(chars).replace(/^/gm, '> ')],
  ['a table of many short rows', chars => `|${'a|'.repeat(150)}\n|${'-|'.repeat(150)}\n${fill('|x\n', chars)}`],
  ['many tables of middling width', chars => fill(`|${'a|'.repeat(190)}\n|${'-|'.repeat(190)}\n\n`, chars)],
  ['nested emphasis', chars => around('*a **a ', 'b', ' a** a*', chars)],
  ['nested emphasis without ends', chars => fill('*a _b ', chars)],
  ['asterisks only', chars => `a${fill('**', chars)}b`],
  ['alternating delimiters', chars => fill('*_*__**_', chars)],
  ['emphasis closers without openers', chars => fill('a* b_ ', chars)],
  ['strikethrough openers', chars => fill('~~a ~b ', chars)],
  ['nested block quotes on one line', chars => `${fill('>', chars)}a`],
  ['nested block quotes, growing', chars => staircase('> ', 'a', chars)],
  ['nested lists on one line', chars => `${fill('- ', chars)}a`],
  ['nested lists, indented', chars => staircase('  ', '- a', chars)],
  ['nested ordered lists', chars => staircase('   ', '1. a', chars)],
  ['a list of many items', chars => fill('- a\n', chars)],
  ['a list with blank lines', chars => fill('- a\n\n', chars)],
  ['a long list item of lazy lines', chars => `- a\n${fill('b\n', chars)}`],
  ['quotes in lists in quotes', chars => `${fill('> - ', chars)}a`],
  ['nested <div>', chars => around('<div>', 'a', '</div>', chars)],
  ['nested <div> without ends', chars => fill('<div>', chars)],
  ['nested <div> in lines', chars => fill('<div>\n\n', chars)],
  ['formatting elements without ends', chars => fill('<b><i><u><s>', chars)],
  [
    'formatting elements with attributes, reopened',
    chars => Array.from({ length: Math.floor(chars / 20) }, (_, i) => `<b id=x${i}><p>`).join(''),
  ],
  ['links over block elements', chars => fill('<a href=x><p>', chars)],
  ['nested tables of HTML', chars => fill('<table><tr><td>', chars)],
  ['foster-parented text', chars => `<table>${fill('a<tr>', chars)}`],
  ['foster-parented links', chars => `<table>${fill('<a>1', chars)}`],
  ['unknown elements', chars => fill('<x-y>', chars)],
  ['nested svg', chars => fill('<svg><g>', chars)],
  ['nested templates', chars => fill('<template>', chars)],
  ['select and option', chars => `<select>${fill('<option>a', chars)}`],
  ['end tags only', chars => fill('</p></b>', chars)],
  ['a tag with many attributes', chars => `<p ${Array.from({ length: Math.floor(chars / 8) }, (_, i) => `a${i}=b`).join(' ')}>`],
  ['a tag that never ends', chars => `<a ${fill('a="b ', chars)}`],
  ['open angle brackets', chars => fill('<', chars)],
  ['open comments', chars => fill('<!--', chars)],
  ['comments in a sentence', chars => `a ${fill('<!-- -', chars)}`],
  ['processing instructions', chars => `a ${fill('<?', chars)}`],
  ['declarations', chars => `a ${fill('<!A ', chars)}`],
  ['CDATA', chars => `a ${fill('<![CDATA[', chars)}`],
  ['link openers', chars => fill('[', chars)],
  ['link openers with text', chars => fill('[a', chars)],
  ['link closers', chars => fill('a](b', chars)],
  ['links never closed', chars => fill('[a](<b', chars)],
  ['links never closed, with parentheses', chars => fill('[a](b(', chars)],
  ['nested links', chars => around('[', 'a', '](b)', chars)],
  ['nested images', chars => around('![', 'a', '](b)', chars)],
  ['image openers', chars => fill('![[](', chars)],
  ['link titles never closed', chars => fill('[a](b "', chars)],
  ['link definitions', chars => Array.from({ length: Math.floor(chars / 12) }, (_, i) => `[a${i}]: /b`).join('\n')],
  ['definitions broken over lines', chars => fill('[a]:\n', chars)],
  ['references to one definition', chars => `[a]: /b\n\n${fill('[a] ', chars)}`],
  ['a long link label', chars => `[${fill('a\\]', chars)}]: /b`],
  [
    'backtick runs of every length',
    chars => {
      let made = '';
      for (let n = 1; made.length < chars; n += 1) made += `e${'`'.repeat(n)}`;
      return made;
    },
  ],
  ['code fences never closed', chars => fill('```\n~~~\n', chars)],
  ['backslashes', chars => fill('\\', chars)],
  ['backslashes and brackets', chars => fill('\\[\\]', chars)],
  ['character references', chars => fill('&', chars)],
  ['long character references', chars => `[a](/${fill('&auml;', chars)})`],
  ['numeric references', chars => fill('&#0;&#x;', chars)],
  ['spaces', chars => `a${' '.repeat(chars)}b`],
  ['tabs', chars => `${'\t'.repeat(chars)}a`],
  ['blank lines', chars => `a${'\n'.repeat(chars)}b`],
  ['lines of a space', chars => `a${fill('\n ', chars)}`],
  ['one very long word', chars => 'a'.repeat(chars)],
  ['lines of one letter', chars => fill('a\n', chars)],
  ['setext underlines', chars => fill('a\n-\n', chars)],
  ['headings', chars => fill('# a\n', chars)],
  ['a heading with many closing signs', chars => `# a ${'#'.repeat(chars)} b`],
  ['rules', chars => fill('---\n', chars)],
  ['nearly rules', chars => `${fill('* ', chars)}a`],
  ['addresses', chars => fill('http://a.b ', chars)],
  ['an address of brackets', chars => `http://a.b/${fill('(', chars)}`],
  ['an address of closers', chars => `http://a.b/${fill(')', chars)}`],
  ['an address with references', chars => `www.a.b/${fill('&a;', chars)}`],
  ['nearly an e-mail address', chars => `${fill('a.', chars)}@`],
  ['many at signs', chars => fill('a@', chars)],
  ['www again and again', chars => fill('www.', chars)],
  ['footnote definitions', chars => Array.from({ length: Math.floor(chars / 14) }, (_, i) => `[^${i}]: a[^${i}]\n`).join('\n')],
  ['footnotes nested in footnotes', chars => staircase('    ', '[^a]: b', chars)],
  ['references to one footnote', chars => `[^a]: b\n\n${fill('[^a] ', chars)}`],
  ['footnotes that refer in a ring', chars => `[^a]\n\n[^a]: [^b]\n\n[^b]: [^a]\n\n${fill('[^a]\n\n', chars)}`],
  ['task lists', chars => fill('- [ ] [x]\n', chars)],
  ['alerts', chars => fill('> [!NOTE]\n> a\n\n', chars)],
  ['code of one long line', chars => `\`\`\`js\n${fill('a=/(/;"${`', chars)}\n\`\`\``],
  ['code of ten thousand lines', chars => `\`\`\`python\n${fill('def f(a): return "b"\n', chars)}\`\`\``],
  ['code in many blocks', chars => fill('```js\nlet a = 1;\n```\n\n', chars)],
  ['code that is hard to color', chars => `\`\`\`xml\n${fill('<a b="<', chars)}\n\`\`\``],
  ['brackets in code', chars => `\`\`\`c\n${fill('({[', chars)}\n\`\`\``],
  ['equal headings', chars => fill('# the same\n\n', chars)],
  ['raw text tags', chars => fill('a <style> <title> ', chars)],
  ['a mark to be guessed', chars => fill('data-markx ', chars)],
  ['dollars', chars => fill('$', chars)],
  ['dollars before words', chars => fill('$a ', chars)],
  ['dollars between emphasis', chars => fill('*a $b ', chars)],
  ['many small formulas', chars => fill('$x^2$ ', chars)],
  ['display formulas never closed', chars => fill('$$\n', chars)],
  ['many display formulas', chars => fill('$$\n\\frac{a}{b}\n$$\n\n', chars)],
  ['a formula of nested fractions', chars => `$$\n${around('\\frac{', 'a', '}', Math.min(chars, 4_900))}\n$$`],
  ['formulas of nested powers', chars => fill(`$$\n${around('x^{', 'a', '}', 4_000)}\n$$\n\n`, chars)],
  ['words that make words', chars => fill(`$$\\def\\a{${'x'.repeat(800)}}${'\\a'.repeat(80)}$$\n\n`, chars)],
  ['words that double', chars => fill('$$\\def\\a#1{#1#1}\\a{\\a{\\a{\\a{\\a{\\a{\\a{\\a{x}}}}}}}}$$\n\n', chars)],
  ['a formula that is a wide matrix', chars => fill(`$$\\begin{matrix}${'&'.repeat(4_000)}\\end{matrix}$$\n\n`, chars)],
  ['NUL', chars => fill('\0a', chars)],
  ['carriage returns', chars => fill('a\r', chars)],
  ['emoji and joiners', chars => fill('👩‍👩‍👧‍👦', chars)],
  ['right-to-left and combining', chars => fill('שָׁלוֹם ', chars)],
  ['lone surrogates', chars => fill('a\ud800', chars)],
];

/** The kinds that were measured to stop or inflate the engines of this field: every test run tries them in the longest form, too. */
export const worstInputs: readonly HostileInput[] = hostileInputs.filter(([name]) =>
  /^(?:a table with a very wide header|nested (?:emphasis|block quotes|lists|ordered lists|<div>)|link (?:openers|closers)|links never closed|formatting elements|code of ten thousand)/.test(
    name,
  ),
);
