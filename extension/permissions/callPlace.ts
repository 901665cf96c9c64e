import { expandHome, isInside, normalPath } from './pathForms';
import type { PathFacts, PermissionPolicy } from './permissionTypes';
import { PolicyIndex } from './policyIndex';

/** A path as written and behind its links; rules see both, mapped into the main checkout for an agent in a worktree. */
export interface PathForms {
  readonly lexical: string;
  readonly real: string;
  readonly forRules: readonly [string, string];
}

/** One policy, ready for questions about the disk. */
export interface CallPlace {
  readonly policy: PermissionPolicy;
  readonly facts: PathFacts;
  readonly index: PolicyIndex;
  readonly workingDirs: readonly string[];
  readonly exemptDirs: readonly string[];
  readonly worktreeRoots: readonly string[];
  readonly mainRoots: readonly string[];
  readonly planFile: string | undefined;
}

/** Builds places and keeps their compiled rules as long as the policy's rule list lives. */
export class CallPlaces {
  private readonly known = new WeakMap<object, Map<string, Promise<Omit<CallPlace, 'policy' | 'facts'>>>>();

  async of(policy: PermissionPolicy, facts: PathFacts): Promise<CallPlace> {
    const key = JSON.stringify([policy.cwd, policy.homeDir, policy.workingDirs, policy.exemptDirs ?? [], policy.worktree ?? null, policy.planFile ?? null]);
    const places = this.known.get(policy.rules) ?? new Map<string, Promise<Omit<CallPlace, 'policy' | 'facts'>>>();
    this.known.set(policy.rules, places);
    if (places.size > 50) places.clear();
    const made = places.get(key) ?? make(policy, facts);
    places.set(key, made);
    return { policy, facts, ...(await made) };
  }
}

async function make(policy: PermissionPolicy, facts: PathFacts): Promise<Omit<CallPlace, 'policy' | 'facts'>> {
  const spellings = async (dirs: readonly string[]): Promise<readonly string[]> => [
    ...new Set((await Promise.all(dirs.map(async (dir) => [normalPath(dir), normalPath(await facts.realPath(dir))]))).flat()),
  ];
  const anchors = [...new Set([policy.cwd, policy.homeDir, ...policy.rules.map((r) => r.anchorDir)])];
  const realOf = new Map<string, string>();
  for (const anchor of anchors) realOf.set(anchor, await facts.realPath(anchor));
  const worktreeRoots = policy.worktree ? await spellings([policy.worktree.root]) : [];
  const mainRoots = policy.worktree ? await spellings([policy.worktree.mainRoot]) : [];
  const mapped = mapWorktree(policy.cwd, worktreeRoots, mainRoots);
  const mappedReal = mapWorktree(realOf.get(policy.cwd) ?? policy.cwd, worktreeRoots, mainRoots);
  realOf.set(mapped, mappedReal);
  return {
    index: new PolicyIndex(policy.rules, { cwd: mapped, homeDir: policy.homeDir, inWorktree: policy.worktree !== undefined, realOf }),
    workingDirs: await spellings(policy.workingDirs),
    exemptDirs: await spellings(policy.exemptDirs ?? []),
    worktreeRoots,
    mainRoots,
    planFile: policy.planFile === undefined ? undefined : normalPath(await facts.realPath(policy.planFile)),
  };
}

function mapWorktree(path: string, roots: readonly string[], mainRoots: readonly string[]): string {
  const normal = normalPath(path);
  const root = roots.find((r) => isInside(normal, r));
  return root === undefined ? normal : normalPath(`${mainRoots[0] ?? ''}${normal.slice(root.length)}`);
}

/** @param path absolute, not yet normalised: `link/..` goes where the system would go */
export async function pathForms(place: CallPlace, path: string): Promise<PathForms> {
  const whole = expandHome(path, place.policy.homeDir);
  const lexical = normalPath(whole, place.policy.cwd);
  const real = normalPath(await place.facts.realPath(/^([/\\]|[A-Za-z]:)/.test(whole) ? whole : `${place.policy.cwd}/${whole}`));
  return { lexical, real, forRules: [mapWorktree(lexical, place.worktreeRoots, place.mainRoots), mapWorktree(real, place.worktreeRoots, place.mainRoots)] };
}

export function isInsideAny(forms: PathForms, dirs: readonly string[]): boolean {
  return dirs.some((dir) => isInside(forms.lexical, dir)) && dirs.some((dir) => isInside(forms.real, dir));
}
