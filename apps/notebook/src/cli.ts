const usage = `octavo: notebooks of markdown pages, shared by link

  octavo serve        the service, configured by the environment (docs/configuration.md)
  octavo --help       this text
`;

const [command] = process.argv.slice(2);
if (command === 'serve') await import('./main.ts');
else if (command === undefined || command === '--help' || command === 'help') process.stdout.write(usage);
else {
  process.stderr.write(`octavo: there is no command "${command}"\n\n${usage}`);
  process.exitCode = 2;
}
