import { budgetsContract } from './contract/budgets.ts';
import { deletionContract } from './contract/deletion.ts';
import { imagesContract } from './contract/images.ts';
import { keptContract } from './contract/kept.ts';
import { migrationsContract } from './contract/migrations.ts';
import { notebooksContract } from './contract/notebooks.ts';
import { pagesContract } from './contract/pages.ts';
import { rightsContract } from './contract/rights.ts';
import { searchContract } from './contract/search.ts';
import { settingsContract } from './contract/settings.ts';
import { snapshotsContract } from './contract/snapshots.ts';
import type { Subject } from './contract/subject.ts';
import { textContract } from './contract/text.ts';

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
