// The colours that programs write for terminals, as classes.

export interface Piece {
	text: string;
	tone?: string;
}

// tones are the classes of the colours 0 to 7: black, red, green, yellow, blue, magenta, cyan, white.
const tones = ["muted", "is-error", "is-ok", "is-warn", "is-info", "is-info", "is-info", ""];

// pieces divides a line where its colour changes. Other escape sequences are dropped.
export function pieces(line: string): Piece[] {
	if (!line.includes("\x1b")) return [{ text: line }];
	const out: Piece[] = [];
	let tone: string | undefined;
	for (const part of line.split(/(\x1b\[[\d;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_])/)) {
		if (!part.startsWith("\x1b")) {
			if (part) out.push({ text: part, tone });
			continue;
		}
		const colours = /^\x1b\[([\d;]*)m$/.exec(part)?.[1];
		if (colours === undefined) continue;
		const codes = colours.split(";").map(Number);
		for (let i = 0; i < codes.length; i++) {
			const code = codes[i]!;
			if (code === 38 || code === 48) i += codes[i + 1] === 5 ? 2 : 4; // one of 256 or of all colours
			else if (code === 0 || code === 39) tone = undefined;
			else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) tone = tones[code % 10] || undefined;
		}
	}
	return out;
}
