let response;
try {
  response = await fetch('https://api.openai.com/v1/responses', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${openaiApiKey}` },
    body: JSON.stringify({ model: model ?? 'gpt-5.4-mini', input: prompt }),
    timeout: 25_000,
  });
} catch (error) {
  throw new Error(`api.openai.com could not be reached (${error.reason ?? error.message}); try again later`);
}
let answer;
try {
  answer = await response.json();
} catch {
  throw new Error(`OpenAI answered ${response.status} without JSON; try again later`);
}
if (response.status === 401) throw new Error('OpenAI does not accept the key; check OPENAI_API_KEY');
if (response.status === 429) throw new Error(`OpenAI allows no more requests now: ${answer.error?.message ?? 'try again later'}`);
if (!response.ok) throw new Error(`OpenAI answered ${response.status}: ${answer.error?.message ?? 'no reason given'}`);
const texts = (answer.output ?? []).flatMap((item) => item.content ?? []).filter((part) => part.type === 'output_text').map((part) => part.text);
if (texts.length === 0) throw new Error(`the model gave no text (status ${answer.status ?? 'unknown'})`);
const thoughts = (answer.output ?? []).filter((item) => item.type === 'reasoning').flatMap((item) => item.summary ?? []).map((part) => part.text ?? '');
return {
  content: texts.join('\n'), reasoning: thoughts.join('\n'), model: answer.model ?? null,
  usage: { input: answer.usage?.input_tokens ?? null, output: answer.usage?.output_tokens ?? null },
};
