"""Checks that every output printed in documentation is what its code prints.

It knows tensors and pages, and nothing of what they are about. One idea a module:

- `numbers` says what a number is, printed or in a sentence, and `printed` what a tensor is;
- `compare` says where two printed outputs differ, and `images` where two images do;
- `fences` finds the blocks of a page, and `conventions` says what a project's own fences say;
- `markdown`, `docstrings` and `notebooks` read the examples of a kind of file, `notebook_text` the
  rest of a notebook;
- `checks` refuses all that looks like a result and is compared with nothing;
- `prose` binds each number in a sentence to a result, `guesses` the right answer of a question,
  `equations` a displayed formula: `asides` of the code, computed with its names;
- `script` runs the code of a page the way a reader would, `isolation` gives each page a process
  of its own, and `kernel` runs notebooks;
- `example` is what the kinds of examples have in common, `failures` the message of a wrong one;
- `refresh` brings the files up to date, `record` notes what was verified, and `project_modules`
  which modules of the project that depends on;
- `documents` makes each file a document of Sybil's, and `plugin` joins them to pytest.

From a file to a verdict: `documents.parse` gives Sybil a region for each example that `parse_page`,
`parse_source` or `parse_notebook` finds. pytest runs each region, whose evaluator asks the
example to `check` itself: it asks the `Run` of its file what its code printed, and
`compare.difference` where that differs from what is written.

To turn the checks on, let pytest load the plugin: `addopts = ["-p", "tensor_examples.plugin"]`.
"""
