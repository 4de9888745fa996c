import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { renderApiReference } from './api-reference.ts';

writeFileSync(path.join(import.meta.dirname, '../../../docs/oidc/api.md'), renderApiReference());
