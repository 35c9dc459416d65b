// What the platform provides fits the declarations: in the DOM and in Node.js.
import { type Answer, Client, type ClientOptions, type Fetch } from 'stoa-license';

export const platform: Fetch = fetch;
export const headers: Answer['headers'] = new Headers();
export const url: Answer['url'] = new URL('https://shop.example.com/');
export const clientOf = (options: ClientOptions) => new Client({ ...options, fetch });
export const answerOf = async (response: Response): Promise<Answer> => ({
  method: 'GET', url: response.url, status: response.status, headers: response.headers, body: await response.text(),
});
