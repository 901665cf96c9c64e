/** The `troupe.*` settings of VS Code that belong to the engine, without the prefix. */
export const engineSettings: readonly string[] = ['model', 'baseUrl', 'pluginDirs', 'permissions.allowBypass'];

/**
 * VS Code's settings as the engine's flag layer: the same words as in a settings.json, under its key `troupe`.
 * @returns no layer at all when nothing is set
 */
export function flagSettings(settingOf: (key: string) => unknown): readonly Readonly<Record<string, unknown>>[] {
  const set = engineSettings.map((key) => [key.split('.'), settingOf(key)] as const).filter(([, value]) => value !== undefined && value !== '');
  if (set.length === 0) return [];
  return [{ troupe: set.reduce((tree, [path, value]) => withValue(tree, path, value), {}) }];
}

function withValue(tree: Readonly<Record<string, unknown>>, path: readonly string[], value: unknown): Readonly<Record<string, unknown>> {
  const [head, ...rest] = path;
  if (head === undefined) return tree;
  const inner = tree[head];
  const isTree = (candidate: unknown): candidate is Readonly<Record<string, unknown>> => typeof candidate === 'object' && candidate !== null;
  return { ...tree, [head]: rest.length === 0 ? value : withValue(isTree(inner) ? inner : {}, rest, value) };
}
