const page = 'spec 08';
const job = 'issue 5';
const late = 'spec 15, 17 tools that come and go';

export const mcp = {
  'mcp:config:entries': { behaviour: 'entries of every scope load with their variables put in; a bad one is named with file and line and the rest loads', source: page },
  'mcp:config:scopes': { behaviour: 'of two entries with one name the nearer scope’s counts, whole; an organisation’s file stands alone', source: page },
  'mcp:config:admission': { behaviour: 'a server of the repository starts only in a trusted folder and once a person said yes; refusals and an organisation’s lists win', source: page },
  'mcp:names:plain': { behaviour: 'names of servers and tools become names the API takes, and stay apart', source: page },
  'mcp:tools:used': { behaviour: 'tools of a server are offered by name and called; texts, pictures, files, structured results and errors reach the model', source: page },
  'mcp:tools:asks': { behaviour: 'a call asks with the server’s own warnings and offers to allow the tool or the whole server', source: page },
  'mcp:tools:many': { behaviour: 'where schemas pass a tenth of the window they are found by search and loaded without breaking the prompt before them', source: late },
  'mcp:tools:renamed': { behaviour: 'a tool that goes in mid-session is refused at the call, a new one is found, and the tools before keep their bytes', source: late },
  'mcp:tools:shelf': { behaviour: 'an agent’s list of tools only grows at its end, at most once per turn', source: late },
  'mcp:server:killed-in-call': { behaviour: 'a server that dies in a call fails that call cleanly and is started again for the next', source: job },
  'mcp:server:everything': { behaviour: 'the project’s own servers are used for real, one of them killed in mid-call', source: job },
  'mcp:server:bad': { behaviour: 'a server that prints garbage, never answers, dies or does not exist harms nobody else', source: job },
  'mcp:server:ends-with-window': { behaviour: 'a server and what it started end with the window', source: job },
  'mcp:result:huge': { behaviour: 'a result of 200 MB is refused, a long one is kept in a file, and floods of messages are dropped', source: job },
  'mcp:call:stopped': { behaviour: 'progress is shown while a call runs, and stopping it tells the server', source: page },
  'mcp:start:no-wait': { behaviour: 'a server that does not answer holds up no request', source: page },
  'mcp:lines:limit': { behaviour: 'lines come whole from any pieces, and one over the limit is dropped', source: job },
  'mcp:elicit:form': { behaviour: 'a flat schema becomes questions, and answers that do not fit are asked for again', source: page },
  'mcp:elicit:asked': { behaviour: 'what a server asks its person or its model comes up in the session it works for, and the answer goes back', source: page },
  'mcp:config:approved': { behaviour: 'a person is asked once which servers of the repository may start, and the answer is kept', source: page },
  'mcp:prompts:typed': { behaviour: 'prompts of servers are in the / menu and run with their arguments; what servers say about their tools is told once', source: page },
} as const;
