import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, test } from 'vitest';
import { WebviewHost, type Theme } from './host';
import { scenes } from './scenes';

/** Pictures for people: `SHOTS=1 npx vitest run --config test/vitest.webview.config.ts test/webview/shots.test.ts` writes them to test/.out. */
const wanted = process.env['SHOTS'] !== undefined;
let host: WebviewHost;
beforeAll(async () => {
  host = await WebviewHost.start();
});
afterAll(() => host.stop());

test.runIf(wanted)('every scene is drawn to test/.out', { timeout: 300_000 }, async () => {
  mkdirSync('test/.out', { recursive: true });
  const themes: readonly Theme[] = ['dark', 'light', 'hc'];
  for (const [name, scene] of Object.entries(scenes)) {
    for (const theme of themes) {
      for (const width of [220, 320]) {
        const open = await host.open(scene(), { theme, width });
        await open.settled();
        await open.page.waitForTimeout(150);
        await open.page.screenshot({ path: `test/.out/${name}-${theme}-${width}.png` });
        if (open.errors.length) console.log(name, theme, width, open.errors);
        await open.close();
      }
    }
  }
});
