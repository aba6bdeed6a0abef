// An incoming webhook answers with the bare word ok, or with the reason why not.
if (text.trim() === '') throw new Error('text is empty');
let response;
try {
  response = await fetch(slackWebhookUrl, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ text }), timeout: 15_000,
  });
} catch (error) {
  throw new Error(`Slack could not be reached (${error.reason ?? error.message}); the message was not sent`);
}
const said = (await response.text()).trim();
if (response.status === 429) throw new Error(`Slack allows no more messages now; try again in ${response.headers.get('retry-after') ?? 'some'} seconds`);
if (!response.ok || said !== 'ok') throw new Error(`Slack did not take the message: ${said.slice(0, 200) || response.status}; check SLACK_WEBHOOK_URL`);
return { status: 'ok' };
