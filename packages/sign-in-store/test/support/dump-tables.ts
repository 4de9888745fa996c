/** Everything that stands in the store's tables, as a thief of the database would have it. */
export async function dumpTables(address: string): Promise<string> {
  const tables = ['sign_in_pending', 'sign_in_session', 'sign_in_claim', 'sign_in_tombstone', 'sign_in_record'];
  if (address.startsWith('sqlite:')) {
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(address.slice('sqlite:'.length), { readOnly: true });
    const rows = tables.map(table => database.prepare(`SELECT * FROM ${table}`).all());
    database.close();
    return JSON.stringify(rows);
  }
  const { Client } = await import('pg');
  const client = new Client({ connectionString: address });
  await client.connect();
  const rows = [];
  for (const table of tables) rows.push((await client.query(`SELECT * FROM ${table}`)).rows);
  await client.end();
  return JSON.stringify(rows);
}
