import type { ReportSeen } from '../model/report.ts';
import { listReports } from '../operations/list-reports.ts';
import { readArguments } from './arguments.ts';
import type { Command } from './command.ts';
import { drawTable, plainJson, plainLine } from './terminal-text.ts';
import { withStore } from './with-store.ts';

const detailChars = 80;

function rowOf({ createdAt, state, reason, slug, detail }: ReportSeen): string[] {
  const when = new Date(createdAt).toISOString().slice(0, 16).replace('T', ' ');
  return [when, state, reason, slug, plainLine(detail, detailChars)];
}

function answerOf({ id, createdAt, state, reason, slug, detail }: ReportSeen) {
  return { id, createdAt: new Date(createdAt).toISOString(), state, reason, slug, detail };
}

export const reports: Command = {
  usage: 'reports [--json]',
  about: 'what readers reported, newest first',
  async run(args, terminal) {
    const { flags } = readArguments(args, { words: [], flags: ['json'] });
    const found = await withStore(terminal, listReports);
    if (flags.json) terminal.print(plainJson({ items: found.map(answerOf) }));
    else if (found.length === 0) terminal.print('Nothing was reported.');
    else terminal.print(drawTable([['WHEN (UTC)', 'NOTEBOOK', 'REASON', 'SLUG', 'DETAIL'], ...found.map(rowOf)]));
    return 0;
  },
};
