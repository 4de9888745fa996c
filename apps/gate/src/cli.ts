#!/usr/bin/env node
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Config, ConfigError } from './config/config.ts';
import { exampleAddresses, exampleConfig } from './config/example.ts';
import { explain } from './config/explain.ts';
import { readConfig } from './config/read-config.ts';
import { ConfigSchema } from './config/schema.ts';
import { checkState, serve } from './main.ts';
import type { Allow } from './model/rule.ts';

const usage = `Usage:
  octavo-gate [--config gate.json]            starts the gate
  octavo-gate --config gate.json --check      checks the configuration and prints what each rule does
  octavo-gate --config gate.json --check "POST /api/notebooks as someone@example.org from corp in staff"
                                              prints what the rules decide for this request
  octavo-gate --schema                        prints the JSON schema of the configuration
`;

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      config: { type: 'string', default: 'gate.json' },
      check: { type: 'boolean', default: false },
      schema: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  if (values.help) process.stdout.write(usage);
  else if (values.schema) process.stdout.write(`${JSON.stringify(ConfigSchema, null, 2)}\n`);
  else if (!existsSync(values.config)) writeExample(values.config);
  else if (values.check) check(values.config, positionals);
  else if (positionals.length > 0) throw new Error(`"${positionals[0]}" is not a known argument.\n${usage}`);
  else await serve(values.config, process.env);
}

function writeExample(path: string): void {
  writeFileSync(path, exampleConfig, { flag: 'wx' });
  process.stderr.write(
    `There was no ${path}, so we wrote an example there. Replace what is marked FILL IN, set GATE_KEY and CORP_SECRET, then:\n  octavo-gate --config ${path} --check\n`,
  );
  process.exitCode = 2;
}

function check(path: string, questions: readonly string[]): void {
  const config = readConfig(readFileSync(path, 'utf8'), process.env);
  checkState(config);
  if (questions.length > 0) {
    for (const question of questions) answer(question, config);
    return;
  }
  process.stdout.write(`${path} is fine.\n`);
  for (const place of stillExample(config)) process.stdout.write(`  FILL IN: ${place} still has the value of the example\n`);
  for (const provider of config.providers)
    process.stdout.write(
      `  ${provider.id}: ${provider.name} (${provider.protocol}${provider.enabled ? '' : ', switched off'})\n`,
    );
  for (const rule of config.rules) {
    const paths = rule.paths.map(path => path.text).join(' ');
    process.stdout.write(`  rule ${rule.number}: ${rule.methods?.join(', ') ?? 'any method'} ${paths}: ${who(rule.allow)}\n`);
  }
  process.stdout.write('  anything else: denied\n');
  for (const client of config.bridge?.clients ?? [])
    process.stdout.write(`  application ${client.id}: ${client.name} (${client.authentication.method}): ${who(client.allow)}\n`);
}

/** A question that cannot be read does not stop the others from being answered. */
function answer(question: string, config: Config): void {
  try {
    process.stdout.write(`${explain(question, config)}\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

function stillExample({ publicUrl, providers }: Config): string[] {
  return [
    ...(publicUrl === exampleAddresses.publicUrl ? ['publicUrl'] : []),
    ...providers.flatMap((one, at) =>
      one.protocol === 'oidc' && one.issuer === exampleAddresses.issuer ? [`providers[${at}].issuer`] : [],
    ),
  ];
}

function who(allow: Allow): string {
  return allow.kind === 'people' ? allow.any.map(demand => JSON.stringify(demand)).join(' or ') : allow.kind;
}

run().catch((error: unknown) => {
  const message =
    error instanceof ConfigError
      ? error.message
      : `The gate cannot start: ${error instanceof Error ? error.message : String(error)}`;
  process.stderr.write(`${message}\n`);
  process.exit(1);
});
