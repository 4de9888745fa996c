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
      return `${report.startQuant.raw} and ${report.endQuant.raw} can divide a run between them in every way: the time grows ${grows}`;
    return report.type === 'Self'
      ? `${report.quant.raw} can divide a run in every way: the time grows ${grows}`
      : restartSentence(report.quant.raw);
  });
  return [...new Set([...sentences, ...findRestarts(pattern, parsed).map(restartSentence)])];
}

function restartSentence(raw: string): string {
  return `${raw} is scanned again from each position of a run: the time grows with the square of the text`;
}
