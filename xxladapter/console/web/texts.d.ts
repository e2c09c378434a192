// The module that the bundler makes of the locales: each key once, below what stands before its first
// period, with its text in English, a vertical bar, and its text in Chinese. Below "" and "" are the
// texts of all shortened keys, a line for each: the n-th is that of the key n in base 36.
declare module "texts" {
	const texts: Record<string, Record<string, string>>;
	export default texts;
}
