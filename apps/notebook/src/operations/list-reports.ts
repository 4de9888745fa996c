import type { ReportSeen } from '../model/report.ts';
import type { Needs } from './parts.ts';

/** Readers' reports to the operator, newest first. */
export function listReports({ store }: Needs<'store'>): Promise<ReportSeen[]> {
  return store.listReports();
}
