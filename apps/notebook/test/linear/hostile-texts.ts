import { type HostileInput, hostileInputs } from '../markdown/hostile-inputs.ts';

/** One of each class of characters that some function of ours treats by itself. */
const units = [
  ...'aZ0é漢ｶﾞﷺΣ \t\n\r-*_`~#>|:[](){}<!&;"\'\\/.,=%$+?',
  '\u0301',
  '\u0316',
  '\u00a0',
  '\u2028',
  '\u200d',
  '\u202e',
  '\ufeff',
  '😀',
  '한',
] as const;
/** What a run is ended with, so that what looks for its end is disappointed. */
const ends = ['', 'x', '\n|x', ')x'] as const;

const show = (text: string) => JSON.stringify(text).slice(1, -1);
const fill = (unit: string, chars: number) => unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars);

/** A run of one character, with something else behind it. */
export const runs: readonly HostileInput[] = units.flatMap(unit =>
  ends.map((end): HostileInput => [`${show(unit)}… ${show(end)}`, chars => `a${fill(unit, chars)}${end}`]),
);

/** Two characters in turn, and a run of one before a run of the other. */
export const pairs: readonly HostileInput[] = units.flatMap(one =>
  units
    .filter(other => other !== one)
    .flatMap((other): HostileInput[] => [
      [`${show(one)}${show(other)}…`, chars => `${fill(one + other, chars)}x`],
      [`${show(one)}… ${show(other)}…`, chars => `${fill(one, chars / 2)}${fill(other, chars / 2)}x`],
    ]),
);

/** Words and tags without an end, again and again. */
const pieces: readonly HostileInput[] = [
  ...[
    '<h1',
    '<a href="',
    '<!--',
    '<annotation',
    '![',
    '[a](',
    'https://',
    '/e/',
    '&amp',
    '**a',
    '\n> ',
    '\n- ',
    '\n|-',
    '\n```',
    ';q=',
  ].map((unit): HostileInput => [`${show(unit)}…`, chars => `${fill(unit, chars)}x`]),
];

/** Marks of two kinds, which normalization puts in order. */
const mixedMarks = pairs.filter(([name]) => /^\p{M}…? ?\p{M}…$/u.test(name));

export const hostileTexts: readonly HostileInput[] = [...hostileInputs, ...runs, ...mixedMarks, ...pieces];
