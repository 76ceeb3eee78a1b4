//! The examples and exit codes of all commands. `example.org` stands for whatever it is.

use super::{Example, Manual};

pub(super) const TABLE: &[Manual] = &[
    Manual {
        command: "",
        examples: &[
            Example { line: "mmsp-gateway serve", does: "Run a gateway, to try it out" },
            Example {
                line: "mmsp-gateway convert https://example.org/feed.xml",
                does: "Turn one feed into a manifest",
            },
            Example {
                line: "mmsp-gateway check https://example.org/feed.xml",
                does: "Ask what will be lost or mended of a feed",
            },
            Example { line: "mmsp-gateway help store export", does: "Explain a command" },
        ],
        exit_codes: &[
            (0, "done"),
            (1, "failed: not a feed, a port that is taken, not ready"),
            (2, "wrong usage or settings"),
        ],
    },
    Manual {
        command: "serve",
        examples: &[
            Example {
                line: "mmsp-gateway serve",
                does: "HTTPS and HTTP on this machine, with a certificate and a memory in ./data",
            },
            Example { line: "mmsp-gateway serve --config gateway.toml", does: "With settings" },
        ],
        exit_codes: &[
            (0, "told to stop, by SIGTERM or SIGINT"),
            (1, "it cannot start: a port is taken, or the store cannot be opened"),
            (2, "wrong usage or settings; `mmsp-gateway check` tells them beforehand"),
        ],
    },
    Manual {
        command: "convert",
        examples: &[
            Example {
                line: "mmsp-gateway convert --url https://example.org/feed.xml feed.xml",
                does: "A file, known by the address that it came from",
            },
            Example {
                line: "mmsp-gateway convert --report report.json https://example.org/feed.xml",
                does: "An address, with a report of what was read, mended and left out",
            },
            Example {
                line: "mmsp-gateway convert --out manifests feeds subscriptions.opml",
                does: "All files of a folder and all feeds of a list, a manifest each",
            },
            Example {
                line: "mmsp-gateway convert --filter 'type:audio AND duration:>=60' feed.xml",
                does: "Only items that pass a filter (MMSP Appendix A)",
            },
        ],
        exit_codes: &[
            (0, "every input has become a manifest"),
            (
                1,
                "an input cannot be read or converted; with --strict, something was mended or lost",
            ),
            (2, "wrong usage or settings, or an input that is no web address"),
        ],
    },
    Manual {
        command: "discover",
        examples: &[
            Example {
                line: "mmsp-gateway discover https://example.org/",
                does: "The feeds of a page, the best first, as JSON",
            },
            Example {
                line: "mmsp-gateway discover --url https://example.org/ - < page.html",
                does: "Those of a page that is here already",
            },
        ],
        exit_codes: &[
            (0, "the list is written"),
            (1, "the page offers no feed, or cannot be read"),
            (2, "wrong usage or settings, or an input that is no web address"),
        ],
    },
    Manual {
        command: "opml",
        examples: &[
            Example {
                line: "mmsp-gateway opml subscriptions.opml > mmsp.opml",
                does: "The list of a feed reader, with manifests in place of feeds",
            },
            Example {
                line: "mmsp-gateway opml --check subscriptions.opml",
                does: "Try every feed of it, and name those that cannot be converted",
            },
            Example {
                line: "mmsp-gateway opml --check --json subscriptions.opml",
                does: "The same, a JSON object a line",
            },
        ],
        exit_codes: &[
            (0, "every address has its manifest; with --check, every feed can be converted"),
            (1, "some address cannot be a feed, some feed cannot be converted, or it is no list"),
            (2, "wrong usage or settings"),
        ],
    },
    Manual {
        command: "check",
        examples: &[
            Example { line: "mmsp-gateway check", does: "Are the settings in order?" },
            Example {
                line: "mmsp-gateway check https://example.org/mmsp.json",
                does: "What clients make of a manifest, and of how its server answers",
            },
            Example {
                line: "mmsp-gateway check --json --strict manifest.json",
                does: "In a pipeline of a publisher: fail for mere advice too",
            },
            Example {
                line: "mmsp-gateway check https://example.org/feed.xml",
                does: "What will be lost or mended of a legacy feed",
            },
        ],
        exit_codes: &[
            (0, "the settings are in order; or nothing but advice, with --strict not even that"),
            (1, "there are findings, or nothing that can be read"),
            (2, "wrong usage, or settings that serve would refuse"),
        ],
    },
    Manual {
        command: "sign",
        examples: &[Example {
            line: "mmsp-gateway sign --config gateway.toml https://example.org/feed.xml",
            does: "The address to hand out, by the first of access.keys",
        }],
        exit_codes: &[
            (0, "each address is printed"),
            (1, "standard output cannot be written"),
            (2, "wrong usage or settings, no access.keys, or what is no web address"),
        ],
    },
    Manual {
        command: "forget",
        examples: &[Example {
            line: "mmsp-gateway forget --config gateway.toml https://example.org/feed.xml",
            does: "Take a feed out of the memory, with all its items",
        }],
        exit_codes: &[
            (0, "the feeds are forgotten"),
            (1, "nothing is remembered of one of them, or the store cannot be opened"),
            (2, "wrong usage or settings, or what is no web address"),
        ],
    },
    Manual {
        command: "store",
        examples: &[
            Example { line: "mmsp-gateway store info", does: "How much is remembered" },
            Example { line: "mmsp-gateway store export > memory.jsonl", does: "Write it all down" },
        ],
        exit_codes: &[
            (0, "done"),
            (1, "there is no store, or it cannot be opened, read or written"),
            (2, "wrong usage or settings"),
        ],
    },
    Manual {
        command: "store info",
        examples: &[
            Example { line: "mmsp-gateway store info", does: "How much is remembered" },
            Example { line: "mmsp-gateway store info --json", does: "The same, as JSON" },
        ],
        exit_codes: &[
            (0, "done"),
            (1, "there is no store, or it cannot be opened"),
            (2, "wrong usage or settings"),
        ],
    },
    Manual {
        command: "store export",
        examples: &[Example {
            line: "mmsp-gateway store export > memory.jsonl",
            does: "Everything that is remembered, a line of JSON each",
        }],
        exit_codes: &[
            (0, "all is written"),
            (1, "there is no store, it cannot be read, or standard output cannot be written"),
            (2, "wrong usage or settings"),
        ],
    },
    Manual {
        command: "store import",
        examples: &[Example {
            line: "mmsp-gateway store import --config new.toml < memory.jsonl",
            does: "What another store has exported, into one that is empty",
        }],
        exit_codes: &[
            (0, "all is read and remembered"),
            (1, "the store is not empty, cannot be opened, or a line cannot be read"),
            (2, "wrong usage or settings"),
        ],
    },
    Manual {
        command: "healthcheck",
        examples: &[Example {
            line: "mmsp-gateway healthcheck --config gateway.toml",
            does: "Is the gateway with these settings ready?",
        }],
        exit_codes: &[
            (0, "it is ready"),
            (1, "it is not ready, or does not answer"),
            (2, "wrong usage or settings, or no server.listen to ask"),
        ],
    },
    Manual {
        command: "completions",
        examples: &[
            Example {
                line: "mmsp-gateway completions bash > mmsp-gateway.bash",
                does: "For bash; source the file, or put it where bash-completion looks",
            },
            Example {
                line: "mmsp-gateway completions zsh > _mmsp-gateway",
                does: "For zsh; put the file into a folder of $fpath",
            },
            Example {
                line: "mmsp-gateway completions fish > mmsp-gateway.fish",
                does: "For fish; put the file into ~/.config/fish/completions",
            },
        ],
        exit_codes: WRITTEN,
    },
    Manual {
        command: "man",
        examples: &[
            Example { line: "mmsp-gateway man > mmsp-gateway.1", does: "The page of the program" },
            Example {
                line: "mmsp-gateway man --out man1",
                does: "A page for each command, into a folder",
            },
        ],
        exit_codes: WRITTEN,
    },
];

const WRITTEN: &[(u8, &str)] =
    &[(0, "all is written"), (1, "the output cannot be written"), (2, "wrong usage")];
