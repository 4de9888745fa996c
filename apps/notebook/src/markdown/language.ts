import { franc } from 'franc';

const mostLetters = 1_500;

/** With fewer letters, a script shared by several languages tells too little. */
const fewestLetters = 40;

/** Scripts used by one language, or by several that look the same in print. */
const languageOfScript: Readonly<Record<string, string>> = {
  Hang: 'ko',
  Hebr: 'he',
  Grek: 'el',
  Thai: 'th',
  Armn: 'hy',
  Geor: 'ka',
  Beng: 'bn',
  Taml: 'ta',
  Telu: 'te',
  Gujr: 'gu',
  Guru: 'pa',
  Knda: 'kn',
  Mlym: 'ml',
  Sinh: 'si',
  Khmr: 'km',
  Laoo: 'lo',
  Mymr: 'my',
  Ethi: 'am',
};

/** Maps the detector's ISO 639-3 codes to BCP 47. The detector is limited to the languages listed here. */
const sharedScripts: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Latn: {
    eng: 'en',
    deu: 'de',
    fra: 'fr',
    spa: 'es',
    por: 'pt',
    ita: 'it',
    nld: 'nl',
    pol: 'pl',
    ces: 'cs',
    slk: 'sk',
    slv: 'sl',
    hrv: 'hr',
    hun: 'hu',
    ron: 'ro',
    swe: 'sv',
    dan: 'da',
    nob: 'nb',
    fin: 'fi',
    ekk: 'et',
    lit: 'lt',
    lvs: 'lv',
    tur: 'tr',
    ind: 'id',
    vie: 'vi',
    cat: 'ca',
  },
  Cyrl: { rus: 'ru', ukr: 'uk', bul: 'bg', srp: 'sr', bel: 'be' },
  Arab: { arb: 'ar', pes: 'fa', urd: 'ur' },
  Deva: { hin: 'hi', mar: 'mr', npi: 'ne' },
};

const scripts = [...Object.keys(sharedScripts), ...Object.keys(languageOfScript), 'Han', 'Hira', 'Kana'];
// super-linear: each is one character class and matches one character.
const letterOf = scripts.map(script => ({ script, letter: new RegExp(`\\p{sc=${script === 'Han' ? 'Hani' : script}}`, 'gu') }));

/** The most common characters that only simplified, or only traditional, Chinese has. */
const simplified = /[这个为会来们说时国学对发后经点问样过还进开没关实现动机电长头业东义书]/g;
const traditional = /[這個為會來們說時國學對發後經點問樣過還進開沒關實現動機電長頭業東義書]/g;

const count = (text: string, sign: RegExp) => text.match(sign)?.length ?? 0;

/**
 * Returns the language of a page for its `lang` attribute. Undefined if there are too few words to tell.
 * @param words text without code and formulas, which have no language
 */
export function languageOf(words: string): string | undefined {
  const text = words.replace(/https?:\S+/g, ' ');
  const counts = new Map(letterOf.map(({ script, letter }) => [script, count(text, letter)]));
  const of = (script: string) => counts.get(script) ?? 0;
  const kana = of('Hira') + of('Kana');
  counts.set('Han', of('Han') + kana);
  const [main = 'Latn'] = [...counts].reduce((most, other) => (other[1] > most[1] ? other : most));
  const letters = of(main);
  if (letters === 0) return undefined;
  // Japanese text is at least a third kana; Chinese text only quotes a Japanese word now and then.
  if (main === 'Han') return kana * 20 > letters ? 'ja' : chineseOf(text);
  return languageOfScript[main] ?? (letters < fewestLetters ? undefined : amongThose(sharedScripts[main]!, text));
}

function chineseOf(text: string): string {
  const [ofSimplified, ofTraditional] = [count(text, simplified), count(text, traditional)];
  if (ofSimplified === ofTraditional) return 'zh';
  return ofSimplified > ofTraditional ? 'zh-Hans' : 'zh-Hant';
}

function amongThose(languages: Readonly<Record<string, string>>, text: string): string | undefined {
  return languages[franc(text.replace(/\s+/g, ' ').slice(0, mostLetters), { only: Object.keys(languages) })];
}
