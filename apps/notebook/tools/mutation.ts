import path from 'node:path';
import { type MutationPart, mutateParts } from '../../../tools/mutate-parts.ts';

// Mutation testing part by part: `node tools/mutation.ts [part…]`. `upkeep` starts the service and needs `npm run build`
// before. Databases lie in TMPDIR: a folder in memory spares the waits for a disk.
const operations = (...names: string[]): string[] => names.map(name => `operations/${name}`);

const http = (...names: string[]): string[] => names.map(name => `http/${name}`);

const httpPart = (names: string[], tests = names): MutationPart => ({
  sources: http(...names),
  tests: http(...tests).map(name => `src/${name}`),
  wholeFiles: true,
});

/** There is no database server; a hundred openings for every mutant would take hours. */
const wordsLeftOut = [
  'before anything is made of it',
  'PostgreSQL',
  '100 times',
  '15 kills',
  'races th',
  'shown plain for a moment',
];

/** They tell a thread from the process of the tests. */
const threadsSeen = [
  ...['holds no event loop', 'ends the process', 'in a thread', 'is counted with the comments', 'steps back'],
  ...['whose thread fails', 'is called by its name'],
];

const parts: Record<string, MutationPart> = {
  model: { sources: ['model/*', '!model/image-type'], tests: ['src/model/*'] },
  images: { sources: ['model/image-type', 'model/image-files/*'], tests: ['src/model/image-type', 'src/model/image-files/*'] },
  access: {
    sources: operations('require-access', 'unlock-notebook', 'open-once', 'passwords', 'slow-guesses', 'require-rate-slot'),
    tests: ['src/operations/passwords', 'test/access/gate'],
  },
  writing: {
    sources: operations(
      ...['create-notebook', 'change-page', 'add-page', 'delete-page', 'delete-notebook', 'change-settings', 'rotate-edit-token'],
      ...[
        'check-slug',
        'create-once',
        'read-notebook-input',
        'quick-paste',
        'comments',
        'page-snapshots',
        'report-notebook',
        'refused-write',
      ],
    ),
    tests: [
      ...['create-once-operation', 'notebook-operations', 'page-operations', 'reader-operations'].map(name => `test/api/${name}`),
      'test/access/gate',
    ],
  },
  reading: {
    sources: operations(
      'read-notebook',
      'copy-notebook',
      'text-copy',
      'shared-copies',
      'page-turns',
      'page-titles',
      'view-notebook',
      'render-page',
      'resolve-page-links',
      'list-links',
      'list-page-files',
      'size-images',
    ),
    tests: ['test/api/reading-operations', 'test/api/rendering-operations', 'test/api/copied-notebook'],
  },
  snippets: { sources: operations('snippet', 'plain-text'), tests: ['src/operations/snippet', 'src/operations/plain-text'] },
  html: {
    sources: ['markdown/escape', 'markdown/render-thread', 'operations/kept-rendering'],
    tests: ['src/markdown/escape', 'src/markdown/render-thread', 'src/operations/kept-rendering'],
  },
  pictures: {
    sources: operations('add-image', 'delete-image', 'list-images', 'open-image-file'),
    tests: ['test/images/image-operations'],
  },
  chores: {
    sources: operations('index-pages', 'keep-alive', 'keep-renderings', 'learn-text-endings', 'list-reports', 'take-down'),
    tests: ['src/operations/index-pages', 'src/operations/keep-alive', 'test/api/operator-operations'],
  },
  searching: {
    sources: operations('search-notebooks', 'find-in-notebook', 'list-notebooks'),
    tests: ['test/search/finding-operations', 'test/api/reading-operations'],
  },
  guards: {
    sources: operations('clock-watch', 'purge-guarded', 'fair-pool', 'delete-queued-objects'),
    tests: ['clock-watch', 'purge-guarded', 'fair-pool', 'delete-queued-objects'].map(name => `src/operations/${name}`),
  },
  // The files of http/ against the tests beside them.
  requests: httpPart(
    [
      'addresses/client-ip',
      'addresses/cross-site',
      'bodies/json-scan',
      'bodies/json-text',
      'request-log',
      'bodies/request-text',
      'answers/security-headers',
    ],
    [
      'addresses/client-ip',
      'addresses/cross-site',
      'bodies/json-text',
      'request-log',
      'bodies/request-text',
      'answers/security-headers',
    ],
  ),
  bodies: httpPart([
    'bodies/bodies',
    'load/bodies-in-flight',
    'bodies/content-coding',
    'bodies/drain-body',
    'bodies/body-turns',
    'bodies/raw-body',
  ]),
  refusals: httpPart(['answers/answer-lines', 'answers/problem', 'refusals'], ['refusals']),
  door: httpPart([
    ...[
      'answers/answer-batch',
      'addresses/api-address',
      'connections/close-connections',
      'connections/connections',
      'connections/drain-connections',
      'front-door',
    ],
    ...['connections/half-closed', 'addresses/one-host', 'answers/ready-answer', 'load/request-scheduler'],
  ]),
  addresses: httpPart(['answers/accept', 'addresses/meant-address', 'addresses/own-url']),
  listening: { sources: ['listening/*'], tests: ['src/listening/*', 'src/http/connections/drain-connections'], wholeFiles: true },
  shedding: httpPart(['addresses/clean-address', 'metrics', 'load/pressure', 'server'], ['metrics', 'load/pressure', 'server']),
  served: {
    sources: http('files/assets', 'files/built-files', 'answers/compressed', 'answers/page-cache', 'schema-compilers'),
    tests: ['src/http/**/*'],
    wholeFiles: true,
  },
  made: httpPart([
    'answers/recent-keys',
    'files/build-name',
    'files/offline-worker',
    'answers/recently-used',
    'answers/zip-stream',
  ]),
  large: {
    sources: [
      ...http('bodies/assemble-body', 'answers/long-json', 'answers/text-bytes', 'answers/held-answers'),
      'event-loop-turns',
      'store/packed-pages',
    ],
    tests: [
      ...http('bodies/assemble-body', 'answers/long-json', 'answers/text-bytes'),
      'event-loop-turns',
      'store/packed-pages',
    ].map(name => `src/${name}`),
  },
  clients: httpPart(
    [
      'bodies/chunk-count',
      'connections/client-error',
      'connections/connection-ends',
      'connections/pipelined-requests',
      'connections/stalled-readers',
      'load/unread-answers',
    ],
    [
      'bodies/chunk-count',
      'connections/client-error',
      'connections/connection-ends',
      'front-door',
      'connections/pipelined-requests',
      'connections/stalled-readers',
      'load/unread-answers',
    ],
  ),
  // Statements are made once for a store, so each change meets all tests of the files that reach it.
  rights: {
    sources: [
      ...[
        'notebooks/write-rights',
        'notebooks/write-take-down',
        'notebooks/notebook-statements',
        'kept/with-rate-slot',
        'kept/kept-statements',
      ],
      ...['upkeep/write-purge', 'upkeep/purge-statements', 'upkeep/upkeep-store', 'upkeep/report-statements'],
    ].map(name => `store/${name}`),
    tests: ['in-memory', 'records', 'upkeep-records', 'store'].map(name => `test/store/${name}`),
    wordsLeftOut: [...wordsLeftOut, 'leaves no row in any table'],
    wholeFiles: true,
  },
  saves: {
    sources: ['write-content', 'write-pages', 'save-statements', 'page-statements', 'snapshot-room', 'snapshot-statements'].map(
      name => `store/pages/${name}`,
    ),
    tests: ['test/store/store'],
    wordsLeftOut: [...wordsLeftOut, 'leaves no row in any table'],
    wholeFiles: true,
  },
  records: {
    sources: [
      ...['comments/*', 'images/*', 'notebooks/list*', 'notebooks/write-notebook', 'notebooks/write-settings'],
      ...['kept/card-statements', 'kept/finished-statements', 'kept/read-views', 'kept/batch-reads'],
      ...['upkeep/job-statements', 'upkeep/text-ending-statements', 'upkeep/time-statements'],
    ].map(name => `store/${name}`),
    tests: [
      ...['in-memory', 'records', 'upkeep-records', 'store'].map(name => `test/store/${name}`),
      ...['src/store/kept/*', 'src/store/notebooks/*'],
    ],
    wordsLeftOut: [...wordsLeftOut, 'leaves no row in any table'],
    wholeFiles: true,
  },
  searched: {
    sources: ['store/search/*', '!store/search/postgres*'],
    tests: [
      ...['in-memory', 'search-parts', 'search-order', 'search-file', 'index-follows'].map(name => `test/store/${name}`),
      'test/search/search-public',
      'src/store/search/*',
    ],
    threadsHere: ['search-worker'],
    wordsLeftOut: [...wordsLeftOut, 'leaves the event loop to others'],
    wholeFiles: true,
  },
  // Not what only a server of PostgreSQL, or another thread, runs.
  store: {
    sources: [
      ...['database-unavailable', 'dialect', 'engine', 'migrate', 'open-store', 'sql-store', 'statement', 'statements'],
      ...['serve-requests', 'store-thread', 'upkeep/text-ending-file'],
    ].map(name => `store/${name}`),
    tests: [
      'src/store/*',
      'src/store/upkeep/*',
      ...['in-memory', 'records', 'upkeep-records', 'store', 'sqlite'].map(name => `test/store/${name}`),
    ],
    threadsHere: ['search-worker', 'heavy-write-worker'],
    wordsLeftOut: [...wordsLeftOut, ...threadsSeen, 'leaves no row in any table'],
    wholeFiles: true,
  },
  // Each test has a store of its own here, so a change meets those that reach it.
  heavy: {
    sources: ['heavy-writes', 'heavy-write-worker', 'notebooks/delete-in-portions', 'upkeep/size-statements'].map(
      name => `store/${name}`,
    ),
    tests: [
      ...['deletion', 'heavy-writes', 'in-memory', 'sizes', 'sqlite'].map(name => `test/store/${name}`),
      'src/store/notebooks/delete-in-portions',
    ],
    threadsHere: ['search-worker', 'heavy-write-worker'],
    wordsLeftOut: [...wordsLeftOut, ...threadsSeen],
  },
  gathering: { sources: ['store/pages/batch-saves'], tests: ['src/store/pages/batch-saves'] },
  postgres: {
    sources: ['arrival-turns', 'connection-turns', 'postgres-breaker', 'postgres-errors', 'postgres-transaction'].map(
      name => `store/postgres/${name}`,
    ),
    tests: ['src/store/postgres/*'],
    // Their names speak of PostgreSQL; they start none.
    wordsLeftOut: [],
  },
  sqlite: {
    sources: ['sqlite-write-queue', 'sqlite-errors', 'sqlite-changes', 'sqlite-log-sync', 'sqlite-read-ahead'].map(
      name => `store/sqlite/${name}`,
    ),
    tests: ['test/store/sqlite', 'src/store/sqlite/*'],
    wholeFiles: true,
  },
  files: {
    sources: ['disk-space', 'private-file', 'sqlite', 'sqlite-backup', 'sqlite-checkpoints', 'sqlite-execute'].map(
      name => `store/sqlite/${name}`,
    ),
    tests: ['src/store/sqlite/*'],
    wholeFiles: true,
  },
  upkeep: {
    sources: operations('purge-expired', 'sweep-orphan-images'),
    tests: ['src/operations/purge-expired', 'src/operations/purge-guarded', 'test/jobs/purge', 'test/objects/sweep'],
  },
};

/** Takes seconds, and knows nothing but images. */
const leftOut = (part: string): string[] => (part === 'model' ? ['src/model/image-type'] : []);

const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : Object.keys(parts)) {
  const part = parts[name];
  mutateParts(path.join(import.meta.dirname, '..'), part ? { [name]: { wordsLeftOut, ...part } } : parts, [name], leftOut(name));
}
