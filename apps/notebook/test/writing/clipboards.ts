/** What programs put on the clipboard, as seen in them and shortened, and the markdown that shall come of it. */
export const clipboards: readonly { name: string; html: string; markdown: string | undefined }[] = [
  {
    name: 'Google Docs',
    html: `<meta charset='utf-8'><meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1"><h1 dir="ltr" style="line-height:1.38;"><span style="font-size:20pt;font-family:Arial,sans-serif;color:#000000;font-weight:400;font-style:normal;text-decoration:none;">Plan</span></h1><p dir="ltr"><span style="font-weight:400;">A </span><span style="font-weight:700;">bold</span><span style="font-weight:400;"> word, an </span><span style="font-weight:400;font-style:italic;">italic</span><span style="font-weight:400;"> one, </span><span style="font-weight:400;text-decoration:line-through;-webkit-text-decoration-skip:none;">gone</span><span style="font-weight:400;"> and </span><a href="https://www.google.com/url?q=https://example.org/a&amp;sa=D&amp;source=editors" style="text-decoration:none;"><span style="font-weight:400;text-decoration:underline;">a link</span></a><span style="font-weight:400;">.</span></p><br /><ul style="margin-top:0;"><li dir="ltr" aria-level="1"><p dir="ltr" role="presentation"><span style="font-weight:400;">one</span></p></li><ul><li dir="ltr" aria-level="2"><p dir="ltr" role="presentation"><span>deeper</span></p></li></ul><li dir="ltr" role="checkbox" aria-checked="true" aria-level="1"><img src="data:image/png;base64,AAAA" width="17" alt="checked" aria-roledescription="checkbox" /><p dir="ltr" style="display:inline-block;" role="presentation"><span>done</span></p></li></ul></b><br class="Apple-interchange-newline">`,
    markdown:
      '# Plan\n\nA **bold** word, an _italic_ one, ~~gone~~ and [a link](https://example.org/a).\n\n- one\n  - deeper\n- [x] done',
  },
  {
    name: 'Word',
    html: `<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns:w="urn:schemas-microsoft-com:office:word"><head><meta name=Generator content="Microsoft Word 15"><style><!-- /* Font Definitions */ @font-face {font-family:Wingdings;} p.MsoNormal {margin:0cm;} --></style><!--[if gte mso 9]><xml><o:shapedefaults v:ext="edit" spidmax="1026"/></xml><![endif]--></head><body lang=EN-US style='tab-interval:36.0pt'><!--StartFragment--><h2>Aims<o:p></o:p></h2><p class=MsoNormal>This is <b>important</b> and <i>slanted</i>.<o:p></o:p></p><p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp;&nbsp;&nbsp; </span></span></span><![endif]>First<o:p></o:p></p><p class=MsoListParagraphCxSpMiddle style='margin-left:72.0pt;mso-list:l0 level2 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>o<span>&nbsp;&nbsp; </span></span><![endif]>Inner</p><p class=MsoListParagraphCxSpLast style='mso-list:l0 level1 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>·<span>&nbsp; </span></span><![endif]>Second</p><p class=MsoNormal><o:p>&nbsp;</o:p></p><p class=MsoListParagraph style='mso-list:l1 level1 lfo2'><span style='mso-list:Ignore'>1.<span>&nbsp; </span></span>Numbered</p><table class=MsoTableGrid><tr><td width=300><p class=MsoNormal><b>Name</b></p></td><td><p class=MsoNormal><b>Age</b></p></td></tr><tr><td><p class=MsoNormal>Ada<o:p></o:p></p></td><td><p class=MsoNormal>36</p></td></tr></table><!--EndFragment--></body></html>`,
    markdown:
      '## Aims\n\nThis is **important** and _slanted_.\n\n- First\n  - Inner\n- Second\n\n1. Numbered\n\n| **Name** | **Age** |\n| -------- | ------- |\n| Ada | 36 |',
  },
  {
    name: 'a rendered page of GitHub',
    html: `<meta charset='utf-8'><div class="markdown-heading" dir="auto"><h2 tabindex="-1" class="heading-element">Install</h2><a id="user-content-install" class="anchor" aria-label="Permalink: Install" href="https://github.com/o/r#install"><svg class="octicon"><path d="m7 3"></path></svg></a></div><p dir="auto">Run <code>npm i</code> first, see <a href="https://github.com/o/r/issues/1">#1</a>:</p><div class="highlight highlight-source-shell notranslate position-relative overflow-auto" dir="auto"><pre><span class="pl-c1">cd</span> dir
npm i <span class="pl-k">&amp;&amp;</span> npm t</pre><div class="zeroclipboard-container"><clipboard-copy aria-label="Copy"><svg></svg></clipboard-copy></div></div><ul class="contains-task-list"><li class="task-list-item enabled"><input type="checkbox" class="task-list-item-checkbox" disabled> open</li><li class="task-list-item"><input type="checkbox" disabled checked> <del>done</del></li></ul><blockquote><p dir="auto">quoted<br>twice</p></blockquote><p><a target="_blank" href="https://camo.githubusercontent.com/a/b"><img src="https://camo.githubusercontent.com/a/b" alt="badge" style="max-width: 100%;"></a></p><table><thead><tr><th>a</th><th align="center">b</th></tr></thead><tbody><tr><td><code>x|y</code></td><td align="center">z</td></tr></tbody></table>`,
    markdown:
      '## Install\n\nRun `npm i` first, see [#1](https://github.com/o/r/issues/1):\n\n```shell\ncd dir\nnpm i && npm t\n```\n\n- [ ] open\n- [x] ~~done~~\n\n> quoted\\\n> twice\n\n[![badge](https://camo.githubusercontent.com/a/b)](https://camo.githubusercontent.com/a/b)\n\n| a | b |\n| --- | :-: |\n| `x\\|y` | z |',
  },
  {
    name: 'VS Code',
    html: `<meta charset='utf-8'><div style="color: #cccccc;background-color: #1f1f1f;font-family: Consolas, 'Courier New', monospace;font-weight: normal;font-size: 14px;line-height: 19px;white-space: pre;"><div><span style="color: #569cd6;">const</span><span style="color: #cccccc;"> a </span><span>= [</span><span style="color: #b5cea8;">1</span><span>];</span></div><div><span>b(</span><span style="font-weight: bold;">*a</span><span>)</span></div></div>`,
    markdown: undefined,
  },
  {
    name: 'a JetBrains editor',
    html: `<html><head><meta http-equiv="content-type" content="text/html; charset=UTF-8"></head><body><pre style="background-color:#2b2b2b;color:#a9b7c6;font-family:'JetBrains Mono',monospace;font-size:9,8pt;"><span style="color:#cc7832;">val </span>x = <span style="color:#6897bb;">1<br></span>y()</pre></body></html>`,
    markdown: undefined,
  },
  {
    name: 'one plain sentence of a web page',
    html: `<meta charset='utf-8'><span style="color: rgb(32, 33, 34); font-family: sans-serif; font-size: 16px; font-style: normal; font-weight: 400; letter-spacing: normal; white-space: normal; text-decoration-style: initial; display: inline !important; float: none;">2 * 3 is _six_</span>`,
    markdown: undefined,
  },
  {
    name: 'lines of a mail without formatting',
    html: `<div dir="ltr">Hello<div><br></div><div>see you</div></div>`,
    markdown: undefined,
  },
  {
    name: 'a bare address',
    html: `<meta charset='utf-8'><a href="https://example.org/a_b_c">https://example.org/a_b_c</a>`,
    markdown: undefined,
  },
  {
    name: 'Excel',
    html: `<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><meta name=ProgId content=Excel.Sheet><style><!--table {mso-displayed-decimal-separator:"\\.";} .xl65 {font-weight:700;}--></style></head><body link="#0563C1"><table border=0 cellpadding=0 width=128><!--StartFragment--><col width=64 span=2><tr height=20><td class=xl65 height=20>Fruit</td><td align=right>Price</td></tr><tr height=20><td>Fig</td><td align=right>3</td></tr><tr><td colspan=2>none left</td></tr><!--EndFragment--></table></body></html>`,
    markdown: '| Fruit | Price |\n| ----- | ----: |\n| Fig | 3 |\n| none left |  |',
  },
  {
    name: 'one cell of a spreadsheet',
    html: `<google-sheets-html-origin><style type="text/css"><!--td {border: 1px solid #cccccc;}--></style><table xmlns="http://www.w3.org/1999/xhtml" cellspacing="0" dir="ltr" data-sheets-root="1"><tbody><tr><td style="overflow:hidden;" data-sheets-value='{"1":2}'>Total</td></tr></tbody></table>`,
    markdown: undefined,
  },
  {
    name: 'Wikipedia',
    html: `<h2 id="History">History</h2><span class="mw-editsection"><span>[</span><a href="https://en.wikipedia.org/w/index.php?action=edit">edit</a><span>]</span></span><p>The <b>octavo</b> (<a href="https://en.wikipedia.org/wiki/Latin_(language)" title="Latin">Latin</a>: <i>in octavo</i>) is a format.<sup id="cite_ref-1" class="reference"><a href="https://en.wikipedia.org/wiki/Octavo#cite_note-1"><span>[</span>1<span>]</span></a></sup> H<sub>2</sub>O</p><dl><dt>Size</dt><dd>about 20 cm</dd></dl>`,
    markdown:
      '## History\n\nThe **octavo** ([Latin](https://en.wikipedia.org/wiki/Latin_%28language%29): _in octavo_) is a format. H<sub>2</sub>O\n\n**Size**\n\nabout 20 cm',
  },
  {
    name: 'a page of documentation with highlighted code',
    html: `<p>Press <kbd>Ctrl</kbd>+<kbd>C</kbd>:</p><div class="language-ts"><pre class="shiki"><code><span class="line"><span style="color:#D73A49">const</span> a = <span>\`\`\`</span></span>\n<span class="line">  b</span></code></pre></div><ol start="3"><li>three</li><li>four<ol><li>inner</li></ol></li></ol><hr><p>End</p>`,
    markdown:
      'Press <kbd>Ctrl</kbd>+<kbd>C</kbd>:\n\n````ts\nconst a = ```\n  b\n````\n\n3. three\n4. four\n   1. inner\n\n---\n\nEnd',
  },
  {
    name: 'details and figures',
    html: `<details open><summary>More <b>here</b></summary><p>Inside</p></details><figure><img src="https://example.org/a b.png" alt="A [map]"><figcaption>The map</figcaption></figure><p>Fine <img class="emoji" alt="🎉" src="https://example.org/1f389.png"> day<img src="https://t.example/p.gif" width="1" height="1"></p>`,
    markdown:
      '<details>\n<summary>More **here**</summary>\n\nInside\n\n</details>\n\n![A \\[map\\]](https://example.org/a%20b.png)\n\nThe map\n\nFine 🎉 day',
  },
  {
    name: 'marks that words must not become',
    html: `<h3>1. <em>not</em> a list</h3><p># no heading</p><p>- no <b>item</b></p><p>12. no number</p><p>&gt; no quote &amp;amp; &lt;b&gt; *star* snake_case _lead \`tick\` ~~no~~ [x](y) [just] C:\\*</p><p>---</p><p>costs $5 or $6</p>`,
    markdown:
      '### 1\\. _not_ a list\n\n\\# no heading\n\n\\- no **item**\n\n12\\. no number\n\n\\> no quote &amp;amp; \\<b> \\*star\\* snake_case \\_lead \\`tick\\` \\~\\~no\\~\\~ \\[x](y) [just] C:\\\\\\*\n\n\\---\n\ncosts \\$5 or \\$6',
  },
  {
    name: 'signs that would touch words or spaces',
    html: `<p>a<b> b </b>c <b>d</b><b>e</b> <i>f</i>g <b><i>h</i></b><b> </b>i <b><br>j</b></p>`,
    markdown: 'a **b** c **de** *f*g **_h_** i\\\n**j**',
  },
  {
    name: 'breaks and many spaces',
    html: `<p>one<br>\n  two<br><br>three&nbsp;&nbsp; four</p><p> </p><p><b>\u200b</b></p><p><u>five</u></p><ul><li></li><li><b>six</b></li></ul>`,
    markdown: 'one\\\ntwo\n\nthree four\n\nfive\n\n- **six**',
  },
  {
    name: 'hostile html',
    html: `<script>alert(1)</script><style>p{}</style><p onclick="alert(2)">a <a href="javascript:alert(3)">b</a> <a href=" java\tscript:alert(4)">c</a> <img src=x onerror=alert(5)><img src="data:image/svg+xml,<svg onload=alert(6)>" alt="d"><svg><script>alert(7)</script></svg><iframe src="https://evil.example"></iframe><a href="https://evil.example/)[x](javascript:alert(8)">e</a> <b>&lt;img src=x onerror=alert(9)&gt;</b></p><template><p>f</p></template><form action="https://evil.example"><input value="g"><button>h</button></form>`,
    markdown: 'a b c [e](https://evil.example/%29[x]%28javascript:alert%288%29) **\\<img src=x onerror=alert(9)>**',
  },
];
