import type { ReportSeen } from '../model/report.ts';
import type { Parts } from './parts.ts';

/** What readers told the operator, newest first. */
export function listReports({ store }: Pick<Parts, 'store'>): Promise<ReportSeen[]> {
  return store.listReports();
}
