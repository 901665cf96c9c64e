// Loaded by the extension host as its test entry: runs the files in TROUPE_HOST_TESTS (a JSON array) with mocha.
// With TROUPE_HOST_OUT the report goes to that file, apart from the console that the editor's own lines share.
const { appendFileSync } = require('node:fs');
const { format } = require('node:util');
const Mocha = require('mocha');

/** @returns {Promise<void>} rejects, which makes the exit code 1, when a test fails or there is none */
exports.run = async () => {
  const report = process.env.TROUPE_HOST_OUT;
  if (report) Mocha.reporters.Base.consoleLog = (...parts) => appendFileSync(report, `${format(...parts)}\n`);
  const mocha = new Mocha({ ui: 'bdd', color: false, timeout: 60_000, forbidOnly: true, forbidPending: true });
  for (const file of JSON.parse(process.env.TROUPE_HOST_TESTS ?? '[]')) mocha.addFile(file);
  await mocha.loadFilesAsync();
  const { failures, tests } = await new Promise((resolve) => {
    const runner = mocha.run((count) => resolve({ failures: count, tests: runner.stats.tests }));
  });
  if (tests === 0) throw new Error('No test ran in the extension host.');
  if (failures > 0) throw new Error(`${failures} of ${tests} tests failed in the extension host.`);
};
