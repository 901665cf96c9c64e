import { sep } from 'node:path';
import { expect } from 'vitest';
import { diagnosticLines, type FileProblem, fixRequest } from '../../../extension/vscode/diagnosticLines';
import { flagSettings } from '../../../extension/vscode/flagSettings';
import { redact } from '../../../extension/vscode/redact';
import { ripgrepCandidates } from '../../../extension/vscode/ripgrepPath';
import { verifies } from '../../support/verifies';

const problem = (part: Partial<FileProblem>): FileProblem => ({ path: '/w/a.ts', line: 1, column: 1, severity: 'error', message: 'wrong', source: undefined, code: undefined, ...part });

verifies('workbench:diagnostics:lines', () => {
  const problems = [
    problem({ severity: 'warning', line: 2, message: 'unused' }),
    problem({ path: '/w/b.ts', line: 3, column: 7, message: 'not assignable:\n  string to number', source: 'ts', code: '2322' }),
    problem({ line: 9 }),
  ];
  expect(diagnosticLines(problems, 2)).toBe('/w/a.ts:9:1 error: wrong\n/w/b.ts:3:7 error: not assignable: string to number [ts 2322]\n… and 1 more');
  expect(diagnosticLines([], 2)).toBe('');
  expect(fixRequest([problem({ source: 'ts' })])).toBe('Fix this problem:\n/w/a.ts:1:1 error: wrong [ts]');
  expect(fixRequest([problem({}), problem({ line: 2 })])).toBe('Fix these problems:\n/w/a.ts:1:1 error: wrong\n/w/a.ts:2:1 error: wrong');
});

verifies('workbench:settings:unset-stays-out', () => {
  const values: Readonly<Record<string, unknown>> = { model: '', 'permissions.allowBypass': true };
  expect(flagSettings((key) => values[key])).toEqual([{ troupe: { permissions: { allowBypass: true } } }]);
  expect(flagSettings(() => undefined)).toEqual([]);
  expect(flagSettings((key) => (key === 'permissions.allowBypass' ? false : key))).toEqual([{ troupe: { model: 'model', baseUrl: 'baseUrl', pluginDirs: 'pluginDirs', permissions: { allowBypass: false } } }]);
});

verifies('workbench:log:no-secrets', () => {
  const lines = {
    'key sk-ant-api03-AbCdEf0123456789_x used': 'key sk-ant-… used',
    'authorization: Bearer abcdef0123456789': 'authorization: Bearer …',
    '{"x-api-key":"abcdef012345"}': '{"x-api-key":"…"}',
    'API_KEY=abcdef012345 npm test': 'API_KEY=… npm test',
    'src/skill-loader.ts has 3 tokens': 'src/skill-loader.ts has 3 tokens',
  };
  expect(Object.keys(lines).map(redact)).toEqual(Object.values(lines));
});

verifies('workbench:ripgrep:editors-own', () => {
  const linux = ripgrepCandidates('/app', 'linux', 'x64').map((path) => path.split(sep).join('/'));
  expect(linux).toContain('/app/node_modules/@vscode/ripgrep/bin/rg');
  expect(linux).toContain('/app/node_modules.asar.unpacked/@vscode/ripgrep/bin/rg');
  expect(linux).toContain('/app/node_modules/@vscode/ripgrep-universal/bin/linux-x64/rg');
  expect(ripgrepCandidates('C:\\app', 'win32', 'arm64').every((path) => path.endsWith('rg.exe'))).toBe(true);
});
