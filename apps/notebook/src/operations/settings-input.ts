import type { Duration } from '../model/expiry.ts';
import type { Paper, Visibility } from '../model/notebook.ts';

/** Settings that can be chosen when a notebook is created, and changed later. */
export interface SettingsInput {
  readonly title?: string;
  readonly visibility?: Visibility;
  readonly expiresIn?: Duration;
  readonly expiresAt?: string | null;
  readonly password?: string | null;
  readonly readOnly?: boolean;
  readonly burnAfterRead?: boolean;
  readonly openEditing?: boolean;
  readonly embedding?: boolean;
  readonly comments?: boolean;
  readonly paper?: Paper;
}
