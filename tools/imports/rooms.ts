/**
 * Which room of apps/notebook/src may import which. A room is a folder, or a file next to the folders. Every folder under
 * `browser` and `http` is a separate room; elsewhere a folder belongs to the room that contains it.
 */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  // The thread that watches, and the one that serves.
  main: ['watchdog', 'config', 'own-program', 'required-node'],
  service: ['app', 'config', 'watchdog'],
  'record-ending': ['config', 'store', 'watchdog'],
  watchdog: ['listening'],
  'own-program': [],
  'required-node': [],
  'event-loop-turns': [],
  // The sockets of the port: one process opens them for itself, a supervisor for its workers.
  listening: [],
  // `octavo serve` is the same process.
  cli: ['app', 'config', 'main', 'commands', 'required-node'],
  // The wiring: the only file that knows every room.
  app: ['*'],
  // What the API accepts and returns: its schemas, their types, and every call with its method and address.
  api: ['model', 'urls', 'errors', 'limits'],
  // Routes report that something happened; analytics decides what may be passed on.
  routes: [
    'api',
    'event-loop-turns',
    'operations',
    'views',
    'http',
    'urls',
    'embed-code',
    'errors',
    'limits',
    'model',
    'analytics/events',
  ],
  // The terminal's counterpart of routes. Commands work on the database directly, without a server.
  commands: ['api (types)', 'api/calls', 'config', 'operations', 'store', 'objects', 'urls', 'model', 'limits', 'browser/files'],
  // Events consist of the model's words and buckets of numbers.
  analytics: ['model'],
  jobs: ['operations'],
  operations: [
    'api/page-answer',
    'event-loop-turns',
    'model',
    'markdown',
    'errors',
    'limits',
    'store/store',
    'objects/object-store',
    'images/image-checker',
    'images/card-painter',
  ],
  // Limits enforced inside a write statement (10 snapshots a page, 200 pages) are the store's job, so it reads them.
  store: ['model', 'errors', 'limits', 'own-program', 'event-loop-turns'],
  objects: ['model', 'errors', 'limits'],
  images: ['model', 'limits', 'own-program'],
  views: ['model (types)', 'markdown', 'urls', 'embed-code', 'limits'],
  // Code that runs in a browser. The editor wires the rooms below it: panels, field and preview do not know each other's wiring.
  'browser/editor': [
    'api (types)',
    'browser/editor/page-list',
    'browser/editor/toolbar',
    'browser/editor/find',
    'browser/editor/colors',
    'browser/panels',
    'browser/field',
    'browser/preview',
    'browser/session',
    'browser/ui',
    'browser/api',
    'browser/device',
    'markdown',
    'urls',
    'limits',
  ],
  'browser/editor/find': ['browser/field', 'browser/session (types)', 'browser/ui', 'browser/device'],
  'browser/editor/colors': ['browser/field', 'browser/merge'],
  'browser/editor/page-list': ['browser/panels', 'browser/field/formatting', 'browser/session', 'browser/ui', 'limits'],
  'browser/editor/toolbar': ['browser/panels', 'browser/field', 'browser/session (types)'],
  'browser/panels': [
    'api (types)',
    'browser/field',
    'browser/session (types)',
    'browser/merge',
    'browser/ui',
    'browser/api',
    'browser/device',
    'model (types)',
    'model/first-line',
    'model/page-name',
    'urls',
    'limits',
  ],
  'browser/panels/share': [
    'api (types)',
    'browser/panels',
    'browser/session (types)',
    'browser/ui',
    'browser/api (types)',
    'browser/device',
    'embed-code',
    'urls',
  ],
  'browser/panels/import': [
    'browser/field/images',
    'browser/files',
    'browser/session (types)',
    'browser/ui',
    'browser/api',
    'browser/device',
    'markdown',
    'model/page-path',
    'limits',
  ],
  'browser/panels/export': [
    'api/calls',
    'browser/api',
    'browser/files',
    'browser/diagrams',
    'browser/session (types)',
    'browser/ui',
    'browser/device',
    'browser/styles',
    'markdown',
    'model/file-name',
    'model/image',
    'model/page-address',
    'model/page-name',
    'model/page-path',
    'urls',
  ],
  'browser/field': [
    'browser/field/text',
    'browser/field/formatting',
    'browser/field/images',
    'browser/field/paste',
    'browser/session (types)',
  ],
  'browser/field/paste': [
    'browser/field/images',
    'browser/field/formatting',
    'browser/field/text',
    'browser/merge',
    'browser/ui',
    'browser/api',
    'browser/device',
    'urls',
    'limits',
  ],
  'browser/field/images': [
    'api (types)',
    'api/calls',
    'browser/field/text',
    'browser/session (types)',
    'browser/ui',
    'browser/api',
    'browser/device',
    'urls',
    'limits',
  ],
  'browser/field/formatting': ['browser/field/text (types)'],
  'browser/field/text': ['browser/session (types)', 'browser/device'],
  'browser/preview': ['browser/diagrams', 'browser/ui', 'browser/device', 'markdown'],
  'browser/preview/scroll': ['browser/preview', 'browser/merge'],
  // The pages of one notebook with their unsaved texts. It uses no document, which its own tsconfig proves.
  'browser/session': [
    'api (types)',
    'browser/api',
    'browser/merge',
    'browser/device',
    'model/first-line',
    'model/page-name',
    'limits',
  ],
  'browser/merge': [],
  'browser/offline': [],
  'browser/ui': ['browser/session (types)', 'browser/device'],
  'browser/api': ['api (types)', 'api/calls', 'api/first-calls', 'api/reading-calls', 'urls', 'model (types)'],
  // What the browser provides: storage, clipboard, files, trusted types.
  'browser/device': [],
  'browser/files': [
    'browser/files/zip',
    'markdown',
    'model/file-name',
    'model/page-name',
    'model/page-path',
    'model/mark-runs',
    'model/text-start',
    'limits',
  ],
  'browser/files/zip': ['limits'],
  'browser/diagrams': ['browser/device', 'model/text-start'],
  // Scripts of pages that the server renders.
  'browser/home': ['browser/ui', 'browser/api', 'browser/device', 'urls', 'grace-days'],
  'browser/site': [
    'api (types)',
    'api/changing-calls',
    'api/first-calls',
    'browser/ui',
    'browser/api',
    'browser/device',
    'model/first-line',
    'markdown',
    'urls',
    'limits',
    'slug-limits',
  ],
  'browser/styles': [],
  model: ['limits', 'errors', 'urls'],
  // Limits on nesting, table width and output are numbers, which live in one file. Its threads use a fair queue, like the image checker's.
  markdown: ['limits', 'model/text-start', 'model/turn-queue', 'own-program'],
  // Plumbing below the routes: it turns refusals into answers and knows our own addresses. The server, its front door and its refusals
  // stand beside the folders.
  http: [
    'http/addresses',
    'http/answers',
    'http/bodies',
    'http/connections',
    'http/load',
    'event-loop-turns',
    'errors',
    'limits',
  ],
  // What may wait, and what is refused before the service is busy with nothing else.
  'http/load': [
    'http/addresses',
    'http/answers',
    'http/bodies',
    'http/connections',
    'event-loop-turns',
    'errors',
    'limits',
    'urls',
  ],
  'http/connections': ['http/addresses', 'http/answers', 'event-loop-turns', 'listening'],
  'http/addresses': ['http/bodies', 'errors', 'urls'],
  'http/bodies': ['event-loop-turns', 'errors', 'limits'],
  'http/answers': ['event-loop-turns', 'errors', 'limits', 'views/props (types)'],
  // The built files of exactly the styles and scripts that the views declare.
  'http/files': ['limits', 'urls', 'views/props'],
  // Defaults are limits; a visibility or paper is checked against the model's words.
  config: ['limits', 'model'],
  urls: [],
  'embed-code': [],
  limits: ['slug-limits', 'grace-days'],
  'slug-limits': [],
  'grace-days': [],
  errors: [],
};

