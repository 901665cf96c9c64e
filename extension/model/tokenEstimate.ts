import { estimateTokens } from '../base/estimateTokens';
import type { ModelRequest } from '../ports';
import type { AssistantBlock, ResultBlock, UserBlock } from '../protocol/content';

const tokensPerMessage = 4;
/** An image costs about width*height/750 tokens, at most some 1,600 after the API's own scaling. */
const tokensPerImage = 1_600;
/** A PDF page costs 1,500 to 3,000 tokens of text and its picture; a page is seldom under 50 kB of base64. */
const bytesPerPage = 50_000;
const tokensPerPage = 3_000;

export function estimateRequestTokens(request: Pick<ModelRequest, 'system' | 'tools' | 'messages'>): number {
  const system = request.system.reduce((sum, part) => sum + estimateTokens(part), 0);
  const tools = request.tools.filter((tool) => !tool.deferred).reduce((sum, tool) => sum + estimateTokens(tool.name + tool.description + JSON.stringify(tool.inputSchema)), 0);
  return request.messages.reduce((sum, message) => sum + tokensPerMessage + message.content.reduce((part, block) => part + estimateBlockTokens(block), 0), system + tools);
}

export function estimateBlockTokens(block: AssistantBlock | UserBlock | ResultBlock): number {
  switch (block.type) {
    case 'text':
      return estimateTokens(block.text);
    case 'image':
      return tokensPerImage;
    case 'document':
      return Math.max(1, Math.ceil(block.source.data.length / bytesPerPage)) * tokensPerPage;
    case 'tool_result':
      return typeof block.content === 'string' ? estimateTokens(block.content) : block.content.reduce((sum, part) => sum + estimateBlockTokens(part), 0);
    case 'tool_use':
      return estimateTokens(block.name + JSON.stringify(block.input));
    case 'thinking':
      return estimateTokens(block.thinking + block.signature);
    case 'redacted_thinking':
      return estimateTokens(block.data);
    case 'tool_reference':
      return estimateTokens(block.tool_name);
    case 'opaque':
      return estimateTokens(JSON.stringify(block.block));
  }
}
