import { budgetsContract } from './budgets.ts';
import { deletionContract } from './deletion.ts';
import { imagesContract } from './images.ts';
import { keptContract } from './kept.ts';
import { migrationsContract } from './migrations.ts';
import { notebooksContract } from './notebooks.ts';
import { pagesContract } from './pages.ts';
import { rightsContract } from './rights.ts';
import { searchContract } from './search.ts';
import { settingsContract } from './settings.ts';
import { snapshotsContract } from './snapshots.ts';
import type { Subject } from './subject.ts';
import { textContract } from './text.ts';

/** What every engine must do. Called inside of a `describe`; the subject is there once its `beforeAll` has run. */
export function storeContract(subject: () => Subject): void {
  notebooksContract(subject);
  rightsContract(subject);
  pagesContract(subject);
  snapshotsContract(subject);
  budgetsContract(subject);
  settingsContract(subject);
  deletionContract(subject);
  imagesContract(subject);
  keptContract(subject);
  textContract(subject);
  searchContract(subject);
  migrationsContract(subject);
}
