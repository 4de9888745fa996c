import { openFolderStore } from './folder.ts';
import type { ObjectStore } from './object-store.ts';
import { createS3Store, type S3Options } from './s3.ts';

export type ObjectStoreChoice =
  | { readonly kind: 'on'; readonly store: S3Options }
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'off' };

/**
 * The configured store; undefined: uploads are off.
 * @param fileUrl the service's address for a file of its folder
 * @throws Error when the folder cannot be written to
 */
export async function openObjects(choice: ObjectStoreChoice, fileUrl: (key: string) => string): Promise<ObjectStore | undefined> {
  if (choice.kind === 'on') return createS3Store(choice.store);
  return choice.kind === 'folder' ? openFolderStore({ folder: choice.folder, publicUrl: fileUrl }) : undefined;
}
