export const hooks = {
  'hooks:read:shapes': { behaviour: 'hooks are read from every place they are written in; good entries count and bad ones are named with file and line', source: 'spec 05.1; fixtures/loader 29' },
  'hooks:read:handlers': { behaviour: 'every handler type is read with its fields; one that its event does not take is left out and said', source: 'spec 05.3' },
  'hooks:matcher:names': { behaviour: 'a matcher of names alone is compared whole, anything else is a regular expression', source: 'spec 05.2' },
  'hooks:settings:switches': { behaviour: 'off switches and policies decide whose hooks run, and say what they took out', source: 'spec 05.6, 07' },
  'hooks:inspect': { behaviour: 'inspect hooks lists every hook with its file, and with --events what this version fires', source: 'spec 20; issue 4' },
} as const;