/** The same for apps/gate/src. */
export const gateRooms: Readonly<Record<string, readonly string[]>> = {
  cli: ['config', 'main', 'model'],
  main: ['app', 'config', 'limits', 'operate'],
  // The wiring: the only file that knows every room.
  app: ['*'],
  // What follows from a configuration, created once and replaced as a whole.
  timers: ['bearer', 'limits', 'model', 'operate', 'proxy', 'routes', 'sessions', 'state'],
  state: ['bearer', 'config', 'http', 'model', 'sign-in'],
  // HTTP in, HTTP out: one file per page or endpoint.
  routes: [
    'bearer',
    'bridge',
    'errors',
    'http',
    'limits',
    'model',
    'operate',
    'proxy',
    'sessions',
    'sign-in',
    'state',
    'urls',
    'views',
  ],
  // The gate as the OpenID provider of the applications behind it.
  bridge: ['config', 'http', 'limits', 'model', 'operate', 'urls'],
  bearer: ['errors', 'limits', 'model', 'sign-in'],
  sessions: ['limits', 'model', 'operate', 'sign-in', 'state'],
  'sign-in': ['config', 'limits', 'model', 'urls'],
  proxy: ['errors', 'http', 'model'],
  operate: ['config', 'model'],
  config: ['model'],
  http: ['errors', 'limits'],
  views: ['urls'],
  // Pure rules: what a request asks for, who the person is, and what follows.
  model: [],
  urls: [],
  limits: [],
  errors: [],
};

