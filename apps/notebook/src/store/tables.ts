import type { Generated } from 'kysely';
import type { ImageType } from '../model/image.ts';
import type { Paper, Visibility } from '../model/notebook.ts';

/** The tables of both engines, as the migrations create them. SQLite returns booleans as 0 and 1. */
export interface Tables {
  notebooks: NotebooksTable;
  pages: PagesTable;
  snapshots: SnapshotsTable;
  comments: CommentsTable;
  renderings: { page_id: string; variant: string; revision: number; engine: string; json: string; packed: Uint8Array | null };
  cards: { notebook_id: string; version: number; build: string; drawn_at: number; png: Uint8Array };
  finished_pages: { page: string; version: number; build: string; etag: string; frames: boolean; br: Uint8Array };
  rate_slots: { name: string; key: string; used: number; ends_at: number };
  freed_slugs: { slug_hash: string; free_at: number };
  search_queue: {
    number: Generated<number>;
    page_id: string;
    notebook_id: string;
    tries: Generated<number>;
    not_before: Generated<number>;
  };
  page_keys: { page_id: string; notebook_id: string; key: string };
  page_files: { page_id: string; notebook_id: string; path: string; patch: string };
  secrets: { name: string; value: string };
  job_runs: { name: string; done_due: number; holder: string | null; held_until: number };
  text_endings: { page_id: string; revision: number; ended_at: number };
  kept_times: { name: string; at: number };
  reports: ReportsTable;
  images: ImagesTable;
  upload_slots: { image_id: string; notebook_id: string; over_at: number };
  object_deletions: { number: Generated<number>; object_key: string; notebook_id: string; not_before: number };
}

interface NotebooksTable {
  id: string;
  slug: string;
  title: string;
  visibility: Visibility;
  expires_at: number | null;
  password_hash: string | null;
  read_only: boolean;
  burn_after_read: boolean;
  opened_at: number | null;
  reader_hash: string | null;
  open_editing: boolean;
  embedding: boolean;
  comments: boolean;
  paper: Paper;
  edit_token_hash: string;
  first_token_hash: string | null;
  taken_down_at: number | null;
  created_at: number;
  updated_at: number;
  version: number;
  markdown_bytes: number;
}

interface PagesTable {
  id: string;
  notebook_id: string;
  position: number;
  given_title: string;
  heading: string;
  revision: number;
  updated_at: number;
  snapshot_at: Generated<number | null>;
  by_owner: Generated<boolean>;
  markdown: string;
}

interface SnapshotsTable {
  id: string;
  page_id: string;
  revision: number;
  given_title: string;
  heading: string;
  created_at: number;
  bytes: number;
  by_owner: boolean;
  markdown: string;
}

interface CommentsTable {
  number: Generated<number>;
  id: string;
  notebook_id: string;
  page_id: string | null;
  author: string;
  body: string;
  created_at: number;
}

interface ReportsTable {
  number: Generated<number>;
  id: string;
  notebook_id: string;
  slug: string;
  reason: string;
  detail: string;
  created_at: number;
}

interface ImagesTable {
  number: Generated<number>;
  id: string;
  notebook_id: string;
  object_key: string;
  type: ImageType;
  bytes: number;
  width: number;
  height: number;
  created_at: number;
}
