export const cli = {
  'cli:argv:flags': { behaviour: 'flags are read as people write them: short, with =, after --, last one counts', source: 'spec 20' },
  'cli:argv:lists': { behaviour: 'list flags take values up to the next flag, repeat, and part at commas outside brackets', source: 'spec 20 details' },
  'cli:argv:errors': { behaviour: 'a bad argument is named, with the nearest known flag', source: 'spec 20 exit 2' },
  'cli:run:plan': { behaviour: 'the arguments say what is run and with what', source: 'spec 20 Run' },
  'cli:run:bad-arguments': { behaviour: 'what cannot be followed is refused and says what can', source: 'spec 20 exit 2' },
  'cli:run:input-line': { behaviour: 'a line of stream-json input is a user message or an error in words', source: 'spec 20 --input-format' },
  'cli:stream:lines': { behaviour: 'a run prints its replies and results in order, sub-agents under their call, and sums up', source: 'spec 20 stream-json' },
  'cli:stream:init': { behaviour: 'the first line says what the session was started with', source: 'spec 20 stream-json' },
  'cli:stream:endings': { behaviour: 'each way a turn ends has its subtype and its words; unknown prices stay null', source: 'spec 20 endings' },
  'cli:stream:own-words': { behaviour: 'the result of a prompt never repeats the words of the one before', source: 'spec 20 --input-format' },
} as const;