/** The rooms of packages/oidc-rp/src, from what is published down to what knows nothing. */
export const oidcRooms: Readonly<Record<string, readonly string[]>> = {
  // Published: the main entry, native apps, and one for each framework.
  index: ['*'],
  native: ['native-app'],
  express: ['frameworks', 'http (types)', 'values'],
  fastify: ['frameworks', 'http (types)', 'values'],
  hono: ['frameworks', 'http', 'values'],
  next: ['frameworks', 'http', 'values'],
  frameworks: ['errors', 'http (types)', 'values'],
  'native-app': ['client (types)', 'environment', 'errors', 'relying-party', 'sign-in (types)', 'values'],
  'browser-sign-in': ['errors', 'http (types)', 'relying-party (types)', 'sign-in (types)', 'values'],
  // The wiring.
  'relying-party': [
    'client',
    'environment',
    'errors',
    'http (types)',
    'issuer',
    'keys',
    'logout',
    'provider',
    'refresh',
    'sign-in',
    'tokens',
    'values',
  ],
  refresh: ['client', 'environment', 'errors', 'sign-in (types)', 'tokens', 'values'],
  logout: ['client', 'environment', 'errors', 'http', 'keys', 'tokens', 'values'],
  'sign-in': ['client', 'environment', 'errors', 'http', 'issuer', 'keys', 'tokens', 'values'],
  provider: ['client (types)', 'http', 'issuer', 'keys', 'tokens (types)', 'values'],
  tokens: ['client', 'environment', 'errors', 'http', 'issuer (types)', 'keys', 'values'],
  client: ['environment', 'errors', 'http', 'issuer', 'keys', 'limits', 'values'],
  keys: ['errors', 'http', 'issuer (types)', 'limits (types)', 'values'],
  issuer: ['errors', 'http', 'values'],
  http: ['environment (types)', 'errors', 'limits (types)', 'values'],
  environment: ['values'],
  limits: ['values'],
  values: ['errors'],
  errors: [],
};

/** The rooms of packages/saml-sp/src, from what is published down to what knows nothing. */
export const samlRooms: Readonly<Record<string, readonly string[]>> = {
  // Published: the main entry, one for each framework, and the tests of a replay store.
  index: ['*'],
  express: ['adapter', 'bindings (types)', 'values'],
  fastify: ['adapter', 'bindings (types)', 'values'],
  hono: ['adapter', 'bindings', 'values'],
  next: ['adapter', 'bindings', 'hono', 'values'],
  adapter: ['bindings', 'errors', 'values'],
  'replay-store-contract': ['sp (types)'],
  // The wiring.
  'service-provider': ['bindings', 'errors', 'idp', 'logout', 'sign-in', 'sp', 'tokens', 'values'],
  logout: ['assertion', 'bindings', 'errors', 'idp', 'keys', 'messages', 'sign-in', 'sp', 'values', 'xml'],
  'sign-in': ['assertion', 'bindings', 'errors', 'idp', 'keys', 'messages', 'sp', 'values', 'xml'],
  tokens: ['assertion', 'bindings', 'errors', 'idp', 'keys', 'messages', 'sp', 'values', 'xml'],
  sp: ['errors', 'idp', 'keys', 'values', 'xml'],
  assertion: ['errors', 'idp (types)', 'keys', 'messages', 'values', 'xml'],
  messages: ['bindings (types)', 'errors', 'keys', 'values', 'xml'],
  idp: ['errors', 'keys', 'values', 'xml'],
  bindings: ['errors', 'keys', 'values', 'xml'],
  keys: ['errors', 'values', 'xml'],
  xml: ['errors', 'values'],
  values: ['errors'],
  errors: [],
};

/** Every folder in these is a room. */
export const nestedRooms: ReadonlySet<string> = new Set(['browser', 'http']);

/** Only `config` reads the environment; `main`, `service`, `record-ending` and `cli` pass it on. */
export const environmentRooms: readonly string[] = ['config', 'main', 'service', 'record-ending', 'cli'];

/** Names that hide what a file is about. */
export const emptyNames: ReadonlySet<string> = new Set([
  'util',
  'utils',
  'common',
  'shared',
  'helper',
  'helpers',
  'index',
  'misc',
]);

/** Each sign-in package is imported by exactly one file of the gate, so that its use can be seen in one place. */
export const gateDoors: Readonly<Record<string, string>> = {
  '@octavo/oidc-rp': 'apps/gate/src/sign-in/oidc.ts',
  '@octavo/saml-sp': 'apps/gate/src/sign-in/saml.ts',
};
