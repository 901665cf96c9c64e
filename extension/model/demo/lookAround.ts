import { type DemoCall, fileText, glob, read, type Scene, write } from './demoReply';
import type { Done } from './demoTalk';

/** In any turn, the latest first: what a step has found out holds for the next ones. */
function ever(scene: Scene, label: string): Done | undefined {
  return scene.talk.turns.flatMap((turn) => turn.done.get(label) ?? []).at(-1);
}

const manifest = /(^|[/\\])package\.json$/m;

/** What is still to be read before it is known where the script stands; undefined when nothing is. Never a file that may be missing. */
export function lookAround(scene: Scene): DemoCall | undefined {
  const top = ever(scene, 'top');
  if (!top) return glob('top', '*');
  return !top.isError && manifest.test(top.text) && !ever(scene, 'package') ? read('package', scene.at('package.json')) : undefined;
}

/** The sample repository, whose files the script knows. */
export function isTeaShop(scene: Scene): boolean {
  return /"name": "tea-shop"/.test(ever(scene, 'package')?.text ?? '');
}

/** The next call for a file of the script's own; one that is there from an earlier run gets `more` at its end. Undefined: it is done. */
export function ownFile(scene: Scene, file: { readonly label: string; readonly path: string; readonly text: string; readonly more: string }): DemoCall | undefined {
  const { label, path, text, more } = file;
  const written = scene.last(label);
  if (!written) return write(label, path, text);
  if (scene.count(label) > 1 || !written.isError || !/was not read yet/.test(written.text)) return undefined;
  const before = scene.last(`${label}-before`);
  if (!before) return read(`${label}-before`, path);
  return before.isError ? undefined : write(label, path, `${fileText(before.text).trimEnd()}\n${more}`);
}
