import type { ElicitAnswer, ElicitAsk, McpCaller, SampleAnswer, SampleAsk, ServerAsks } from '../mcp/serverAsks';
import { formQuestions, readForm } from '../mcp/elicitForm';
import { serverPart } from '../mcp/mcpNames';
import { describeServer, type McpServer } from '../mcp/mcpServer';
import { mainAgentId } from '../base/ids';
import { err, ok, type Result } from '../base/result';
import type { Clock, ModelAccess } from '../ports';
import type { QuestionRequest } from '../protocol/interaction';
import { mcpCallId } from '../session/sideCallId';
import type { AskingSession } from './askingSession';

export interface McpAsksPorts {
  readonly interactive: boolean;
  readonly clock: Clock;
  readonly models: ModelAccess;
  readonly cwd: string;
  readonly openPage: ((url: string) => Promise<void>) | undefined;
}

/** How often a person is asked again for fields that do not fit. */
const rounds = 3;
const open = 'Open the page';
const yes = 'Yes';
const none = 'None of them';

/** Questions of MCP servers, put before the person of the session on whose behalf the server works. */
export class McpAsks {
  private sessionFor: (sessionId: string | undefined) => AskingSession | undefined = () => undefined;

  constructor(private readonly ports: McpAsksPorts) {}

  /** @param sessionFor the session of that id; without one the session used last */
  attach(sessionFor: (sessionId: string | undefined) => AskingSession | undefined): void {
    this.sessionFor = sessionFor;
  }

  of(server: McpServer): Omit<ServerAsks, 'roots'> {
    return {
      elicit: (ask, caller, signal) => this.elicit(server, ask, { caller, signal: withCaller(signal, caller) }),
      sample: (ask, caller, signal) => this.sample(server, ask, { caller, signal: withCaller(signal, caller) }),
    };
  }

  /**
   * Which servers of the repository may be started, put before the person of a session; the agent does not wait for it.
   * @returns undefined: the person has not said anything
   */
  async approve(sessionId: string, servers: readonly McpServer[]): Promise<readonly { readonly name: string; readonly may: boolean }[] | undefined> {
    const session = this.sessionFor(sessionId);
    if (!session || !this.ports.interactive) return undefined;
    const question = 'Which of these MCP servers may be started?';
    const reply = await session.question(
      {
        callId: mcpCallId('approval'),
        agentPath: [mainAgentId],
        questions: [{ question, header: '', multiSelect: true, options: [...servers.map((server) => ({ label: server.name, description: describeServer(server) })), { label: none, description: 'They are not asked about again' }] }],
        source: { kind: 'mcp', name: '.mcp.json', message: 'This folder brings MCP servers. They run programs on your machine or are sent what agents give them.' },
        askedAtMs: this.ports.clock.nowMs(),
      },
      new AbortController().signal,
    );
    if (reply.behavior !== 'answer') return undefined;
    const chosen = `, ${reply.answers[question] ?? ''}, `;
    return servers.map(({ name }) => ({ name, may: chosen.includes(`, ${name}, `) }));
  }

  private async elicit(server: McpServer, ask: ElicitAsk, { caller, signal }: Asked): Promise<ElicitAnswer> {
    const session = this.sessionFor(caller?.sessionId);
    if (!session || !this.ports.interactive) return { action: 'cancel' };
    let problems: ReadonlyMap<string, string> | undefined;
    for (let round = 0; round < rounds; round++) {
      const reply = await session.question(
        {
          callId: mcpCallId(server.id),
          agentPath: [...session.agentPath(caller?.agentId ?? mainAgentId)],
          questions: [...questionsOf(ask, problems)],
          source: { kind: 'mcp', name: server.name, message: ask.message, ...(ask.url === undefined ? {} : { url: ask.url }) },
          askedAtMs: this.ports.clock.nowMs(),
        },
        signal,
      );
      if (reply.behavior !== 'answer') return { action: reply.behavior === 'decline' ? 'decline' : 'cancel' };
      if (ask.url !== undefined) {
        await this.ports.openPage?.(ask.url);
        return { action: 'accept' };
      }
      const read = readForm(ask.schema ?? {}, reply.answers);
      if ('answer' in read) return read.answer;
      problems = read.problems;
    }
    return { action: 'cancel' };
  }

  private async sample(server: McpServer, ask: SampleAsk, { caller, signal }: Asked): Promise<Result<SampleAnswer, string>> {
    const session = this.sessionFor(caller?.sessionId);
    const client = this.ports.models.client();
    if (!session || !client) return err('There is no model to ask now.');
    const decision = await session.decide({
      callId: mcpCallId(server.id),
      subject: {
        tool: `mcp__${serverPart(server)}__sampling`,
        kind: 'mcp',
        title: `let ${server.name} ask your model`,
        input: { messages: ask.messages.map(({ role, text }) => `${role}: ${text}`).join('\n\n'), ...(ask.systemPrompt === undefined ? {} : { system: ask.systemPrompt }) },
        cwd: this.ports.cwd,
        readOnly: false,
        risks: ['It costs tokens of yours, and the server reads the answer'],
      },
      signal,
    });
    if (decision.behavior !== 'allow') return err('The person did not allow this.');
    return this.askModel(ask, { model: session.model(), signal });
  }

  private async askModel(ask: SampleAsk, { model, signal }: { readonly model: string; readonly signal: AbortSignal }): Promise<Result<SampleAnswer, string>> {
    const client = this.ports.models.client();
    if (!client) return err('There is no model to ask now.');
    const messages = ask.messages.map(({ role, text }) => ({ role, content: [{ type: 'text' as const, text }] }));
    for await (const event of client.stream({ model, system: ask.systemPrompt === undefined ? [] : [ask.systemPrompt], tools: [], messages, maxTokens: Math.max(1, ask.maxTokens) }, signal)) {
      if (event.type === 'failed') return err(event.problem.message);
      if (event.type === 'end') return event.stopReason === 'aborted' ? err('Stopped.') : ok({ text: event.content.map((block) => (block.type === 'text' ? block.text : '')).join(''), model: event.model });
    }
    return err('The model gave no answer.');
  }
}

interface Asked {
  readonly caller: McpCaller | undefined;
  readonly signal: AbortSignal;
}

function withCaller(signal: AbortSignal, caller: McpCaller | undefined): AbortSignal {
  return caller ? AbortSignal.any([signal, caller.signal]) : signal;
}

/** A server that only wants a yes or a page opened has a question too. */
function questionsOf(ask: ElicitAsk, problems: ReadonlyMap<string, string> | undefined): QuestionRequest['questions'] {
  if (ask.url !== undefined) return [{ question: 'Open this page in your browser?', header: '', options: [{ label: open, description: ask.url }], multiSelect: false }];
  const questions = formQuestions(ask.schema ?? {}, problems);
  return questions.length > 0 ? [...questions] : [{ question: 'Do you agree?', header: '', options: [{ label: yes, description: '' }], multiSelect: false }];
}
