// The module that the bundler makes of the locales: each key once, below what stands before its first
// period, with its text in English and in Chinese.
declare module "texts" {
	const texts: Record<string, Record<string, readonly [en: string, zh: string]>>;
	export default texts;
}
