import { expect, test } from 'vitest';
import { languageOf } from './language.ts';
import { readFacts } from './page-facts.ts';
import { renderMarkdown } from './render.ts';

/** The language in a page's facts. */
const spokenIn = (markdown: string) => renderMarkdown(markdown, { read: readFacts }).language;

test.each([
  ['en', 'The first sheet is folded three times, so that it makes eight leaves and sixteen pages.'],
  ['de', 'Der erste Bogen wird dreimal gefalzt, sodass er acht Blätter und sechzehn Seiten ergibt.'],
  ['fr', 'La première feuille est pliée trois fois, ce qui donne huit feuillets et seize pages.'],
  ['es', 'La primera hoja se dobla tres veces, de modo que resultan ocho hojas y dieciséis páginas.'],
  ['pt', 'A primeira folha é dobrada três vezes, de modo que dá oito folhas e dezesseis páginas.'],
  ['it', 'Il primo foglio viene piegato tre volte, così che ne risultano otto carte e sedici pagine.'],
  ['nl', 'Het eerste vel wordt driemaal gevouwen, zodat er acht bladen en zestien bladzijden ontstaan.'],
  ['pl', 'Pierwszy arkusz składa się trzy razy, dzięki czemu powstaje osiem kart i szesnaście stron.'],
  ['sv', 'Det första arket viks tre gånger, så att det blir åtta blad och sexton sidor av det.'],
  ['fi', 'Ensimmäinen arkki taitetaan kolme kertaa, jolloin siitä tulee kahdeksan lehteä ja kuusitoista sivua.'],
  ['tr', 'İlk tabaka üç kez katlanır, böylece sekiz yaprak ve on altı sayfa elde edilir.'],
  ['ru', 'Первый лист складывают три раза, так что получается восемь листов и шестнадцать страниц.'],
  ['uk', 'Перший аркуш складають тричі, тож виходить вісім аркушів і шістнадцять сторінок.'],
  ['el', 'Το πρώτο φύλλο διπλώνεται τρεις φορές.'],
  ['ar', 'تُطوى الورقة الأولى ثلاث مرات، فتصير ثماني أوراق وست عشرة صفحة من الكتاب.'],
  ['fa', 'برگ نخست سه بار تا می‌شود و از آن هشت برگ و شانزده صفحهٔ کتاب به دست می‌آید.'],
  ['he', 'הגיליון הראשון מקופל שלוש פעמים.'],
  ['hi', 'पहला पन्ना तीन बार मोड़ा जाता है, जिससे आठ पत्ते और सोलह पृष्ठ बनते हैं और किताब तैयार होती है।'],
  ['th', 'แผ่นแรกพับสามครั้ง'],
  ['ja', '最初の紙を三回折ると、八葉十六頁になります。'],
  ['ko', '첫 번째 종이를 세 번 접으면 여덟 장이 됩니다.'],
  ['zh-Hans', '第一张纸折叠三次，这样就有八张和十六页，我们来看看这个过程。'],
  ['zh-Hant', '第一張紙摺疊三次，這樣就有八張和十六頁，我們來看看這個過程。'],
])('%s', (language, text) => {
  expect(languageOf(text)).toBe(language);
});

test.each([
  ['nothing', ''],
  ['numbers', '1 2 3'],
  ['two words of a script that many share', 'Saved, thanks'],
  ['code', '```\nfor (const the of and) { with.this(that, from, where, which); }\n```'],
  ['addresses', 'https://example.org/the-quick-brown-fox-jumps-over-the-lazy-dog-and-so-on'],
])('%s tells no language', (_, markdown) => {
  expect(spokenIn(markdown)).toBeUndefined();
});

test('code, formulas and a quoted word decide nothing', () => {
  const code = `\`\`\`\n${'const value = the.first(of, many); '.repeat(20)}\n\`\`\`\n\n`;
  expect(spokenIn(`${code}次の関数を呼び出します。`)).toBe('ja');
  expect(spokenIn('The word 紙 means paper, and かみ is how it is read in Japanese by everybody.')).toBe('en');
});
