// The module that the bundler makes of the locales: each key once, below what stands before its first
// period or below "" if it was shortened, with its text in English, a vertical bar, and its text in Chinese.
declare module "texts" {
	const texts: Record<string, Record<string, string>>;
	export default texts;
}
