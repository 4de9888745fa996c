import type { ReportSeen } from '../model/report.ts';
import type { Needs } from './parts.ts';

/** What readers told the operator, newest first. */
export function listReports({ store }: Needs<'store'>): Promise<ReportSeen[]> {
  return store.listReports();
}
