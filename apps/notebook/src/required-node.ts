// Imported before all else: an older Node fails while it loads what it lacks (`node:sqlite`), with a message that helps nobody.
const oldest = 24;

if (Number(process.versions.node.split('.')[0]) < oldest) {
  process.stderr.write(`Octavo needs Node ${oldest} or later. This is Node ${process.versions.node} (${process.execPath}).\n`);
  process.exit(1);
}
