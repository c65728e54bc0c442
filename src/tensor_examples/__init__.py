"""Checks that every output printed in documentation is what its code prints.

It knows tensors and pages, and nothing of what they are about. One idea a module:

- `compare` says where two printed outputs differ, and `images` where two images do;
- `markdown` and `docstrings` name the examples among what Sybil finds, `notebooks` among cells;
- `checks` says what only looks like a result, `numbers` and `prose` bind what sentences say,
  and `notebook_text` does both for a notebook;
- `script` runs the code of a page the way a reader would, `isolation` gives each page a process
  of its own, and `capture` stops what never ends;
- `failures` words what an author reads;
- `refresh` brings the files up to date, `record` notes what was verified, and `project_modules`
  which modules of the project that depends on;
- `documents` makes each file a document of Sybil's, and `plugin` joins them to pytest.

From a file to a verdict: `plugin` lets `documents` find the examples of a file, and pytest runs
each. That calls its `check` (`ScriptExample` in `script`, `CellExample` in `notebooks`, `Prose` in
`prose`), which has the code run and asks `compare.difference`, or `images.image_difference`. A
new refusal goes to `checks`, and is asked for where examples are found.

To turn the checks on, let pytest load the plugin: `addopts = ["-p", "tensor_examples.plugin"]`.
"""
