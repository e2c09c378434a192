// The lines of a log that grows: the newest of them, and those that match a search.

// At most so many lines are kept, the newest, so that a run that never ends does no harm.
export const mostLines = 50_000;

export class Lines {
	private all: string[] = [];
	private wanted = "";
	private hits: number[] = []; // their places in all
	private searched = 0; // how many of all were searched
	// dropped is the number of older lines that are no longer kept.
	dropped = 0;

	add(more: string[]) {
		for (const line of more) this.all.push(line);
		const over = this.all.length - mostLines;
		if (over <= 0) return;
		this.all.splice(0, over);
		this.dropped += over;
		let gone = 0;
		while (gone < this.hits.length && this.hits[gone]! < over) gone++;
		this.hits = this.hits.slice(gone).map((i) => i - over);
		this.searched = Math.max(0, this.searched - over);
	}

	// find restricts count and at to the lines that contain a text, in upper or lower case; empty
	// text means all.
	find(text: string) {
		const wanted = text.trim().toLowerCase();
		if (wanted !== this.wanted) {
			this.wanted = wanted;
			this.hits = [];
			this.searched = 0;
		}
		if (!wanted) return;
		for (; this.searched < this.all.length; this.searched++) if (this.all[this.searched]!.toLowerCase().includes(wanted)) this.hits.push(this.searched);
	}

	get total(): number {
		return this.all.length;
	}

	get count(): number {
		return this.wanted ? this.hits.length : this.all.length;
	}

	// at returns a line of those that were found, with its number from 1.
	at(i: number): { no: number; text: string } {
		const place = this.wanted ? this.hits[i]! : i;
		return { no: this.dropped + place + 1, text: this.all[place] ?? "" };
	}

	text(): string {
		return this.all.join("\n") + "\n";
	}
}
