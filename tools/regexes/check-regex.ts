import { RegExpParser } from '@eslint-community/regexpp';
import { analyse } from 'scslre';
import { findRestarts } from './restarts.ts';

/** Why an expression's time can grow faster than its text, one sentence each; empty when it grows in proportion. */
export function checkRegex(source: string, flags: string): string[] {
  const { pattern, flags: parsed } = new RegExpParser().parseLiteral(`/${source}/${flags}`);
  const { reports } = analyse({ pattern, flags: parsed }, { reportTypes: { Move: !flags.includes('y') } });
  const sentences = reports.map(report => {
    const grows = report.exponential ? 'exponentially' : 'with the square of the text or more';
    if (report.type === 'Trade')
      return `${report.startQuant.raw} and ${report.endQuant.raw} can share a run in every way: it grows ${grows}`;
    return report.type === 'Self'
      ? `${report.quant.raw} can cut a run in every way: it grows ${grows}`
      : restartSentence(report.quant.raw);
  });
  return [...new Set([...sentences, ...findRestarts(pattern, parsed).map(restartSentence)])];
}

function restartSentence(raw: string): string {
  return `${raw} is walked anew from each place of a run: it grows with the square of the text`;
}
