export const hooks = {
  'hooks:read:shapes': { behaviour: 'hooks are read from every place they are written in; good entries count and bad ones are named with file and line', source: 'spec 05.1; fixtures/loader 29' },
  'hooks:read:handlers': { behaviour: 'every handler type is read with its fields; one that its event does not take is left out and said', source: 'spec 05.3' },
  'hooks:matcher:names': { behaviour: 'a matcher of names alone is compared whole, anything else is a regular expression', source: 'spec 05.2' },
  'hooks:settings:switches': { behaviour: 'off switches and policies decide whose hooks run, and say what they took out', source: 'spec 05.6, 07' },
  'hooks:inspect': { behaviour: 'inspect hooks lists every hook with its file, and with --events what this version fires', source: 'spec 20; issue 4' },
  'hooks:exit-codes': { behaviour: 'exit 0 lets through, 2 refuses where that can be, any other is said and lets through; in every language', source: 'spec 05.5' },
  'hooks:answers': { behaviour: 'what a hook prints is followed: decisions, other inputs and results, context, messages, an end', source: 'spec 05.5' },
  'hooks:rules-stand': { behaviour: 'a hook’s allow lifts no ask or deny rule, and of several hooks the strictest counts', source: 'spec 05.5, 06' },
  'hooks:if': { behaviour: 'a hook with a condition runs for the calls it speaks of, at every place of a command line', source: 'spec 05.3' },
} as const;
