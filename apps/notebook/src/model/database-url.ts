/** The database that a URL names. */
export type DatabaseAddress = { readonly sqlitePath: string } | { readonly postgresUrl: string };

/** @throws Error that says what is missing and never repeats the URL, because it may contain a password */
export function readDatabaseUrl(databaseUrl: string): DatabaseAddress {
  if (databaseUrl.startsWith('sqlite:')) return { sqlitePath: readSqlitePath(databaseUrl) };
  if (/^postgres(ql)?:/.test(databaseUrl)) return { postgresUrl: readPostgresUrl(databaseUrl) };
  throw new Error('The database URL must be sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME.');
}

function readSqlitePath(databaseUrl: string): string {
  const path = databaseUrl.slice('sqlite:'.length);
  if (path === '' || path.startsWith('//')) {
    throw new Error('A database URL that begins with sqlite: must name a file, as in sqlite:data/octavo.db.');
  }
  return path;
}

function readPostgresUrl(databaseUrl: string): string {
  const url = URL.parse(databaseUrl);
  // A parameter names a Unix socket: postgres:///name?host=/var/run/postgresql.
  if (!(url?.hostname || url?.searchParams.get('host')) || url.pathname.length < 2) {
    throw new Error(
      'A database URL that begins with postgres: must name a host and a database, as in postgres://user@host/name.',
    );
  }
  return databaseUrl;
}
