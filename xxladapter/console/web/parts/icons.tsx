// Icons of 16 px, drawn with one stroke. They repeat what a text beside them or a label says.

const paths = {
	overview: "M2.5 13.5h11M4 11V7.5M8 11V3.5M12 11V6",
	jobs: "M2.5 4h1M2.5 8h1M2.5 12h1M6 4h7.5M6 8h7.5M6 12h7.5",
	runs: "M8 2.5a5.5 5.5 0 1 0 5.5 5.5M8 5v3l2 1.5M13.5 2.5v3h-3",
	forecast: "M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 9.5h4v4h-4z",
	graph: "M5 4a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0zM14 4a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0zM9.5 12a1.5 1.5 0 1 1-3 0 1.5 1.5 0 0 1 3 0zM4.5 5.2l2.7 5.3M11.5 5.2 8.8 10.5",
	executors: "M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.01M5 11h.01",
	nodes: "M8 2.2 13 5v6l-5 2.8L3 11V5zM8 8l5-3M8 8v5.8M8 8 3 5",
	audit: "M4 2.5h6l2.5 2.5v8.5H4zM6 7h4.5M6 10h4.5",
	settings: "M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 2v2M8 12v2M2 8h2M12 8h2M3.8 3.8l1.4 1.4M10.8 10.8l1.4 1.4M3.8 12.2l1.4-1.4M10.8 5.2l1.4-1.4",
	users: "M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.8 13.5c.4-2.4 2-3.8 4.2-3.8s3.8 1.4 4.2 3.8M10.5 2.8a2.4 2.4 0 0 1 0 4.4M12.4 10.3c1 .6 1.6 1.7 1.8 3.2",
	transfer: "M2.5 5.5h10M10 3l2.5 2.5L10 8M13.5 10.5h-10M6 8l-2.5 2.5L6 13",
	api: "M5.5 4 2 8l3.5 4M10.5 4 14 8l-3.5 4",
	help: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6.2 6.3a1.8 1.8 0 1 1 2.6 1.6c-.5.3-.8.6-.8 1.3M8 11.4v.01",
	search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.7 10.7 14 14",
	run: "M5 3.2v9.6l7.5-4.8z",
	stop: "M4 4h8v8H4z",
	key: "M10 9.5a3.5 3.5 0 1 0-3.3-2.3L2.5 11.4v2.1h2.6v-1.6h1.6v-1.6l1.1-1.1c.6.2 1.4.3 2.2.3zM11 5.2v.01",
	edit: "M3 13l.6-2.8L10.8 3l2.2 2.2-7.2 7.2zM9.5 4.3l2.2 2.2",
	copy: "M6 6h7.5v7.5H6zM10 6V2.5H2.5V10H6",
	remove: "M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9M7 7v4M9 7v4",
	add: "M8 3v10M3 8h10",
	close: "M4 4l8 8M12 4l-8 8",
	check: "M3 8.5l3.2 3.2L13 4.8",
	fail: "M4.5 4.5l7 7M11.5 4.5l-7 7",
	warn: "M8 2.5 14.2 13.5H1.8zM8 6.5v3.2M8 11.6v.01",
	clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.4",
	light: "M8 10.8a2.8 2.8 0 1 0 0-5.6 2.8 2.8 0 0 0 0 5.6zM8 1.8v1.4M8 12.8v1.4M1.8 8h1.4M12.8 8h1.4M3.6 3.6l1 1M11.4 11.4l1 1M3.6 12.4l1-1M11.4 4.6l1-1",
	dark: "M13.2 9.6A5.6 5.6 0 0 1 6.4 2.8a5.6 5.6 0 1 0 6.8 6.8z",
	system: "M2.5 3h11v7.5h-11zM6 13.5h4M8 10.5v3",
	menu: "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
	user: "M8 8a2.7 2.7 0 1 0 0-5.4A2.7 2.7 0 0 0 8 8zM3 13.7c.4-2.5 2.3-4 5-4s4.6 1.5 5 4",
	leave: "M9.5 2.5h-6v11h6M6.5 8h7M10.5 5l3 3-3 3",
	probe: "M1.8 8h2.7l1.7-4.5 3 9L11 8h3.2",
	code: "M5.5 4 2 8l3.5 4M10.5 4 14 8l-3.5 4",
	download: "M8 2.5v7.5M5 7l3 3 3-3M3 13.5h10",
	reload: "M13.5 8A5.5 5.5 0 1 1 11.6 3.8M13.5 2.5v3h-3",
	filter: "M2.5 4h11M4.5 8h7M6.5 12h3",
	link: "M6.5 9.5l3-3M7 4.5l1.3-1.3a2.8 2.8 0 0 1 4 4L11 8.5M9 11.5l-1.3 1.3a2.8 2.8 0 0 1-4-4L5 7.5",
	pause: "M5.5 3.5v9M10.5 3.5v9",
	broadcast: "M8 8v5.5M5.5 10.2a3.5 3.5 0 1 1 5 0M3.6 12a6.2 6.2 0 1 1 8.8 0",
} as const;

export type IconName = keyof typeof paths;

export function Icon({ name }: { name: IconName }) {
	return (
		<svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
			<path d={paths[name]} />
		</svg>
	);
}

export function Logo() {
	return (
		<svg class="logo" viewBox="0 0 24 24" aria-hidden="true">
			<circle cx="12" cy="12" r="9" />
			<path d="M12 12V6.4M12 12l3.8 2.3M12 3v1.6M12 19.4V21M3 12h1.6M19.4 12H21" />
		</svg>
	);
}
